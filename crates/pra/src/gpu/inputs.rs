//! Model inputs and targets on the device.

use std::ops::Range;

use burn_tensor::{Device as BurnDevice, Int, Tensor, TensorData};

use super::forward::MASKED;
use super::matrix;
use crate::Batch;
use crate::config::{Config, SQUARES};
use crate::encode::{
    ATTACKER_KINDS, HISTORY_PLIES, PIECE_TOKENS, PLAIN_MOVES, POLICY, RATING_ROWS, Tokens,
    UNCHANGED, promotion_of, rating_rows,
};
use crate::model::has_outcome;

/// One-hot inputs of positions.
pub(super) struct Inputs {
    pub count: usize,
    /// Tokens: `[64n, vocabulary]`.
    pub pieces: Tensor<2>,
    /// Side to move: `[n, 2]`.
    pub sides: Tensor<2>,
    /// What stood on the squares before: `[64n, 7 × 13]`, if the model reads it.
    pub history: Option<Tensor<2>>,
    /// The kinds of pieces that attack the squares: `[64n, 12]`, if the model reads them.
    pub attackers: Option<Tensor<2>>,
    /// Weights of the rows of both rating tables: `[n, 25]` each, if the model reads them.
    pub ratings: Option<[Tensor<2>; 2]>,
}

impl Inputs {
    pub fn new(config: &Config, tokens: &[Tokens], device: &BurnDevice) -> Self {
        let (count, vocabulary) = (tokens.len(), config.vocab_size());
        let mut pieces = vec![0.0; count * SQUARES * vocabulary];
        let mut sides = vec![0.0; count * 2];
        for (n, position) in tokens.iter().enumerate() {
            sides[n * 2 + usize::from(position.side)] = 1.0;
            for (square, &token) in position.squares.iter().enumerate() {
                pieces[(n * SQUARES + square) * vocabulary + usize::from(token)] = 1.0;
            }
        }
        let history = config.history.then(|| {
            let width = HISTORY_PLIES * PIECE_TOKENS;
            let mut rows = vec![0.0; count * SQUARES * width];
            for (n, position) in tokens.iter().enumerate() {
                let plies = position.history.iter().take(position.plies.into()).enumerate();
                for (ply, then) in plies {
                    for (square, &token) in
                        then.iter().enumerate().filter(|&(_, &t)| t != UNCHANGED)
                    {
                        let column = ply * PIECE_TOKENS + usize::from(token);
                        rows[(n * SQUARES + square) * width + column] = 1.0;
                    }
                }
            }
            matrix(rows, count * SQUARES, width, device)
        });
        let attackers = config.attackers.then(|| {
            let kinds = tokens.iter().flat_map(|position| position.attackers);
            let bits = kinds.flat_map(|kinds| {
                (0..ATTACKER_KINDS).map(move |kind| f32::from(kinds >> kind & 1))
            });
            matrix(bits.collect(), count * SQUARES, ATTACKER_KINDS, device)
        });
        let ratings = config.ratings.then(|| {
            [0, 1].map(|who| {
                let mut rows = vec![0.0; count * RATING_ROWS];
                for (row, position) in rows.chunks_exact_mut(RATING_ROWS).zip(tokens) {
                    let (first, weight) = rating_rows(position.ratings[who]);
                    row[first] = 1.0 - weight;
                    if weight > 0.0 {
                        row[first + 1] = weight;
                    }
                }
                matrix(rows, count, RATING_ROWS, device)
            })
        });
        Self {
            count,
            history,
            attackers,
            ratings,
            pieces: matrix(pieces, count * SQUARES, vocabulary, device),
            sides: matrix(sides, count, 2, device),
        }
    }
}

/// Policy and value targets.
pub(super) struct Targets {
    /// Policy index of the move played: `[n, 1]`.
    pub moves: Tensor<2, Int>,
    /// Additive mask of the logits in the loss, 0 or [`MASKED`]: `[n, policy size]`, or `[1, policy size]`
    /// if it is the same for all positions; `None` if nothing is masked.
    pub mask: Option<Tensor<2>>,
    /// Win, draw, loss: `[n, 3]`.
    pub outcomes: Tensor<2>,
    /// 1 for positions with a value target, 0 for others: `[n, 1]`.
    pub valued: Tensor<2>,
}

impl Targets {
    pub fn new(config: &Config, batch: &Batch, range: Range<usize>, device: &BurnDevice) -> Self {
        let count = range.len();
        let (targets, outcomes) = (&batch.targets[range.clone()], &batch.outcomes[range.clone()]);
        let moves: Vec<i32> = targets.iter().map(|&target| target.into()).collect();
        let valued = outcomes.iter().map(|outcome| f32::from(has_outcome(outcome)));
        let size = if config.promotions { POLICY } else { PLAIN_MOVES };
        let mask = if config.legal_mask {
            let mut mask = vec![MASKED; count * size];
            for (row, n) in mask.chunks_exact_mut(size).zip(range) {
                batch.legal(n).iter().for_each(|&legal| row[usize::from(legal)] = 0.0);
            }
            Some(matrix(mask, count, size, device))
        } else if config.promotions {
            let exists = |index: usize| index < PLAIN_MOVES || promotion_of(index as u16).is_some();
            let mask = (0..size).map(|index| if exists(index) { 0.0 } else { MASKED });
            Some(matrix(mask.collect(), 1, size, device))
        } else {
            None
        };
        Self {
            moves: Tensor::from_data(TensorData::new(moves, [count, 1]), device),
            mask,
            outcomes: matrix(outcomes.as_flattened().to_vec(), count, 3, device),
            valued: matrix(valued.collect(), count, 1, device),
        }
    }
}
