//! Any machine: an array, of which the compiler makes what it can (NEON on ARM).

/// Sixteen numbers.
#[derive(Clone, Copy)]
pub(in crate::towers) struct Lanes([f32; 16]);

impl Lanes {
    /// How many positions a product of matrices works on at a time.
    pub const POSITIONS: usize = 1;

    #[inline(always)]
    pub fn load(numbers: &[f32; 16]) -> Self {
        Self(*numbers)
    }

    #[inline(always)]
    pub fn store(self, numbers: &mut [f32; 16]) {
        *numbers = self.0;
    }

    #[inline(always)]
    pub fn splat(number: f32) -> Self {
        Self([number; 16])
    }

    #[inline(always)]
    pub fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|n| self.0[n] + other.0[n]))
    }

    /// `self + a · b`, rounded once where the target can.
    #[inline(always)]
    pub fn add_product(self, a: Self, b: Self) -> Self {
        Self(std::array::from_fn(|n| {
            if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
                a.0[n].mul_add(b.0[n], self.0[n])
            } else {
                self.0[n] + a.0[n] * b.0[n]
            }
        }))
    }

    /// Clipped ReLU: between 0 and 1.
    #[inline(always)]
    pub fn clip(self) -> Self {
        Self(self.0.map(|number| number.clamp(0.0, 1.0)))
    }

    /// A bit for each lane that is not 0.
    #[inline(always)]
    pub fn nonzero(self) -> u16 {
        (0..16).fold(0, |bits, n| bits | u16::from(self.0[n] != 0.0) << n)
    }
}
