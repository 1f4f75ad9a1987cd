//! Every kernel beside the textbook's formulas in f64, lane by lane, with every instruction set.

use super::*;
use crate::vector::F32x16;
use crate::{InstructionSet, Kernels};
use chess::rng::Rng;

fn random(rng: &mut Rng, len: usize) -> Vec<Lanes> {
    let number = |rng: &mut Rng| rng.below(2001) as f32 / 1000.0 - 1.0;
    (0..len).map(|_| std::array::from_fn(|_| number(rng))).collect()
}

fn assert_close(found: &[Lanes], lane: usize, expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (n, (found, expected)) in found.iter().zip(expected).enumerate() {
        let found = f64::from(found[lane]);
        assert!((found - expected).abs() < 2e-5, "{n}: {found} instead of {expected}");
    }
}

/// Softmax attention of one sequence, and its gradients given that w.r.t. the output.
struct Slow {
    weights: Vec<f64>,
    output: Vec<f64>,
    queries: Vec<f64>,
    keys: Vec<f64>,
    values: Vec<f64>,
    log_gates: Vec<f64>,
}

fn slow(head: Head<'_>, qkv: Qkv<'_>, gates: &[f32], grad: &[Lanes], lane: usize) -> Slow {
    let Head { mask, dim, scale } = head;
    let tokens = qkv.queries.len() / dim;
    let of = |lanes: &[Lanes]| lanes.iter().map(|x| f64::from(x[lane])).collect::<Vec<_>>();
    let [q, k, v, grad] = [qkv.queries, qkv.keys, qkv.values, grad].map(of);
    let row = |matrix: &[f64], n: usize| matrix[n * dim..][..dim].to_vec();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let pairs: Vec<(usize, usize)> = mask.pairs().collect();
    let exponential = |((query, key), gate): (&(usize, usize), &f32)| {
        (dot(&row(&q, *query), &row(&k, *key)) * f64::from(scale)).exp() * f64::from(*gate)
    };
    let mut weights: Vec<f64> = pairs.iter().zip(gates).map(exponential).collect();
    for query in 0..tokens {
        let own = || pairs.iter().enumerate().filter(|(_, pair)| pair.0 == query);
        let sum: f64 = own().map(|(n, _)| weights[n]).sum();
        own().for_each(|(n, _)| weights[n] /= sum);
    }
    let zeros = || vec![0.0; tokens * dim];
    let (mut output, mut queries, mut keys, mut values) = (zeros(), zeros(), zeros(), zeros());
    let grad_weight = |&(query, key): &(usize, usize)| dot(&row(&grad, query), &row(&v, key));
    let mean = |query: usize| -> f64 {
        let all = pairs.iter().zip(&weights).filter(|(pair, _)| pair.0 == query);
        all.map(|(pair, weight)| weight * grad_weight(pair)).sum()
    };
    let score =
        |(pair, weight): (&(usize, usize), &f64)| weight * (grad_weight(pair) - mean(pair.0));
    let log_gates: Vec<f64> = pairs.iter().zip(&weights).map(score).collect();
    for (n, &(query, key)) in pairs.iter().enumerate() {
        for i in 0..dim {
            output[query * dim + i] += weights[n] * v[key * dim + i];
            values[key * dim + i] += weights[n] * grad[query * dim + i];
            queries[query * dim + i] += log_gates[n] * k[key * dim + i] * f64::from(scale);
            keys[key * dim + i] += log_gates[n] * q[query * dim + i] * f64::from(scale);
        }
    }
    Slow { weights, output, queries, keys, values, log_gates }
}

fn attention_agrees<V: F32x16>(mask: &Mask, tokens: usize, dim: usize, rng: &mut Rng) {
    let head = Head { mask, dim, scale: 0.7 };
    let [queries, keys, values, grad] = [0; 4].map(|_| random(rng, tokens * dim));
    let qkv = Qkv { queries: &queries, keys: &keys, values: &values };
    let gates: Vec<f32> = (0..mask.len()).map(|_| rng.below(100) as f32 / 50.0 + 0.01).collect();
    let mut weights = random(rng, mask.weights_len());
    let mut output = random(rng, tokens * dim);
    kernels::forward::<V>(head, qkv, &gates, &mut weights, &mut output);
    let [mut gq, mut gk, mut gv] = [0; 3].map(|_| random(rng, tokens * dim));
    let mut log_gates = vec![1.0; mask.len()];
    let gradients = QkvGradients { queries: &mut gq, keys: &mut gk, values: &mut gv };
    let mut scores = random(rng, mask.weights_len());
    let sums = Some(&mut log_gates[..]);
    kernels::backward::<V>(head, qkv, &weights, &grad, &mut scores, gradients, sums);
    let mut sums = vec![1.0; mask.len()];
    for lane in 0..SEQUENCES {
        let slow = slow(head, qkv, &gates, &grad, lane);
        let own: Vec<Lanes> =
            (0..tokens).flat_map(|query| weights[mask.weights_of(query)].to_vec()).collect();
        assert_close(&own, lane, &slow.weights);
        for (found, expected) in
            [(&output, &slow.output), (&gq, &slow.queries), (&gk, &slow.keys), (&gv, &slow.values)]
        {
            assert_close(found, lane, expected);
        }
        sums.iter_mut().zip(&slow.log_gates).for_each(|(sum, x)| *sum += x);
    }
    for (found, expected) in log_gates.iter().zip(&sums) {
        assert!((f64::from(*found) - expected).abs() < 1e-4, "{found} instead of {expected}");
    }
}

