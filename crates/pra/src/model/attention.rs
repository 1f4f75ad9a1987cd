//! Scaled dot-product attention of one position, forward and backward.
//!
//! Queries and keys are normalized (QK norm), which bounds the scores: softmax needs no subtraction of
//! the maximum.

use std::f32::consts::LOG2_E;
use std::ops::Range;

use simd::{AlignedVec, float};

use super::forward::ForwardHooks;
use super::gates::PAIRS;
use super::ops::{EPSILON, masked_softmax, short_dot_lanes, softmax_backward, sum_lanes};
use crate::config::{HEADS, PIECE_HEADS, SQUARES};
use simd::gemm::{Matrix, MatrixMut, copy_row_major, matmul};

/// Index of the queries in a row of `qkv`, in units of the embedding dimension.
const Q: usize = 0;
/// Index of the keys.
const K: usize = 1;
/// Index of the values.
const V: usize = 2;

/// Dimensions of the heads. A row of `qkv` holds the queries, keys and values of a square.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub n_embd: usize,
    pub head_dim: usize,
}

impl Shape {
    /// Distance between the rows of `qkv`.
    const fn stride(self) -> usize {
        3 * self.n_embd
    }

    /// Offset of [`Q`], [`K`] or [`V`] of a head within a row.
    const fn offset(self, part: usize, head: usize) -> usize {
        part * self.n_embd + head * self.head_dim
    }

    /// Queries, keys or values of a head: `[64, head_dim]`.
    fn head(self, qkv: &[f32], part: usize, head: usize) -> Matrix<'_> {
        Matrix::with_stride(&qkv[self.offset(part, head)..], SQUARES, self.head_dim, self.stride())
    }

    fn head_mut(self, qkv: &mut [f32], part: usize, head: usize) -> MatrixMut<'_> {
        let qkv = &mut qkv[self.offset(part, head)..];
        MatrixMut::with_stride(qkv, SQUARES, self.head_dim, self.stride())
    }

    /// Queries, keys or values of all heads, transposed: `[n_embd, 64]`.
    fn transposed(self, qkv: &[f32], part: usize) -> AlignedVec<f32> {
        let rows =
            Matrix::with_stride(&qkv[part * self.n_embd..], SQUARES, self.n_embd, self.stride());
        let mut transposed = AlignedVec::zeros(self.n_embd * SQUARES);
        copy_row_major(&mut transposed, rows.transposed());
        transposed
    }

    /// A head of a [transposed](Self::transposed) matrix: `[head_dim, 64]`.
    fn head_rows(self, transposed: &[f32], head: usize) -> Matrix<'_> {
        Matrix::new(&transposed[head * self.head_dim * SQUARES..], self.head_dim, SQUARES)
    }

    /// A head of a `[64, n_embd]` matrix.
    fn head_columns(self, data: &[f32], head: usize) -> Matrix<'_> {
        Matrix::with_stride(&data[head * self.head_dim..], SQUARES, self.head_dim, self.n_embd)
    }

    fn scale(self) -> f32 {
        (self.head_dim as f32).sqrt().recip()
    }
}

/// Computes the attention output of the query squares `queries`, whose rows are contiguous in `output`.
///
/// `weights` has room for the attention weights of all heads, or for those of one, which the next head
/// overwrites.
pub(super) fn forward(
    shape: Shape,
    queries: Range<usize>,
    qkv: &[f32],
    gates: &[f32],
    weights: &mut [f32],
    output: &mut [f32],
    hooks: &mut impl ForwardHooks,
) {
    let count = queries.len();
    let rows = queries.start * SQUARES..queries.end * SQUARES;
    let keys = shape.transposed(qkv, K);
    for head in 0..HEADS {
        let gates = &gates[head * PAIRS..][rows.clone()];
        let begin = head * PAIRS % weights.len();
        let head_weights = &mut weights[begin..][..PAIRS];
        let own = &mut head_weights[rows.clone()];
        let query = &qkv[shape.offset(Q, head) + queries.start * shape.stride()..];
        let query = Matrix::with_stride(query, count, shape.head_dim, shape.stride());
        let scores = MatrixMut::new(own, count, SQUARES);
        // Softmax uses powers of two, which are faster than those of e: the factor is in the scale.
        matmul(scores, query, shape.head_rows(&keys, head), shape.scale() * LOG2_E);
        masked_softmax(own.as_chunks_mut().0, gates.as_chunks().0);
        let into = &mut output[head * shape.head_dim..];
        let into = MatrixMut::with_stride(into, count, shape.head_dim, shape.n_embd);
        matmul(into, Matrix::new(own, count, SQUARES), shape.head(qkv, V, head), 1.0);
        hooks.attention_weights(head_weights);
    }
}

