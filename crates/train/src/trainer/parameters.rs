//! The parameters of a network in training: f32, all tensors in one array.
//!
//! One array, so that the threads of the optimizer divide it evenly. Its order: feature weights
//! `[input][hidden]`, feature biases, the layers of a dense head `[output bucket][output][input]`, output
//! weights `[output bucket][hidden of the side to move, then of the opponent]`, output biases. With a linear
//! head, a feature weight of 1 is quantized to [`QA`], an output weight of 1 to [`QB`]; with a dense one, as
//! [`nnue::network::dense`] says.

use std::ops::Range;

use chess::rng::Rng;
use nnue::Shape;
use nnue::network::dense::{self, DenseParameters, FIRST, SECOND, SECOND_INPUTS};
use nnue::network::{Head, Network, NetworkError, QA, QB};
use simd::AlignedVec;

/// Weights and feature biases are clipped to this: an int8 output weight of 127.
pub const LIMIT: f32 = 1.98;

/// Inputs of the second layer of a dense head, padded for the kernels with two that are always 0.
pub(super) const SECOND_WIDTH: usize = SECOND_INPUTS.next_multiple_of(32);

/// The tensors of the array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tensor {
    FeatureWeights,
    FeatureBias,
    /// The layers of a dense head; empty with a linear one.
    FirstWeights,
    FirstBias,
    SecondWeights,
    SecondBias,
    OutputWeights,
    OutputBias,
}

impl Tensor {
    pub(super) const COUNT: usize = 8;

    pub(super) const ALL: [Self; Self::COUNT] = [
        Self::FeatureWeights,
        Self::FeatureBias,
        Self::FirstWeights,
        Self::FirstBias,
        Self::SecondWeights,
        Self::SecondBias,
        Self::OutputWeights,
        Self::OutputBias,
    ];

    /// The tensors of a network.
    pub(super) fn of(shape: &Shape) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|tensor| !tensor.range(shape).is_empty())
    }

    /// The name in a checkpoint.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::FeatureWeights => "feature_weights",
            Self::FeatureBias => "feature_bias",
            Self::FirstWeights => "first_weights",
            Self::FirstBias => "first_bias",
            Self::SecondWeights => "second_weights",
            Self::SecondBias => "second_bias",
            Self::OutputWeights => "output_weights",
            Self::OutputBias => "output_bias",
        }
    }

    /// Rows and columns.
    pub(super) fn size(self, shape: &Shape) -> (usize, usize) {
        let (hidden, outputs) = (shape.hidden, shape.output_buckets);
        match (self, shape.head) {
            (Self::FeatureWeights, _) => (shape.inputs(), hidden),
            (Self::FeatureBias, _) => (1, hidden),
            (Self::OutputWeights, Head::Linear) => (outputs, 2 * hidden),
            (Self::OutputBias, _) => (1, outputs),
            (_, Head::Linear) => (0, 0),
            (Self::FirstWeights, Head::Dense) => (outputs * FIRST, hidden),
            (Self::FirstBias, Head::Dense) => (outputs, FIRST),
            (Self::SecondWeights, Head::Dense) => (outputs * SECOND, SECOND_WIDTH),
            (Self::SecondBias | Self::OutputWeights, Head::Dense) => (outputs, SECOND),
        }
    }

    /// Its range in the array.
    pub(super) fn range(self, shape: &Shape) -> Range<usize> {
        let length = |tensor: Self| {
            let (rows, columns) = tensor.size(shape);
            rows * columns
        };
        let start = Self::ALL.into_iter().take_while(|&tensor| tensor != self).map(length).sum();
        start..start + length(self)
    }

    /// Whether weight decay applies: to weights, not to biases.
    pub(super) const fn decays(self) -> bool {
        matches!(
            self,
            Self::FeatureWeights | Self::FirstWeights | Self::SecondWeights | Self::OutputWeights
        )
    }

    /// What its values are clipped to. Biases after the accumulators are quantized to int32.
    pub(super) const fn limit(self, head: Head) -> f32 {
        match (self, head) {
            (Self::OutputBias | Self::FirstBias | Self::SecondBias, _) => f32::MAX,
            (Self::OutputWeights, Head::Dense) => 127.0 / DENSE_OUTPUT,
            _ => LIMIT,
        }
    }
}

/// An output weight of 1 in a dense head, quantized.
const DENSE_OUTPUT: f32 = dense::ONE as f32 / dense::QA as f32;

/// The number of parameters of a network.
pub(super) fn count(shape: &Shape) -> usize {
    Tensor::OutputBias.range(shape).end
}

/// A network in floating point.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameters {
    shape: Shape,
    /// The ranges of [`Tensor::ALL`].
    ranges: [Range<usize>; Tensor::COUNT],
    pub(super) values: AlignedVec<f32>,
}

impl Parameters {
    /// All zero. The shape must pass [`Shape::check`].
    pub(super) fn zero(shape: &Shape) -> Self {
        let ranges = Tensor::ALL.map(|tensor| tensor.range(shape));
        Self { shape: shape.clone(), ranges, values: AlignedVec::zeros(count(shape)) }
    }

