//! NEON, which every 64-bit ARM CPU has: 16-byte vectors.

use std::arch::aarch64::*;

use crate::loops;
pub(crate) use crate::scalar::F32x16;
use crate::vector::I16Vector;

#[inline]
#[target_feature(enable = "neon")]
pub fn accumulate(weights: &[i16], src: &[i16], dst: &mut [i16], add: &[u16], sub: &[u16]) {
    // SAFETY: the function enables the instruction set.
    unsafe { loops::accumulate::<I16s>(weights, src, dst, add, sub) }
}

#[inline]
#[target_feature(enable = "neon")]
pub fn screlu_dot(own: &[i16], other: &[i16], weights: &[i8]) -> i64 {
    // SAFETY: the function enables the instruction set.
    unsafe { loops::screlu_dot::<I16s>(own, other, weights) }
}

#[derive(Clone, Copy)]
pub(crate) struct I16s(int16x8_t);

// SAFETY: (the trait and all blocks) 8 divides 32; values of this type are used only where the CPU
// supports NEON; callers vouch for pointers to 8 values.
unsafe impl I16Vector for I16s {
    const LANES: usize = 8;
    type Sum = int32x4_t;

    #[inline(always)]
    unsafe fn load(from: *const i16) -> Self {
        // SAFETY: see above.
        Self(unsafe { vld1q_s16(from) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut i16) {
        // SAFETY: see above.
        unsafe { vst1q_s16(to, self.0) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vaddq_s16(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vsubq_s16(self.0, other.0) })
    }

    #[inline(always)]
    fn zero_sum() -> int32x4_t {
        // SAFETY: see above.
        unsafe { vdupq_n_s32(0) }
    }

    #[inline(always)]
    unsafe fn screlu_dot(self, weights: *const i8, sum: int32x4_t) -> int32x4_t {
        // SAFETY: see above.
        unsafe {
            let x = vminq_s16(vmaxq_s16(self.0, vdupq_n_s16(0)), vdupq_n_s16(255));
            let product = vmulq_s16(x, vmovl_s8(vld1_s8(weights)));
            let sum = vmlal_s16(sum, vget_low_s16(product), vget_low_s16(x));
            vmlal_high_s16(sum, product, x)
        }
    }

    #[inline(always)]
    fn horizontal_sum(sum: int32x4_t) -> i64 {
        // SAFETY: see above.
        unsafe { vaddlvq_s32(sum) }
    }
}
