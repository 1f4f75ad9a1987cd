//! AVX-512 (foundation, bytes and words; the neural network instructions where there are any).

#[cfg(target_feature = "avx512vnni")]
use std::arch::x86_64::_mm512_dpwssd_epi32;
use std::arch::x86_64::{
    __m512i, _mm256_loadu_si256, _mm512_add_epi16, _mm512_add_epi64, _mm512_castsi512_si256,
    _mm512_cvtepi8_epi16, _mm512_cvtepi32_epi64, _mm512_extracti64x4_epi64, _mm512_loadu_si512,
    _mm512_max_epi16, _mm512_min_epi16, _mm512_mullo_epi16, _mm512_reduce_add_epi64,
    _mm512_set1_epi16, _mm512_setzero_si512, _mm512_storeu_si512, _mm512_sub_epi16,
};
#[cfg(not(target_feature = "avx512vnni"))]
use std::arch::x86_64::{_mm512_add_epi32, _mm512_madd_epi16};

use super::loops::Instructions;

/// Registers of 512 bits.
pub(crate) struct Avx512;

// SAFETY: this file is compiled only where the compiler may use AVX-512F and BW, and the one
// instruction of VNNI only where it may use that.
unsafe impl Instructions for Avx512 {
    const LANES: usize = 32;
    type I16 = __m512i;
    type I32 = __m512i;

    #[inline(always)]
    unsafe fn load(from: *const i16) -> __m512i {
        // SAFETY: the caller promises 32 values; they need no alignment.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(to: *mut i16, values: __m512i) {
        // SAFETY: the caller promises room for 32 values; they need no alignment.
        unsafe { _mm512_storeu_si512(to.cast(), values) }
    }

    #[inline(always)]
    fn add(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the instructions are there; see above.
        unsafe { _mm512_add_epi16(a, b) }
    }

    #[inline(always)]
    fn subtract(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the instructions are there; see above.
        unsafe { _mm512_sub_epi16(a, b) }
    }

    #[inline(always)]
    fn zero() -> __m512i {
        // SAFETY: the instructions are there; see above.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    unsafe fn weigh(sum: __m512i, values: __m512i, weights: *const i8) -> __m512i {
        // SAFETY: the instructions are there; the caller promises 32 weights.
        unsafe {
            let clipped = _mm512_max_epi16(values, _mm512_setzero_si512());
            let v = _mm512_min_epi16(clipped, _mm512_set1_epi16(255));
            let w = _mm512_cvtepi8_epi16(_mm256_loadu_si256(weights.cast()));
            let product = _mm512_mullo_epi16(v, w);
            #[cfg(target_feature = "avx512vnni")]
            return _mm512_dpwssd_epi32(sum, product, v);
            #[cfg(not(target_feature = "avx512vnni"))]
            return _mm512_add_epi32(sum, _mm512_madd_epi16(product, v));
        }
    }

    #[inline(always)]
    fn total(sum: __m512i) -> i64 {
        // SAFETY: the instructions are there; see above.
        unsafe {
            let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(sum));
            let high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(sum));
            _mm512_reduce_add_epi64(_mm512_add_epi64(low, high))
        }
    }
}