    /// Random initialization: feature weights uniform in ±1/√32 (at most 32 inputs are active), other weights
    /// in ±1/√columns, biases zero. The columns are the layer's inputs, but those of a dense head's second
    /// layer are padded to 32: the last two get random values, too, which never matter, because their inputs
    /// are 0.
    pub fn random(shape: &Shape, seed: u64) -> Self {
        let mut parameters = Self::zero(shape);
        let mut random = Rng::new(seed, u64::MAX);
        let fill = |values: &mut [f32], bound: f32, random: &mut Rng| {
            values.iter_mut().for_each(|value| *value = bound * (2.0 * random.next_f32() - 1.0));
        };
        let inputs_of = |tensor: Tensor| match tensor {
            Tensor::FeatureWeights => 32,
            tensor => tensor.size(shape).1,
        };
        for tensor in Tensor::of(shape).filter(|tensor| tensor.decays()) {
            let inputs = inputs_of(tensor);
            fill(parameters.tensor_mut(tensor), 1.0 / (inputs as f32).sqrt(), &mut random);
        }
        parameters
    }

    /// Those of a network: quantized again, they are the same network.
    pub fn dequantized(network: &Network) -> Self {
        let shape = network.shape();
        let mut parameters = Self::zero(shape);
        let (qa, qb) = (feature_unit(shape.head), QB as f32);
        let words = |to: &mut [f32], from: &[i16]| {
            to.iter_mut().zip(from).for_each(|(to, &from)| *to = f32::from(from) / qa);
        };
        words(parameters.tensor_mut(Tensor::FeatureWeights), network.feature_weights());
        words(parameters.tensor_mut(Tensor::FeatureBias), network.feature_bias());
        if let Some(layers) = network.dense_layers() {
            for (bucket, layers) in layers.iter().enumerate() {
                parameters.dequantize_dense(bucket, layers);
            }
            return parameters;
        }
        let rows = parameters.tensor_mut(Tensor::OutputWeights).chunks_exact_mut(2 * shape.hidden);
        for (bucket, row) in rows.enumerate() {
            let from = network.output_row(bucket);
            row.iter_mut().zip(from).for_each(|(to, &from)| *to = f32::from(from) / qb);
        }
        let biases = parameters.tensor_mut(Tensor::OutputBias).iter_mut();
        for (to, &from) in biases.zip(network.output_bias()) {
            *to = (f64::from(from) / f64::from(QA * QB)) as f32;
        }
        parameters
    }

    /// The architecture.
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    #[inline]
    pub(super) fn tensor(&self, tensor: Tensor) -> &[f32] {
        &self.values[self.ranges[tensor as usize].clone()]
    }

    #[inline]
    pub(super) fn tensor_mut(&mut self, tensor: Tensor) -> &mut [f32] {
        &mut self.values[self.ranges[tensor as usize].clone()]
    }

    /// The rows of a tensor that belong to an output bucket.
    #[inline]
    pub(super) fn bucket(&self, tensor: Tensor, bucket: usize) -> &[f32] {
        let values = self.tensor(tensor);
        let length = values.len() / self.shape.output_buckets;
        &values[bucket * length..][..length]
    }

    #[inline]
    pub(super) fn bucket_mut(&mut self, tensor: Tensor, bucket: usize) -> &mut [f32] {
        let length = self.ranges[tensor as usize].len() / self.shape.output_buckets;
        &mut self.tensor_mut(tensor)[bucket * length..][..length]
    }

    /// All tensors in their order.
    pub(super) fn tensors_mut(&mut self) -> [&mut [f32]; Tensor::COUNT] {
        let mut rest: &mut [f32] = &mut self.values;
        self.ranges.each_ref().map(|range| rest.split_off_mut(..range.len()).unwrap_or_default())
    }

    /// Whether all parameters are finite.
    pub fn is_finite(&self) -> bool {
        self.values.iter().all(|value| value.is_finite())
    }

    /// The quantized network, as the engine plays it.
    pub fn quantized(&self) -> Result<Network, NetworkError> {
        let qa = feature_unit(self.shape.head);
        // A cast saturates: values out of range do not wrap around.
        let words = |tensor| self.tensor(tensor).iter().map(|v| (v * qa).round() as i16).collect();
        let (shape, weights) = (self.shape.clone(), words(Tensor::FeatureWeights));
        let bias = words(Tensor::FeatureBias);
        if shape.head == Head::Dense {
            let layers = (0..shape.output_buckets).map(|bucket| self.quantized_dense(bucket));
            return Network::with_dense_head(shape, weights, bias, layers.collect());
        }
        let outputs = self.tensor(Tensor::OutputWeights).iter().map(|&v| byte(v, QB as f32));
        let unit = f64::from(QA * QB);
        let biases = self.tensor(Tensor::OutputBias).iter();
        let biases = biases.map(|&v| (f64::from(v) * unit).round() as i32).collect();
        Network::new(shape, weights, bias, outputs.collect(), biases)
    }