fn norm_agrees<V: F32x16>(dim: usize, rng: &mut Rng) {
    let (vectors, grad) = (random(rng, 3 * dim), random(rng, 3 * dim));
    let (mut normed, mut rstd) = (vectors.clone(), random(rng, 3));
    kernels::rms_norm::<V>(&mut normed, &mut rstd, dim, 1e-3);
    let mut gradients = grad.clone();
    kernels::rms_norm_backward::<V>(&mut gradients, &normed, &rstd, dim);
    for lane in 0..SEQUENCES {
        let of = |lanes: &[Lanes]| lanes.iter().map(|x| f64::from(x[lane])).collect::<Vec<_>>();
        let (x, grad) = (of(&vectors), of(&grad));
        let (mut expected, mut expected_gradient) = (Vec::new(), Vec::new());
        for (x, grad) in x.chunks(dim).zip(grad.chunks(dim)) {
            let mean = x.iter().map(|x| x * x).sum::<f64>() / dim as f64;
            let inverse = 1.0 / (mean + 1e-3).sqrt();
            let dot = x.iter().zip(grad).map(|(x, g)| x * g).sum::<f64>() * inverse * inverse;
            expected.extend(x.iter().map(|x| x * inverse));
            let gradient = |(x, g): (&f64, &f64)| inverse * (g - x * dot / dim as f64);
            expected_gradient.extend(x.iter().zip(grad).map(gradient));
        }
        assert_close(&normed, lane, &expected);
        assert_close(&gradients, lane, &expected_gradient);
    }
}

fn layouts_agree<V: F32x16>(sizes: Rows, count: usize, rng: &mut Rng) {
    let Rows { tokens, columns, dim } = sizes;
    let rows: Vec<f32> = (0..count * tokens * columns).map(|_| rng.below(1000) as f32).collect();
    let mut lanes = random(rng, columns / dim * head_len(tokens, dim));
    layout::to_lanes::<V>(&mut lanes, &rows, sizes);
    for token in 0..tokens {
        for column in 0..columns {
            let place = column / dim * head_len(tokens, dim) + token * dim + column % dim;
            for (n, &found) in lanes[place].iter().enumerate() {
                let expected = rows.get((n * tokens + token) * columns + column);
                assert_eq!(found, expected.copied().unwrap_or_default());
            }
        }
    }
    let mut again = vec![0.0; rows.len()];
    layout::from_lanes::<V>(&mut again, &lanes, sizes);
    assert_eq!(again, rows);
}

dispatch! {
    fn all_agree(kernels; seed: u64) {
        let mut rng = Rng::from_seed(seed);
        for dim in [1, 3, 4, 8, 12, 13, 24] {
            for tokens in [1, 5, 6] {
                let kept: Vec<bool> = (0..tokens * tokens).map(|_| rng.below(2) == 0).collect();
                let sparse = Mask::new(tokens, |q, k| q == k || kept[q * tokens + k]);
                for mask in [sparse, Mask::new(tokens, |_, _| true)] {
                    attention_agrees::<set::F32x16>(&mask, tokens, dim, &mut rng);
                }
                let sizes = Rows { tokens, columns: 3 * dim, dim };
                for count in [0, 1, 7, 16] {
                    layouts_agree::<set::F32x16>(sizes, count, &mut rng);
                }
            }
            norm_agrees::<set::F32x16>(dim, &mut rng);
        }
    }
}

#[test]
fn attention_norms_and_layouts_are_those_of_single_sequences() {
    for kernels in InstructionSet::ALL.into_iter().filter_map(Kernels::new) {
        all_agree(kernels, 7);
    }
}

#[test]
fn a_mask_lists_its_pairs_by_query_and_by_key() {
    let mask = Mask::new(3, |query, key| query != key || query == 1);
    let pairs: Vec<_> = mask.pairs().collect();
    assert_eq!(pairs, [(0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1)]);
    assert_eq!(
        (mask.len(), mask.weights_len(), mask.is_empty(), mask.is_full()),
        (7, 10, false, false)
    );
    // The weights of the three queries begin at 0, 3 and 7.
    assert_eq!(mask.of_key(1), [(0, 0), (1, 4), (2, 8)]);
    assert!(Mask::new(4, |_, _| true).is_full());
}
