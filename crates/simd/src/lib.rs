#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! Vector kernels: 64-byte-aligned buffers, CPU detection, and the inner loops that `tabiya-nnue`,
//! `tabiya-train` and `tabiya-pra` share. All `unsafe` code of these crates is here.
//!
//! | module | kernels |
//! |---|---|
//! | [`quantized`] | the engine's network: int16 accumulators, SCReLU, int8 output weights |
//! | [`halfkp`] | HalfKP: int16 accumulators, int8 affine layers with clipped ReLU |
//! | [`halfka`] | HalfKAv2_hm: pairwise products of accumulators, sparse int8 affine layer |
//! | [`float`] | f32 training of the engine's network |
//! | [`row64`] | two-tower MLP: f32 layers that are 64 wide |
//! | [`gemm`] | f32 matrix products of any shape |
//! | [`attention`] | masked attention of sixteen sequences, forward and backward |
//! | [`bits`] | bits as numbers, past the caches |
//! | [`vectorize!`] | any loop in plain Rust |
//!
//! [`levels`] chooses among whole builds of a program for x86-64 levels.
//!
//! Kernels are selected at run time: [`Kernels::current`] detects the CPU once, and each kernel, a whole loop,
//! is compiled for every [`InstructionSet`] (`dispatch`). [`scalar`] is the specification; `avx2`, `avx512` and
//! `neon` define the same names over registers. The integer kernels return the same bits with every
//! instruction set, those of f32 with every one that has fused multiply-add. `loops` and the kernels of
//! f32 are generic over the registers of `vector`. The environment variable `TABIYA_CPU` forces an instruction
//! set, for tests and bug reports. A [`Computation`] of another crate is compiled for every instruction set,
//! too, with [`IntegerKernels`] inlined.

mod aligned;
pub mod attention;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub mod bits;
mod dispatch;
pub mod float;
pub mod gemm;
pub mod halfka;
pub mod halfkp;
mod integer;
pub mod levels;
mod loops;
#[cfg(target_arch = "aarch64")]
mod neon;
pub mod quantized;
pub mod row64;
pub mod scalar;
mod vector;
mod vectorize;

pub use aligned::{AlignedVec, CacheAligned};
pub use dispatch::{ForceError, InstructionSet, Kernels, VARIABLE};
pub use integer::{Computation, IntegerKernels};
pub use vectorize::{Loop, MulAdd, run_loop};
