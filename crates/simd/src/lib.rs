#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! Vector kernels: 64-byte-aligned buffers, CPU detection, and the inner loops that `nnue`, `train` and
//! `pra` share. All `unsafe` code of these crates is here.
//!
//! | module | kernels |
//! |---|---|
//! | [`quantized`] | the engine's network: int16 accumulators, SCReLU, int8 output weights |
//! | [`halfkp`] | HalfKP: int16 accumulators, int8 affine layers with clipped ReLU |
//! | [`float`] | f32 training of the engine's network |
//! | [`row64`] | two-tower MLP: f32 layers that are 64 wide |
//! | [`gemm`] | f32 matrix products of any shape |
//!
//! [`scalar`] is the specification. `avx2`, `avx512` and `neon` define the same names over registers; the
//! integer kernels return the same bits with every instruction set. `loops` and the kernels of f32 are
//! generic over the registers of `vector` and contain whole loops, so that each is compiled once per
//! instruction set.
//!
//! [`halfkp::Kernels`] selects the instruction set at run time. Everything else uses the one that the
//! compiler targets (`native`): with `-C target-cpu=native` that of the build machine, with
//! `-C target-cpu=x86-64` the scalar code.

mod aligned;
#[cfg(target_arch = "x86_64")]
#[allow(dead_code, reason = "the compiler's target selects one instruction set")]
mod avx2;
#[cfg(target_arch = "x86_64")]
#[allow(dead_code, reason = "the compiler's target selects one instruction set")]
mod avx512;
pub mod float;
pub mod gemm;
pub mod halfkp;
mod instruction_set;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod loops;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon;
pub mod quantized;
pub mod row64;
#[allow(dead_code, reason = "the compiler's target selects one instruction set")]
pub mod scalar;
#[allow(dead_code, reason = "the compiler's target selects one instruction set")]
mod vector;

cfg_select! {
    all(target_arch = "x86_64", target_feature = "avx512bw") => {
        use avx512 as native;
        /// The instruction set that the compiler targets.
        pub const TARGET: &str = "AVX-512";
    }
    all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma") => {
        use avx2 as native;
        /// The instruction set that the compiler targets.
        pub const TARGET: &str = "AVX2";
    }
    all(target_arch = "aarch64", target_feature = "neon") => {
        use neon as native;
        /// The instruction set that the compiler targets.
        pub const TARGET: &str = "NEON";
    }
    _ => {
        use scalar as native;
        /// The instruction set that the compiler targets.
        pub const TARGET: &str = "scalar";
    }
}

pub use aligned::{AlignedVec, CacheAligned};
pub use instruction_set::InstructionSet;
