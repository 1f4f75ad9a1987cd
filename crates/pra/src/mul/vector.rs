//! A vector of numbers as the processor has it: sixteen with AVX-512, eight with AVX2.
//!
//! Which of them is settled when the program is built, for the machine that it is built for.

use std::arch::x86_64::*;

#[cfg(target_feature = "avx512f")]
pub(super) use wide::{LANES, Vector};

#[cfg(not(target_feature = "avx512f"))]
pub(super) use narrow::{LANES, Vector};

#[cfg(target_feature = "avx512f")]
mod wide {
    use super::*;

    pub const LANES: usize = 16;

    #[derive(Clone, Copy)]
    pub struct Vector(__m512);

    impl Vector {
        #[inline(always)]
        pub fn zero() -> Self {
            // SAFETY: the program is built for processors with AVX-512.
            Self(unsafe { _mm512_setzero_ps() })
        }

        #[inline(always)]
        pub fn all(number: f32) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm512_set1_ps(number) })
        }

        /// `self · factor + summand`.
        #[inline(always)]
        pub fn times_plus(self, factor: Self, summand: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm512_fmadd_ps(self.0, factor.0, summand.0) })
        }

        const fn mask(count: usize) -> __mmask16 {
            (0xffff_u32 >> (LANES - count)) as __mmask16
        }

        /// So many numbers, and zeros.
        ///
        /// # Safety
        /// There are so many, from 1 to all lanes.
        #[inline(always)]
        pub unsafe fn load(from: *const f32, count: usize) -> Self {
            // SAFETY: as the caller says.
            Self(unsafe { _mm512_maskz_loadu_ps(Self::mask(count), from) })
        }

        /// Writes the first so many numbers.
        ///
        /// # Safety
        /// There is room for so many, from 1 to all lanes.
        #[inline(always)]
        pub unsafe fn store(self, into: *mut f32, count: usize) {
            // SAFETY: as the caller says.
            unsafe { _mm512_mask_storeu_ps(into, Self::mask(count), self.0) }
        }
    }
}

#[cfg(not(target_feature = "avx512f"))]
mod narrow {
    use super::*;

    pub const LANES: usize = 8;

    #[derive(Clone, Copy)]
    pub struct Vector(__m256);

    impl Vector {
        #[inline(always)]
        pub fn zero() -> Self {
            // SAFETY: the program is built for processors with AVX2.
            Self(unsafe { _mm256_setzero_ps() })
        }

        #[inline(always)]
        pub fn all(number: f32) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm256_set1_ps(number) })
        }

        /// `self · factor + summand`.
        #[inline(always)]
        pub fn times_plus(self, factor: Self, summand: Self) -> Self {
            // SAFETY: the program is built for processors with FMA.
            Self(unsafe { _mm256_fmadd_ps(self.0, factor.0, summand.0) })
        }

        /// All bits of the lanes that count.
        #[inline(always)]
        fn mask(count: usize) -> __m256i {
            // SAFETY: the program is built for processors with AVX2.
            unsafe {
                let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
                _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), lanes)
            }
        }

        /// So many numbers, and zeros.
        ///
        /// # Safety
        /// There are so many, from 1 to all lanes.
        #[inline(always)]
        pub unsafe fn load(from: *const f32, count: usize) -> Self {
            // SAFETY: as the caller says.
            Self(unsafe {
                if count == LANES {
                    _mm256_loadu_ps(from)
                } else {
                    _mm256_maskload_ps(from, Self::mask(count))
                }
            })
        }

        /// Writes the first so many numbers.
        ///
        /// # Safety
        /// There is room for so many, from 1 to all lanes.
        #[inline(always)]
        pub unsafe fn store(self, into: *mut f32, count: usize) {
            // SAFETY: as the caller says.
            unsafe {
                if count == LANES {
                    _mm256_storeu_ps(into, self.0);
                } else {
                    _mm256_maskstore_ps(into, Self::mask(count), self.0);
                }
            }
        }
    }
}
