//! Integer kernels of HalfKAv2_hm networks, (22528 → N)×2 → 16 → 32 → 1.
//!
//! The two halves of an accumulator are clipped and multiplied with each other, value by value, which makes
//! N bytes of both perspectives; most of them are 0, and the first layer skips groups of four that are all
//! 0. Its last output is added to that of the network; the other fifteen pass squared clipped ReLU and
//! clipped ReLU side by side into the layers that HalfKP ends with, too.
//!
//! An input is at most 126 and a weight at least −128, so two products fit into 16 bits. Sums that could
//! overflow, by the weights of a hostile file, wrap around with every instruction set.

use crate::CacheAligned;
use crate::dispatch::dispatch;
use crate::halfkp::Tail;

/// Widths of accumulators are multiples of this: two halves of a block.
pub const STEP: usize = 2 * BLOCK;
/// The widest accumulators, those of Stockfish 17.
pub const MAX_WIDTH: usize = 3072;
/// Quantization of accumulators and activations: 1 is 127.
pub const QA: i32 = 127;
/// Quantization of the weights of the first two layers: 1 is 64.
pub const QB: i32 = 64;
/// An output of 1 in units of the last layer's sum.
pub const ONE: i32 = 600 * 16;
/// Outputs of the first layer: fifteen for the second one, and one that skips it.
pub const OUTPUTS: usize = 16;
/// Inputs of the first layer that are computed together, in groups of four.
pub(crate) const BLOCK: usize = 64;
/// Groups of four in a block.
pub(crate) const GROUPS_OF_BLOCK: usize = BLOCK / 4;
/// Inputs of the second layer for each of the two activations.
const HIDDEN: usize = OUTPUTS - 1;

/// The weights of four inputs for all outputs of the first layer.
pub(crate) type Group = CacheAligned<[[i8; 4]; OUTPUTS]>;

/// The layers after the feature transformer, with int8 weights.
pub struct Layers {
    pub(crate) bias: CacheAligned<[i32; OUTPUTS]>,
    /// For each group of four inputs the weights of all outputs, and zeros for one group more.
    groups: Vec<Group>,
    /// For each block of inputs the weights of all outputs, for AVX-512.
    #[cfg(target_arch = "x86_64")]
    pub(crate) blocks: Vec<CacheAligned<[[i8; BLOCK]; OUTPUTS]>>,
    tail: Tail,
}

impl Layers {
    /// Layers whose first one has a row of weights for each output, one after another.
    ///
    /// # Panics
    /// If the rows are not whole blocks of inputs, or longer than [`MAX_WIDTH`].
    pub fn new(bias: [i32; OUTPUTS], weights: &[i8], tail: Tail) -> Self {
        let inputs = weights.len() / OUTPUTS;
        assert!(weights.len() == inputs * OUTPUTS && inputs.is_multiple_of(STEP));
        assert!(inputs <= MAX_WIDTH);
        let mut groups = vec![CacheAligned([[0; 4]; OUTPUTS]); inputs / 4 + 1];
        for (output, row) in weights.chunks_exact(inputs.max(1)).enumerate() {
            for (input, &weight) in row.iter().enumerate() {
                groups[input / 4].0[output][input % 4] = weight;
            }
        }
        #[cfg(target_arch = "x86_64")]
        let blocks = {
            let mut blocks = vec![CacheAligned([[0; BLOCK]; OUTPUTS]); inputs / BLOCK];
            for (output, row) in weights.chunks_exact(inputs.max(1)).enumerate() {
                for (block, weights) in blocks.iter_mut().zip(row.as_chunks().0) {
                    block.0[output] = *weights;
                }
            }
            blocks
        };
        Self {
            bias: CacheAligned(bias),
            groups,
            #[cfg(target_arch = "x86_64")]
            blocks,
            tail,
        }
    }

    /// The weights of all groups, and zeros for one more.
    #[inline(always)]
    pub(crate) fn groups(&self) -> &[Group] {
        &self.groups
    }
}

dispatch! {
    /// The output of the last layer for both accumulators, that of the side to move first. Accumulators are
    /// as wide as the first layer has inputs.
    pub fn forward(kernels; layers: &Layers, own: &[i16], other: &[i16]) -> i32 {
        let sums = set::first_layer(layers, own, other);
        let (hidden, skipped) = activate(&sums);
        set::halfkp_tail(&layers.tail, &hidden).wrapping_add(skipped)
    }
}

