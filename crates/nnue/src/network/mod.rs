//! The engine's network: two perspectives, one hidden layer, output buckets.
//!
//! Every piece on the board is a feature of each perspective (see [`Shape`]). The *accumulator* of a
//! perspective is the bias plus the weights of its active features, `hidden` values; a move changes two to
//! four features, so an accumulator is updated with a few vector additions ([`AccumulatorStack`]). The
//! output layer sees the accumulator of the side to move first, then the opponent's:
//!
//! ```text
//! output = bias + Σ w·a(own accumulator) + Σ w·a(opponent's accumulator)
//! a(x)   = clamp(x, 0, 1)²                                     (SCReLU, squared clipped ReLU)
//! ```
//!
//! That is the *linear head*. The *dense head* has more layers ([`dense`]).
//!
//! The network is quantized. With a linear head, feature weights and accumulators are int16, in units of
//! 1/[`QA`]; output weights are int8, in units of 1/[`QB`]; an output of 1 is [`SCALE`] centipawns.
//! [`simd::scalar`] is the bit-exact specification of the arithmetic.
//!
//! | file | holds |
//! |---|---|
//! | `shape` | sizes, and the feature of a piece on a square |
//! | `dense` | the layers of the dense head |
//! | `format` | the file format and its errors |

pub mod dense;
mod format;
mod king_buckets;
mod shape;

use chess::rng::Rng;
use chess::{Color, Piece, Position, Square};
use simd::{AlignedVec, IntegerKernels, Kernels, quantized, scalar};

use dense::{Dense, DenseParameters};
pub use format::{LoadError, MAGIC, MAX_FILE_LEN};
pub use king_buckets::{KingBucketsError, king_buckets};
pub use shape::{
    HIDDEN_STEP, Head, INPUTS_PER_BUCKET, MAX_BUCKETS, MAX_HIDDEN, Perspective, Shape, ShapeError,
};

use crate::accumulators::{self, Architecture, refreshed};

/// The accumulators of a search.
pub type AccumulatorStack = accumulators::AccumulatorStack<Network>;

/// Quantization of feature weights and accumulators: 1.0 is 255.
pub const QA: i32 = quantized::QA as i32;
/// Quantization of output weights: 1.0 is 64.
pub const QB: i32 = 64;
/// Centipawns for an output of 1.
pub const SCALE: i32 = 400;

/// A quantized network, immutable.
#[derive(Clone, Debug)]
pub struct Network {
    shape: Shape,
    feature_weights: AlignedVec<i16>,
    feature_bias: AlignedVec<i16>,
    /// Empty with a dense head.
    output_weights: AlignedVec<i8>,
    output_bias: Vec<i32>,
    dense: Option<Dense>,
}

/// Parameters that do not match their shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The shape is invalid.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// Too few or too many parameters.
    #[error("{found} {what}, expected {expected} for this shape")]
    Count {
        /// Which parameters.
        what: &'static str,
        /// The expected number.
        expected: usize,
        /// The given number.
        found: usize,
    },
}

impl Network {
    /// A network with a linear head, of quantized parameters.
    ///
    /// Feature weights are `[feature][hidden]`, output weights `[output bucket][own hidden, then the
    /// opponent's]`, quantized by [`QA`] and [`QB`], the output biases by `QA·QB`.
    ///
    /// ```
    /// use tabiya_nnue::chess::Position;
    /// use tabiya_nnue::{Network, Shape};
    /// let (shape, hidden) = (Shape::plain(32), 32);
    /// // Only a bias: 16320 is 1.0, which is 400 centipawns.
    /// let network = Network::new(
    ///     shape, vec![0; 768 * hidden], vec![0; hidden], vec![0; 2 * hidden], vec![16320],
    /// )?;
    /// assert_eq!(network.evaluate(&Position::INITIAL), 400);
    /// # Ok::<(), tabiya_nnue::network::NetworkError>(())
    /// ```
    pub fn new(
        shape: Shape,
        feature_weights: Vec<i16>,
        feature_bias: Vec<i16>,
        output_weights: Vec<i8>,
        output_bias: Vec<i32>,
    ) -> Result<Self, NetworkError> {
        let shape = Shape { head: Head::Linear, ..shape };
        shape.check()?;
        let (hidden, outputs) = (shape.hidden, shape.output_buckets);
        count("output weights", outputs * 2 * hidden, output_weights.len())?;
        count("output biases", outputs, output_bias.len())?;
        Self::from_parts(shape, &feature_weights, &feature_bias, &output_weights, output_bias, None)
    }

