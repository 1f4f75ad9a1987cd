//! Numbers that look random and depend on a seed and a place alone: the same whatever the threads, and
//! the same again after a run was killed. Every crate draws from here.

/// A generator of numbers (SplitMix64).
///
/// ```
/// use chess::chance::Chance;
/// let draw = |number| Chance::of(7, number).below(1_000_000);
/// assert_eq!(draw(3), draw(3));
/// assert_ne!(draw(3), draw(4));
/// ```
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// The generator of the thing with this number: a row, a game, a file.
    pub const fn of(seed: u64, number: u64) -> Self {
        // Neighboring numbers and seeds must have nothing to do with each other.
        Self(mixed(mixed(seed ^ 0x7ab1_1a00).wrapping_add(mixed(number))))
    }

    /// The next number, of 64 bits.
    #[inline(always)]
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mixed(self.0)
    }

    /// A number less than this one, which must not be 0.
    #[inline(always)]
    pub const fn below(&mut self, bound: usize) -> usize {
        // The upper half of a product: no division, and no number is noticeably more likely.
        ((self.next() as u128 * bound as u128) >> 64) as usize
    }

    /// Whether something happens that has this probability.
    pub fn happens(&mut self, probability: f64) -> bool {
        ((self.next() >> 11) as f64) < probability * (1u64 << 53) as f64
    }

    /// A number from 0 up to 1.
    pub const fn fraction(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 24) as f32
    }

    /// Puts things in random order.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }
}

/// What the state of a generator goes on by.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The bits of a number, mixed: a permutation of all numbers, and one step of SplitMix64.
#[inline(always)]
pub const fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(STEP);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_come_up_about_as_often_and_none_that_is_too_large() {
        let mut chance = Chance::of(1, 1);
        let mut seen = [0u32; 7];
        (0..70_000).for_each(|_| seen[chance.below(7)] += 1);
        assert!(seen.iter().all(|&count| (9_500..10_500).contains(&count)), "{seen:?}");
        assert_eq!(chance.below(1), 0);
        let heads = (0..10_000).filter(|_| chance.happens(0.25)).count();
        assert!((2_300..2_700).contains(&heads), "{heads}");
        let half = (0..10_000).filter(|_| chance.fraction() < 0.5).count();
        assert!((4_700..5_300).contains(&half), "{half}");
        assert!(!chance.happens(0.0) && chance.happens(1.0));
    }

    #[test]
    fn shuffling_keeps_everything() {
        let mut things: Vec<u32> = (0..100).collect();
        Chance::of(2, 0).shuffle(&mut things);
        assert_ne!(things, (0..100).collect::<Vec<_>>());
        things.sort_unstable();
        assert_eq!(things, (0..100).collect::<Vec<_>>());
    }
}