    fn quantized_dense(&self, bucket: usize) -> DenseParameters {
        let bytes = |tensor| self.bucket(tensor, bucket).iter().map(|&v| byte(v, dense::QB as f32));
        let words = |tensor, unit: i32| -> Vec<i32> {
            let values = self.bucket(tensor, bucket).iter();
            values.map(|&v| (f64::from(v) * f64::from(unit)).round() as i32).collect()
        };
        let unit = dense::QA * dense::QB;
        let (first_bias, second_bias) =
            (words(Tensor::FirstBias, unit), words(Tensor::SecondBias, unit));
        let second: Vec<i8> = bytes(Tensor::SecondWeights).collect();
        let second = second.chunks_exact(SECOND_WIDTH).flat_map(|row| &row[..SECOND_INPUTS]);
        let output = self.bucket(Tensor::OutputWeights, bucket);
        DenseParameters {
            first_weights: bytes(Tensor::FirstWeights).collect(),
            first_bias: std::array::from_fn(|n| first_bias[n]),
            second_weights: second.copied().collect(),
            second_bias: std::array::from_fn(|n| second_bias[n]),
            output_weights: std::array::from_fn(|n| byte(output[n], DENSE_OUTPUT)),
            output_bias: words(Tensor::OutputBias, dense::ONE)[0],
        }
    }

    fn dequantize_dense(&mut self, bucket: usize, layers: &DenseParameters) {
        fn copy<T: Copy + Into<f64>>(to: &mut [f32], from: &[T], unit: f64) {
            to.iter_mut().zip(from).for_each(|(to, &from)| *to = (from.into() / unit) as f32);
        }
        let (weight, sum) = (f64::from(dense::QB), f64::from(dense::QA * dense::QB));
        copy(self.bucket_mut(Tensor::FirstWeights, bucket), &layers.first_weights, weight);
        copy(self.bucket_mut(Tensor::FirstBias, bucket), &layers.first_bias, sum);
        let rows = self.bucket_mut(Tensor::SecondWeights, bucket).chunks_exact_mut(SECOND_WIDTH);
        for (row, from) in rows.zip(layers.second_weights.chunks_exact(SECOND_INPUTS)) {
            copy(row, from, weight);
        }
        copy(self.bucket_mut(Tensor::SecondBias, bucket), &layers.second_bias, sum);
        let output = f64::from(dense::ONE) / f64::from(dense::QA);
        copy(self.bucket_mut(Tensor::OutputWeights, bucket), &layers.output_weights, output);
        let bias = [layers.output_bias];
        copy(self.bucket_mut(Tensor::OutputBias, bucket), &bias, dense::ONE.into());
    }
}

/// A feature weight of 1, quantized.
fn feature_unit(head: Head) -> f32 {
    match head {
        Head::Linear => QA as f32,
        Head::Dense => dense::QA as f32,
    }
}

fn byte(value: f32, unit: f32) -> i8 {
    ((value * unit).round() as i8).max(-127)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_are_contiguous() {
        let shape = Shape { output_buckets: 3, ..Shape::plain(64) };
        let mut end = 0;
        for tensor in Tensor::ALL {
            assert_eq!(tensor.range(&shape).start, end);
            end = tensor.range(&shape).end;
        }
        assert_eq!(end, 768 * 64 + 64 + 3 * 128 + 3);
        assert_eq!(end, count(&shape));
    }

    #[test]
    fn random_parameters_depend_on_the_seed_and_can_be_quantized() {
        let shape = Shape::plain(32);
        let one = Parameters::random(&shape, 1);
        assert_eq!(one, Parameters::random(&shape, 1));
        assert_ne!(one, Parameters::random(&shape, 2));
        assert!(one.is_finite() && one.values.iter().all(|v| v.abs() <= 0.18));
        assert_eq!(one.quantized().unwrap().shape(), &shape);
    }

    #[test]
    fn a_network_survives_dequantization() {
        for head in [Head::Linear, Head::Dense] {
            let shape = Shape { output_buckets: 3, head, ..Shape::plain(128) };
            let network = Network::random(shape, 4).unwrap();
            let again = Parameters::dequantized(&network).quantized().unwrap();
            assert_eq!(again.to_bytes(), network.to_bytes());
        }
    }

    #[test]
    fn values_out_of_range_saturate() {
        let mut parameters = Parameters::zero(&Shape::plain(32));
        parameters.tensor_mut(Tensor::OutputWeights)[0] = -50.0;
        parameters.tensor_mut(Tensor::OutputWeights)[1] = 50.0;
        parameters.tensor_mut(Tensor::FeatureBias)[0] = 1e9;
        let network = parameters.quantized().unwrap();
        assert_eq!(network.output_row(0)[..2], [-127, 127]);
        assert_eq!(network.feature_bias()[0], i16::MAX);
    }
}
