//! The parameters of a model on the device.
//!
//! They are made from the one row of numbers of [`Weights`], and each part remembers where it lies
//! there, so that gradients find the way back. What is multiplied by the same thing and lies side by
//! side is one matrix: queries, keys and values, and the two of the policy.

use std::ops::Range;

use burn_tensor::{Device, Tensor};

use super::matrix;
use crate::Weights;
use crate::config::{FREE_HEADS, SQUARES};
use crate::layout::{VALUE_CHANNELS, value_shape};

/// A block of attention and perceptron.
pub(super) struct Block {
    /// Queries, keys, values: `[3d, d]`.
    pub qkv: Tensor<2>,
    pub projection: Tensor<2>,
    /// `[3, 64 × 64]`.
    pub free: Tensor<2>,
    pub mlp_in: Tensor<2>,
    pub mlp_out: Tensor<2>,
}

/// All of a model.
pub(super) struct Parameters {
    pub pieces: Tensor<2>,
    pub positions: Tensor<2>,
    pub sides: Tensor<2>,
    pub blocks: Vec<Block>,
    /// From and to: `[2d, d]`.
    pub policy: Tensor<2>,
    pub promotion: Option<Tensor<2>>,
    pub value_squares: Option<Tensor<2>>,
    pub value_in: Tensor<2>,
    pub value_out: Tensor<2>,
    /// The same tensors, each with its place in the row of numbers.
    pub parts: Vec<(Range<usize>, Tensor<2>)>,
}

/// Takes parts out of the row of numbers.
struct Reader<'a> {
    values: &'a [f32],
    device: &'a Device,
    parts: Vec<(Range<usize>, Tensor<2>)>,
}

impl Reader<'_> {
    fn take(&mut self, at: usize, rows: usize, columns: usize) -> Tensor<2> {
        let range = at..at + rows * columns;
        let tensor = matrix(self.values[range.clone()].to_vec(), rows, columns, self.device);
        let tensor = if self.device.is_autodiff() { tensor.require_grad() } else { tensor };
        self.parts.push((range, tensor.clone()));
        tensor
    }
}

impl Parameters {
    /// Brings a model to a device; gradients can be found if the device is one for them.
    pub fn new(weights: &Weights, device: &Device) -> Self {
        let (config, layout, d) = (weights.config(), weights.layout(), weights.config().n_embd);
        let mut reader = Reader { values: weights.values(), device, parts: Vec::new() };
        let blocks = layout.blocks.iter().map(|places| Block {
            qkv: reader.take(places.qkv, 3 * d, d),
            projection: reader.take(places.projection, d, d),
            free: reader.take(places.free, FREE_HEADS, SQUARES * SQUARES),
            mlp_in: reader.take(places.mlp_in, 4 * d, d),
            mlp_out: reader.take(places.mlp_out, d, 4 * d),
        });
        let blocks = blocks.collect();
        let (inputs, neurons, outputs) = value_shape(config);
        Self {
            pieces: reader.take(layout.pieces, config.piece_kinds(), d),
            positions: reader.take(layout.positions, SQUARES, d),
            sides: reader.take(layout.sides, 2, d),
            blocks,
            policy: reader.take(layout.policy, 2 * d, d),
            promotion: config.promotions.then(|| reader.take(layout.promotion, 4, d)),
            value_squares: config
                .light_value
                .then(|| reader.take(layout.value_squares, VALUE_CHANNELS, d)),
            value_in: reader.take(layout.value_in, neurons, inputs),
            value_out: reader.take(layout.value_out, outputs, neurons),
            parts: reader.parts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    #[test]
    fn every_number_of_a_model_is_in_one_part() {
        for config in [Config::reference(2, 12), Config::new(1, 24)] {
            let weights = Weights::random(&config, 1).unwrap();
            let mut parts = Parameters::new(&weights, &Device::flex()).parts;
            parts.sort_by_key(|(range, _)| range.start);
            let mut end = 0;
            for (range, part) in parts {
                assert_eq!(range.start, end);
                assert_eq!(
                    part.into_data().try_into_vec_as::<f32>().unwrap(),
                    weights.values()[range.clone()]
                );
                end = range.end;
            }
            assert_eq!(end, weights.values().len());
        }
    }
}
