//! NEON, which every 64-bit ARM CPU has: 16-byte vectors.

#![allow(clippy::needless_range_loop, reason = "see the module `vector` on loops")]

use std::arch::aarch64::*;

use crate::halfka::{self, BLOCK, Group, OUTPUTS};
use crate::halfkp::{Accumulator, AffineLayer, HIDDEN, Layers, Tail, view};
pub(crate) use crate::integer::Neon as Inlined;
use crate::vector::{self, Block, GroupSums, I16Vector, Outline};
use crate::{CacheAligned, loops};

/// [`scalar::halfkp_forward`](crate::scalar::halfkp_forward).
#[inline]
#[target_feature(enable = "neon")]
pub fn halfkp_forward(layers: &Layers, own: &Accumulator, other: &Accumulator) -> i32 {
    let inputs = CacheAligned([clipped_relu(own), clipped_relu(other)]);
    // SAFETY: vectors of bytes and groups of four bytes are integers.
    halfkp_tail(&layers.tail, &affine(&layers.hidden1, unsafe { view(&inputs) }))
}

/// [`scalar::halfkp_tail`](crate::scalar::halfkp_tail).
#[inline]
#[target_feature(enable = "neon")]
pub fn halfkp_tail(tail: &Tail, inputs: &CacheAligned<[u8; HIDDEN]>) -> i32 {
    // SAFETY: bytes and groups of four of them are integers.
    let hidden = affine(&tail.hidden, unsafe { view(inputs) });
    // SAFETY: bytes are vectors of bytes.
    let (hidden, weights): (&CacheAligned<[int8x16_t; 2]>, &CacheAligned<[int8x16_t; 2]>) =
        unsafe { (view(&hidden), view(&tail.output_weights)) };
    let sums = dot4(vdupq_n_s32(0), hidden.0[0], weights.0[0]);
    tail.output_bias.wrapping_add(vaddvq_s32(dot4(sums, hidden.0[1], weights.0[1])))
}

/// Clipped ReLU of an accumulator: bytes from 0 to 127.
#[inline]
#[target_feature(enable = "neon")]
fn clipped_relu(accumulator: &Accumulator) -> [int8x16_t; 16] {
    // SAFETY: both types are integers.
    let pairs: &[[int16x8_t; 2]; 16] = unsafe { view(accumulator) };
    let mut bytes = [vdupq_n_s8(0); 16];
    for n in 0..16 {
        let packed = vcombine_s8(vqmovn_s16(pairs[n][0]), vqmovn_s16(pairs[n][1]));
        bytes[n] = vmaxq_s8(packed, vdupq_n_s8(0));
    }
    bytes
}

/// Adds to each `i32` lane the dot product of four bytes from 0 to 127 and four signed ones.
#[inline]
#[target_feature(enable = "neon")]
fn dot4(sums: int32x4_t, bytes: int8x16_t, weights: int8x16_t) -> int32x4_t {
    let low = vmull_s8(vget_low_s8(bytes), vget_low_s8(weights));
    let high = vmull_high_s8(bytes, weights);
    // Two products fit into 16 bits.
    vpadalq_s16(sums, vpaddq_s16(low, high))
}

/// An affine layer with clipped ReLU. The inputs come in groups of four bytes, as one `i32`.
#[inline]
#[target_feature(enable = "neon")]
fn affine<const IN: usize, const GROUPS: usize>(
    layer: &AffineLayer<IN, GROUPS>,
    inputs: &CacheAligned<[i32; GROUPS]>,
) -> CacheAligned<[u8; HIDDEN]> {
    // SAFETY: weights, biases and vectors are integers.
    let (weights, bias): (&CacheAligned<[[int8x16_t; 8]; GROUPS]>, &CacheAligned<[int32x4_t; 8]>) =
        unsafe { (view(&*layer.packed), view(&layer.bias)) };
    let mut sums = bias.0;
    for group in 0..GROUPS {
        let input = vreinterpretq_s8_s32(vdupq_n_s32(inputs.0[group]));
        for n in 0..8 {
            sums[n] = dot4(sums[n], input, weights.0[group][n]);
        }
    }
    let mut outputs = CacheAligned([vdupq_n_s8(0); 2]);
    for n in 0..2 {
        // Narrowing saturates, first to 16 bits, then to 127.
        let words = |n: usize| {
            let low = vqmovn_s32(vshrq_n_s32::<6>(sums[n]));
            vqmovn_high_s32(low, vshrq_n_s32::<6>(sums[n + 1]))
        };
        let bytes = vcombine_s8(vqmovn_s16(words(4 * n)), vqmovn_s16(words(4 * n + 2)));
        outputs.0[n] = vmaxq_s8(bytes, vdupq_n_s8(0));
    }
    // SAFETY: vectors and bytes are integers.
    unsafe { *view(&outputs) }
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
    fn horizontal_sum(a: int32x4_t, b: int32x4_t) -> i64 {
        // SAFETY: see above.
        unsafe { vaddlvq_s32(vaddq_s32(a, b)) }
    }
}

