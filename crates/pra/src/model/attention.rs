//! Scaled dot-product attention of one position, in inference. [`lane_attention`](super::lane_attention) is that of
//! training.
//!
//! Queries and keys are normalized (QK norm), which bounds the scores: softmax needs no subtraction of
//! the maximum.

use std::f32::consts::LOG2_E;
use std::ops::Range;

use simd::AlignedVec;

use super::forward::ForwardHooks;
use super::gates::PAIRS;
use super::ops::{EPSILON, masked_softmax, short_dot_lanes, sum_lanes};
use crate::config::{HEADS, SQUARES};
use simd::gemm::{Matrix, MatrixMut, copy_row_major, matmul};

/// Index of the queries in a row of `qkv`, in units of the embedding dimension.
pub(super) const Q: usize = 0;
/// Index of the keys.
pub(super) const K: usize = 1;
/// Index of the values.
pub(super) const V: usize = 2;

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

    /// The keys of all heads, transposed: `[n_embd, 64]`.
    fn transposed_keys(self, qkv: &[f32]) -> AlignedVec<f32> {
        let rows =
            Matrix::with_stride(&qkv[K * self.n_embd..], SQUARES, self.n_embd, self.stride());
        let mut transposed = AlignedVec::zeros(self.n_embd * SQUARES);
        copy_row_major(&mut transposed, rows.transposed());
        transposed
    }

    /// A head of the [transposed keys](Self::transposed_keys): `[head_dim, 64]`.
    fn head_rows(self, transposed: &[f32], head: usize) -> Matrix<'_> {
        Matrix::new(&transposed[head * self.head_dim * SQUARES..], self.head_dim, SQUARES)
    }

    /// The factor of dot products of queries and keys.
    pub fn scale(self) -> f32 {
        (self.head_dim as f32).sqrt().recip()
    }
}

/// Computes the attention output of the query squares `queries`, whose rows are contiguous in `output`.
///
/// `weights` has room for the attention weights of one head, which the next head overwrites.
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
    let keys = shape.transposed_keys(qkv);
    for head in 0..HEADS {
        let gates = &gates[head * PAIRS..][rows.clone()];
        let own = &mut weights[rows.clone()];
        let query = &qkv[shape.offset(Q, head) + queries.start * shape.stride()..];
        let query = Matrix::with_stride(query, count, shape.head_dim, shape.stride());
        let scores = MatrixMut::new(own, count, SQUARES);
        // Softmax uses powers of two, which are faster than those of e: the factor is in the scale.
        matmul(scores, query, shape.head_rows(&keys, head), shape.scale() * LOG2_E);
        masked_softmax(own.as_chunks_mut().0, gates.as_chunks().0);
        let into = &mut output[head * shape.head_dim..];
        let into = MatrixMut::with_stride(into, count, shape.head_dim, shape.n_embd);
        matmul(into, Matrix::new(own, count, SQUARES), shape.head(qkv, V, head), 1.0);
        hooks.attention_weights(weights);
    }
}

/// Dot products of all heads of a row, before their lanes are summed. They are stored in between, because the
/// compiler vectorizes stores of four lanes, but splits a sum over lanes into pairs.
type Lanes = [[f32; 4]; 2 * HEADS];

simd::vectorize! {
    /// QK norm: RMS norm of the queries and keys of each head, in place.
    pub(super) fn qk_norm(qkv: &mut [f32], shape: Shape; fma) {
        for row in qkv.chunks_exact_mut(shape.stride()) {
            let heads = &mut row[..2 * shape.n_embd];
            let mut sums = Lanes::default();
            for (head, sums) in heads.chunks_exact(shape.head_dim).zip(&mut sums) {
                *sums = short_dot_lanes(head, head, fma);
            }
            // All square roots of a row together: one at a time would stall on the latency of each.
            let mut rstd = [0.0; 2 * HEADS];
            for (rstd, sums) in rstd.iter_mut().zip(&sums) {
                *rstd = (sum_lanes(sums) / shape.head_dim as f32 + EPSILON).sqrt().recip();
            }
            for (head, rstd) in heads.chunks_exact_mut(shape.head_dim).zip(rstd) {
                head.iter_mut().for_each(|x| *x *= rstd);
            }
        }
    }
}
