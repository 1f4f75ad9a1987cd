//! Random numbers for playouts and players: SplitMix64, the same sequence for the same seed on
//! every machine.

use chess::rng::{INCREMENT, mix};

/// A source of random numbers.
///
/// ```
/// use paco::Rng;
/// let (mut a, mut b) = (Rng::new(7), Rng::new(7));
/// assert_eq!(a.below(1000), b.below(1000));
/// assert!((0..100).all(|_| a.below(6) < 6));
/// ```
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The source with this seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    #[inline(always)]
    pub const fn next_u64(&mut self) -> u64 {
        let number = mix(self.0);
        self.0 = self.0.wrapping_add(INCREMENT);
        number
    }

    /// A number below `bound`, each as likely as another (up to one in 2^32); 0 if there is none.
    #[inline(always)]
    pub const fn below(&mut self, bound: usize) -> usize {
        (((self.next_u64() >> 32) * bound as u64) >> 32) as usize
    }
}