/// Clips the `n`th eight values to 0..=127.
///
/// # Safety
/// The CPU supports NEON; there are eight values.
#[inline(always)]
unsafe fn clip(values: &[i16; BLOCK], n: usize) -> int16x8_t {
    // SAFETY: the caller's promise.
    unsafe {
        let values = vld1q_s16(values.as_ptr().add(8 * n));
        vminq_s16(vmaxq_s16(values, vdupq_n_s16(0)), vdupq_n_s16(127))
    }
}

/// [`loops::pairwise_affine`].
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn first_layer(layers: &halfka::Layers, own: &[i16], other: &[i16]) -> [i32; OUTPUTS] {
    // SAFETY: the CPU supports NEON.
    unsafe { loops::pairwise_affine::<Sums>(layers, own, other) }
}

/// Four registers.
#[derive(Clone, Copy)]
pub(crate) struct Sums([int32x4_t; 4]);

// SAFETY (all blocks): values of this type are used only where the CPU supports NEON; vectors, bytes and
// numbers that are viewed as each other are integers.
impl GroupSums for Sums {
    #[inline(always)]
    fn load(sums: &CacheAligned<[i32; OUTPUTS]>) -> Self {
        // SAFETY: see above.
        Self(unsafe { view::<_, CacheAligned<[int32x4_t; 4]>>(sums) }.0)
    }

    #[inline(always)]
    fn store(self) -> [i32; OUTPUTS] {
        // SAFETY: see above.
        unsafe { *view(&self.0) }
    }

    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        for n in 0..4 {
            // SAFETY: see above.
            self.0[n] = unsafe { vaddq_s32(self.0[n], other.0[n]) };
        }
        self
    }

    #[inline(always)]
    fn add_dot(mut self, bytes: i32, weights: &Group) -> Self {
        // SAFETY: see above.
        unsafe {
            let weights = view::<_, CacheAligned<[int8x16_t; 4]>>(weights).0;
            let bytes = vreinterpretq_s8_s32(vdupq_n_s32(bytes));
            for n in 0..4 {
                self.0[n] = dot4(self.0[n], bytes, weights[n]);
            }
        }
        self
    }

    #[inline(always)]
    fn products(low: &[i16; BLOCK], high: &[i16; BLOCK]) -> (Block, u16) {
        let mut groups = CacheAligned([0; 16]);
        // SAFETY: see above; the loads are of 8 values from a multiple of 8 on, the stores of 4.
        unsafe {
            let mut products = [vdup_n_s8(0); 8];
            for n in 0..8 {
                let product = vmulq_s16(clip(low, n), clip(high, n));
                products[n] = vmovn_s16(vshrq_n_s16::<7>(product));
            }
            for n in 0..4 {
                let bytes = vcombine_s8(products[2 * n], products[2 * n + 1]);
                vst1q_s32(groups.0.as_mut_ptr().add(4 * n), vreinterpretq_s32_s8(bytes));
            }
        }
        let nonzero = (0..16).fold(0, |bits, n| bits | u16::from(groups.0[n] != 0) << n);
        (groups, nonzero)
    }
}

/// Four registers.
#[derive(Clone, Copy)]
pub(crate) struct F32x16([float32x4_t; 4]);

