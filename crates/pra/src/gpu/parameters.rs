//! The parameters of a model on the device.
//!
//! Each tensor is a range of the parameter vector of [`Weights`], to which its gradient is added.
//! Adjacent projections of the same input are one matrix: queries, keys and values, and the two of the
//! policy head.

use std::ops::Range;

use burn_tensor::{Device as BurnDevice, Tensor};

use super::matrix;
use crate::Weights;
use crate::config::{FREE_HEADS, SQUARES};
use crate::encode::{ATTACKER_KINDS, HISTORY_PLIES, PIECE_TOKENS, RATING_ROWS};
use crate::layout::{VALUE_CHANNELS, value_shape};

/// A transformer block.
pub(super) struct Block {
    /// Queries, keys, values: `[3d, d]`.
    pub qkv: Tensor<2>,
    pub attn_proj: Tensor<2>,
    /// `[3, 64 × 64]`.
    pub free_logits: Tensor<2>,
    pub mlp_fc: Tensor<2>,
    pub mlp_proj: Tensor<2>,
}

/// All parameters of a model.
pub(super) struct Parameters {
    pub piece_embed: Tensor<2>,
    pub position_embed: Tensor<2>,
    pub side_embed: Tensor<2>,
    pub history_embed: Option<Tensor<2>>,
    pub attacker_embed: Option<Tensor<2>>,
    /// Of the side to move and of the opponent.
    pub rating_embeds: Option<[Tensor<2>; 2]>,
    pub blocks: Vec<Block>,
    /// From- and to-squares: `[2d, d]`.
    pub policy_proj: Tensor<2>,
    pub promotion: Option<Tensor<2>>,
    pub value_squares: Option<Tensor<2>>,
    pub value_fc1: Tensor<2>,
    pub value_fc2: Tensor<2>,
    /// The same tensors with their ranges in the parameter vector.
    pub tensors: Vec<(Range<usize>, Tensor<2>)>,
}

/// Copies tensors of the parameter vector to the device.
struct Uploader<'a> {
    values: &'a [f32],
    device: &'a BurnDevice,
    tensors: Vec<(Range<usize>, Tensor<2>)>,
}

impl Uploader<'_> {
    fn upload(&mut self, at: usize, rows: usize, columns: usize) -> Tensor<2> {
        let range = at..at + rows * columns;
        let tensor = matrix(self.values[range.clone()].to_vec(), rows, columns, self.device);
        let tensor = if self.device.is_autodiff() { tensor.require_grad() } else { tensor };
        self.tensors.push((range, tensor.clone()));
        tensor
    }
}

impl Parameters {
    /// Copies the parameters to a device; an autodiff device tracks their gradients.
    pub fn new(weights: &Weights, device: &BurnDevice) -> Self {
        let (config, layout, d) = (weights.config(), weights.layout(), weights.config().n_embd);
        let mut uploader = Uploader { values: weights.values(), device, tensors: Vec::new() };
        let blocks = layout.blocks.iter().map(|offsets| Block {
            qkv: uploader.upload(offsets.qkv, 3 * d, d),
            attn_proj: uploader.upload(offsets.attn_proj, d, d),
            free_logits: uploader.upload(offsets.free_logits, FREE_HEADS, SQUARES * SQUARES),
            mlp_fc: uploader.upload(offsets.mlp_fc, 4 * d, d),
            mlp_proj: uploader.upload(offsets.mlp_proj, d, 4 * d),
        });
        let blocks = blocks.collect();
        let (inputs, hidden, outputs) = value_shape(config);
        Self {
            piece_embed: uploader.upload(layout.piece_embed, config.vocab_size(), d),
            position_embed: uploader.upload(layout.position_embed, SQUARES, d),
            side_embed: uploader.upload(layout.side_embed, 2, d),
            history_embed: config
                .history
                .then(|| uploader.upload(layout.history_embed, HISTORY_PLIES * PIECE_TOKENS, d)),
            attacker_embed: config
                .attackers
                .then(|| uploader.upload(layout.attacker_embed, ATTACKER_KINDS, d)),
            rating_embeds: config
                .ratings
                .then(|| layout.rating_embeds.map(|begin| uploader.upload(begin, RATING_ROWS, d))),
            blocks,
            policy_proj: uploader.upload(layout.policy_proj, 2 * d, d),
            promotion: config.promotions.then(|| uploader.upload(layout.promotion, 4, d)),
            value_squares: config
                .light_value
                .then(|| uploader.upload(layout.value_squares, VALUE_CHANNELS, d)),
            value_fc1: uploader.upload(layout.value_fc1, hidden, inputs),
            value_fc2: uploader.upload(layout.value_fc2, outputs, hidden),
            tensors: uploader.tensors,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    #[test]
    fn every_parameter_is_in_one_tensor() {
        for config in [Config::reference(2, 12), Config::new(1, 24)] {
            let weights = Weights::random(&config, 1).unwrap();
            let mut tensors = Parameters::new(&weights, &BurnDevice::flex()).tensors;
            tensors.sort_by_key(|(range, _)| range.start);
            let mut end = 0;
            for (range, tensor) in tensors {
                assert_eq!(range.start, end);
                assert_eq!(
                    tensor.into_data().try_into_vec_as::<f32>().unwrap(),
                    weights.values()[range.clone()]
                );
                end = range.end;
            }
            assert_eq!(end, weights.values().len());
        }
    }
}
