//! Integer kernels of the engine's network.
//!
//! [`accumulate`] serves the accumulators of every kind of network; [`screlu_dot`] is the linear head of the
//! engine's own, (768 → N)×2 → 1 with SCReLU. Its dense head has the kernels of [`halfka`](crate::halfka).
//! [`scalar`](crate::scalar) has the same functions and specifies their results. Lengths of accumulators
//! are multiples of [`STEP`].

use crate::dispatch::dispatch;
use crate::loops;

/// Accumulator lengths are multiples of this: a whole number of the widest registers.
pub const STEP: usize = 32;

/// Quantization of accumulators: 1.0 is 255, the upper end of the clipped ReLU.
pub const QA: i16 = 255;

dispatch! {
    /// See [`scalar::accumulate`](crate::scalar::accumulate).
    pub fn accumulate(kernels; weights: &[i16], src: &[i16], dst: &mut [i16], add: &[u16], sub: &[u16]) {
        // SAFETY: the CPU supports the instruction set of `set`.
        unsafe { loops::accumulate::<set::I16s>(weights, src, dst, add, sub) }
    }
}

dispatch! {
    /// [`accumulate`] of rows that are no delta of a usual move: [`loops::accumulate_move`] has refused them.
    pub(crate) fn accumulate_tiles(
        kernels; weights: &[i16], src: &[i16], dst: &mut [i16], add: &[u16], sub: &[u16],
    ) {
        // SAFETY: the CPU supports the instruction set of `set`.
        unsafe { loops::accumulate_tiles::<set::I16s>(weights, src, dst, add, sub) }
    }
}

dispatch! {
    /// See [`scalar::screlu_dot`](crate::scalar::screlu_dot).
    pub fn screlu_dot(kernels; own: &[i16], other: &[i16], weights: &[i8]) -> i64 {
        // SAFETY: the CPU supports the instruction set of `set`.
        unsafe { loops::screlu_dot::<set::I16s>(own, other, weights) }
    }
}

#[cfg(test)]
mod tests {
    use chess::rng::Rng;

    use super::{accumulate, screlu_dot};
    use crate::{InstructionSet, Kernels, scalar};

    /// Random values, extremes among them more often than at random.
    fn words(rng: &mut Rng, len: usize) -> Vec<i16> {
        const EXTREMES: [i16; 8] = [i16::MIN, -1, 0, 1, 254, 255, 256, i16::MAX];
        let word = |bits: u64| match bits % 5 {
            0 => EXTREMES[(bits >> 8) as usize % 8],
            1 => (bits >> 16) as i16,
            _ => (bits >> 16) as i16 % 300,
        };
        (0..len).map(|_| word(rng.next_u64())).collect()
    }

    const LENGTHS: [usize; 8] = [32, 64, 96, 256, 288, 512, 1024, 2048];

    fn matches_the_specification(kernels: Kernels) {
        let mut rng = Rng::new(1, 0);
        for len in LENGTHS {
            for _ in 0..20 {
                let weights = words(&mut rng, 9 * len);
                let src = words(&mut rng, len);
                let (mut fast, mut slow) = (vec![0; len], vec![0; len]);
                let lens = [(0, 0), (1, 0), (0, 1), (1, 1), (1, 2), (2, 2), (3, 2), (5, 4)];
                for (add, sub) in lens {
                    // Row 9 is beyond the weights.
                    let rows = [0, 1, 2, 3, 4, 5, 9, 7, 8];
                    let (add, sub) = (&rows[..add], &rows[9 - sub..]);
                    accumulate(kernels, &weights, &src, &mut fast, add, sub);
                    scalar::accumulate(&weights, &src, &mut slow, add, sub);
                    assert_eq!(fast, slow);
                }
                let outputs: Vec<i8> = (0..2 * len).map(|_| rng.next_u64() as i8).collect();
                let (own, other) = weights[..2 * len].split_at(len);
                let found = screlu_dot(kernels, own, other, &outputs);
                assert_eq!(found, scalar::screlu_dot(own, other, &outputs));
            }
            for weight in [i8::MIN, i8::MAX] {
                let (full, weights) = (vec![255; len], vec![weight; 2 * len]);
                let sum = 2 * len as i64 * 255 * 255 * i64::from(weight);
                let found = screlu_dot(kernels, &full, &full, &weights);
                assert_eq!(found, sum, "the sum overflows");
            }
        }
    }

    #[test]
    fn every_instruction_set_matches_the_specification() {
        InstructionSet::ALL
            .into_iter()
            .filter_map(Kernels::new)
            .for_each(matches_the_specification);
    }
}
