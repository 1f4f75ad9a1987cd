//! The specification: what the vector instructions of the other files must give, to the bit.
//!
//! Accumulators wrap around where they leave `i16`. A network that was trained with clipped weights
//! does not come near; but since sums that wrap do not depend on the order of their terms, an
//! accumulator that was updated move by move is always the one made from scratch, whatever the file
//! says.

use crate::network::{QA, QB, SCALE};

/// Adds rows to an accumulator and takes others away.
pub fn accumulate(sums: &mut [i16], added: &[&[i16]], removed: &[&[i16]]) {
    for row in added {
        for (sum, weight) in sums.iter_mut().zip(*row) {
            *sum = sum.wrapping_add(*weight);
        }
    }
    for row in removed {
        for (sum, weight) in sums.iter_mut().zip(*row) {
            *sum = sum.wrapping_sub(*weight);
        }
    }
}

/// The accumulator after a move, from the one before it.
pub fn update<const A: usize, const R: usize>(
    before: &[i16],
    after: &mut [i16],
    added: [&[i16]; A],
    removed: [&[i16]; R],
) {
    after.copy_from_slice(before);
    accumulate(after, &added, &removed);
}

/// The weighted sum of all activations, in units of 1/(QA²·QB): the mover's accumulator meets the
/// first half of the weights, the other's the second.
pub fn output_sum(own: &[i16], other: &[i16], weights: &[i8]) -> i64 {
    let activations = own.iter().chain(other).map(|&x| i64::from(x).clamp(0, i64::from(QA)));
    activations.zip(weights).map(|(v, &weight)| v * v * i64::from(weight)).sum()
}

/// Centipawns from the sum of an output and its bias, rounded towards zero, twice.
#[inline(always)]
pub fn centipawns(sum: i64, bias: i32) -> i32 {
    let (qa, qb, scale) = (i64::from(QA), i64::from(QB), i64::from(SCALE));
    ((sum / qa + i64::from(bias)) * scale / (qa * qb)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activations_are_clipped_and_squared() {
        // −1 counts as 0, 300 as 255.
        assert_eq!(output_sum(&[-1, 2], &[300, 255], &[100, 3, 1, -1]), 4 * 3);
    }

    #[test]
    fn one_is_four_hundred_centipawns_and_rounding_is_towards_zero() {
        assert_eq!(centipawns(255 * 255 * 64, 0), 400);
        assert_eq!(centipawns(0, 255 * 64), 400);
        assert_eq!(centipawns(254, 40), 0);
        assert_eq!(centipawns(-254, -40), 0);
        assert_eq!(centipawns(255, 40), 1);
    }

    #[test]
    fn accumulators_wrap_around() {
        let mut sums = [i16::MAX, 0];
        accumulate(&mut sums, &[&[1, 1]], &[]);
        assert_eq!(sums, [i16::MIN, 1]);
        accumulate(&mut sums, &[], &[&[1, 1]]);
        assert_eq!(sums, [i16::MAX, 0]);
    }
}
