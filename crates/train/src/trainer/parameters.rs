//! The parameters of a network in training: floating-point numbers, all in one array.
//!
//! One array, because the optimiser treats all numbers alike and its threads share them out by place.
//! Its parts come in this order: feature weights `[input][hidden]`, feature biases, output weights
//! `[output bucket][mover's hidden, then the other's]`, output biases. A feature weight of 1 is what a
//! network file calls [`QA`], an output weight of 1 is [`QB`].

use std::ops::Range;

use chess::rng::Rng;
use nnue::Shape;
use nnue::network::{Network, NetworkError, QA, QB};
use simd::AlignedVec;

/// Weights and feature biases stay within this: 127 steps of an output weight in a network file.
pub const LIMIT: f32 = 1.98;

/// The parts of the array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    FeatureWeights,
    FeatureBias,
    OutputWeights,
    OutputBias,
}

impl Part {
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

    /// How many rows and columns it has.
    pub(super) fn size(self, shape: &Shape) -> (usize, usize) {
        match self {
            Self::FeatureWeights => (shape.inputs(), shape.hidden),
            Self::FeatureBias => (1, shape.hidden),
            Self::OutputWeights => (shape.output_buckets, 2 * shape.hidden),
            Self::OutputBias => (1, shape.output_buckets),
        }
    }

    /// Where it stands.
    pub(super) fn range(self, shape: &Shape) -> Range<usize> {
        let length = |part: Self| {
            let (rows, columns) = part.size(shape);
            rows * columns
        };
        let start = Self::ALL.into_iter().take_while(|&part| part != self).map(length).sum();
        start..start + length(self)
    }

    /// Whether it decays: weights do, biases do not.
    pub(super) const fn decays(self) -> bool {
        matches!(self, Self::FeatureWeights | Self::OutputWeights)
    }

    /// What its numbers are clipped to. An output bias has room enough in a network file.
    pub(super) const fn limit(self) -> f32 {
        match self {
            Self::OutputBias => f32::MAX,
            _ => LIMIT,
        }
    }
}

/// How many numbers a network has.
pub(super) fn count(shape: &Shape) -> usize {
    Part::OutputBias.range(shape).end
}

/// A network of floating-point numbers, as it is trained.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameters {
    shape: Shape,
    /// Where the parts stand, in the order of [`Part::ALL`].
    ranges: [Range<usize>; 4],
    pub(super) values: AlignedVec<f32>,
}

impl Parameters {
    /// All zero. The shape must be one that [`Shape::check`] accepts.
    pub(super) fn zero(shape: &Shape) -> Self {
        let ranges = Part::ALL.map(|part| part.range(shape));
        Self { shape: shape.clone(), ranges, values: AlignedVec::zeros(count(shape)) }
    }

    /// Random numbers to begin with: feature weights uniform within ±1/√32 (a board has at most 32
    /// pieces, so that sums are about ±½), output weights within ±1/√(2·hidden), biases zero.
    pub fn random(shape: &Shape, seed: u64) -> Self {
        let mut parameters = Self::zero(shape);
        let mut random = Rng::new(seed, u64::MAX);
        let fill = |values: &mut [f32], bound: f32, random: &mut Rng| {
            values.iter_mut().for_each(|value| *value = bound * (2.0 * random.next_f32() - 1.0));
        };
        let bounds = [(Part::FeatureWeights, 32), (Part::OutputWeights, 2 * shape.hidden)];
        for (part, inputs) in bounds {
            fill(parameters.part_mut(part), 1.0 / (inputs as f32).sqrt(), &mut random);
        }
        parameters
    }

    /// The size and the meaning of the inputs.
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    #[inline]
    pub(super) fn part(&self, part: Part) -> &[f32] {
        &self.values[self.ranges[part as usize].clone()]
    }

    #[inline]
    pub(super) fn part_mut(&mut self, part: Part) -> &mut [f32] {
        &mut self.values[self.ranges[part as usize].clone()]
    }

    /// All parts at once: feature weights, feature biases, output weights, output biases.
    pub(super) fn parts_mut(&mut self) -> [&mut [f32]; 4] {
        let mut rest: &mut [f32] = &mut self.values;
        self.ranges.each_ref().map(|range| rest.split_off_mut(..range.len()).unwrap_or_default())
    }

    /// Whether all are numbers.
    pub fn is_finite(&self) -> bool {
        self.values.iter().all(|value| value.is_finite())
    }

    /// What the numbers are known by: a hash of them.
    pub(super) fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for value in self.values.iter() {
            hasher.update(&value.to_le_bytes());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }

    /// The network the engine plays: each number rounded to the nearest step of the file's.
    pub fn quantised(&self) -> Result<Network, NetworkError> {
        let (qa, qb) = (QA as f32, QB as f32);
        // A cast saturates: what is out of range cannot wrap around.
        let words = |part| self.part(part).iter().map(|v| (v * qa).round() as i16).collect();
        let bytes = |v: &f32| ((v * qb).round() as i8).max(-127);
        let outputs = self.part(Part::OutputWeights).iter().map(bytes).collect();
        let unit = f64::from(QA * QB);
        let biases = self.part(Part::OutputBias).iter();
        let biases = biases.map(|&v| (f64::from(v) * unit).round() as i32).collect();
        let shape = self.shape.clone();
        Network::new(shape, words(Part::FeatureWeights), words(Part::FeatureBias), outputs, biases)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_follow_each_other_without_gaps() {
        let shape = Shape { output_buckets: 3, ..Shape::plain(64) };
        let mut end = 0;
        for part in Part::ALL {
            assert_eq!(part.range(&shape).start, end);
            end = part.range(&shape).end;
        }
        assert_eq!(end, 768 * 64 + 64 + 3 * 128 + 3);
        assert_eq!(end, count(&shape));
    }

    #[test]
    fn random_parameters_follow_from_the_seed_and_fit_a_network() {
        let shape = Shape::plain(32);
        let one = Parameters::random(&shape, 1);
        assert_eq!(one, Parameters::random(&shape, 1));
        assert_ne!(one, Parameters::random(&shape, 2));
        assert!(one.is_finite() && one.values.iter().all(|v| v.abs() <= 0.18));
        assert_eq!(one.quantised().unwrap().shape(), &shape);
    }

    #[test]
    fn numbers_without_room_in_the_file_are_not_bent_into_others() {
        let mut parameters = Parameters::zero(&Shape::plain(32));
        parameters.part_mut(Part::OutputWeights)[0] = -50.0;
        parameters.part_mut(Part::OutputWeights)[1] = 50.0;
        parameters.part_mut(Part::FeatureBias)[0] = 1e9;
        let network = parameters.quantised().unwrap();
        assert_eq!(network.output_row(0)[..2], [-127, 127]);
        assert_eq!(network.feature_bias()[0], i16::MAX);
    }
}
