//! NEON, which every 64-bit ARM has.

use std::arch::aarch64::{
    int16x8_t, int32x4_t, vaddlvq_s32, vaddq_s16, vdupq_n_s16, vdupq_n_s32, vget_low_s16, vld1_s8,
    vld1q_s16, vmaxq_s16, vminq_s16, vmlal_high_s16, vmlal_s16, vmovl_s8, vmulq_s16, vst1q_s16,
    vsubq_s16,
};

use super::loops::Instructions;

/// Registers of 128 bits.
pub(crate) struct Neon;

// SAFETY: this file is compiled only where the compiler may use NEON.
unsafe impl Instructions for Neon {
    const LANES: usize = 8;
    type I16 = int16x8_t;
    type I32 = int32x4_t;

    #[inline(always)]
    unsafe fn load(from: *const i16) -> int16x8_t {
        // SAFETY: the caller promises 8 values.
        unsafe { vld1q_s16(from) }
    }

    #[inline(always)]
    unsafe fn store(to: *mut i16, values: int16x8_t) {
        // SAFETY: the caller promises room for 8 values.
        unsafe { vst1q_s16(to, values) }
    }

    #[inline(always)]
    fn add(a: int16x8_t, b: int16x8_t) -> int16x8_t {
        // SAFETY: the instructions are there; see above.
        unsafe { vaddq_s16(a, b) }
    }

    #[inline(always)]
    fn subtract(a: int16x8_t, b: int16x8_t) -> int16x8_t {
        // SAFETY: the instructions are there; see above.
        unsafe { vsubq_s16(a, b) }
    }

    #[inline(always)]
    fn zero() -> int32x4_t {
        // SAFETY: the instructions are there; see above.
        unsafe { vdupq_n_s32(0) }
    }

    #[inline(always)]
    unsafe fn weigh(sum: int32x4_t, values: int16x8_t, weights: *const i8) -> int32x4_t {
        // SAFETY: the instructions are there; the caller promises 8 weights.
        unsafe {
            let v = vminq_s16(vmaxq_s16(values, vdupq_n_s16(0)), vdupq_n_s16(255));
            let product = vmulq_s16(v, vmovl_s8(vld1_s8(weights)));
            let sum = vmlal_s16(sum, vget_low_s16(product), vget_low_s16(v));
            vmlal_high_s16(sum, product, v)
        }
    }

    #[inline(always)]
    fn total(sum: int32x4_t) -> i64 {
        // SAFETY: the instructions are there; see above.
        unsafe { vaddlvq_s32(sum) }
    }
}
