//! The kernels, generic over registers.
//!
//! A pair of a query and a key has as many loads as multiplications, and the vectors of a head do not fit into the
//! first-level cache. So a part of the head dimension stays in registers while a list of vectors passes by, and
//! where all queries attend to all keys, each vector that is loaded serves two queries.

#![allow(clippy::needless_range_loop, reason = "see the module `vector` on loops")]

use super::{Head, Lanes, Mask, Qkv, QkvGradients};
use crate::vector::F32x16;

/// Runs `$body` for parts of the head dimension that fit into registers: `$N` numbers from `$first` on.
macro_rules! for_parts {
    ($V:ident, $dim:expr, |$first:ident, $N:ident| $body:expr) => {{
        let (dim, mut begin) = ($dim, 0);
        while begin < dim {
            let $first = begin;
            match dim - begin {
                8.. if $V::REGISTERS >= 32 => {
                    const $N: usize = 8;
                    $body;
                    begin += $N;
                }
                4.. => {
                    const $N: usize = 4;
                    $body;
                    begin += $N;
                }
                _ => {
                    const $N: usize = 1;
                    $body;
                    begin += $N;
                }
            }
        }
    }};
}

/// A part of vectors of `dim` numbers: that from `first` on.
#[derive(Clone, Copy)]
struct Part<'a> {
    vectors: &'a [Lanes],
    dim: usize,
    first: usize,
}

impl<'a> Part<'a> {
    #[inline(always)]
    fn of<const N: usize>(self, index: usize) -> &'a [Lanes; N] {
        let vector = &self.vectors[index * self.dim + self.first..];
        vector.first_chunk().expect("as many vectors as tokens")
    }
}

/// Whether two queries, or keys, are computed at once.
#[inline(always)]
fn in_twos<V: F32x16>(mask: &Mask) -> bool {
    V::REGISTERS >= 32 && mask.is_full() && mask.tokens().is_multiple_of(2)
}

/// Dot products of `B` vectors from `index` on with those of a list, or of their next part added to `sums`.
#[inline(always)]
fn dot_products<V: F32x16, const N: usize, const B: usize>(
    vectors: Part<'_>,
    index: usize,
    others: Part<'_>,
    list: &[u8],
    scale: f32,
    sums: &mut [Lanes],
) {
    let mut own = [[V::splat(0.0); N]; B];
    for b in 0..B {
        let vector = vectors.of::<N>(index + b);
        for n in 0..N {
            own[b][n] = V::load(&vector[n]).mul(V::splat(scale));
        }
    }
    for (at, &other) in list.iter().enumerate() {
        let other = others.of::<N>(usize::from(other));
        // Two chains hide some latency.
        let mut chains = [[V::splat(0.0); 2]; B];
        for n in 0..N {
            let x = V::load(&other[n]);
            for b in 0..B {
                chains[b][n % 2] = match n {
                    0 | 1 => own[b][n].mul(x),
                    _ => chains[b][n % 2].add_product(own[b][n], x),
                };
            }
        }
        for b in 0..B {
            let sum = &mut sums[b * (list.len() + 1) + at];
            let mut total = if N > 1 { chains[b][0].add(chains[b][1]) } else { chains[b][0] };
            if vectors.first > 0 {
                total = total.add(V::load(sum));
            }
            total.store(sum);
        }
    }
}

/// Sums of vectors times factors: `list` has the index of a vector and that of its factor, which is `stride` further
/// on for the second of `B` sums. Writes the sums, times `scale`, as the vectors from `index` on.
#[inline(always)]
fn weighted_sums<V: F32x16, const N: usize, const B: usize>(
    list: impl Iterator<Item = (usize, usize)>,
    (factors, stride): (&[Lanes], usize),
    vectors: Part<'_>,
    scale: f32,
    output: &mut [Lanes],
    index: usize,
) {
    let mut sums = [[V::splat(0.0); N]; B];
    for (vector, factor) in list {
        let mut weights = [V::splat(0.0); B];
        for b in 0..B {
            weights[b] = V::load(&factors[factor + b * stride]);
        }
        let vector = vectors.of::<N>(vector);
        for n in 0..N {
            let x = V::load(&vector[n]);
            for b in 0..B {
                sums[b][n] = sums[b][n].add_product(weights[b], x);
            }
        }
    }
    for b in 0..B {
        let to = &mut output[(index + b) * vectors.dim + vectors.first..][..N];
        for n in 0..N {
            sums[b][n].mul(V::splat(scale)).store(&mut to[n]);
        }
    }
}

