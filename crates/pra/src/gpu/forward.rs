//! The forward pass.
//!
//! `n` is the number of positions, `d` the embedding dimension. The residual stream is `[64n, d]`.

use burn_tensor::activation::{relu, sigmoid, softmax};
use burn_tensor::{Device as BurnDevice, Int, Tensor, TensorData};

use super::inputs::Inputs;
use super::matrix;
use super::parameters::{Block, Parameters};
use crate::config::{Config, FREE_HEADS, HEADS, PIECE_HEADS, SQUARES};
use crate::encode::{PLAIN_MOVES, POLICY, promotion_of};
use crate::masks::piece_masks;

/// The logit of a masked entry. Finite, since shaders guarantee nothing about infinities.
pub(super) const MASKED: f32 = -1e9;
/// Added to a mean square.
const EPSILON: f32 = 1.19e-7;
/// Keeps the logarithm of a free head's mask finite.
const FREE_FLOOR: f32 = 1e-6;

/// The output of the model.
pub(super) struct Output {
    /// Policy logits: `[n, policy size]`.
    pub policy: Tensor<2>,
    /// Logits of win, draw and loss, `[n, 3]`; or the value before tanh, `[n, 1]`.
    pub value: Tensor<2>,
}

/// Constant tensors of a configuration.
pub(super) struct Constants {
    /// Additive masks of the piece heads, 0 or [`MASKED`]: `[9, 64, 64]`.
    piece_masks: Tensor<3>,
    promotions: Promotions,
}

/// Indices of the terms of promotion logits; indices that no move has are multiplied by 0.
struct Promotions {
    moves: Tensor<1, Int>,
    pieces: Tensor<1, Int>,
    exist: Tensor<2>,
}

impl Constants {
    pub fn new(config: &Config, device: &BurnDevice) -> Self {
        let masks: Vec<f32> = piece_masks(config)
            .as_flattened()
            .iter()
            .flat_map(|set| {
                (0..SQUARES).map(|to| {
                    if set.has(chess::Square::from_index_wrapping(to)) { 0.0 } else { MASKED }
                })
            })
            .collect();
        let masks = TensorData::new(masks, [PIECE_HEADS, SQUARES, SQUARES]);
        let (mut moves, mut pieces, mut exist) = (Vec::new(), Vec::new(), Vec::new());
        for index in PLAIN_MOVES..POLICY {
            let found = promotion_of(index as u16);
            let (from, to, piece) = found.unwrap_or_default();
            moves.push((from * SQUARES + to) as i32);
            pieces.push((from * 4 + piece) as i32);
            exist.push(f32::from(found.is_some()));
        }
        let count = exist.len();
        let promotions = Promotions {
            moves: Tensor::from_data(TensorData::new(moves, [count]), device),
            pieces: Tensor::from_data(TensorData::new(pieces, [count]), device),
            exist: matrix(exist, 1, count, device),
        };
        Self { piece_masks: Tensor::from_data(masks, device), promotions }
    }
}

impl Parameters {
    /// The output for a batch of positions.
    pub fn forward(&self, config: &Config, constants: &Constants, inputs: &Inputs) -> Output {
        let (n, d) = (inputs.count, config.n_embd);
        // Embedding lookups as products with one-hot rows: exact, and fast in both passes.
        let mut pieces = inputs.pieces.clone().matmul(self.piece_embed.clone());
        if let (Some(rows), Some(table)) = (&inputs.history, &self.history_embed) {
            pieces = pieces + rows.clone().matmul(table.clone());
        }
        if let (Some(rows), Some(table)) = (&inputs.attackers, &self.attacker_embed) {
            pieces = pieces + rows.clone().matmul(table.clone());
        }
        let mut sides = inputs.sides.clone().matmul(self.side_embed.clone());
        if let (Some(rows), Some(tables)) = (&inputs.ratings, &self.rating_embeds) {
            for (rows, table) in rows.iter().zip(tables) {
                sides = sides + rows.clone().matmul(table.clone());
            }
        }
        let sides = sides.reshape([n, 1, d]);
        let positions = self.position_embed.clone().reshape([1, SQUARES, d]);
        let sum = pieces.reshape([n, SQUARES, d]) + positions + sides;
        let mut x = rms_norm(sum.reshape([n * SQUARES, d]));
        for block in &self.blocks {
            x = x.clone() + block.attention(rms_norm(x), config, constants);
            x = x.clone() + block.mlp(rms_norm(x));
        }
        let h = rms_norm(x);
        Output { policy: self.policy(h.clone(), config, constants), value: self.value(h, n) }
    }

