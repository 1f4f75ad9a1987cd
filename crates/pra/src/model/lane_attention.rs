//! Attention of a micro-batch in training, with a position in each SIMD lane: see [`simd::attention`].
//!
//! Queries, keys and values come from a GEMM as rows, are moved to lanes and normalized there, and stay so for the
//! backward pass. All positions share the masks of the piece heads, so that masked pairs are never computed.
//! Inference has too few positions at a time; it uses [`attention`](super::attention).

use std::ops::Range;

use simd::AlignedVec;
use simd::attention::{self, Head, Lanes, Qkv, QkvGradients, Rows, SEQUENCES, head_len};

use super::activations::BlockActivations;
use super::attention::{K, Q, Shape, V};
use super::gates::{Gates, PAIRS};
use super::ops::EPSILON;
use crate::config::{HEADS, PIECE_HEADS, SQUARES};

/// Positions that are computed at once.
pub(super) const POSITIONS: usize = SEQUENCES;

fn lanes(values: &[f32]) -> &[Lanes] {
    values.as_chunks().0
}

fn lanes_mut(values: &mut [f32]) -> &mut [Lanes] {
    values.as_chunks_mut().0
}

/// The attention weights of all heads of [`POSITIONS`] positions.
pub(super) fn weights_len(gates: &Gates) -> usize {
    (0..HEADS).map(|head| gates.mask(head).weights_len() * POSITIONS).sum()
}

/// Vectors of all heads of [`POSITIONS`] positions: `count` of each head.
pub(super) fn vectors_len(n_embd: usize, count: usize) -> usize {
    count * HEADS * head_len(SQUARES, n_embd / HEADS) * POSITIONS
}

/// Buffers that all blocks share.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    /// Queries, keys and values as rows, `[rows, 3d]`; in the backward pass their gradients.
    pub rows: AlignedVec<f32>,
    /// The attention output in lanes; in the backward pass the gradient w.r.t. it.
    output: AlignedVec<f32>,
    /// Gradients w.r.t. queries, keys and values, in lanes.
    gradients: AlignedVec<f32>,
    /// Gradients w.r.t. the scores of a head.
    scores: AlignedVec<f32>,
}

impl Scratch {
    pub fn new(n_embd: usize, training: bool) -> Self {
        let zeros = |len: usize| AlignedVec::zeros(if training { len } else { 0 });
        Self {
            rows: zeros(POSITIONS * SQUARES * 3 * n_embd),
            output: zeros(vectors_len(n_embd, 1)),
            gradients: zeros(vectors_len(n_embd, 3)),
            scores: zeros(POSITIONS * (PAIRS + SQUARES)),
        }
    }

    /// Computes the attention output, `len` numbers, from the queries, keys and values in [`rows`](Self::rows), and
    /// saves what [`backward`](Self::backward) needs.
    pub fn forward(
        &mut self,
        shape: Shape,
        (gates, layer): (&Gates, usize),
        saved: &mut BlockActivations,
        len: usize,
    ) {
        let BlockActivations { qkv, qk_rstd, attn_weights, attn_output, .. } = saved;
        let output = &mut attn_output[..len];
        let Shape { n_embd, head_dim } = shape;
        let (qkv, into) = (lanes_mut(qkv), lanes_mut(&mut self.output));
        attention::to_lanes(qkv, &self.rows[..3 * output.len()], sizes(3 * n_embd, head_dim));
        let mut rest = lanes_mut(attn_weights);
        for head in 0..HEADS {
            for (part, rstd) in [Q, K].into_iter().zip(rstd_ranges(head)) {
                let (own, rstd) =
                    (&mut qkv[range(shape, part, head)], &mut lanes_mut(qk_rstd)[rstd]);
                attention::rms_norm(own, rstd, head_dim, EPSILON);
            }
            let (mask, own);
            mask = gates.mask(head);
            (own, rest) = rest.split_at_mut(mask.weights_len());
            let (gates, into) = (gates.of_pairs(layer, head), &mut into[range(shape, Q, head)]);
            attention::forward(head_of(shape, mask), parts(qkv, shape, head), gates, own, into);
        }
        attention::from_lanes(output, into, sizes(n_embd, head_dim));
    }

    /// Sets [`rows`](Self::rows) to the gradients w.r.t. queries, keys and values before their norm, given that w.r.t.
    /// the attention output, and adds those w.r.t. the logarithms of the free heads' gates.
    pub fn backward(
        &mut self,
        shape: Shape,
        gates: &Gates,
        saved: &BlockActivations,
        grad_output: &[f32],
        grad_log_gates: &mut [f32],
    ) {
        let Shape { n_embd, head_dim } = shape;
        let (gradients, into) = (lanes_mut(&mut self.gradients), lanes_mut(&mut self.output));
        attention::to_lanes(into, grad_output, sizes(n_embd, head_dim));
        let (qkv, mut rest) = (lanes(&saved.qkv), lanes(&saved.attn_weights));
        for head in 0..HEADS {
            let mask = gates.mask(head);
            let own;
            (own, rest) = rest.split_at(mask.weights_len());
            let ranges = [Q, K, V].map(|part| range(shape, part, head));
            let [queries, keys, values] =
                gradients.get_disjoint_mut(ranges).expect("parts do not overlap");
            let free = head.checked_sub(PIECE_HEADS);
            let normed = parts(qkv, shape, head);
            attention::backward(
                head_of(shape, mask),
                normed,
                own,
                &into[range(shape, Q, head)],
                lanes_mut(&mut self.scores),
                QkvGradients { queries: &mut *queries, keys: &mut *keys, values },
                free.map(|free| &mut grad_log_gates[free * PAIRS..][..PAIRS]),
            );
            let rstd = rstd_ranges(head).map(|range| &lanes(&saved.qk_rstd)[range]);
            attention::rms_norm_backward(queries, normed.queries, rstd[0], head_dim);
            attention::rms_norm_backward(keys, normed.keys, rstd[1], head_dim);
        }
        let rows = &mut self.rows[..3 * grad_output.len()];
        attention::from_lanes(rows, gradients, sizes(3 * n_embd, head_dim));
    }
}

const fn sizes(columns: usize, dim: usize) -> Rows {
    Rows { tokens: SQUARES, columns, dim }
}

fn head_of(shape: Shape, mask: &attention::Mask) -> Head<'_> {
    Head { mask, dim: shape.head_dim, scale: shape.scale() }
}

/// The lanes of queries, keys or values of a head.
fn range(shape: Shape, part: usize, head: usize) -> Range<usize> {
    let begin = (part * HEADS + head) * head_len(SQUARES, shape.head_dim);
    begin..begin + SQUARES * shape.head_dim
}

/// Queries, keys and values of a head.
fn parts(qkv: &[Lanes], shape: Shape, head: usize) -> Qkv<'_> {
    let [queries, keys, values] = [Q, K, V].map(|part| &qkv[range(shape, part, head)]);
    Qkv { queries, keys, values }
}

/// Where the factors of QK norm of a head are: those of its queries, and of its keys.
fn rstd_ranges(head: usize) -> [Range<usize>; 2] {
    [Q, K].map(|part| (2 * head + part) * SQUARES..(2 * head + part + 1) * SQUARES)
}
