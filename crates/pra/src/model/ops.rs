//! Element-wise kernels between the GEMMs: RMS norm, masked softmax, exponentials, dot products.
//!
//! Loops over rows, in a form that the compiler auto-vectorizes, for the instruction set of the CPU.

use std::array::from_fn;
use std::f32::consts::{LN_2, LOG2_E};

use simd::MulAdd;

use crate::config::SQUARES;

/// Added to a mean square, as in the reference.
pub(super) const EPSILON: f32 = 1.19e-7;
/// Independent accumulators of a long sum, which hide the latency of additions.
pub(super) const LANES: usize = 16;

/// Horizontal sum by pairwise halving. Not inlined: within another loop, it makes the compiler vectorize
/// that loop in pairs.
#[inline(never)]
fn horizontal_sum(lanes: &[f32; LANES]) -> f32 {
    let eight: [f32; 8] = from_fn(|n| lanes[n] + lanes[n + 8]);
    let four: [f32; 4] = from_fn(|n| eight[n] + eight[n + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}

/// A dot product in `N` accumulators, and that of the remainder.
#[inline(always)]
fn dot_lanes<const N: usize>(a: &[f32], b: &[f32], fma: MulAdd) -> ([f32; N], f32) {
    let mut lanes = [0.0; N];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<N>(), b.as_chunks::<N>());
    for (a, b) in a.iter().zip(b) {
        for n in 0..N {
            lanes[n] = fma.mul_add(a[n], b[n], lanes[n]);
        }
    }
    (lanes, a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum())
}

#[inline(always)]
fn long_dot(a: &[f32], b: &[f32], fma: MulAdd) -> f32 {
    let (lanes, rest) = dot_lanes::<LANES>(a, b, fma);
    horizontal_sum(&lanes) + rest
}

/// Dot product of short vectors, such as those of a head, in four lanes.
#[inline(always)]
pub(super) fn short_dot_lanes(a: &[f32], b: &[f32], fma: MulAdd) -> [f32; 4] {
    let (mut lanes, rest) = dot_lanes::<4>(a, b, fma);
    lanes[0] += rest;
    lanes
}

/// The sum of four lanes.
#[inline(always)]
pub(super) fn sum_lanes(lanes: &[f32; 4]) -> f32 {
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
}

simd::vectorize! {
    /// Dot product.
    pub(super) fn dot(a: &[f32], b: &[f32]; fma) -> f32 {
        long_dot(a, b, fma)
    }

    /// Masked softmax of each row, in place: `2^score · gate` over its sum. QK norm bounds the scores by the
    /// square root of the head dimension.
    ///
    /// Each step is done for all rows before the next, because the steps of one row depend on each other.
    pub(super) fn masked_softmax(rows: &mut [[f32; SQUARES]], gates: &[[f32; SQUARES]]; fma) {
        let mut lanes = [[0.0; LANES]; SQUARES];
        for ((row, gates), lanes) in rows.iter_mut().zip(gates).zip(&mut lanes) {
            // Local arrays: the compiler vectorizes sums whose inputs cannot overlap their results.
            let (mut weights, mut sums) = ([0.0; SQUARES], [0.0; LANES]);
            for n in 0..SQUARES {
                weights[n] = exp2(row[n], fma) * gates[n];
            }
            for n in 0..LANES {
                let low = weights[n] + weights[n + LANES];
                sums[n] = low + (weights[n + 2 * LANES] + weights[n + 3 * LANES]);
            }
            (*row, *lanes) = (weights, sums);
        }
        for (row, lanes) in rows.iter_mut().zip(&lanes) {
            let inverse = horizontal_sum(lanes).recip();
            for weight in row {
                *weight *= inverse;
            }
        }
    }

    /// `into += scale · values`.
    pub(super) fn add_scaled(into: &mut [f32], values: &[f32], scale: f32; fma) {
        for (into, value) in into.iter_mut().zip(values) {
            *into = fma.mul_add(scale, *value, *into);
        }
    }

    /// ReLU, in place, and its square.
    pub(super) fn relu_and_square(hidden: &mut [f32], squared: &mut [f32]; _) {
        for (hidden, squared) in hidden.iter_mut().zip(squared) {
            *hidden = hidden.max(0.0);
            *squared = *hidden * *hidden;
        }
    }

    /// ReLU², in place.
    pub(super) fn relu_squared(hidden: &mut [f32]; _) {
        for hidden in hidden {
            *hidden = hidden.max(0.0) * hidden.max(0.0);
        }
    }

    /// `squared = hidden²`.
    pub(super) fn square(squared: &mut [f32], hidden: &[f32]; _) {
        for (squared, hidden) in squared.iter_mut().zip(hidden) {
            *squared = hidden * hidden;
        }
    }

    /// Backward pass of ReLU², in place, from the ReLU output.
    pub(super) fn relu_squared_backward(grad: &mut [f32], hidden: &[f32]; _) {
        for (grad, hidden) in grad.iter_mut().zip(hidden) {
            *grad *= 2.0 * hidden;
        }
    }

    /// `values = exp(values − most)`.
    pub(super) fn exp_differences(values: &mut [f32], most: f32; fma) {
        for value in values {
            *value = exp(*value - most, fma);
        }
    }

    /// RMS norm of each row; `rstd` are the reciprocals of the root mean squares.
    pub(super) fn rms_norm(into: &mut [f32], rstd: &mut [f32], from: &[f32], width: usize; fma) {
        let rows = into.chunks_exact_mut(width).zip(from.chunks_exact(width));
        for ((into, from), rstd) in rows.zip(rstd) {
            let scale = (long_dot(from, from, fma) / width as f32 + EPSILON).sqrt().recip();
            *rstd = scale;
            for (into, from) in into.iter_mut().zip(from) {
                *into = from * scale;
            }
        }
    }

    /// Backward pass of [`rms_norm`]: `into += rstd · (grad − normed · mean(grad · normed))`.
    pub(super) fn rms_norm_backward(
        into: &mut [f32], grad: &[f32], normed: &[f32], rstd: &[f32], width: usize; fma
    ) {
        let rows = into.chunks_exact_mut(width).zip(grad.chunks_exact(width));
        for (((into, grad), normed), rstd) in rows.zip(normed.chunks_exact(width)).zip(rstd) {
            let mean = long_dot(grad, normed, fma) / width as f32;
            for ((into, grad), normed) in into.iter_mut().zip(grad).zip(normed) {
                *into += rstd * (grad - normed * mean);
            }
        }
    }
}

/// 1.5 · 2²³: adding it rounds a moderate number to an integer, which is then in the lowest bits.
const ROUND: f32 = 12_582_912.0;

/// The exponential function, to a few ulp, for arguments clamped to −87 … 88.
#[inline(always)]
pub(super) fn exp(x: f32, fma: MulAdd) -> f32 {
    // ln 2 in two parts (Cody–Waite): the first has few bits, so that its multiples are exact.
    const HIGH: f32 = 0.693_359_4;
    const LOW: f32 = -2.121_944_4e-4;
    let x = x.clamp(-87.0, 88.0);
    let shifted = fma.mul_add(x, LOG2_E, ROUND);
    let whole = shifted - ROUND;
    let rest = fma.mul_add(-whole, LOW, fma.mul_add(-whole, HIGH, x));
    power_of_two(shifted, rest * LOG2_E, fma)
}

/// `2^x` for moderate `x`, to a few ulp.
#[inline(always)]
fn exp2(x: f32, fma: MulAdd) -> f32 {
    let shifted = x + ROUND;
    power_of_two(shifted, x - (shifted - ROUND), fma)
}

/// `2^n · 2^rest` for an integer `n`, given as `n +` [`ROUND`], and |rest| ≤ ½: `n` is added to the
/// exponent bits, and a polynomial of degree six approximates the rest.
#[inline(always)]
fn power_of_two(shifted: f32, rest: f32, fma: MulAdd) -> f32 {
    // Minimax coefficients; the relative error is at most 2e-9.
    let mut p = 1.535_336_2e-4;
    for coefficient in [1.339_887_5e-3, 9.618_437e-3, 5.550_332_4e-2, 0.240_226_48, LN_2, 1.0] {
        p = fma.mul_add(p, rest, coefficient);
    }
    f32::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << 23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_accurate_to_a_few_ulp() {
        // As the loops compute them.
        simd::vectorize! {
            fn exp(x: f32; fma) -> f32 { super::exp(x, fma) }
            fn exp2(x: f32; fma) -> f32 { super::exp2(x, fma) }
        }
        for n in -86_000..88_000 {
            let x = n as f32 / 1000.0;
            let (fast, exact) = (f64::from(exp(x)), f64::from(x).exp());
            assert!((fast / exact - 1.0).abs() < 3e-7, "{x}: {fast} {exact}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(f32::NEG_INFINITY) < 1e-37);
        for n in -32_000..32_000 {
            let x = n as f32 / 1024.0;
            let (fast, exact) = (f64::from(exp2(x)), f64::from(x).exp2());
            assert!((fast / exact - 1.0).abs() < 2e-7, "{x}: {fast} {exact}");
        }
        assert!(exp(f32::NAN).is_nan() && exp2(f32::NAN).is_nan());
    }

    #[test]
    fn masked_softmax_is_that_of_exponentials_and_zero_where_the_gate_is_zero() {
        let score = |row: usize, n: usize| ((row * 7 + n * 3) as f32 * 0.37).sin() * 4.0;
        let gate = |row: usize, n: usize| (n % (row + 2)) as f32 / 2.0;
        let gates: [[f32; SQUARES]; 3] = from_fn(|row| from_fn(|n| gate(row, n)));
        let mut rows: [[f32; SQUARES]; 3] = from_fn(|row| from_fn(|n| score(row, n) * LOG2_E));
        masked_softmax(&mut rows, &gates);
        for (row, weights) in rows.iter().enumerate() {
            let slow = |n: usize| f64::from(score(row, n)).exp() * f64::from(gate(row, n));
            let sum: f64 = (0..SQUARES).map(slow).sum();
            for (n, weight) in weights.iter().enumerate() {
                assert!((f64::from(*weight) - slow(n) / sum).abs() < 1e-7, "{row} {n} {weight}");
                assert!(gate(row, n) != 0.0 || *weight == 0.0);
            }
        }
    }

    #[test]
    fn rms_norm_gives_mean_square_one_and_its_gradient_agrees_with_finite_differences() {
        let width = 5;
        let from: Vec<f32> = (0..10).map(|n| (n as f32 * 1.7).sin()).collect();
        let grad: Vec<f32> = (0..10).map(|n| (n as f32 * 0.9).cos()).collect();
        let (mut normed, mut rstd) = (vec![0.0; 10], vec![0.0; 2]);
        rms_norm(&mut normed, &mut rstd, &from, width);
        for row in normed.chunks(width) {
            assert!((dot(row, row) / 5.0 - 1.0).abs() < 1e-5);
        }
        let mut gradient = vec![0.0; 10];
        rms_norm_backward(&mut gradient, &grad, &normed, &rstd, width);
        let loss = |from: &[f32]| {
            let (mut normed, mut rstd) = (vec![0.0; 10], vec![0.0; 2]);
            rms_norm(&mut normed, &mut rstd, from, width);
            dot(&normed, &grad)
        };
        for n in 0..10 {
            let (mut up, mut down) = (from.clone(), from.clone());
            up[n] += 1e-2;
            down[n] -= 1e-2;
            let slope = (loss(&up) - loss(&down)) / 2e-2;
            assert!((slope - gradient[n]).abs() < 2e-3, "{n}: {slope} {}", gradient[n]);
        }
    }
}
