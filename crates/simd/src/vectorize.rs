//! Run-time dispatch of loops in plain Rust, for crates without `unsafe` code.

use crate::Kernels;
use crate::dispatch::dispatch;
use crate::vector::F32x16;

/// Multiply-add as fast as the instruction set has it.
#[derive(Clone, Copy, Debug)]
pub struct MulAdd {
    fused: bool,
}

impl MulAdd {
    #[inline(always)]
    fn of<V: F32x16>() -> Self {
        Self { fused: V::FUSED }
    }

    /// `a · b + c`, rounded once if the instruction set has fused multiply-add.
    #[inline(always)]
    pub fn mul_add(self, a: f32, b: f32, c: f32) -> f32 {
        if self.fused { a.mul_add(b, c) } else { a * b + c }
    }
}

/// Runs a loop that the compiler vectorizes, compiled for each instruction set.
///
/// The loop is a function item that is `#[inline(always)]`, like all that it calls; otherwise it is
/// compiled for the baseline of the target. Elementwise operations give the same bits on every CPU, and
/// those with [`MulAdd`] on every one with fused multiply-add.
///
/// ```
/// use simd::{MulAdd, vectorize};
/// #[inline(always)]
/// fn axpy((a, x, y): (f32, &[f32], &mut [f32]), fma: MulAdd) {
///     for (x, y) in x.iter().zip(y) {
///         *y = fma.mul_add(a, *x, *y);
///     }
/// }
/// let mut y = [1.0, 2.0];
/// vectorize((2.0, &[3.0, 4.0], &mut y), axpy);
/// assert_eq!(y, [7.0, 10.0]);
/// ```
#[inline]
pub fn vectorize<A, R>(args: A, body: impl FnOnce(A, MulAdd) -> R) -> R {
    run(Kernels::current(), args, body)
}

dispatch! {
    fn run[A, R, F: FnOnce(A, MulAdd) -> R](kernels; args: A, body: F) -> R {
        body(args, MulAdd::of::<set::F32x16>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InstructionSet;

    #[inline(always)]
    fn polynomial((x, y): (&[f32], &mut [f32]), fma: MulAdd) {
        for (x, y) in x.iter().zip(y) {
            *y = fma.mul_add(fma.mul_add(*x, 0.3, 0.2), *x, 0.1);
        }
    }

    #[test]
    fn a_loop_gives_the_same_bits_with_every_instruction_set_but_for_fused_multiply_add() {
        let x: Vec<f32> = (0..1000).map(|n| n as f32 * 0.37 - 100.0).collect();
        let naive = |mul_add: fn(f32, f32, f32) -> f32| -> Vec<f32> {
            x.iter().map(|x| mul_add(mul_add(*x, 0.3, 0.2), *x, 0.1)).collect()
        };
        let (fused, rounded_twice) = (naive(f32::mul_add), naive(|a, b, c| a * b + c));
        for kernels in InstructionSet::ALL.into_iter().filter_map(Kernels::new) {
            let mut y = vec![0.0; x.len()];
            run(kernels, (&x[..], &mut y[..]), polynomial);
            let scalar = kernels.instruction_set() == InstructionSet::Scalar;
            assert!(y == fused || scalar && y == rounded_twice, "{kernels:?}");
        }
    }
}
