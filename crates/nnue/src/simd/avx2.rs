//! AVX2.

use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_add_epi16, _mm256_add_epi32, _mm256_add_epi64,
    _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_cvtepi32_epi64, _mm256_extract_epi64,
    _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_max_epi16,
    _mm256_min_epi16, _mm256_mullo_epi16, _mm256_set1_epi16, _mm256_setzero_si256,
    _mm256_storeu_si256, _mm256_sub_epi16,
};

use super::loops::Instructions;

/// Registers of 256 bits.
pub(crate) struct Avx2;

// SAFETY: this file is compiled only where the compiler may use AVX2.
unsafe impl Instructions for Avx2 {
    const LANES: usize = 16;
    type I16 = __m256i;
    type I32 = __m256i;

    #[inline(always)]
    unsafe fn load(from: *const i16) -> __m256i {
        // SAFETY: the caller promises 16 values; they need no alignment.
        unsafe { _mm256_loadu_si256(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(to: *mut i16, values: __m256i) {
        // SAFETY: the caller promises room for 16 values; they need no alignment.
        unsafe { _mm256_storeu_si256(to.cast(), values) }
    }

    #[inline(always)]
    fn add(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the instructions are there; see above.
        unsafe { _mm256_add_epi16(a, b) }
    }

    #[inline(always)]
    fn subtract(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the instructions are there; see above.
        unsafe { _mm256_sub_epi16(a, b) }
    }

    #[inline(always)]
    fn zero() -> __m256i {
        // SAFETY: the instructions are there; see above.
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    unsafe fn weigh(sum: __m256i, values: __m256i, weights: *const i8) -> __m256i {
        // SAFETY: the instructions are there; the caller promises 16 weights.
        unsafe {
            let clipped = _mm256_max_epi16(values, _mm256_setzero_si256());
            let v = _mm256_min_epi16(clipped, _mm256_set1_epi16(255));
            let w = _mm256_cvtepi8_epi16(_mm_loadu_si128(weights.cast()));
            _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_mullo_epi16(v, w), v))
        }
    }

    #[inline(always)]
    fn total(sum: __m256i) -> i64 {
        // SAFETY: the instructions are there; see above.
        unsafe {
            let low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(sum));
            let high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256::<1>(sum));
            let sum = _mm256_add_epi64(low, high);
            _mm256_extract_epi64::<0>(sum)
                + _mm256_extract_epi64::<1>(sum)
                + _mm256_extract_epi64::<2>(sum)
                + _mm256_extract_epi64::<3>(sum)
        }
    }
}
