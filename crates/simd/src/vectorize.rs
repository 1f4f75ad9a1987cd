//! Run-time dispatch of loops in plain Rust, for crates without `unsafe` code.

use std::marker::PhantomData;

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

/// A loop that the compiler vectorizes, with arguments `A`. [`vectorize!`](crate::vectorize!) implements it.
pub trait Loop<A> {
    /// What it returns.
    type Output;

    /// Runs it. `#[inline(always)]`, like all that it calls: what is not inlined is compiled for the
    /// baseline of the target, where a fused multiply-add may be a slow library call.
    fn run(args: A, fma: MulAdd) -> Self::Output;
}

/// Runs a loop, compiled for each instruction set. Elementwise operations give the same bits on every CPU,
/// and those with [`MulAdd`] on every one with fused multiply-add.
#[inline]
pub fn run_loop<L: Loop<A>, A>(args: A) -> L::Output {
    run(Kernels::current(), args, PhantomData::<L>)
}

dispatch! {
    fn run[L: Loop<A>, A](kernels; args: A, _which: PhantomData<L>) -> L::Output {
        L::run(args, MulAdd::of::<set::F32x16>())
    }
}

/// Defines functions whose body is a loop that the compiler vectorizes for the instruction set of the CPU.
/// The name after the semicolon is the body's [`MulAdd`]. What the body calls must be `#[inline(always)]`.
///
/// ```
/// tabiya_simd::vectorize! {
///     /// `y += a · x`.
///     fn axpy(a: f32, x: &[f32], y: &mut [f32]; fma) {
///         for (x, y) in x.iter().zip(y) {
///             *y = fma.mul_add(a, *x, *y);
///         }
///     }
/// }
/// let mut y = [1.0, 2.0];
/// axpy(2.0, &[3.0, 4.0], &mut y);
/// assert_eq!(y, [7.0, 10.0]);
/// ```
#[macro_export]
macro_rules! vectorize {
    ($($(#[$attr:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?; $fma:pat_param) $(-> $out:ty)? $body:block)*) => {
        $(
            $(#[$attr])*
            $vis fn $name($($arg: $type),*) $(-> $out)? {
                struct Body;
                impl $crate::Loop<($($type,)*)> for Body {
                    type Output = $crate::vectorize!(@output $($out)?);
                    #[inline(always)]
                    fn run(($($arg,)*): ($($type,)*), $fma: $crate::MulAdd) -> Self::Output $body
                }
                $crate::run_loop::<Body, _>(($($arg,)*))
            }
        )*
    };
    (@output) => { () };
    (@output $out:ty) => { $out };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InstructionSet;

    struct Polynomial;

    impl Loop<(&[f32], &mut [f32])> for Polynomial {
        type Output = ();

        #[inline(always)]
        fn run((x, y): (&[f32], &mut [f32]), fma: MulAdd) {
            for (x, y) in x.iter().zip(y) {
                *y = fma.mul_add(fma.mul_add(*x, 0.3, 0.2), *x, 0.1);
            }
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
            run(kernels, (&x[..], &mut y[..]), PhantomData::<Polynomial>);
            let scalar = kernels.instruction_set() == InstructionSet::Scalar;
            assert!(y == fused || scalar && y == rounded_twice, "{kernels:?}");
        }
    }
}