/// Computes the gradient w.r.t. queries, keys and values (`grad_qkv`, overwritten) from that w.r.t. the
/// attention output, and adds the gradient w.r.t. the logarithms of the free heads' gates.
pub(super) fn backward(
    shape: Shape,
    qkv: &[f32],
    weights: &[f32],
    grad_output: &[f32],
    grad_qkv: &mut [f32],
    grad_log_gates: &mut [f32],
) {
    let values = shape.transposed(qkv, V);
    let mut grad_scores = AlignedVec::zeros(PAIRS);
    for head in 0..HEADS {
        let weights = &weights[head * PAIRS..][..PAIRS];
        let output = shape.head_columns(grad_output, head);
        let matrix = Matrix::new(weights, SQUARES, SQUARES);
        matmul(shape.head_mut(grad_qkv, V, head), matrix.transposed(), output, 1.0);
        let grad_weights = MatrixMut::new(&mut grad_scores, SQUARES, SQUARES);
        matmul(grad_weights, output, shape.head_rows(&values, head), 1.0);
        softmax_backward(grad_scores.as_chunks_mut().0, weights.as_chunks().0);
        if let Some(free) = head.checked_sub(PIECE_HEADS) {
            float::add(&mut grad_log_gates[free * PAIRS..], &grad_scores);
        }
        let (query, key) = (shape.head(qkv, Q, head), shape.head(qkv, K, head));
        let grad_scores = Matrix::new(&grad_scores, SQUARES, SQUARES);
        matmul(shape.head_mut(grad_qkv, Q, head), grad_scores, key, shape.scale());
        matmul(shape.head_mut(grad_qkv, K, head), grad_scores.transposed(), query, shape.scale());
    }
}

/// Dot products of all heads of a row, before their lanes are summed. They are stored in between, because the
/// compiler vectorizes stores of four lanes, but splits a sum over lanes into pairs.
type Lanes = [[f32; 4]; 2 * HEADS];

simd::vectorize! {
    /// QK norm: RMS norm of the queries and keys of each head, in place.
    pub(super) fn qk_norm(qkv: &mut [f32], rstd: &mut [f32], shape: Shape; fma) {
        let rows = qkv.chunks_exact_mut(shape.stride());
        for (row, rstd) in rows.zip(rstd.as_chunks_mut::<{ 2 * HEADS }>().0) {
            let heads = &mut row[..2 * shape.n_embd];
            let mut sums = Lanes::default();
            for (head, sums) in heads.chunks_exact(shape.head_dim).zip(&mut sums) {
                *sums = short_dot_lanes(head, head, fma);
            }
            // All square roots of a row together: one at a time would stall on the latency of each.
            for (rstd, sums) in rstd.iter_mut().zip(&sums) {
                *rstd = (sum_lanes(sums) / shape.head_dim as f32 + EPSILON).sqrt().recip();
            }
            for (head, rstd) in heads.chunks_exact_mut(shape.head_dim).zip(rstd) {
                head.iter_mut().for_each(|x| *x *= *rstd);
            }
        }
    }

    /// Backward pass of [`qk_norm`]: `grad_qkv`, w.r.t. its output, becomes that w.r.t. its input.
    pub(super) fn qk_norm_backward(
        grad_qkv: &mut [f32], qkv: &[f32], rstd: &[f32], shape: Shape; fma
    ) {
        let width = 2 * shape.n_embd;
        let rows = grad_qkv.chunks_exact_mut(shape.stride()).zip(qkv.chunks_exact(shape.stride()));
        for ((grad, qkv), rstd) in rows.zip(rstd.chunks_exact(2 * HEADS)) {
            let normed = &qkv[..width];
            let mut sums = Lanes::default();
            let heads = grad[..width].chunks_exact(shape.head_dim).zip(normed.chunks_exact(shape.head_dim));
            for ((grad, normed), sums) in heads.zip(&mut sums) {
                *sums = short_dot_lanes(grad, normed, fma);
            }
            let heads = grad[..width].chunks_exact_mut(shape.head_dim).zip(normed.chunks_exact(shape.head_dim));
            for (((grad, normed), rstd), sums) in heads.zip(rstd).zip(&sums) {
                let mean = sum_lanes(sums) / shape.head_dim as f32;
                for (grad, normed) in grad.iter_mut().zip(normed) {
                    *grad = rstd * (*grad - normed * mean);
                }
            }
        }
    }
}
