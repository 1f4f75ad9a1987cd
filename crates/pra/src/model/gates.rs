//! Multiplicative attention masks.
//!
//! A *gate* multiplies the exponential of an attention score, which equals an additive bias of its
//! logarithm: 0 or 1 for piece heads, `sigmoid(logit) + 1e-6` for free heads, as in the reference.

use chess::Square;
use simd::AlignedVec;
use simd::attention::Mask;

use super::ops::exp;
use crate::config::{Config, FREE_HEADS, HEADS, PIECE_HEADS, SQUARES};
use crate::masks;

/// Pairs of query and key squares.
pub(super) const PAIRS: usize = SQUARES * SQUARES;
/// Keeps the logarithm of a free head's gate finite.
const FLOOR: f32 = 1e-6;

/// The gates of all heads.
#[derive(Clone, Debug)]
pub(super) struct Gates {
    /// `[depth, 12, 64, 64]`.
    dense: AlignedVec<f32>,
    /// The pairs of each piece head, and those of a free head: all.
    masks: Vec<Mask>,
}

/// The gates of the pairs of a piece head.
const OPEN: [f32; PAIRS] = [1.0; PAIRS];

impl Gates {
    /// The masks of the piece heads; free heads are 0 until [`set_free`](Self::set_free).
    pub fn new(config: &Config) -> Self {
        let mut block = vec![0.0; HEADS * PAIRS];
        let mut masks = Vec::with_capacity(PIECE_HEADS + 1);
        for (head, rows) in masks::piece_masks(config).iter().enumerate() {
            let mask =
                Mask::new(SQUARES, |from, to| rows[from].contains(Square::from_index_wrapping(to)));
            for (from, to) in mask.pairs() {
                block[head * PAIRS + from * SQUARES + to] = 1.0;
            }
            masks.push(mask);
        }
        masks.push(Mask::new(SQUARES, |_, _| true));
        Self { dense: AlignedVec::from(&*block.repeat(config.depth)), masks }
    }

    /// The pairs of a head.
    pub fn mask(&self, head: usize) -> &Mask {
        &self.masks[head.min(PIECE_HEADS)]
    }

    /// The gates of the pairs of a head.
    pub fn of_pairs(&self, block: usize, head: usize) -> &[f32] {
        if head < PIECE_HEADS { &OPEN } else { &self.block(block)[head * PAIRS..][..PAIRS] }
    }

    /// The gates of one block.
    pub fn block(&self, block: usize) -> &[f32] {
        &self.dense[block * HEADS * PAIRS..][..HEADS * PAIRS]
    }

    /// Sets the free heads of a block from their logits.
    pub fn set_free(&mut self, block: usize, logits: &[f32]) {
        let begin = (block * HEADS + PIECE_HEADS) * PAIRS;
        free_gates(&mut self.dense[begin..][..FREE_HEADS * PAIRS], logits);
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