/// `2^x` for moderate `x`, to a few ulp: a polynomial for the part within ½ of an integer.
#[inline(always)]
fn exp2<V: F32x16>(x: V) -> V {
    /// 1.5 · 2²³: adding it rounds to an integer, which is then in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    const COEFFICIENTS: [f32; 6] =
        [1.339_887_5e-3, 9.618_437e-3, 5.550_332_4e-2, 0.240_226_48, std::f32::consts::LN_2, 1.0];
    let shifted = x.add(V::splat(ROUND));
    let rest = x.sub(shifted.sub(V::splat(ROUND)));
    let mut p = V::splat(1.535_336_2e-4);
    for n in 0..COEFFICIENTS.len() {
        p = V::splat(COEFFICIENTS[n]).add_product(p, rest);
    }
    p.scale_by_power(shifted)
}

/// A function of each lane.
#[inline(always)]
fn map<V: F32x16>(x: V, f: impl Fn(f32) -> f32) -> V {
    let mut lanes = [0.0; 16];
    x.store(&mut lanes);
    for n in 0..16 {
        lanes[n] = f(lanes[n]);
    }
    V::load(&lanes)
}

/// Scores become weights: softmax of the exponentials times the gates. Scores are of powers of two.
#[inline(always)]
fn gated_softmax<V: F32x16>(scores: &mut [Lanes], gates: &[f32]) {
    let mut sum = V::splat(0.0);
    for (score, &gate) in scores.iter_mut().zip(gates) {
        let exponential = exp2(V::load(score)).mul(V::splat(gate));
        sum = sum.add(exponential);
        exponential.store(score);
    }
    let inverse = map(sum, f32::recip);
    for weight in scores {
        V::load(weight).mul(inverse).store(weight);
    }
}

#[inline(always)]
pub(super) fn forward<V: F32x16>(
    head: Head<'_>,
    qkv: Qkv<'_>,
    gates: &[f32],
    weights: &mut [Lanes],
    output: &mut [Lanes],
) {
    if in_twos::<V>(head.mask) {
        forward_in::<V, 2>(head, qkv, gates, weights, output);
    } else {
        forward_in::<V, 1>(head, qkv, gates, weights, output);
    }
}

#[inline(always)]
fn forward_in<V: F32x16, const B: usize>(
    Head { mask, dim, scale }: Head<'_>,
    Qkv { queries, keys, values }: Qkv<'_>,
    gates: &[f32],
    weights: &mut [Lanes],
    output: &mut [Lanes],
) {
    // Powers of two are faster than those of e.
    let scale = scale * std::f32::consts::LOG2_E;
    for query in (0..mask.tokens()).step_by(B) {
        let list = mask.keys_of(query);
        let weights = &mut weights[mask.weights_of(query).start..][..B * (list.len() + 1)];
        for_parts!(V, dim, |first, N| {
            let part = |vectors| Part { vectors, dim, first };
            dot_products::<V, N, B>(part(queries), query, part(keys), list, scale, weights);
        });
        for b in 0..B {
            let gates = &gates[mask.of_query(query + b)];
            gated_softmax::<V>(&mut weights[b * (list.len() + 1)..][..list.len()], gates);
        }
        for_parts!(V, dim, |first, N| {
            let list = list.iter().enumerate().map(|(at, &key)| (usize::from(key), at));
            let (factors, values) =
                ((&*weights, mask.tokens() + 1), Part { vectors: values, dim, first });
            weighted_sums::<V, N, B>(list, factors, values, 1.0, output, query);
        });
    }
}

#[inline(always)]
pub(super) fn backward<V: F32x16>(
    head: Head<'_>,
    qkv: Qkv<'_>,
    weights: &[Lanes],
    grad_output: &[Lanes],
    scores: &mut [Lanes],
    gradients: QkvGradients<'_>,
    log_gates: Option<&mut [f32]>,
) {
    if in_twos::<V>(head.mask) {
        backward_in::<V, 2>(head, qkv, weights, grad_output, scores, gradients, log_gates);
    } else {
        backward_in::<V, 1>(head, qkv, weights, grad_output, scores, gradients, log_gates);
    }
}

