//! Computations of other crates that are compiled for each instruction set, small integer kernels inlined.
//!
//! A call of a kernel is dispatched, and nothing of it is inlined into its caller: a loss of a few
//! nanoseconds, where small kernels take ten. A [`Computation`] is dispatched once, and compiled as a whole
//! for each instruction set.

use crate::dispatch::dispatch;
use crate::{InstructionSet, Kernels, loops, quantized};

mod sealed {
    pub trait Sealed {}
}

/// The small integer kernels: those of [`Kernels`], each call dispatched, or those that a [`Computation`] is
/// compiled with.
pub trait IntegerKernels: Copy + sealed::Sealed {
    /// All kernels of the instruction set. In a [`Computation`] it is a constant: a call is a direct one.
    fn kernels(self) -> Kernels;
    /// See [`quantized::accumulate`].
    fn accumulate(self, weights: &[i16], src: &[i16], dst: &mut [i16], add: &[u16], sub: &[u16]);
    /// See [`quantized::screlu_dot`].
    fn screlu_dot(self, own: &[i16], other: &[i16], weights: &[i8]) -> i64;
}

/// A computation with integer kernels.
///
/// `run` must be `#[inline(always)]`, like all that it passes its kernels to: what is not inlined is compiled
/// for the baseline of the target, and the kernels in it are slow. Rare parts are better outlined, with
/// [`Kernels`].
///
/// ```
/// use tabiya_simd::{Computation, IntegerKernels, Kernels};
/// struct Sum<'a>(&'a [i16], &'a [i8]);
/// impl Computation for Sum<'_> {
///     type Output = i64;
///     #[inline(always)]
///     fn run<K: IntegerKernels>(self, kernels: K) -> i64 {
///         let (own, other) = self.0.split_at(self.0.len() / 2);
///         kernels.screlu_dot(own, other, self.1)
///     }
/// }
/// assert_eq!(Kernels::current().compute(Sum(&[2; 64], &[1; 64])), 64 * 4);
/// ```
pub trait Computation {
    /// What it returns.
    type Output;

    /// Runs it.
    fn run<K: IntegerKernels>(self, kernels: K) -> Self::Output;
}

impl Kernels {
    /// Runs a computation, compiled for their instruction set.
    #[inline]
    pub fn compute<C: Computation>(self, computation: C) -> C::Output {
        compute(self, computation)
    }
}

dispatch! {
    fn compute[C: Computation](kernels; computation: C) -> C::Output {
        // SAFETY: the CPU supports the instruction set of `set`.
        computation.run(unsafe { set::Inlined::new() })
    }
}

impl sealed::Sealed for Kernels {}

impl IntegerKernels for Kernels {
    #[inline(always)]
    fn kernels(self) -> Kernels {
        self
    }

    #[inline]
    fn accumulate(self, weights: &[i16], src: &[i16], dst: &mut [i16], add: &[u16], sub: &[u16]) {
        quantized::accumulate(self, weights, src, dst, add, sub);
    }

    #[inline]
    fn screlu_dot(self, own: &[i16], other: &[i16], weights: &[i8]) -> i64 {
        quantized::screlu_dot(self, own, other, weights)
    }
}

/// Defines the kernels of an instruction set, which are inlined into their caller.
macro_rules! inlined {
    ($($(#[$attr:meta])* $name:ident: $set:path;)*) => { $(
        /// A value proves that the CPU supports the instruction set.
        $(#[$attr])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name(());

        $(#[$attr])*
        impl $name {
            /// # Safety
            /// The CPU supports the instruction set.
            #[inline(always)]
            pub(crate) const unsafe fn new() -> Self {
                Self(())
            }
        }

        $(#[$attr])*
        impl sealed::Sealed for $name {}

        $(#[$attr])*
        impl IntegerKernels for $name {
            #[inline(always)]
            fn kernels(self) -> Kernels {
                Kernels::of(InstructionSet::$name)
            }

            #[inline(always)]
            fn accumulate(self, weights: &[i16], src: &[i16], dst: &mut [i16], add: &[u16], sub: &[u16]) {
                use $set as set;
                // SAFETY: see `new`.
                if !unsafe { loops::accumulate_move::<set::I16s>(weights, src, dst, add, sub) } {
                    quantized::accumulate_tiles(self.kernels(), weights, src, dst, add, sub);
                }
            }

            #[inline(always)]
            fn screlu_dot(self, own: &[i16], other: &[i16], weights: &[i8]) -> i64 {
                use $set as set;
                // SAFETY: see `new`.
                unsafe { loops::screlu_dot::<set::I16s>(own, other, weights) }
            }
        }
    )* };
}

inlined! {
    Scalar: crate::scalar;
    #[cfg(target_arch = "aarch64")]
    Neon: crate::neon;
    #[cfg(target_arch = "x86_64")]
    Avx2: crate::avx2;
    #[cfg(target_arch = "x86_64")]
    Avx512: crate::avx512;
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni: crate::avx512::vnni;
}

#[cfg(test)]
mod tests {
    use chess::rng::Rng;

    use super::*;
    use crate::scalar;

    /// All kernels: an accumulator, and the dot product of it and another.
    struct All<'a> {
        weights: &'a [i16],
        src: &'a [i16],
        dst: &'a mut [i16],
        rows: (&'a [u16], &'a [u16]),
        outputs: &'a [i8],
    }

    impl Computation for All<'_> {
        type Output = (i64, Kernels);

        #[inline(always)]
        fn run<K: IntegerKernels>(self, kernels: K) -> (i64, Kernels) {
            let Self { weights, src, dst, rows: (add, sub), outputs } = self;
            kernels.accumulate(weights, src, dst, add, sub);
            (kernels.screlu_dot(dst, src, outputs), kernels.kernels())
        }
    }

    #[test]
    fn computations_match_the_specification_with_every_instruction_set() {
        let mut rng = Rng::new(9, 0);
        for len in [32, 64, 96, 256, 512, 1024] {
            // Values around the bounds of the activation, and weights whose sums wrap around.
            let src: Vec<i16> = (0..len).map(|_| rng.below(600) as i16 - 150).collect();
            let outputs: Vec<i8> = (0..2 * len).map(|_| rng.next_u64() as i8).collect();
            for most in [300, 1 << 16] {
                let weight = |_| (rng.below(most) as i32 - most as i32 / 2) as i16;
                let weights: Vec<i16> = (0..6 * len).map(weight).collect();
                // Six rows: row 6 is beyond the weights.
                let deltas: [(&[u16], &[u16]); 9] = [
                    (&[], &[]),
                    (&[1], &[4]),
                    (&[0], &[5, 2]),
                    (&[3, 1], &[0, 4]),
                    (&[5, 1, 3], &[0, 4]),
                    (&[2, 0, 1, 4], &[]),
                    (&[6], &[4]),
                    (&[0], &[2, 6]),
                    (&[3, 6], &[0, 4]),
                ];
                for rows in deltas {
                    let mut slow = vec![0; len];
                    scalar::accumulate(&weights, &src, &mut slow, rows.0, rows.1);
                    let sum = scalar::screlu_dot(&slow, &src, &outputs);
                    for kernels in InstructionSet::ALL.into_iter().filter_map(Kernels::new) {
                        let mut fast = vec![0; len];
                        let (weights, src, outputs) = (&*weights, &*src, &*outputs);
                        let found =
                            kernels.compute(All { weights, src, dst: &mut fast, rows, outputs });
                        assert_eq!(found, (sum, kernels), "{len} {rows:?}");
                        assert_eq!(fast, slow, "{kernels:?} {len} {rows:?}");
                    }
                }
            }
        }
    }
}
