//! Masked attention of sixteen sequences at once, one per lane, forward and backward.
//!
//! Within a single sequence a sparse mask and heads of eight numbers leave vectors half empty. Sequences that
//! share the mask have none of these problems: each pair of a query and a key is a few operations on whole
//! vectors, pairs outside the mask cost nothing, and softmax needs no horizontal sums. A [`Lanes`] is a number
//! of each of the sequences; queries, keys and values of a head are `[tokens, head dimension]` of them.
//!
//! The price is the change of layout, [`to_lanes`] and [`from_lanes`], which is that of a transposition.

mod kernels;
mod layout;
mod mask;
#[cfg(test)]
mod tests;

use crate::dispatch::dispatch;
pub use mask::Mask;

/// A number of each sequence.
pub type Lanes = [f32; 16];

/// The sequences that are computed at once.
pub const SEQUENCES: usize = 16;

/// A head: its mask, and the factor of its scores.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// Which keys each query attends to.
    pub mask: &'a Mask,
    /// The head dimension.
    pub dim: usize,
    /// The factor of dot products of queries and keys, usually 1 / √dim. Scores must be moderate, since softmax does
    /// not subtract their maximum.
    pub scale: f32,
}

/// Queries, keys and values of a head.
#[derive(Clone, Copy, Debug)]
pub struct Qkv<'a> {
    /// Queries: `[tokens, dim]`.
    pub queries: &'a [Lanes],
    /// Keys.
    pub keys: &'a [Lanes],
    /// Values.
    pub values: &'a [Lanes],
}

/// Lanes of a head in the layout of [`to_lanes`]: `[tokens, dim]`, and a gap, without which the numbers of one token
/// would be a power of two apart and compete for the same sets of a cache.
pub const fn head_len(tokens: usize, dim: usize) -> usize {
    tokens * dim + 8
}

/// Sizes of a matrix that [`to_lanes`] reads: a row per token, heads side by side in its columns.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// Tokens of a sequence.
    pub tokens: usize,
    /// Columns of a row.
    pub columns: usize,
    /// The head dimension.
    pub dim: usize,
}

/// Gradients with respect to queries, keys and values.
#[derive(Debug)]
pub struct QkvGradients<'a> {
    /// Queries: `[tokens, dim]`.
    pub queries: &'a mut [Lanes],
    /// Keys.
    pub keys: &'a mut [Lanes],
    /// Values.
    pub values: &'a mut [Lanes],
}

dispatch! {
    /// Computes attention weights, by pair, and the weighted sums of values, `[tokens, dim]`. A gate multiplies the
    /// exponential of the score of a pair.
    ///
    /// # Panics
    /// If a slice is too short.
    pub fn forward(head: Head<'_>, qkv: Qkv<'_>, gates: &[f32], weights: &mut [Lanes], output: &mut [Lanes]) {
        kernels::forward::<set::F32x16>(head, qkv, gates, weights, output)
    }

    /// The backward pass of [`forward`]: overwrites `gradients`, given the gradient with respect to the output.
    /// `scores` has room for each pair. With `log_gates`, adds the gradient with respect to the logarithms of the
    /// gates, summed over the sequences.
    ///
    /// # Panics
    /// If a slice is too short.
    pub fn backward(
        head: Head<'_>,
        qkv: Qkv<'_>,
        weights: &[Lanes],
        grad_output: &[Lanes],
        scores: &mut [Lanes],
        gradients: QkvGradients<'_>,
        log_gates: Option<&mut [f32]>,
    ) {
        kernels::backward::<set::F32x16>(head, qkv, weights, grad_output, scores, gradients, log_gates)
    }

    /// RMS norm of vectors of `dim` numbers, in place; `rstd` are the reciprocals of the root mean squares.
    pub fn rms_norm(vectors: &mut [Lanes], rstd: &mut [Lanes], dim: usize, epsilon: f32) {
        kernels::rms_norm::<set::F32x16>(vectors, rstd, dim, epsilon)
    }

    /// The backward pass of [`rms_norm`], in place, from the normalized vectors.
    pub fn rms_norm_backward(gradients: &mut [Lanes], normed: &[Lanes], rstd: &[Lanes], dim: usize) {
        kernels::rms_norm_backward::<set::F32x16>(gradients, normed, rstd, dim)
    }

    /// From `[sequences, tokens, columns]` to the lanes of columns / dim heads, each of [`head_len`]. Sequences that
    /// are missing are 0.
    ///
    /// # Panics
    /// If a slice is too short, or there are more than [`SEQUENCES`].
    pub fn to_lanes(lanes: &mut [Lanes], rows: &[f32], sizes: Rows) {
        layout::to_lanes::<set::F32x16>(lanes, rows, sizes)
    }

    /// The inverse of [`to_lanes`].
    ///
    /// # Panics
    /// If a slice is too short, or there are more than [`SEQUENCES`].
    pub fn from_lanes(rows: &mut [f32], lanes: &[Lanes], sizes: Rows) {
        layout::from_lanes::<set::F32x16>(rows, lanes, sizes)
    }
}
