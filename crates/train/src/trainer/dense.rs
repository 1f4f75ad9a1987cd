//! Forward and backward pass of the dense head, one position at a time.
//!
//! The same function as the quantized layers ([`nnue::network::dense`]), in f32: where the integers round, as
//! after a product of two inputs, the mean is followed by a factor of [`ROUNDED`].

use nnue::network::dense::{FIRST, SECOND};
use simd::{AlignedVec, float};

use super::parameters::{Parameters, SECOND_WIDTH, Tensor};

/// 127/128: 1·1 as int8, and 1² after the shift of the squared activation.
pub(super) const ROUNDED: f32 = 127.0 / 128.0;
/// Outputs of the first layer that the second one reads, twice.
pub(super) const ACTIVATED: usize = FIRST - 1;

/// The activations of one position, and the gradients with respect to them.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    /// Pairwise products of the accumulators.
    inputs: AlignedVec<f32>,
    input_gradients: AlignedVec<f32>,
    /// The sums of the first layer.
    first: [f32; FIRST],
    /// The inputs of the second layer.
    hidden: [f32; SECOND_WIDTH],
    /// The sums of the second layer.
    second: [f32; SECOND],
}

impl Dense {
    pub(super) fn new(hidden: usize) -> Self {
        Self {
            inputs: AlignedVec::zeros(hidden),
            input_gradients: AlignedVec::zeros(hidden),
            first: [0.0; FIRST],
            hidden: [0.0; SECOND_WIDTH],
            second: [0.0; SECOND],
        }
    }

    /// The output of a bucket for both accumulators, that of the side to move first.
    pub(super) fn forward(
        &mut self,
        parameters: &Parameters,
        bucket: usize,
        accumulators: &[f32],
    ) -> f32 {
        let rows = |tensor| parameters.bucket(tensor, bucket);
        let width = accumulators.len() / 2;
        let halves = accumulators.chunks_exact(width).zip(self.inputs.chunks_exact_mut(width / 2));
        halves.for_each(|(accumulator, products)| float::pairwise(accumulator, ROUNDED, products));
        float::affine(
            rows(Tensor::FirstWeights),
            rows(Tensor::FirstBias),
            &self.inputs,
            &mut self.first,
        );
        for (n, &sum) in self.first[..ACTIVATED].iter().enumerate() {
            self.hidden[n] = (sum * sum * ROUNDED).min(1.0);
            self.hidden[ACTIVATED + n] = sum.clamp(0.0, 1.0);
        }
        let (weights, bias) = (rows(Tensor::SecondWeights), rows(Tensor::SecondBias));
        float::affine(weights, bias, &self.hidden, &mut self.second);
        let terms = self.second.iter().zip(rows(Tensor::OutputWeights));
        let sum: f32 = terms.map(|(sum, weight)| sum.clamp(0.0, 1.0) * weight).sum();
        sum + rows(Tensor::OutputBias)[0] + self.first[ACTIVATED]
    }

    /// The backward pass after [`forward`](Self::forward), given the gradient with respect to the output: adds
    /// to the gradients of the parameters, and replaces the accumulators by the gradients with respect to them.
    pub(super) fn backward(
        &mut self,
        parameters: &Parameters,
        bucket: usize,
        gradient: f32,
        accumulators: &mut [f32],
        gradients: &mut Parameters,
    ) {
        let rows = |tensor| parameters.bucket(tensor, bucket);
        let mut second = [0.0; SECOND];
        gradients.bucket_mut(Tensor::OutputBias, bucket)[0] += gradient;
        let output = gradients.bucket_mut(Tensor::OutputWeights, bucket).iter_mut();
        let output = output.zip(rows(Tensor::OutputWeights));
        for ((own, (sums, weight)), &sum) in second.iter_mut().zip(output).zip(&self.second) {
            let activation = sum.clamp(0.0, 1.0);
            *sums += gradient * activation;
            *own = if activation == sum { gradient * weight } else { 0.0 };
        }
        float::add(gradients.bucket_mut(Tensor::SecondBias, bucket), &second);
        let (sums, weights) =
            (gradients.bucket_mut(Tensor::SecondWeights, bucket), rows(Tensor::SecondWeights));
        let mut hidden = [0.0; SECOND_WIDTH];
        float::affine_backward(weights, &self.hidden, &second, sums, &mut hidden);

        let mut first = [0.0; FIRST];
        for (n, (own, &sum)) in first[..ACTIVATED].iter_mut().zip(&self.first).enumerate() {
            if sum * sum * ROUNDED < 1.0 {
                *own = hidden[n] * 2.0 * ROUNDED * sum;
            }
            if sum > 0.0 && sum < 1.0 {
                *own += hidden[ACTIVATED + n];
            }
        }
        first[ACTIVATED] = gradient;
        float::add(gradients.bucket_mut(Tensor::FirstBias, bucket), &first);
        let (sums, weights) =
            (gradients.bucket_mut(Tensor::FirstWeights, bucket), rows(Tensor::FirstWeights));
        float::affine_backward(weights, &self.inputs, &first, sums, &mut self.input_gradients);
        let width = accumulators.len() / 2;
        let halves = self.input_gradients.chunks_exact(width / 2);
        for (accumulator, products) in accumulators.chunks_exact_mut(width).zip(halves) {
            float::pairwise_backward(accumulator, ROUNDED, products);
        }
    }
}
