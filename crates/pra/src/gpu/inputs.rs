//! Positions and what is known about them, on the device.

use std::ops::Range;

use burn_tensor::{Device, Int, Tensor, TensorData};

use super::forward::NEVER;
use super::matrix;
use crate::Batch;
use crate::config::{Config, SQUARES};
use crate::encode::{Outcome, PLAIN_MOVES, POLICY, Tokens, promotion_of};

/// What the model reads of some positions.
pub(super) struct Inputs {
    pub count: usize,
    /// A 1 for what is on each square of each position: `[64n, kinds]`.
    pub pieces: Tensor<2>,
    /// A 1 for the side to move: `[n, 2]`.
    pub sides: Tensor<2>,
}

impl Inputs {
    pub fn new(config: &Config, tokens: &[Tokens], device: &Device) -> Self {
        let (count, kinds) = (tokens.len(), config.piece_kinds());
        let mut pieces = vec![0.0; count * SQUARES * kinds];
        let mut sides = vec![0.0; count * 2];
        for (n, position) in tokens.iter().enumerate() {
            sides[n * 2 + usize::from(position.side)] = 1.0;
            for (square, &token) in position.squares.iter().enumerate() {
                pieces[(n * SQUARES + square) * kinds + usize::from(token)] = 1.0;
            }
        }
        Self {
            count,
            pieces: matrix(pieces, count * SQUARES, kinds, device),
            sides: matrix(sides, count, 2, device),
        }
    }
}

/// What the model should say.
pub(super) struct Targets {
    /// The number of the move that was played: `[n, 1]`.
    pub moves: Tensor<2, Int>,
    /// 0 for the moves that the loss compares, [`NEVER`] for others: `[n, numbers]`, or `[1, numbers]`
    /// if they are the same for all; nothing if they are all there are.
    pub compared: Option<Tensor<2>>,
    /// Win, draw, loss: `[n, 3]`.
    pub outcomes: Tensor<2>,
    /// 1 for positions whose outcome is known, 0 for others: `[n, 1]`.
    pub known: Tensor<2>,
}

impl Targets {
    pub fn new(config: &Config, batch: &Batch, range: Range<usize>, device: &Device) -> Self {
        let count = range.len();
        let (targets, outcomes) = (&batch.targets[range.clone()], &batch.outcomes[range.clone()]);
        let moves: Vec<i32> = targets.iter().map(|&target| target.into()).collect();
        let is_known = |outcome: &Outcome| outcome.iter().any(|&share| share > 0.0);
        let known = outcomes.iter().map(|outcome| f32::from(is_known(outcome)));
        let numbers = if config.promotions { POLICY } else { PLAIN_MOVES };
        let compared = if config.legal_mask {
            let mut compared = vec![NEVER; count * numbers];
            for (row, n) in compared.chunks_exact_mut(numbers).zip(range) {
                batch.legal(n).iter().for_each(|&legal| row[usize::from(legal)] = 0.0);
            }
            Some(matrix(compared, count, numbers, device))
        } else if config.promotions {
            let exists = |index: usize| index < PLAIN_MOVES || promotion_of(index as u16).is_some();
            let compared = (0..numbers).map(|index| if exists(index) { 0.0 } else { NEVER });
            Some(matrix(compared.collect(), 1, numbers, device))
        } else {
            None
        };
        Self {
            moves: Tensor::from_data(TensorData::new(moves, [count, 1]), device),
            compared,
            outcomes: matrix(outcomes.as_flattened().to_vec(), count, 3, device),
            known: matrix(known.collect(), count, 1, device),
        }
    }
}
