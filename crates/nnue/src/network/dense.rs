//! Dense layers after the accumulators, *N* → 16 → 32 → 1, once for each output bucket.
//!
//! The arithmetic is that of Stockfish's layer stacks ([`simd::halfka`]): the two halves of each accumulator
//! are clipped to 0–1 and multiplied with each other (pairwise multiplication), which leaves *N* inputs for
//! both perspectives, most of them 0; fifteen outputs of the first layer pass squared clipped ReLU and
//! clipped ReLU side by side; the sixteenth skips to the output of the network. Feature weights and
//! accumulators are in units of 1/[`QA`], the weights of both hidden layers in units of 1/[`QB`].

use std::fmt;

use chess::rng::Rng;
use simd::halfka::{self as kernel, Layers, OUTPUTS};
pub use simd::halfka::{ONE, QA, QB};
use simd::halfkp::{AffineLayer, HIDDEN, Tail};
use simd::{CacheAligned, Kernels};

use super::SCALE;

/// Outputs of the first layer.
pub const FIRST: usize = OUTPUTS;
/// Inputs of the second layer: two activations of fifteen outputs.
pub const SECOND_INPUTS: usize = 2 * (OUTPUTS - 1);
/// Outputs of the second layer.
pub const SECOND: usize = HIDDEN;
/// The hidden layer is a multiple of this.
pub const STEP: usize = kernel::STEP;

/// The quantized parameters of one output bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DenseParameters {
    /// `[output][input]`: the inputs of the side to move, then the opponent's.
    pub first_weights: Vec<i8>,
    /// In units of 1/([`QA`]·[`QB`]).
    pub first_bias: [i32; FIRST],
    /// `[output][input]`, of which there are 30.
    pub second_weights: Vec<i8>,
    /// In units of 1/([`QA`]·[`QB`]).
    pub second_bias: [i32; SECOND],
    /// In units of [`QA`]/[`ONE`].
    pub output_weights: [i8; SECOND],
    /// In units of 1/[`ONE`].
    pub output_bias: i32,
}

/// The layers of all output buckets, as parameters and packed for the kernels.
pub(super) struct Dense {
    parameters: Vec<DenseParameters>,
    packed: Vec<Layers>,
}

impl DenseParameters {
    /// The length in a file, for a hidden layer of this size.
    pub(super) const fn len(hidden: usize) -> usize {
        FIRST * (hidden + 4) + SECOND * (SECOND_INPUTS + 4) + SECOND + 4
    }

    /// Random parameters, for tests and benchmarks.
    pub(super) fn random(hidden: usize, rng: &mut Rng) -> Self {
        let mut small = |largest: usize| rng.below(2 * largest + 1) as i32 - largest as i32;
        Self {
            first_weights: (0..FIRST * hidden).map(|_| small(60) as i8).collect(),
            first_bias: std::array::from_fn(|_| small(6000)),
            second_weights: (0..SECOND * SECOND_INPUTS).map(|_| small(60) as i8).collect(),
            second_bias: std::array::from_fn(|_| small(6000)),
            output_weights: std::array::from_fn(|_| small(60) as i8),
            output_bias: small(3000),
        }
    }

    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        let signed = |weights: &[i8], bytes: &mut Vec<u8>| {
            bytes.extend(bytemuck::cast_slice::<_, u8>(weights))
        };
        let words = |bias: &[i32], bytes: &mut Vec<u8>| {
            bytes.extend(bias.iter().flat_map(|bias| bias.to_le_bytes()));
        };
        words(&self.first_bias, bytes);
        signed(&self.first_weights, bytes);
        words(&self.second_bias, bytes);
        signed(&self.second_weights, bytes);
        words(&[self.output_bias], bytes);
        signed(&self.output_weights, bytes);
    }

    /// Reads [`len`](Self::len) bytes.
    pub(super) fn read(bytes: &[u8], hidden: usize) -> Self {
        let mut rest = bytes;
        let mut take = |length: usize| rest.split_off(..length).unwrap_or_default();
        fn words<const N: usize>(bytes: &[u8]) -> [i32; N] {
            let mut words = [0; N];
            for (word, &bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
                *word = i32::from_le_bytes(bytes);
            }
            words
        }
        let first_bias = words(take(4 * FIRST));
        let first_weights = bytemuck::cast_slice(take(FIRST * hidden)).to_vec();
        let second_bias = words(take(4 * SECOND));
        let second_weights = bytemuck::cast_slice(take(SECOND * SECOND_INPUTS)).to_vec();
        let [output_bias] = words(take(4));
        let mut output_weights = [0; SECOND];
        for (weight, &byte) in output_weights.iter_mut().zip(take(SECOND)) {
            *weight = byte as i8;
        }
        Self { first_weights, first_bias, second_weights, second_bias, output_weights, output_bias }
    }

    fn packed(&self) -> Layers {
        let mut rows = Box::new([[0; HIDDEN]; HIDDEN]);
        for (row, weights) in rows.iter_mut().zip(self.second_weights.chunks_exact(SECOND_INPUTS)) {
            row[..SECOND_INPUTS].copy_from_slice(weights);
        }
        let tail = Tail {
            hidden: AffineLayer::new(self.second_bias, rows),
            output_weights: CacheAligned(self.output_weights),
            output_bias: self.output_bias,
        };
        Layers::new(self.first_bias, &self.first_weights, tail)
    }
}

impl Dense {
    /// Lengths must match the shape.
    pub(super) fn new(parameters: Vec<DenseParameters>) -> Self {
        let packed = parameters.iter().map(DenseParameters::packed).collect();
        Self { parameters, packed }
    }

    pub(super) fn parameters(&self) -> &[DenseParameters] {
        &self.parameters
    }

    /// The evaluation in centipawns of an output bucket, rounded towards zero.
    #[inline(always)]
    pub(super) fn forward(
        &self,
        kernels: Kernels,
        bucket: usize,
        own: &[i16],
        other: &[i16],
    ) -> i32 {
        let sum = kernel::forward(kernels, &self.packed[bucket], own, other);
        (i64::from(sum) * i64::from(SCALE) / i64::from(ONE)) as i32
    }
}

impl Clone for Dense {
    fn clone(&self) -> Self {
        Self::new(self.parameters.clone())
    }
}

impl fmt::Debug for Dense {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parameters.fmt(f)
    }
}
