//! Random numbers that are the same everywhere (splitmix64).

/// A sequence that follows from its seeds.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

const fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

impl Random {
    /// One of the sequences of a seed.
    pub(super) const fn new(seed: u64, sequence: u64) -> Self {
        Self(mix(mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15)) ^ sequence))
    }

    pub(super) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// Less than `bound`.
    pub(super) const fn below(&mut self, bound: usize) -> usize {
        ((self.next() as u128 * bound as u128) >> 64) as usize
    }

    /// From 0 up to 1.
    pub(super) fn fraction(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 24) as f32
    }

    /// Puts things in random order (Fisher and Yates).
    pub(super) fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            let other = self.below(last + 1);
            things.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_keeps_everything_and_follows_from_the_seed() {
        let shuffled = |seed| {
            let mut numbers: Vec<u32> = (0..100).collect();
            Random::new(seed, 0).shuffle(&mut numbers);
            numbers
        };
        let mut sorted = shuffled(1);
        assert_eq!(sorted, shuffled(1));
        assert_ne!(sorted, shuffled(2));
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..100));
    }
}