/// Both activations of the first fifteen sums, and the last sum in units of the network's output.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "see the module `vector` on loops")]
pub(crate) fn activate(sums: &[i32; OUTPUTS]) -> (CacheAligned<[u8; 32]>, i32) {
    let (mut squared, mut clipped) = ([0; OUTPUTS], [0; OUTPUTS]);
    for n in 0..OUTPUTS {
        // The square of ±8192 is beyond the upper end: clipped first, it fits into 32 bits.
        let small = sums[n].clamp(-8192, 8192);
        squared[n] = ((small * small) >> 19).min(127) as u8;
        clipped[n] = (sums[n] >> 6).clamp(0, 127) as u8;
    }
    let mut hidden = CacheAligned([0; 32]);
    hidden.0[..HIDDEN].copy_from_slice(&squared[..HIDDEN]);
    hidden.0[HIDDEN..2 * HIDDEN].copy_from_slice(&clipped[..HIDDEN]);
    // QA · QB is 1 in units of the sum, ONE in those of the output.
    (hidden, (i64::from(sums[HIDDEN]) * i64::from(ONE) / i64::from(QA * QB)) as i32)
}

#[cfg(test)]
mod tests {
    use chess::rng::Rng;

    use super::*;
    use crate::halfkp::AffineLayer;
    use crate::{InstructionSet, Kernels};

    /// The sums of the first layer, by plain loops.
    fn reference(
        weights: &[i8],
        bias: &[i32; OUTPUTS],
        accumulators: [&[i16]; 2],
    ) -> [i32; OUTPUTS] {
        let mut inputs = vec![];
        for accumulator in accumulators {
            let (low, high) = accumulator.split_at(accumulator.len() / 2);
            for (&a, &b) in low.iter().zip(high) {
                inputs.push(i32::from(a.clamp(0, 127)) * i32::from(b.clamp(0, 127)) / 128);
            }
        }
        std::array::from_fn(|output| {
            let row = &weights[output * inputs.len()..][..inputs.len()];
            let products = row.iter().zip(&inputs).map(|(&w, &x)| i32::from(w) * x);
            products.fold(bias[output], i32::wrapping_add)
        })
    }

    #[test]
    fn every_instruction_set_matches_plain_loops() {
        let mut rng = Rng::new(5, 0);
        let tail = || Tail {
            hidden: AffineLayer::new([1000; 32], Box::new([[7; 32]; 32])),
            output_weights: CacheAligned([3; 32]),
            output_bias: -5,
        };
        for width in [128, 256, 384, 1536, MAX_WIDTH] {
            let bytes = |rng: &mut Rng, n: usize| (0..n).map(|_| rng.next_u64() as i8).collect();
            let weights: Vec<i8> = bytes(&mut rng, OUTPUTS * width);
            let bias = std::array::from_fn(|_| rng.next_u64() as i32);
            let layers = Layers::new(bias, &weights, tail());
            let scalar = Kernels::new(InstructionSet::Scalar).expect("always there");
            for range in [40, 200, 4000, 65536] {
                let words = |rng: &mut Rng| -> Vec<i16> {
                    (0..width)
                        .map(|_| (rng.below(range) as i32 - range as i32 / 2) as i16)
                        .collect()
                };
                let (own, other) = (words(&mut rng), words(&mut rng));
                let sums = reference(&weights, &bias, [&own, &other]);
                let (hidden, skipped) = activate(&sums);
                let expected = crate::scalar::halfkp_tail(&layers.tail, &hidden);
                let expected = expected.wrapping_add(skipped);
                assert_eq!(forward(scalar, &layers, &own, &other), expected);
                for kernels in InstructionSet::ALL.into_iter().filter_map(Kernels::new) {
                    let found = forward(kernels, &layers, &own, &other);
                    assert_eq!(found, expected, "{kernels:?}, width {width}, range {range}");
                }
            }
        }
    }

    #[test]
    fn activations_are_squared_and_clipped_and_the_last_sum_skips() {
        let mut sums = [0; OUTPUTS];
        (sums[0], sums[1], sums[2], sums[15]) = (-8128, 64, i32::MIN, 127 * 64);
        let (hidden, skipped) = activate(&sums);
        assert_eq!((hidden.0[0], hidden.0[15]), (126, 0));
        assert_eq!((hidden.0[1], hidden.0[16]), (0, 1));
        assert_eq!((hidden.0[2], hidden.0[17]), (127, 0));
        assert_eq!((hidden.0[30], hidden.0[31], skipped), (0, 0, 9600));
        for sum in [i32::MIN, -8193, -8192, -8191, -8190, -1, 724, 725, 8191, 8192, i32::MAX] {
            let squared = (i64::from(sum).pow(2) >> 19).min(127);
            assert_eq!(i64::from(activate(&[sum; OUTPUTS]).0.0[7]), squared, "{sum}");
        }
    }
}
