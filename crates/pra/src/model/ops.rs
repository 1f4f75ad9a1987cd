//! The small steps between the products of matrices: norms, exponentials, squares.
//!
//! Loops over rows of fixed length, in a form that the compiler turns into vector instructions.

use std::array::from_fn;
use std::f32::consts::{LN_2, LOG2_E};

use crate::config::SQUARES;

/// What the reference adds to a mean square.
pub(super) const EPSILON: f32 = 1.19e-7;
/// How many sums a long sum is made of, so that they do not wait for each other.
pub(super) const LANES: usize = 16;

/// `a · b + c`, in one instruction where the processor has it; elsewhere that would be a slow call.
#[inline(always)]
pub(super) fn fused(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
        a.mul_add(b, c)
    } else {
        a * b + c
    }
}

/// The sum of the lanes, halves upon halves. It is a call on purpose: within another loop, compilers let
/// it decide how that loop is cut into vectors, and make pairs of all that comes before it.
#[inline(never)]
fn total(lanes: &[f32; LANES]) -> f32 {
    let eight: [f32; 8] = from_fn(|n| lanes[n] + lanes[n + 8]);
    let four: [f32; 4] = from_fn(|n| eight[n] + eight[n + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}

/// Sums of products, so many beside each other, and the sum of those that fill no more of them.
#[inline(always)]
fn products<const N: usize>(a: &[f32], b: &[f32]) -> ([f32; N], f32) {
    let mut lanes = [0.0; N];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<N>(), b.as_chunks::<N>());
    for (a, b) in a.iter().zip(b) {
        for n in 0..N {
            lanes[n] = fused(a[n], b[n], lanes[n]);
        }
    }
    (lanes, a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum())
}

/// A sum of products.
#[inline(always)]
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (lanes, rest) = products::<LANES>(a, b);
    total(&lanes) + rest
}

/// A sum of few products, as many as a head has numbers.
#[inline(always)]
pub(super) fn short_dot(a: &[f32], b: &[f32]) -> f32 {
    let (lanes, rest) = products::<4>(a, b);
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]) + rest
}

/// From scores to shares that add up to one in each row: powers of two, each times its gate. Queries and
/// keys are normed, so that no score is larger than the root of a head's size.
///
/// All rows take each step before the next, because a step has to wait for the last in its own row.
pub(super) fn to_shares(rows: &mut [[f32; SQUARES]], gates: &[[f32; SQUARES]]) {
    let mut lanes = [[0.0; LANES]; SQUARES];
    for ((row, gates), lanes) in rows.iter_mut().zip(gates).zip(&mut lanes) {
        for n in 0..SQUARES {
            row[n] = exp2(row[n]) * gates[n];
        }
        *lanes = from_fn(|n| (row[n] + row[n + LANES]) + (row[n + 2 * LANES] + row[n + 3 * LANES]));
    }
    let sums = lanes.map(|lanes| total(&lanes));
    for (row, sum) in rows.iter_mut().zip(sums) {
        let inverse = sum.recip();
        row.iter_mut().for_each(|share| *share *= inverse);
    }
}

/// The way back of [`to_shares`], from changes of shares to those of scores, in place.
#[inline(always)]
pub(super) fn to_shares_back(change: &mut [f32; SQUARES], share: &[f32; SQUARES]) {
    let mean = dot(change, share);
    for n in 0..SQUARES {
        change[n] = share[n] * (change[n] - mean);
    }
}

/// `into += scale · values`.
#[inline(always)]
pub(super) fn add_scaled(into: &mut [f32], values: &[f32], scale: f32) {
    for (into, value) in into.iter_mut().zip(values) {
        *into = fused(scale, *value, *into);
    }
}

/// Each row divided by the root of its mean square; the divisors' inverses are kept.
pub(super) fn norm(into: &mut [f32], inverse: &mut [f32], from: &[f32], width: usize) {
    let rows = into.chunks_exact_mut(width).zip(from.chunks_exact(width));
    for ((into, from), inverse) in rows.zip(inverse) {
        let scale = (dot(from, from) / width as f32 + EPSILON).sqrt().recip();
        *inverse = scale;
        for (into, from) in into.iter_mut().zip(from) {
            *into = from * scale;
        }
    }
}

