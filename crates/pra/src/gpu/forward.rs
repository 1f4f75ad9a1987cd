//! The model, forward: what it says of a batch of positions.
//!
//! `n` is the number of positions, `d` the numbers of a square. Between blocks, the squares of all
//! positions are the rows of one matrix, `[64n, d]`.

use burn_tensor::activation::{relu, sigmoid, softmax};
use burn_tensor::{Device, Int, Tensor, TensorData};

use super::inputs::Inputs;
use super::matrix;
use super::parameters::{Block, Parameters};
use crate::config::{Config, FREE_HEADS, HEADS, PIECE_HEADS, SQUARES};
use crate::encode::{PLAIN_MOVES, POLICY, promotion_of};
use crate::masks::piece_masks;

/// What is left of the likelihood of something that cannot be: none. A finite number, since shaders
/// promise nothing about infinity.
pub(super) const NEVER: f32 = -1e9;
/// Keeps the root of a norm away from 0.
const EPSILON: f32 = 1.19e-7;
/// Keeps the logarithm of a free head away from minus infinity.
const FREE_FLOOR: f32 = 1e-6;

/// What the model says.
pub(super) struct Said {
    /// `[n, numbers of the policy]`.
    pub policy: Tensor<2>,
    /// Logits of win, draw and loss, `[n, 3]`; or one number before tanh, `[n, 1]`.
    pub value: Tensor<2>,
}

/// What is the same for all models of a shape.
pub(super) struct Constants {
    /// 0 where a head of a piece sees, [`NEVER`] elsewhere: `[9, 64, 64]`.
    seen: Tensor<3>,
    promotions: Promotions,
}

/// Where the numbers of promotions are added up from; those that no move has come from anywhere, and
/// are multiplied by 0.
struct Promotions {
    moves: Tensor<1, Int>,
    pieces: Tensor<1, Int>,
    exist: Tensor<2>,
}

impl Constants {
    pub fn new(config: &Config, device: &Device) -> Self {
        let seen: Vec<f32> = piece_masks(config)
            .as_flattened()
            .iter()
            .flat_map(|set| {
                (0..SQUARES)
                    .map(|to| if set.has(chess::Square::from_index(to)) { 0.0 } else { NEVER })
            })
            .collect();
        let seen = TensorData::new(seen, [PIECE_HEADS, SQUARES, SQUARES]);
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
        Self { seen: Tensor::from_data(seen, device), promotions }
    }
}

impl Parameters {
    /// What the model says of positions.
    pub fn forward(&self, config: &Config, constants: &Constants, inputs: &Inputs) -> Said {
        let (n, d) = (inputs.count, config.n_embd);
        // A row that is looked up is a product with a row of one 1: exact, and quick both ways.
        let pieces = inputs.pieces.clone().matmul(self.pieces.clone()).reshape([n, SQUARES, d]);
        let sides = inputs.sides.clone().matmul(self.sides.clone()).reshape([n, 1, d]);
        let positions = self.positions.clone().reshape([1, SQUARES, d]);
        let mut x = norm((pieces + positions + sides).reshape([n * SQUARES, d]));
        for block in &self.blocks {
            x = x.clone() + block.attention(norm(x), config, constants);
            x = x.clone() + block.perceptron(norm(x));
        }
        let h = norm(x);
        Said { policy: self.policy(h.clone(), config, constants), value: self.value(h, n) }
    }

    /// How much the model likes each number of the policy.
    fn policy(&self, h: Tensor<2>, config: &Config, constants: &Constants) -> Tensor<2> {
        let (n, d) = (h.dims()[0] / SQUARES, config.n_embd);
        let both = linear(h.clone(), &self.policy).reshape([n, SQUARES, 2 * d]);
        let (from, to) = (both.clone().narrow(2, 0, d), both.narrow(2, d, d));
        let plain = from.matmul(to.swap_dims(1, 2)) / (d as f32).sqrt();
        let plain: Tensor<2> = plain.reshape([n, PLAIN_MOVES]);
        let Some(promotion) = &self.promotion else { return plain };
        let Promotions { moves, pieces, exist } = &constants.promotions;
        let piece: Tensor<2> = linear(h, promotion).reshape([n, SQUARES * 4]);
        let promotions = plain.clone().select(1, moves.clone()) + piece.select(1, pieces.clone());
        Tensor::cat(vec![plain, promotions * exist.clone()], 1)
    }

    /// Who will win.
    fn value(&self, h: Tensor<2>, n: usize) -> Tensor<2> {
        let h = match &self.value_squares {
            Some(squares) => linear(h, squares),
            None => h,
        };
        let inputs = h.dims()[1] * SQUARES;
        linear(relu_squared(linear(h.reshape([n, inputs]), &self.value_in)), &self.value_out)
    }
}

impl Block {
    /// Squares look at squares.
    fn attention(&self, x: Tensor<2>, config: &Config, constants: &Constants) -> Tensor<2> {
        let (n, d, head) = (x.dims()[0] / SQUARES, config.n_embd, config.head_dim());
        let all = linear(x, &self.qkv);
        let part = |number: usize| -> Tensor<4> {
            let part = all.clone().narrow(1, number * d, d);
            part.reshape([n, SQUARES, HEADS, head]).swap_dims(1, 2)
        };
        let (q, k, v) = (norm(part(0)), norm(part(1)), part(2));
        let free = (sigmoid(self.free.clone()) + FREE_FLOOR).log();
        let free: Tensor<3> = free.reshape([FREE_HEADS, SQUARES, SQUARES]);
        let bias = Tensor::cat(vec![constants.seen.clone(), free], 0);
        let likes = q.matmul(k.swap_dims(2, 3)) / (head as f32).sqrt() + bias.unsqueeze();
        let seen = softmax(likes, 3).matmul(v).swap_dims(1, 2);
        linear(seen.reshape([n * SQUARES, d]), &self.projection)
    }

    /// Each square thinks.
    fn perceptron(&self, x: Tensor<2>) -> Tensor<2> {
        linear(relu_squared(linear(x, &self.mlp_in)), &self.mlp_out)
    }
}

/// Rows times a matrix `[outputs, inputs]`.
fn linear(x: Tensor<2>, matrix: &Tensor<2>) -> Tensor<2> {
    x.matmul(matrix.clone().transpose())
}

/// Each row divided by its root mean square.
fn norm<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    let mean = (x.clone() * x.clone()).mean_dim(D - 1);
    x / (mean + EPSILON).sqrt()
}

/// Nothing below 0, squares above.
fn relu_squared(x: Tensor<2>) -> Tensor<2> {
    let x = relu(x);
    x.clone() * x
}
