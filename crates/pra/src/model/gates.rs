//! Multiplicative attention masks.
//!
//! A *gate* multiplies the exponential of an attention score, which equals an additive bias of its
//! logarithm: 0 or 1 for piece heads, `sigmoid(logit) + 1e-6` for free heads, as in the reference.

use simd::AlignedVec;

use super::ops::exp;
use crate::config::{Config, FREE_HEADS, HEADS, PIECE_HEADS, SQUARES};
use crate::masks;

/// Pairs of query and key squares.
pub(super) const PAIRS: usize = SQUARES * SQUARES;
/// Keeps the logarithm of a free head's gate finite.
const FLOOR: f32 = 1e-6;

/// The gates of all heads: `[depth, 12, 64, 64]`.
#[derive(Clone, Debug)]
pub(super) struct Gates(AlignedVec<f32>);

impl Gates {
    /// The masks of the piece heads; free heads are 0 until [`set_free`](Self::set_free).
    pub fn new(config: &Config) -> Self {
        let mut block = vec![0.0; HEADS * PAIRS];
        for (head, rows) in masks::piece_masks(config).iter().enumerate() {
            for (from, row) in rows.iter().enumerate() {
                for to in *row {
                    block[head * PAIRS + from * SQUARES + to.index()] = 1.0;
                }
            }
        }
        Self(AlignedVec::from(&*block.repeat(config.depth)))
    }

    /// The gates of one block.
    pub fn block(&self, block: usize) -> &[f32] {
        &self.0[block * HEADS * PAIRS..][..HEADS * PAIRS]
    }

    /// Sets the free heads of a block from their logits.
    pub fn set_free(&mut self, block: usize, logits: &[f32]) {
        let begin = (block * HEADS + PIECE_HEADS) * PAIRS;
        free_gates(&mut self.0[begin..][..FREE_HEADS * PAIRS], logits);
    }
}

simd::vectorize! {
    /// The gates of logits.
    fn free_gates(gates: &mut [f32], logits: &[f32]; fma) {
        for (gate, logit) in gates.iter_mut().zip(logits) {
            *gate = 1.0 / (1.0 + exp(-logit, fma)) + FLOOR;
        }
    }

    /// Adds the gradient w.r.t. the logits of free heads, given that w.r.t. the logarithms of the gates.
    pub(super) fn free_backward(
        gradient: &mut [f32], grad_log_gates: &[f32], logits: &[f32]; fma
    ) {
        for ((gradient, grad), logit) in gradient.iter_mut().zip(grad_log_gates).zip(logits) {
            let sigmoid = 1.0 / (1.0 + exp(-logit, fma));
            *gradient += grad * sigmoid * (1.0 - sigmoid) / (sigmoid + FLOOR);
        }
    }
}