/// The gradient of a norm: `into += inverse · (change − normed · mean(change · normed))`.
pub(super) fn norm_back(
    into: &mut [f32],
    change: &[f32],
    normed: &[f32],
    inverse: &[f32],
    width: usize,
) {
    let rows = into.chunks_exact_mut(width).zip(change.chunks_exact(width));
    for (((into, change), normed), scale) in rows.zip(normed.chunks_exact(width)).zip(inverse) {
        let mean = dot(change, normed) / width as f32;
        for ((into, change), normed) in into.iter_mut().zip(change).zip(normed) {
            *into += scale * (change - normed * mean);
        }
    }
}

/// Adding it to a number that is not too large rounds to a whole one, in the lowest bits.
const ROUND: f32 = 12_582_912.0;

/// The exponential function, to a few units of the last place, between −87 and 88.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // The logarithm of two in two parts: the first has few bits, so that its multiples are exact.
    const HIGH: f32 = 0.693_359_4;
    const LOW: f32 = -2.121_944_4e-4;
    let x = x.clamp(-87.0, 88.0);
    let shifted = fused(x, LOG2_E, ROUND);
    let whole = shifted - ROUND;
    let rest = fused(-whole, LOW, fused(-whole, HIGH, x));
    power_of_two(shifted, rest * LOG2_E)
}

/// Two to the power of a number that is not large; as exact as that number is.
#[inline(always)]
fn exp2(x: f32) -> f32 {
    let shifted = x + ROUND;
    power_of_two(shifted, x - (shifted - ROUND))
}

/// Two to the power of a whole number, to which [`ROUND`] has been added, and of a rest of at most a
/// half: the first goes into the exponent's bits, for the second a polynomial of six terms is enough.
#[inline(always)]
fn power_of_two(shifted: f32, rest: f32) -> f32 {
    // Those with the smallest largest relative error, 2e-9.
    let mut p = 1.535_336_2e-4;
    for coefficient in [1.339_887_5e-3, 9.618_437e-3, 5.550_332_4e-2, 0.240_226_48, LN_2, 1.0] {
        p = fused(p, rest, coefficient);
    }
    f32::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << 23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_right_to_the_last_digits() {
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
    fn shares_are_those_of_exponentials_and_shut_gates_have_none() {
        let score = |row: usize, n: usize| ((row * 7 + n * 3) as f32 * 0.37).sin() * 4.0;
        let gate = |row: usize, n: usize| (n % (row + 2)) as f32 / 2.0;
        let gates: [[f32; SQUARES]; 3] = from_fn(|row| from_fn(|n| gate(row, n)));
        let mut rows: [[f32; SQUARES]; 3] = from_fn(|row| from_fn(|n| score(row, n) * LOG2_E));
        to_shares(&mut rows, &gates);
        for (row, shares) in rows.iter().enumerate() {
            let slow = |n: usize| f64::from(score(row, n)).exp() * f64::from(gate(row, n));
            let sum: f64 = (0..SQUARES).map(slow).sum();
            for (n, share) in shares.iter().enumerate() {
                assert!((f64::from(*share) - slow(n) / sum).abs() < 1e-7, "{row} {n} {share}");
                assert!(gate(row, n) != 0.0 || *share == 0.0);
            }
        }
    }

    #[test]
    fn a_norm_has_mean_square_one_and_its_gradient_is_that_of_differences() {
        let width = 5;
        let from: Vec<f32> = (0..10).map(|n| (n as f32 * 1.7).sin()).collect();
        let change: Vec<f32> = (0..10).map(|n| (n as f32 * 0.9).cos()).collect();
        let (mut normed, mut inverse) = (vec![0.0; 10], vec![0.0; 2]);
        norm(&mut normed, &mut inverse, &from, width);
        for row in normed.chunks(width) {
            assert!((dot(row, row) / 5.0 - 1.0).abs() < 1e-5);
        }
        let mut gradient = vec![0.0; 10];
        norm_back(&mut gradient, &change, &normed, &inverse, width);
        let loss = |from: &[f32]| {
            let (mut normed, mut inverse) = (vec![0.0; 10], vec![0.0; 2]);
            norm(&mut normed, &mut inverse, from, width);
            dot(&normed, &change)
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