    /// Policy logits.
    fn policy(&self, h: Tensor<2>, config: &Config, constants: &Constants) -> Tensor<2> {
        let (n, d) = (h.dims()[0] / SQUARES, config.n_embd);
        let both = linear(h.clone(), &self.policy_proj).reshape([n, SQUARES, 2 * d]);
        let (from, to) = (both.clone().narrow(2, 0, d), both.narrow(2, d, d));
        let plain = from.matmul(to.swap_dims(1, 2)) / (d as f32).sqrt();
        let plain: Tensor<2> = plain.reshape([n, PLAIN_MOVES]);
        let Some(promotion) = &self.promotion else { return plain };
        let Promotions { moves, pieces, exist } = &constants.promotions;
        let piece: Tensor<2> = linear(h, promotion).reshape([n, SQUARES * 4]);
        let promotions = plain.clone().select(1, moves.clone()) + piece.select(1, pieces.clone());
        Tensor::cat(vec![plain, promotions * exist.clone()], 1)
    }

    /// Outputs of the value head.
    fn value(&self, h: Tensor<2>, n: usize) -> Tensor<2> {
        let h = match &self.value_squares {
            Some(squares) => linear(h, squares),
            None => h,
        };
        let inputs = h.dims()[1] * SQUARES;
        linear(relu_squared(linear(h.reshape([n, inputs]), &self.value_fc1)), &self.value_fc2)
    }
}

impl Block {
    /// Masked multi-head attention.
    fn attention(&self, x: Tensor<2>, config: &Config, constants: &Constants) -> Tensor<2> {
        let (n, d, head) = (x.dims()[0] / SQUARES, config.n_embd, config.head_dim());
        let all = linear(x, &self.qkv);
        let part = |number: usize| -> Tensor<4> {
            let part = all.clone().narrow(1, number * d, d);
            part.reshape([n, SQUARES, HEADS, head]).swap_dims(1, 2)
        };
        let (q, k, v) = (rms_norm(part(0)), rms_norm(part(1)), part(2));
        let free = (sigmoid(self.free_logits.clone()) + FREE_FLOOR).log();
        let free: Tensor<3> = free.reshape([FREE_HEADS, SQUARES, SQUARES]);
        let bias = Tensor::cat(vec![constants.piece_masks.clone(), free], 0);
        let scores = q.matmul(k.swap_dims(2, 3)) / (head as f32).sqrt() + bias.unsqueeze();
        let output = softmax(scores, 3).matmul(v).swap_dims(1, 2);
        linear(output.reshape([n * SQUARES, d]), &self.attn_proj)
    }

    /// The MLP of each square.
    fn mlp(&self, x: Tensor<2>) -> Tensor<2> {
        linear(relu_squared(linear(x, &self.mlp_fc)), &self.mlp_proj)
    }
}

/// A linear layer without bias; `matrix` is `[outputs, inputs]`.
fn linear(x: Tensor<2>, matrix: &Tensor<2>) -> Tensor<2> {
    x.matmul(matrix.clone().transpose())
}

/// RMS norm of the last dimension.
fn rms_norm<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    let mean = (x.clone() * x.clone()).mean_dim(D - 1);
    x / (mean + EPSILON).sqrt()
}

/// ReLU².
fn relu_squared(x: Tensor<2>) -> Tensor<2> {
    let x = relu(x);
    x.clone() * x
}
