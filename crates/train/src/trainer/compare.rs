//! Differences between two evaluations: a quantized network and its float parameters, a student and its
//! teacher.

use std::fmt;

use chess::Position;
use nnue::network::{Head, SCALE};
use serde::Serialize;

use super::dense::Dense;
use super::parameters::{Parameters, Tensor};
use super::worker::linear_output;
use simd::float;

/// Evaluates positions one at a time, without quantization.
#[derive(Clone, Debug)]
pub struct FloatEvaluator<'a> {
    parameters: &'a Parameters,
    /// A dense head, once for each output bucket: its layers are transposed only once.
    dense: Vec<Dense>,
    /// The accumulators, that of the side to move first.
    hidden: Vec<f32>,
}

impl<'a> FloatEvaluator<'a> {
    /// An evaluator with these parameters.
    pub fn new(parameters: &'a Parameters) -> Self {
        let shape = parameters.shape();
        let loaded = |bucket| {
            let mut dense = Dense::new(shape.hidden, 1);
            dense.load(parameters, bucket);
            dense
        };
        let dense = match shape.head {
            Head::Linear => Vec::new(),
            Head::Dense => (0..shape.output_buckets).map(loaded).collect(),
        };
        Self { parameters, dense, hidden: Vec::with_capacity(2 * shape.hidden) }
    }

    /// The evaluation in centipawns from the side to move.
    pub fn evaluate(&mut self, position: &Position) -> f32 {
        let Self { parameters, dense, hidden } = self;
        let shape = parameters.shape();
        hidden.clear();
        for color in [position.turn(), !position.turn()] {
            let view = shape.perspective(color, position.king(color));
            let inputs: Vec<u16> = position
                .occupied()
                .into_iter()
                .filter_map(|square| Some(view.feature(position.piece_at(square)?, square) as u16))
                .collect();
            let start = hidden.len();
            hidden.extend_from_slice(parameters.tensor(Tensor::FeatureBias));
            let weights = parameters.tensor(Tensor::FeatureWeights);
            float::add_rows(&mut hidden[start..], weights, &inputs);
        }
        let bucket = shape.output_bucket(position.occupied().len());
        let output = match shape.head {
            Head::Linear => linear_output(parameters, bucket, hidden),
            Head::Dense => dense[bucket].forward(parameters, hidden)[0],
        };
        output * SCALE as f32
    }
}

/// Accumulates two evaluations of the same positions.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Comparison {
    count: u64,
    difference: f64,
    most: f64,
    same_sign: u64,
    with_sign: u64,
    sums: [f64; 2],
    squares: [f64; 2],
    products: f64,
}

/// The result of a comparison, in centipawns.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Compared {
    /// Number of positions.
    pub positions: u64,
    /// Mean absolute difference.
    pub mean_difference: f64,
    /// Largest absolute difference.
    pub max_difference: f64,
    /// Pearson correlation; `None` if one of the evaluations is constant.
    pub correlation: Option<f64>,
    /// The share of positions with equal signs, among those where neither evaluation is 0.
    pub sign_agreement: Option<f64>,
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mean_difference, max_difference, correlation, sign_agreement, .. } = *self;
        let correlation = correlation.map_or("–".into(), |value| format!("{value:.5}"));
        let agreement =
            sign_agreement.map_or("–".into(), |share| format!("{:.2} %", 100.0 * share));
        write!(
            f,
            "{mean_difference:.2} cp apart on average, {max_difference:.0} at most, correlation \
             {correlation}, the same player ahead in {agreement}"
        )
    }
}

impl Comparison {
    /// Adds a position.
    ///
    /// ```
    /// use tabiya_train::trainer::Comparison;
    /// let mut comparison = Comparison::default();
    /// [(10.0, 12.0), (-20.0, -24.0), (0.0, 0.0)].map(|(a, b)| comparison.add(a, b));
    /// let compared = comparison.result();
    /// assert_eq!((compared.mean_difference, compared.max_difference), (2.0, 4.0));
    /// assert_eq!(compared.sign_agreement, Some(1.0));
    /// assert!((compared.correlation.unwrap() - 1.0).abs() < 1e-9);
    /// ```
    pub fn add(&mut self, one: f64, other: f64) {
        let difference = (one - other).abs();
        self.count += 1;
        self.difference += difference;
        self.most = self.most.max(difference);
        if one != 0.0 && other != 0.0 {
            self.with_sign += 1;
            self.same_sign += u64::from((one > 0.0) == (other > 0.0));
        }
        for (n, value) in [one, other].into_iter().enumerate() {
            self.sums[n] += value;
            self.squares[n] += value * value;
        }
        self.products += one * other;
    }

    /// The result.
    pub fn result(&self) -> Compared {
        let count = self.count.max(1) as f64;
        let variance = |n: usize| self.squares[n] / count - (self.sums[n] / count).powi(2);
        let covariance = self.products / count - self.sums[0] * self.sums[1] / (count * count);
        let size = (variance(0) * variance(1)).sqrt();
        Compared {
            positions: self.count,
            mean_difference: self.difference / count,
            max_difference: self.most,
            correlation: (size > 1e-9).then(|| covariance / size),
            sign_agreement: (self.with_sign > 0)
                .then(|| self.same_sign as f64 / self.with_sign as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nnue::Shape;

    fn parameters(head: Head, hidden: usize) -> Parameters {
        let king_buckets = std::array::from_fn(|square| u8::from(square >= 16));
        let shape =
            Shape { mirrored: true, king_buckets, output_buckets: 8, head, ..Shape::plain(hidden) };
        let mut parameters = Parameters::random(&shape, 8);
        parameters.tensor_mut(Tensor::FeatureBias).fill(0.3);
        parameters
    }

    /// Parameters and the network that they are quantized to.
    fn compared(parameters: &Parameters) -> Compared {
        let network = parameters.quantized().unwrap();
        let mut evaluator = FloatEvaluator::new(parameters);
        let mut comparison = Comparison::default();
        for row in super::super::random_rows(300, 8) {
            let position = row.position().unwrap();
            let exact = f64::from(evaluator.evaluate(&position));
            comparison.add(exact, network.evaluate(&position).into());
        }
        comparison.result()
    }

    #[test]
    fn quantized_networks_are_within_centipawns_of_their_parameters() {
        let compared = compared(&parameters(Head::Linear, 64));
        assert!(compared.mean_difference < 8.0 && compared.max_difference < 40.0, "{compared:?}");
        assert!(compared.correlation.unwrap() > 0.99, "{compared:?}");
    }

    #[test]
    fn quantized_dense_heads_are_within_centipawns_of_their_parameters() {
        let mut parameters = parameters(Head::Dense, 128);
        // With these values both activations, all layers and biases make a difference of many centipawns:
        // a wrong unit, order or transposition is far beyond the bounds.
        for tensor in [Tensor::FirstWeights, Tensor::SecondWeights, Tensor::OutputWeights] {
            parameters.tensor_mut(tensor).iter_mut().for_each(|weight| *weight *= 4.0);
        }
        for tensor in [Tensor::FirstBias, Tensor::SecondBias, Tensor::OutputBias] {
            parameters.tensor_mut(tensor).fill(0.3);
        }
        // The errors of rounded weights add up over the layers: they are left out, so that only the
        // arithmetic differs.
        let parameters = Parameters::dequantized(&parameters.quantized().unwrap());
        let compared = compared(&parameters);
        assert!(compared.mean_difference < 20.0 && compared.max_difference < 100.0, "{compared:?}");
        assert!(compared.correlation.unwrap() > 0.99, "{compared:?}");
    }
}
