//! The engine's network: two perspectives, one hidden layer, one output.
//!
//! Every piece on the board is an input for each player, seen from his side (see [`Shape`]). A
//! player's *accumulator* is the bias plus the weights of his inputs, `hidden` numbers; a move changes
//! two to four inputs, so that it is kept up to date with a few vector additions
//! ([`Accumulators`]). The output sees the accumulator of the player to move first, then the other's:
//!
//! ```text
//! output = bias + Σ w·a(accumulator of the mover) + Σ w·a(accumulator of the other)
//! a(x)   = clamp(x, 0, 1)²                                     ("squared clipped ReLU")
//! ```
//!
//! In the file and in play all numbers are whole. Feature weights and accumulators are `i16`, in units
//! of 1/[`QA`]; output weights are `i8`, in units of 1/[`QB`]; an output of 1 is [`SCALE`]
//! centipawns. [`simd::scalar`](crate::simd::scalar) is the specification of the arithmetic, to the bit.
//!
//! | file | holds |
//! |---|---|
//! | `shape` | sizes, and which input a piece on a square is |
//! | `format` | the file, and what can be wrong with it |
//! | `accumulators` | sums that keep in step with a search |
//! | `refresh` | sums from which those of another king square are made quickly |

mod accumulators;
mod format;
mod king_buckets;
mod refresh;
mod shape;

use aligned::Aligned;
use chess::rng::Rng;
use chess::{Color, Position};

pub use accumulators::Accumulators;
pub use format::{LoadError, MAGIC, MAX_FILE_LEN, VERSION};
pub use king_buckets::{KingBucketsError, king_buckets};
pub use shape::{HIDDEN_STEP, INPUTS_PER_BUCKET, MAX_BUCKETS, MAX_HIDDEN, Shape, ShapeError, View};

use crate::simd;

/// The unit of feature weights and accumulators: activations are 0 to 255.
pub const QA: i32 = 255;
/// The unit of output weights.
pub const QB: i32 = 64;
/// Centipawns for an output of 1.
pub const SCALE: i32 = 400;

/// A network as it is played: whole numbers that do not change.
#[derive(Clone, Debug)]
pub struct Network {
    shape: Shape,
    feature_weights: Aligned<i16>,
    feature_bias: Aligned<i16>,
    output_weights: Aligned<i8>,
    output_bias: Vec<i32>,
}

/// Parameters that do not fit their shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// No network has this shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// There are too few or too many of some numbers.
    #[error("{found} {what} where the shape wants {expected}")]
    Count {
        /// Which numbers.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
}

impl Network {
    /// A network of quantised parameters.
    ///
    /// Feature weights are `[input][hidden]`, output weights `[output bucket][mover's hidden, then the
    /// other's]`, all in the units of [`QA`] and [`QB`], the output's bias in units of `QA·QB`.
    ///
    /// ```
    /// use nnue::{Network, Shape};
    /// use chess::Position;
    /// let (shape, hidden) = (Shape::plain(32), 32);
    /// // Nothing but a bias: 16320 is one, and one is 400 centipawns.
    /// let network = Network::new(
    ///     shape, vec![0; 768 * hidden], vec![0; hidden], vec![0; 2 * hidden], vec![16320],
    /// )?;
    /// assert_eq!(network.evaluate(&Position::INITIAL), 400);
    /// # Ok::<(), nnue::network::NetworkError>(())
    /// ```
    pub fn new(
        shape: Shape,
        feature_weights: Vec<i16>,
        feature_bias: Vec<i16>,
        output_weights: Vec<i8>,
        output_bias: Vec<i32>,
    ) -> Result<Self, NetworkError> {
        shape.check()?;
        let count = |what, expected, found| {
            let error = NetworkError::Count { what, expected, found };
            if found == expected { Ok(()) } else { Err(error) }
        };
        let (hidden, outputs) = (shape.hidden, shape.output_buckets);
        count("feature weights", shape.inputs() * hidden, feature_weights.len())?;
        count("feature biases", hidden, feature_bias.len())?;
        count("output weights", outputs * 2 * hidden, output_weights.len())?;
        count("output biases", outputs, output_bias.len())?;
        Ok(Self {
            shape,
            feature_weights: feature_weights.as_slice().into(),
            feature_bias: feature_bias.as_slice().into(),
            output_weights: output_weights.as_slice().into(),
            output_bias,
        })
    }

    /// A network of numbers by chance, the same for the same seed: for tests and benches. Its accumulators
    /// and activations are about as large as those of a network that was trained.
    pub fn random(shape: Shape, seed: u64) -> Result<Self, NetworkError> {
        shape.check()?;
        let (hidden, outputs) = (shape.hidden, shape.output_buckets);
        let mut rng = Rng::new(seed, 0);
        let mut small = |count: usize, largest: usize| -> Vec<i16> {
            (0..count).map(|_| rng.below(2 * largest + 1) as i16 - largest as i16).collect()
        };
        let feature_weights = small(shape.inputs() * hidden, 60);
        let feature_bias = small(hidden, 100);
        let output_weights = small(outputs * 2 * hidden, 127).iter().map(|&w| w as i8).collect();
        let output_bias = small(outputs, 3000).iter().map(|&b| i32::from(b)).collect();
        Self::new(shape, feature_weights, feature_bias, output_weights, output_bias)
    }

    /// The size and the meaning of the inputs.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The weights from one input to the hidden layer.
    #[inline(always)]
    pub fn feature_row(&self, input: usize) -> &[i16] {
        let hidden = self.shape.hidden;
        &self.feature_weights[input * hidden..(input + 1) * hidden]
    }

    /// What accumulators begin with.
    #[inline(always)]
    pub fn feature_bias(&self) -> &[i16] {
        &self.feature_bias
    }

    /// The weights of an output: the mover's half, then the other's.
    #[inline(always)]
    pub fn output_row(&self, bucket: usize) -> &[i8] {
        let width = 2 * self.shape.hidden;
        &self.output_weights[bucket * width..(bucket + 1) * width]
    }

    /// What the sum of an output begins with.
    #[inline(always)]
    pub fn output_bias(&self) -> &[i32] {
        &self.output_bias
    }

    /// The evaluation in centipawns for the player to move, from scratch and by the specification,
    /// whatever the machine: slow. [`Accumulators`] give the same number.
    pub fn evaluate(&self, position: &Position) -> i32 {
        let [white, black] = Color::ALL.map(|color| self.accumulator(position, color));
        let (own, other) = match position.turn() {
            Color::White => (&white, &black),
            Color::Black => (&black, &white),
        };
        let bucket = self.shape.output_bucket(position.occupied().len());
        let sum = simd::scalar::output_sum(own, other, self.output_row(bucket));
        simd::scalar::centipawns(sum, self.output_bias[bucket])
    }

    /// A player's accumulator, from scratch and by the specification.
    fn accumulator(&self, position: &Position, perspective: Color) -> Vec<i16> {
        let view = self.shape.view(perspective, position.king(perspective));
        let mut sums = self.feature_bias.to_vec();
        for square in position.occupied() {
            if let Some(piece) = position.piece_at(square) {
                let row = self.feature_row(view.feature(piece, square));
                simd::scalar::accumulate(&mut sums, &[row], &[]);
            }
        }
        sums
    }
}
