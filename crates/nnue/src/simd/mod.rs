//! The loops over vectors, with one file for each set of instructions.
//!
//! [`scalar`] is the specification; everything else gives the same bits. `loops` has the loops over
//! whole registers, once, and `avx512`, `avx2` and `neon` what each can do with a register. Which one is
//! used is settled when the crate is compiled, by the instructions that the compiler is told it may
//! use: `target-cpu=native` is what the workspace asks for, and `RUSTFLAGS="-C target-cpu=x86-64"`
//! gives the scalar code.

pub mod scalar;

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[cfg_attr(target_feature = "avx512bw", allow(dead_code, reason = "only the tests use it"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512bw"))]
mod avx512;
#[cfg(any(target_feature = "avx2", target_feature = "neon"))]
mod loops;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon;

#[cfg(all(target_arch = "x86_64", target_feature = "avx2", not(target_feature = "avx512bw")))]
use avx2::Avx2 as Chosen;
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512bw"))]
use avx512::Avx512 as Chosen;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use neon::Neon as Chosen;

/// The instructions that are used.
pub const NAME: &str = if cfg!(target_feature = "avx512bw") {
    "AVX-512"
} else if cfg!(target_feature = "avx2") {
    "AVX2"
} else if cfg!(target_feature = "neon") {
    "NEON"
} else {
    "scalar"
};

#[cfg(not(any(target_feature = "avx2", target_feature = "neon")))]
pub(crate) use scalar::{accumulate, output_sum, update};

#[cfg(any(target_feature = "avx2", target_feature = "neon"))]
mod chosen {
    use super::{Chosen, loops};

    /// See [`scalar::accumulate`](super::scalar::accumulate).
    #[inline]
    pub(crate) fn accumulate(sums: &mut [i16], added: &[&[i16]], removed: &[&[i16]]) {
        loops::accumulate::<Chosen>(sums, added, removed);
    }

    /// See [`scalar::update`](super::scalar::update).
    #[inline]
    pub(crate) fn update<const A: usize, const R: usize>(
        before: &[i16],
        after: &mut [i16],
        added: [&[i16]; A],
        removed: [&[i16]; R],
    ) {
        loops::update::<Chosen, A, R>(before, after, added, removed);
    }

    /// See [`scalar::output_sum`](super::scalar::output_sum).
    #[inline]
    pub(crate) fn output_sum(own: &[i16], other: &[i16], weights: &[i8]) -> i64 {
        loops::output_sum::<Chosen>(own, other, weights)
    }
}

#[cfg(any(target_feature = "avx2", target_feature = "neon"))]
pub(crate) use chosen::{accumulate, output_sum, update};

#[cfg(all(test, any(target_feature = "avx2", target_feature = "neon")))]
mod tests {
    use super::loops::{self, Instructions};
    use super::scalar;

    /// SplitMix64, with extreme numbers more often than chance has them.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }

        fn words(&mut self, len: usize) -> Vec<i16> {
            const EXTREMES: [i16; 8] = [i16::MIN, -1, 0, 1, 254, 255, 256, i16::MAX];
            let word = |number: u64| match number % 5 {
                0 => EXTREMES[(number >> 8) as usize % 8],
                1 => (number >> 16) as i16,
                _ => (number >> 16) as i16 % 300,
            };
            (0..len).map(|_| word(self.next())).collect()
        }

        fn bytes(&mut self, len: usize) -> Vec<i8> {
            (0..len).map(|_| self.next() as i8).collect()
        }
    }

    const LENGTHS: [usize; 8] = [32, 64, 96, 256, 288, 512, 1024, 2048];

    fn gives_the_bits_of_the_specification<I: Instructions>() {
        let mut numbers = Numbers(1);
        for len in LENGTHS {
            for _ in 0..20 {
                let rows: Vec<Vec<i16>> = (0..9).map(|_| numbers.words(len)).collect();
                let rows: Vec<&[i16]> = rows.iter().map(Vec::as_slice).collect();
                let before = numbers.words(len);
                for (added, removed) in [(0, 0), (1, 0), (0, 1), (3, 2), (5, 4)] {
                    let (added, removed) = (&rows[..added], &rows[9 - removed..]);
                    let (mut fast, mut slow) = (before.clone(), before.clone());
                    loops::accumulate::<I>(&mut fast, added, removed);
                    scalar::accumulate(&mut slow, added, removed);
                    assert_eq!(fast, slow);
                }
                let (mut fast, mut slow) = (vec![0; len], vec![0; len]);
                let [a, b, c, d] = [rows[0], rows[1], rows[2], rows[3]];
                loops::update::<I, 1, 1>(&before, &mut fast, [a], [b]);
                scalar::update(&before, &mut slow, [a], [b]);
                assert_eq!(fast, slow);
                loops::update::<I, 1, 2>(&before, &mut fast, [a], [b, c]);
                scalar::update(&before, &mut slow, [a], [b, c]);
                assert_eq!(fast, slow);
                loops::update::<I, 2, 2>(&before, &mut fast, [a, b], [c, d]);
                scalar::update(&before, &mut slow, [a, b], [c, d]);
                assert_eq!(fast, slow);
                let weights = numbers.bytes(2 * len);
                assert_eq!(
                    loops::output_sum::<I>(a, b, &weights),
                    scalar::output_sum(a, b, &weights)
                );
            }
        }
    }

    fn does_not_overflow<I: Instructions>() {
        for len in LENGTHS {
            for weight in [i8::MIN, i8::MAX] {
                let (full, weights) = (vec![255; len], vec![weight; 2 * len]);
                let sum = 2 * len as i64 * 255 * 255 * i64::from(weight);
                assert_eq!(loops::output_sum::<I>(&full, &full, &weights), sum);
            }
        }
    }

    #[test]
    #[cfg(target_feature = "avx2")]
    fn avx2_gives_the_bits_of_the_specification() {
        gives_the_bits_of_the_specification::<super::avx2::Avx2>();
        does_not_overflow::<super::avx2::Avx2>();
    }

    #[test]
    #[cfg(target_feature = "avx512bw")]
    fn avx512_gives_the_bits_of_the_specification() {
        gives_the_bits_of_the_specification::<super::avx512::Avx512>();
        does_not_overflow::<super::avx512::Avx512>();
    }

    #[test]
    #[cfg(target_feature = "neon")]
    fn neon_gives_the_bits_of_the_specification() {
        gives_the_bits_of_the_specification::<super::neon::Neon>();
        does_not_overflow::<super::neon::Neon>();
    }
}
