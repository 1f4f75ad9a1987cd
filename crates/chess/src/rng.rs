//! Seeded pseudo-random numbers (SplitMix64) for every crate.
//!
//! A generator is made from a seed and a stream index (a row, a game, a file), so results do not depend
//! on the number of threads, and a job that was killed draws the same numbers when it resumes.

/// A SplitMix64 generator.
///
/// ```
/// use tabiya_chess::rng::Rng;
/// let draw = |stream| Rng::new(7, stream).below(1_000_000);
/// assert_eq!(draw(3), draw(3));
/// assert_ne!(draw(3), draw(4));
/// ```
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The standard SplitMix64 sequence of a seed, without streams.
    ///
    /// ```
    /// use tabiya_chess::rng::Rng;
    /// assert_eq!(Rng::from_seed(0).next_u64(), 0xe220_a839_7b1d_cdaf);
    /// ```
    pub const fn from_seed(seed: u64) -> Self {
        Self(seed.wrapping_sub(INCREMENT))
    }

    /// The generator of one stream of a seed.
    pub const fn new(seed: u64, stream: u64) -> Self {
        // Neighboring seeds and streams must be uncorrelated.
        Self(mix(mix(seed ^ 0x7ab1_1a00).wrapping_add(mix(stream))))
    }

    /// The next 64 random bits.
    #[inline(always)]
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(INCREMENT);
        mix(self.0)
    }

    /// Uniform in `0..bound`; 0 if `bound` is 0.
    #[inline(always)]
    pub const fn below(&mut self, bound: usize) -> usize {
        // Multiply-shift: no division, and the bias is below 2^-32 for every bound in use.
        ((self.next_u64() as u128 * bound as u128) >> 64) as usize
    }

    /// `true` with this probability.
    pub fn random_bool(&mut self, probability: f64) -> bool {
        ((self.next_u64() >> 11) as f64) < probability * (1u64 << 53) as f64
    }

    /// Uniform in `[0, 1)`.
    pub const fn next_f32(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / (1 << 24) as f32
    }

    /// A random element; the slice must not be empty.
    pub const fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Shuffles a slice in place (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// SplitMix64's increment of the state.
pub const INCREMENT: u64 = 0x9e37_79b9_7f4a_7c15;

/// One step of SplitMix64 as a hash: a bijection of the 64-bit integers.
#[inline(always)]
pub const fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(INCREMENT);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_uniform_and_in_range() {
        let mut rng = Rng::new(1, 1);
        let mut seen = [0u32; 7];
        (0..70_000).for_each(|_| seen[rng.below(7)] += 1);
        assert!(seen.iter().all(|&count| (9_500..10_500).contains(&count)), "{seen:?}");
        assert_eq!(rng.below(1), 0);
        let heads = (0..10_000).filter(|_| rng.random_bool(0.25)).count();
        assert!((2_300..2_700).contains(&heads), "{heads}");
        let half = (0..10_000).filter(|_| rng.next_f32() < 0.5).count();
        assert!((4_700..5_300).contains(&half), "{half}");
        assert!(!rng.random_bool(0.0) && rng.random_bool(1.0));
    }

    #[test]
    fn a_shuffle_is_a_permutation() {
        let mut things: Vec<u32> = (0..100).collect();
        Rng::new(2, 0).shuffle(&mut things);
        assert_ne!(things, (0..100).collect::<Vec<_>>());
        things.sort_unstable();
        assert_eq!(things, (0..100).collect::<Vec<_>>());
    }
}