// SAFETY (all blocks): values of this type are used only where the CPU supports NEON. Loads and stores are
// of references to sixteen values, or of the lanes that the caller vouches for.
impl vector::F32x16 for F32x16 {
    const REGISTERS: usize = 8;
    const FUSED: bool = true;

    #[target_feature(enable = "neon")]
    #[inline(never)]
    unsafe fn outline<K: Outline>(kernel: K) {
        // SAFETY: the caller's promise.
        unsafe { kernel.run::<Self>() }
    }

    #[inline(always)]
    fn load(values: &[f32; 16]) -> Self {
        let from = values.as_ptr();
        // SAFETY: see above.
        Self(unsafe {
            [
                vld1q_f32(from),
                vld1q_f32(from.add(4)),
                vld1q_f32(from.add(8)),
                vld1q_f32(from.add(12)),
            ]
        })
    }

    #[inline(always)]
    fn store(self, values: &mut [f32; 16]) {
        for n in 0..4 {
            // SAFETY: see above.
            unsafe { vst1q_f32(values.as_mut_ptr().add(4 * n), self.0[n]) };
        }
    }

    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: see above.
        Self([unsafe { vdupq_n_f32(value) }; 4])
    }

    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        for n in 0..4 {
            // SAFETY: see above.
            self.0[n] = unsafe { vaddq_f32(self.0[n], other.0[n]) };
        }
        self
    }

    #[inline(always)]
    fn sub(mut self, other: Self) -> Self {
        for n in 0..4 {
            // SAFETY: see above.
            self.0[n] = unsafe { vsubq_f32(self.0[n], other.0[n]) };
        }
        self
    }

    #[inline(always)]
    fn mul(mut self, other: Self) -> Self {
        for n in 0..4 {
            // SAFETY: see above.
            self.0[n] = unsafe { vmulq_f32(self.0[n], other.0[n]) };
        }
        self
    }

    #[inline(always)]
    fn scale_by_power(mut self, exponent: Self) -> Self {
        for n in 0..4 {
            // SAFETY: see above.
            self.0[n] = unsafe {
                let power = vshlq_n_s32::<23>(vreinterpretq_s32_f32(exponent.0[n]));
                vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(self.0[n]), power))
            };
        }
        self
    }

    #[inline(always)]
    fn add_product(mut self, a: Self, b: Self) -> Self {
        for n in 0..4 {
            // SAFETY: see above.
            self.0[n] = unsafe { vfmaq_f32(self.0[n], a.0[n], b.0[n]) };
        }
        self
    }

    #[inline(always)]
    fn clip(mut self) -> Self {
        for n in 0..4 {
            // SAFETY: see above.
            self.0[n] =
                unsafe { vminq_f32(vmaxq_f32(self.0[n], vdupq_n_f32(0.0)), vdupq_n_f32(1.0)) };
        }
        self
    }

    #[inline(always)]
    fn nonzero(self) -> u16 {
        let mut lanes = [0.0; 16];
        self.store(&mut lanes);
        (0..16).fold(0, |bits, n| bits | u16::from(lanes[n] != 0.0) << n)
    }

    #[inline(always)]
    unsafe fn load_partial(from: *const f32, len: usize) -> Self {
        if len == 16 {
            // SAFETY: the caller vouches for 16 values.
            return Self::load(unsafe { &*from.cast() });
        }
        let mut values = [0.0; 16];
        // SAFETY: the caller vouches for `len` values, at most 16.
        unsafe { from.copy_to_nonoverlapping(values.as_mut_ptr(), len) };
        Self::load(&values)
    }

    #[inline(always)]
    unsafe fn store_partial(self, to: *mut f32, len: usize) {
        if len == 16 {
            // SAFETY: the caller vouches for room for 16 values.
            return self.store(unsafe { &mut *to.cast() });
        }
        let mut values = [0.0; 16];
        self.store(&mut values);
        // SAFETY: the caller vouches for room for `len` values, at most 16.
        unsafe { to.copy_from_nonoverlapping(values.as_ptr(), len) };
    }
}
