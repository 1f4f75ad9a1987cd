//! The parameters of a network in training: f32, all tensors in one array.
//!
//! One array, so that the threads of the optimizer divide it evenly. Its order: feature weights
//! `[input][hidden]`, feature biases, output weights `[output bucket][hidden of the side to move, then of
//! the opponent]`, output biases. A feature weight of 1 is quantized to [`QA`], an output weight of 1 to
//! [`QB`].

use std::ops::Range;

use chess::rng::Rng;
use nnue::Shape;
use nnue::network::{Network, NetworkError, QA, QB};
use simd::AlignedVec;

/// Weights and feature biases are clipped to this: an int8 output weight of 127.
pub const LIMIT: f32 = 1.98;

/// The tensors of the array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tensor {
    FeatureWeights,
    FeatureBias,
    OutputWeights,
    OutputBias,
}

impl Tensor {
    pub(super) const ALL: [Self; 4] =
        [Self::FeatureWeights, Self::FeatureBias, Self::OutputWeights, Self::OutputBias];

    /// The name in a checkpoint.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::FeatureWeights => "feature_weights",
            Self::FeatureBias => "feature_bias",
            Self::OutputWeights => "output_weights",
            Self::OutputBias => "output_bias",
        }
    }

    /// Rows and columns.
    pub(super) fn size(self, shape: &Shape) -> (usize, usize) {
        match self {
            Self::FeatureWeights => (shape.inputs(), shape.hidden),
            Self::FeatureBias => (1, shape.hidden),
            Self::OutputWeights => (shape.output_buckets, 2 * shape.hidden),
            Self::OutputBias => (1, shape.output_buckets),
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
        matches!(self, Self::FeatureWeights | Self::OutputWeights)
    }

    /// What its values are clipped to. An output bias is quantized to int32.
    pub(super) const fn limit(self) -> f32 {
        match self {
            Self::OutputBias => f32::MAX,
            _ => LIMIT,
        }
    }
}

/// The number of parameters of a network.
pub(super) fn count(shape: &Shape) -> usize {
    Tensor::OutputBias.range(shape).end
}

/// A network in floating point.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameters {
    shape: Shape,
    /// The ranges of [`Tensor::ALL`].
    ranges: [Range<usize>; 4],
    pub(super) values: AlignedVec<f32>,
}

impl Parameters {
    /// All zero. The shape must pass [`Shape::check`].
    pub(super) fn zero(shape: &Shape) -> Self {
        let ranges = Tensor::ALL.map(|tensor| tensor.range(shape));
        Self { shape: shape.clone(), ranges, values: AlignedVec::zeros(count(shape)) }
    }

    /// Random initialization: feature weights uniform in ±1/√32 (at most 32 inputs are active), output
    /// weights in ±1/√(2·hidden), biases zero.
    pub fn random(shape: &Shape, seed: u64) -> Self {
        let mut parameters = Self::zero(shape);
        let mut random = Rng::new(seed, u64::MAX);
        let fill = |values: &mut [f32], bound: f32, random: &mut Rng| {
            values.iter_mut().for_each(|value| *value = bound * (2.0 * random.next_f32() - 1.0));
        };
        let bounds = [(Tensor::FeatureWeights, 32), (Tensor::OutputWeights, 2 * shape.hidden)];
        for (tensor, inputs) in bounds {
            fill(parameters.tensor_mut(tensor), 1.0 / (inputs as f32).sqrt(), &mut random);
        }
        parameters
    }

    /// Those of a network: quantized again, they are the same network.
    pub fn dequantized(network: &Network) -> Self {
        let shape = network.shape();
        let mut parameters = Self::zero(shape);
        let (qa, qb) = (QA as f32, QB as f32);
        let words = |to: &mut [f32], from: &[i16]| {
            to.iter_mut().zip(from).for_each(|(to, &from)| *to = f32::from(from) / qa);
        };
        words(parameters.tensor_mut(Tensor::FeatureWeights), network.feature_weights());
        words(parameters.tensor_mut(Tensor::FeatureBias), network.feature_bias());
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

    /// All tensors: feature weights, feature biases, output weights, output biases.
    pub(super) fn tensors_mut(&mut self) -> [&mut [f32]; 4] {
        let mut rest: &mut [f32] = &mut self.values;
        self.ranges.each_ref().map(|range| rest.split_off_mut(..range.len()).unwrap_or_default())
    }

    /// Whether all parameters are finite.
    pub fn is_finite(&self) -> bool {
        self.values.iter().all(|value| value.is_finite())
    }

    /// The quantized network, as the engine plays it.
    pub fn quantized(&self) -> Result<Network, NetworkError> {
        let (qa, qb) = (QA as f32, QB as f32);
        // A cast saturates: values out of range do not wrap around.
        let words = |tensor| self.tensor(tensor).iter().map(|v| (v * qa).round() as i16).collect();
        let bytes = |v: &f32| ((v * qb).round() as i8).max(-127);
        let outputs = self.tensor(Tensor::OutputWeights).iter().map(bytes).collect();
        let unit = f64::from(QA * QB);
        let biases = self.tensor(Tensor::OutputBias).iter();
        let biases = biases.map(|&v| (f64::from(v) * unit).round() as i32).collect();
        let shape = self.shape.clone();
        Network::new(
            shape,
            words(Tensor::FeatureWeights),
            words(Tensor::FeatureBias),
            outputs,
            biases,
        )
    }
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
        let shape = Shape { output_buckets: 3, ..Shape::plain(64) };
        let network = Network::random(shape, 4).unwrap();
        let again = Parameters::dequantized(&network).quantized().unwrap();
        assert_eq!(again.to_bytes(), network.to_bytes());
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
