//! The small steps between the products of matrices: norms, exponentials, squares.
//!
//! Loops over rows of fixed length, in a form that the compiler turns into vector instructions.

use std::array::from_fn;

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

/// The sum of the lanes, halves upon halves.
#[inline(always)]
fn total(lanes: [f32; LANES]) -> f32 {
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
    total(lanes) + rest
}

/// A sum of few products, as many as a head has numbers.
#[inline(always)]
pub(super) fn short_dot(a: &[f32], b: &[f32]) -> f32 {
    let (lanes, rest) = products::<4>(a, b);
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]) + rest
}

/// The sum of some numbers, as many as there are lanes at a time.
#[inline(always)]
fn sum<const N: usize>(numbers: &[f32; N]) -> f32 {
    let mut lanes = [0.0; LANES];
    for chunk in numbers.as_chunks::<LANES>().0 {
        for n in 0..LANES {
            lanes[n] += chunk[n];
        }
    }
    total(lanes)
}

/// From scores to shares that add up to one: exponentials, each times its gate. Queries and keys are
/// normed, so that no score is larger than the root of a head's size.
#[inline(always)]
pub(super) fn to_shares<const N: usize>(row: &mut [f32; N], gates: &[f32; N]) {
    for n in 0..N {
        row[n] = exp_within(row[n]) * gates[n];
    }
    let inverse = sum(row).recip();
    row.iter_mut().for_each(|share| *share *= inverse);
}

/// The way back of [`to_shares`], from changes of shares to those of scores, in place.
#[inline(always)]
pub(super) fn to_shares_back<const N: usize>(change: &mut [f32; N], share: &[f32; N]) {
    let mean = dot(change, share);
    for n in 0..N {
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

/// The exponential function, to a few units of the last place, between −87 and 88.
///
/// The exponent is split into a power of two, which goes into the bits of the result, and a rest of
/// at most half a binary order, for which a polynomial of six terms is enough.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    exp_within(x.clamp(-87.0, 88.0))
}

/// The same for a number that is known to lie within these bounds.
#[inline(always)]
fn exp_within(x: f32) -> f32 {
    /// Adding it rounds to a whole number in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    // The logarithm of two in two parts: the first has few bits, so that its multiples are exact.
    const HIGH: f32 = 0.693_359_4;
    const LOW: f32 = -2.121_944_4e-4;
    let shifted = fused(x, std::f32::consts::LOG2_E, ROUND);
    let whole = shifted - ROUND;
    let r = fused(-whole, LOW, fused(-whole, HIGH, x));
    // A polynomial that is best on the interval, after Cephes.
    let mut p = 1.987_569_1e-4;
    for coefficient in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        p = fused(p, r, coefficient);
    }
    let p = fused(p * r, r, r) + 1.0;
    let power = (shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127)) << 23;
    p * f32::from_bits(power)
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
