//! The loops over vectors, with one file for each set of instructions.
//!
//! [`scalar`] is the specification; everything else gives the same bits. `loops` has the loops over
//! whole registers, once, and `avx512`, `avx2` and `neon` what each can do with a register. Which one is
//! used is settled when the crate is compiled, by the instructions that the compiler is told it may
//! use: `target-cpu=native` is what the workspace asks for, and `RUSTFLAGS="-C target-cpu=x86-64"`
//! gives the scalar code.

pub mod scalar;

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[cfg_attr(target_feature = "avx512bw", allow(dead_code, reason = "only the tests use it"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512bw"))]
mod avx512;
#[cfg(any(target_feature = "avx2", target_feature = "neon"))]
mod loops;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon;

#[cfg(all(target_arch = "x86_64", target_feature = "avx2", not(target_feature = "avx512bw")))]
use avx2::Avx2 as Chosen;
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512bw"))]
use avx512::Avx512 as Chosen;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use neon::Neon as Chosen;

/// The instructions that are used.
pub const NAME: &str = if cfg!(target_feature = "avx512bw") {
    "AVX-512"
} else if cfg!(target_feature = "avx2") {
    "AVX2"
} else if cfg!(target_feature = "neon") {
    "NEON"
} else {
    "scalar"
};

#[cfg(not(any(target_feature = "avx2", target_feature = "neon")))]
pub(crate) use scalar::{accumulate, output_sum, update};

#[cfg(any(target_feature = "avx2", target_feature = "neon"))]
mod chosen {
    use super::{Chosen, loops};

    /// See [`scalar::accumulate`](super::scalar::accumulate).
    #[inline]
    pub(crate) fn accumulate(sums: &mut [i16], added: &[&[i16]], removed: &[&[i16]]) {
        loops::accumulate::<Chosen>(sums, added, removed);
    }

    /// See [`scalar::update`](super::scalar::update).
    #[inline]
    pub(crate) fn update<const A: usize, const R: usize>(
        before: &[i16],
        after: &mut [i16],
        added: [&[i16]; A],
        removed: [&[i16]; R],
    ) {
        loops::update::<Chosen, A, R>(before, after, added, removed);
    }

    /// See [`scalar::output_sum`](super::scalar::output_sum).
    #[inline]
    pub(crate) fn output_sum(own: &[i16], other: &[i16], weights: &[i8]) -> i64 {
        loops::output_sum::<Chosen>(own, other, weights)
    }
}

#[cfg(any(target_feature = "avx2", target_feature = "neon"))]
pub(crate) use chosen::{accumulate, output_sum, update};
