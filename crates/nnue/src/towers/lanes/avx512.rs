//! AVX-512: one register.

use std::arch::x86_64::{
    __m512, _CMP_NEQ_UQ, _mm512_add_ps, _mm512_cmp_ps_mask, _mm512_fmadd_ps, _mm512_loadu_ps,
    _mm512_max_ps, _mm512_min_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_storeu_ps,
};

/// Sixteen numbers in a register.
#[derive(Clone, Copy)]
pub(in crate::towers) struct Lanes(__m512);

// SAFETY (all blocks): this file is compiled only for targets that have AVX-512F. What is loaded and
// stored are references to sixteen numbers, wherever they lie.
impl Lanes {
    /// How many positions a product of matrices works on at a time: their sums and a row of weights
    /// are kept in 32 registers.
    pub const POSITIONS: usize = 6;

    #[inline(always)]
    pub fn load(numbers: &[f32; 16]) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_loadu_ps(numbers.as_ptr()) })
    }

    #[inline(always)]
    pub fn store(self, numbers: &mut [f32; 16]) {
        // SAFETY: see above.
        unsafe { _mm512_storeu_ps(numbers.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    pub fn splat(number: f32) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_set1_ps(number) })
    }

    #[inline(always)]
    pub fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_add_ps(self.0, other.0) })
    }

    /// `self + a · b`, rounded once.
    #[inline(always)]
    pub fn add_product(self, a: Self, b: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_fmadd_ps(a.0, b.0, self.0) })
    }

    /// Clipped ReLU: between 0 and 1.
    #[inline(always)]
    pub fn clip(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            _mm512_min_ps(_mm512_max_ps(self.0, _mm512_setzero_ps()), _mm512_set1_ps(1.0))
        })
    }

    /// A bit for each lane that is not 0.
    #[inline(always)]
    pub fn nonzero(self) -> u16 {
        // SAFETY: see above.
        unsafe { _mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(self.0, _mm512_setzero_ps()) }
    }
}