    /// A network with a dense head, of quantized parameters: feature weights `[feature][hidden]`, quantized
    /// by [`dense::QA`], and the layers of each output bucket.
    pub fn with_dense_head(
        shape: Shape,
        feature_weights: Vec<i16>,
        feature_bias: Vec<i16>,
        layers: Vec<DenseParameters>,
    ) -> Result<Self, NetworkError> {
        let shape = Shape { head: Head::Dense, ..shape };
        shape.check()?;
        count("output buckets", shape.output_buckets, layers.len())?;
        for layers in &layers {
            let first = dense::FIRST * shape.hidden;
            count("first layer weights", first, layers.first_weights.len())?;
            let second = dense::SECOND * dense::SECOND_INPUTS;
            count("second layer weights", second, layers.second_weights.len())?;
        }
        let dense = Some(Dense::new(layers));
        Self::from_parts(shape, &feature_weights, &feature_bias, &[], Vec::new(), dense)
    }

    /// The shape must be checked, so that products of its sizes cannot overflow.
    fn from_parts(
        shape: Shape,
        feature_weights: &[i16],
        feature_bias: &[i16],
        output_weights: &[i8],
        output_bias: Vec<i32>,
        dense: Option<Dense>,
    ) -> Result<Self, NetworkError> {
        count("feature weights", shape.inputs() * shape.hidden, feature_weights.len())?;
        count("feature biases", shape.hidden, feature_bias.len())?;
        Ok(Self {
            shape,
            feature_weights: feature_weights.into(),
            feature_bias: feature_bias.into(),
            output_weights: output_weights.into(),
            output_bias,
            dense,
        })
    }

    /// A random network, determined by the seed, for tests and benchmarks. The magnitudes of accumulators
    /// and activations are about those of a trained network.
    pub fn random(shape: Shape, seed: u64) -> Result<Self, NetworkError> {
        shape.check()?;
        let (hidden, outputs) = (shape.hidden, shape.output_buckets);
        let mut rng = Rng::new(seed, 0);
        let mut small = |count: usize, largest: usize| -> Vec<i16> {
            (0..count).map(|_| rng.below(2 * largest + 1) as i16 - largest as i16).collect()
        };
        let feature_weights = small(shape.inputs() * hidden, 60);
        let feature_bias = small(hidden, 100);
        if shape.head == Head::Dense {
            let layers = (0..outputs).map(|_| DenseParameters::random(hidden, &mut rng)).collect();
            return Self::with_dense_head(shape, feature_weights, feature_bias, layers);
        }
        let output_weights = small(outputs * 2 * hidden, 127).iter().map(|&w| w as i8).collect();
        let output_bias = small(outputs, 3000).iter().map(|&b| i32::from(b)).collect();
        Self::new(shape, feature_weights, feature_bias, output_weights, output_bias)
    }

    /// The network's shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The feature weights, `[feature][hidden]`.
    pub fn feature_weights(&self) -> &[i16] {
        &self.feature_weights
    }

    /// The bias of the accumulators.
    pub fn feature_bias(&self) -> &[i16] {
        &self.feature_bias
    }

    /// The layers of each output bucket of a dense head.
    pub fn dense_layers(&self) -> Option<&[DenseParameters]> {
        self.dense.as_ref().map(Dense::parameters)
    }

    /// The output weights of a bucket of a linear head: own half, then the opponent's.
    #[inline(always)]
    pub fn output_row(&self, bucket: usize) -> &[i8] {
        let width = 2 * self.shape.hidden;
        &self.output_weights[bucket * width..(bucket + 1) * width]
    }

    /// The biases of the output buckets.
    pub fn output_bias(&self) -> &[i32] {
        &self.output_bias
    }

    /// Dequantizes the weighted sum of an output bucket into centipawns, rounding twice towards zero.
    #[inline(always)]
    fn centipawns(&self, sum: i64, bucket: usize) -> i32 {
        let (qa, qb, scale) = (i64::from(QA), i64::from(QB), i64::from(SCALE));
        ((sum / qa + i64::from(self.output_bias[bucket])) * scale / (qa * qb)) as i32
    }

    /// The evaluation in centipawns from the side to move, with refreshed accumulators: slow. An
    /// [`AccumulatorStack`] returns the same value.
    pub fn evaluate(&self, position: &Position) -> i32 {
        self.forward(self.kernels(), &refreshed(self, position), position)
    }

    /// The same by the scalar kernels, the specification: slower.
    pub fn evaluate_scalar(&self, position: &Position) -> i32 {
        let [white, black] = Color::ALL.map(|color| self.scalar_accumulator(position, color));
        let (own, other) = match position.turn() {
            Color::White => (&white, &black),
            Color::Black => (&black, &white),
        };
        let bucket = self.shape.output_bucket(position.occupied().len());
        match &self.dense {
            None => {
                self.centipawns(scalar::screlu_dot(own, other, self.output_row(bucket)), bucket)
            }
            Some(dense) => dense.forward(Kernels::SCALAR, bucket, own, other),
        }
    }

    /// The refreshed accumulator of a color, by the scalar kernel.
    fn scalar_accumulator(&self, position: &Position, color: Color) -> Vec<i16> {
        let perspective = self.shape.perspective(color, position.king(color));
        let pieces = position.board().iter();
        let features: Vec<u16> =
            pieces.map(|(square, piece)| perspective.feature(piece, square) as u16).collect();
        let mut sums = vec![0; self.shape.hidden];
        scalar::accumulate(&self.feature_weights, &self.feature_bias, &mut sums, &features, &[]);
        sums
    }
}

