//! AVX2: two registers.

use std::arch::x86_64::{
    __m256, _CMP_NEQ_UQ, _mm256_add_ps, _mm256_cmp_ps, _mm256_fmadd_ps, _mm256_loadu_ps,
    _mm256_max_ps, _mm256_min_ps, _mm256_movemask_ps, _mm256_set1_ps, _mm256_setzero_ps,
    _mm256_storeu_ps,
};

/// Sixteen numbers in two registers.
#[derive(Clone, Copy)]
pub(in crate::towers) struct Lanes([__m256; 2]);

// SAFETY (all blocks): this file is compiled only for targets that have AVX2 and FMA. What is loaded
// and stored are references to eight numbers each, wherever they lie.
impl Lanes {
    /// How many positions a product of matrices works on at a time: sixteen registers have room for
    /// the sums of one.
    pub const POSITIONS: usize = 1;

    #[inline(always)]
    pub fn load(numbers: &[f32; 16]) -> Self {
        let (halves, _) = numbers.as_chunks::<8>();
        // SAFETY: see above.
        Self([0, 1].map(|n| unsafe { _mm256_loadu_ps(halves[n].as_ptr()) }))
    }

    #[inline(always)]
    pub fn store(self, numbers: &mut [f32; 16]) {
        let (halves, _) = numbers.as_chunks_mut::<8>();
        for (half, register) in halves.iter_mut().zip(self.0) {
            // SAFETY: see above.
            unsafe { _mm256_storeu_ps(half.as_mut_ptr(), register) }
        }
    }

    #[inline(always)]
    pub fn splat(number: f32) -> Self {
        // SAFETY: see above.
        Self([unsafe { _mm256_set1_ps(number) }; 2])
    }

    #[inline(always)]
    pub fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        Self([0, 1].map(|n| unsafe { _mm256_add_ps(self.0[n], other.0[n]) }))
    }

    /// `self + a · b`, rounded once.
    #[inline(always)]
    pub fn add_product(self, a: Self, b: Self) -> Self {
        // SAFETY: see above.
        Self([0, 1].map(|n| unsafe { _mm256_fmadd_ps(a.0[n], b.0[n], self.0[n]) }))
    }

    /// Clipped ReLU: between 0 and 1.
    #[inline(always)]
    pub fn clip(self) -> Self {
        // SAFETY: see above.
        Self(self.0.map(|register| unsafe {
            _mm256_min_ps(_mm256_max_ps(register, _mm256_setzero_ps()), _mm256_set1_ps(1.0))
        }))
    }

    /// A bit for each lane that is not 0.
    #[inline(always)]
    pub fn nonzero(self) -> u16 {
        let half = |register| {
            // SAFETY: see above.
            unsafe {
                let differs = _mm256_cmp_ps::<_CMP_NEQ_UQ>(register, _mm256_setzero_ps());
                _mm256_movemask_ps(differs) as u16
            }
        };
        half(self.0[0]) | half(self.0[1]) << 8
    }
}