#[inline(always)]
fn backward_in<V: F32x16, const B: usize>(
    Head { mask, dim, scale }: Head<'_>,
    Qkv { queries, keys, values }: Qkv<'_>,
    weights: &[Lanes],
    grad_output: &[Lanes],
    scores: &mut [Lanes],
    gradients: QkvGradients<'_>,
    mut log_gates: Option<&mut [f32]>,
) {
    let len = mask.weights_len();
    let (weights, scores) = (&weights[..len], &mut scores[..len]);
    for query in (0..mask.tokens()).step_by(B) {
        let list = mask.keys_of(query);
        let begin = mask.weights_of(query).start;
        let own = &mut scores[begin..][..B * (list.len() + 1)];
        for_parts!(V, dim, |first, N| {
            let part = |vectors| Part { vectors, dim, first };
            dot_products::<V, N, B>(part(grad_output), query, part(values), list, 1.0, own);
        });
        for b in 0..B {
            let scores = &mut own[b * (list.len() + 1)..][..list.len()];
            softmax_backward::<V>(scores, &weights[mask.weights_of(query + b)]);
            if let Some(log_gates) = &mut log_gates {
                for (sum, score) in log_gates[mask.of_query(query + b)].iter_mut().zip(&*scores) {
                    *sum += V::load(score).sum();
                }
            }
        }
        for_parts!(V, dim, |first, N| {
            let list = list.iter().enumerate().map(|(at, &key)| (usize::from(key), at));
            let (factors, keys) = ((&*own, mask.tokens() + 1), Part { vectors: keys, dim, first });
            weighted_sums::<V, N, B>(list, factors, keys, scale, gradients.queries, query);
        });
    }
    for key in (0..mask.tokens()).step_by(B) {
        let sides = [
            (&*scores, queries, scale, &mut *gradients.keys),
            (weights, grad_output, 1.0, &mut *gradients.values),
        ];
        for (factors, vectors, scale, gradient) in sides {
            for_parts!(V, dim, |first, N| {
                let list = mask.of_key(key).iter();
                let list = list.map(|&(query, pair)| (usize::from(query), usize::from(pair)));
                let vectors = Part { vectors, dim, first };
                weighted_sums::<V, N, B>(list, (factors, 1), vectors, scale, gradient, key);
            });
        }
    }
}

/// From the gradients w.r.t. weights to those w.r.t. scores.
#[inline(always)]
fn softmax_backward<V: F32x16>(gradients: &mut [Lanes], weights: &[Lanes]) {
    let mut mean = V::splat(0.0);
    for (weight, gradient) in weights.iter().zip(&*gradients) {
        mean = mean.add_product(V::load(weight), V::load(gradient));
    }
    for (weight, gradient) in weights.iter().zip(gradients) {
        V::load(weight).mul(V::load(gradient).sub(mean)).store(gradient);
    }
}

#[inline(always)]
pub(super) fn rms_norm<V: F32x16>(
    vectors: &mut [Lanes],
    rstd: &mut [Lanes],
    dim: usize,
    epsilon: f32,
) {
    for (vector, rstd) in vectors.chunks_exact_mut(dim).zip(rstd) {
        let mut sum = V::splat(0.0);
        for x in &*vector {
            sum = sum.add_product(V::load(x), V::load(x));
        }
        let inverse = map(sum, |sum| (sum / dim as f32 + epsilon).sqrt().recip());
        inverse.store(rstd);
        for x in vector {
            V::load(x).mul(inverse).store(x);
        }
    }
}

#[inline(always)]
pub(super) fn rms_norm_backward<V: F32x16>(
    gradients: &mut [Lanes],
    normed: &[Lanes],
    rstd: &[Lanes],
    dim: usize,
) {
    let vectors = gradients.chunks_exact_mut(dim).zip(normed.chunks_exact(dim));
    for ((gradient, normed), rstd) in vectors.zip(rstd) {
        let mut sum = V::splat(0.0);
        for (grad, x) in gradient.iter().zip(normed) {
            sum = sum.add_product(V::load(grad), V::load(x));
        }
        let (mean, rstd) = (sum.mul(V::splat(1.0 / dim as f32)), V::load(rstd));
        for (grad, x) in gradient.iter_mut().zip(normed) {
            V::load(grad).sub(V::load(x).mul(mean)).mul(rstd).store(grad);
        }
    }
}