/// Refuses another number of parameters than the shape has.
fn count(what: &'static str, expected: usize, found: usize) -> Result<(), NetworkError> {
    if found == expected { Ok(()) } else { Err(NetworkError::Count { what, expected, found }) }
}

impl Architecture for Network {
    type Accumulator = AlignedVec<i16>;
    type Perspective = Perspective;
    const PERSPECTIVES: usize = Perspective::COUNT;

    #[inline]
    fn kernels(&self) -> Kernels {
        Kernels::current()
    }

    #[inline(always)]
    fn perspective(&self, color: Color, king: Square) -> Perspective {
        self.shape.perspective(color, king)
    }

    #[inline(always)]
    fn index(perspective: Perspective) -> usize {
        perspective.index()
    }

    #[inline(always)]
    fn feature(perspective: Perspective, piece: Piece, square: Square) -> Option<u16> {
        Some(perspective.feature(piece, square) as u16)
    }

    fn bias(&self) -> AlignedVec<i16> {
        self.feature_bias.clone()
    }

    #[inline(always)]
    fn accumulate(
        &self,
        kernels: impl IntegerKernels,
        src: &AlignedVec<i16>,
        dst: &mut AlignedVec<i16>,
        added: &[u16],
        removed: &[u16],
    ) {
        kernels.accumulate(&self.feature_weights, src, dst, added, removed);
    }

    #[inline(always)]
    fn forward(
        &self,
        kernels: impl IntegerKernels,
        accumulators: &[AlignedVec<i16>; 2],
        position: &Position,
    ) -> i32 {
        let turn = position.turn();
        let (own, other) = (&accumulators[turn.index()], &accumulators[(!turn).index()]);
        let bucket = self.shape.output_bucket(position.occupied().len());
        if let Some(dense) = &self.dense {
            return dense.forward(kernels.kernels(), bucket, own, other);
        }
        self.centipawns(kernels.screlu_dot(own, other, self.output_row(bucket)), bucket)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_four_hundred_centipawns_and_rounding_is_towards_zero() {
        let centipawns = |sum, bias| {
            let weights = vec![0; INPUTS_PER_BUCKET * 32];
            let network =
                Network::new(Shape::plain(32), weights, vec![0; 32], vec![0; 64], vec![bias]);
            network.unwrap().centipawns(sum, 0)
        };
        assert_eq!(centipawns(255 * 255 * 64, 0), 400);
        assert_eq!(centipawns(0, 255 * 64), 400);
        assert_eq!(centipawns(254, 40), 0);
        assert_eq!(centipawns(-254, -40), 0);
        assert_eq!(centipawns(255, 40), 1);
    }

    #[test]
    fn absurd_shapes_are_refused_before_anything_is_multiplied() {
        let refused = |shape: Shape, error: fn(usize) -> ShapeError| {
            let linear = Network::new(shape.clone(), vec![], vec![], vec![], vec![]);
            assert_eq!(linear.unwrap_err(), error(HIDDEN_STEP).into());
            let dense = Network::with_dense_head(shape, vec![], vec![], vec![]);
            assert_eq!(dense.unwrap_err(), error(dense::STEP).into());
        };
        refused(Shape::plain(0), |step| ShapeError::Hidden(0, step));
        refused(Shape::plain(usize::MAX), |step| ShapeError::Hidden(usize::MAX, step));
        // The largest multiple of both steps.
        refused(Shape::plain(usize::MAX - 127), |step| ShapeError::Hidden(usize::MAX - 127, step));
        let outputs = Shape { output_buckets: usize::MAX, ..Shape::plain(128) };
        refused(outputs, |_| ShapeError::OutputBuckets(usize::MAX));
        let kings = Shape { king_buckets: [u8::MAX; 64], ..Shape::plain(128) };
        refused(kings, |_| ShapeError::KingBucket(Square::A1, u8::MAX));
    }

    #[test]
    fn a_wrong_number_of_weights_is_refused_with_the_layer() {
        let shape = Shape { head: Head::Dense, ..Shape::plain(128) };
        let network = Network::random(shape.clone(), 1).unwrap();
        let error = |change: fn(&mut DenseParameters)| {
            let mut layers = network.dense_layers().unwrap().to_vec();
            change(&mut layers[0]);
            let (weights, bias) = (network.feature_weights(), network.feature_bias());
            let found =
                Network::with_dense_head(shape.clone(), weights.to_vec(), bias.to_vec(), layers);
            match found {
                Err(NetworkError::Count { what, .. }) => what,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(error(|layers| layers.first_weights.truncate(9)), "first layer weights");
        assert_eq!(error(|layers| layers.second_weights.push(0)), "second layer weights");
    }
}
