//! The specification of the integer kernels, in plain Rust, and portable vectors, which the compiler
//! vectorizes as the target allows.
//!
//! Accumulators wrap around on overflow of `i16`. Trained networks stay far from it; but since wrapping
//! sums do not depend on the order of their terms, an accumulator that was updated incrementally always
//! equals a refreshed one, whatever the weights in a file.

use crate::halfka::{self, BLOCK, Group, OUTPUTS};
use crate::halfkp::{Accumulator, AffineLayer, HIDDEN, INPUTS, Layers, Tail};
pub(crate) use crate::integer::Scalar as Inlined;
use crate::quantized::QA;
use crate::vector::{self, Block, GroupSums, I16Vector, Outline};
use crate::{CacheAligned, loops};

/// `dst = src + Σ weights[add] − Σ weights[sub]`, where `add` and `sub` are row indices, and rows of
/// `weights` are as long as the accumulators. Rows beyond the end of `weights` are skipped.
pub fn accumulate(weights: &[i16], src: &[i16], dst: &mut [i16], add: &[u16], sub: &[u16]) {
    let len = dst.len();
    let row = |&row: &u16| weights.get(usize::from(row) * len..)?.get(..len);
    dst.copy_from_slice(src);
    for row in add.iter().filter_map(row) {
        dst.iter_mut().zip(row).for_each(|(sum, weight)| *sum = sum.wrapping_add(*weight));
    }
    for row in sub.iter().filter_map(row) {
        dst.iter_mut().zip(row).for_each(|(sum, weight)| *sum = sum.wrapping_sub(*weight));
    }
}

/// `Σ screlu(x) · weight` over both accumulators, where `screlu(x) = clamp(x, 0, QA)²`: `own` is weighted
/// by the first half of the weights, `other` by the second.
pub fn screlu_dot(own: &[i16], other: &[i16], weights: &[i8]) -> i64 {
    let clipped = own.iter().chain(other).map(|&x| i64::from(x.clamp(0, QA)));
    clipped.zip(weights).map(|(x, &weight)| x * x * i64::from(weight)).sum()
}

/// [`halfkp::forward`](crate::halfkp::forward).
pub(crate) fn halfkp_forward(layers: &Layers, own: &Accumulator, other: &Accumulator) -> i32 {
    let mut inputs = [0; INPUTS];
    for (input, &sum) in inputs.iter_mut().zip(own.0.iter().chain(&other.0)) {
        *input = sum.clamp(0, 127) as u8;
    }
    halfkp_tail(&layers.tail, &CacheAligned(affine(&layers.hidden1, &inputs)))
}

/// The last two layers of HalfKP networks.
pub(crate) fn halfkp_tail(tail: &Tail, inputs: &CacheAligned<[u8; HIDDEN]>) -> i32 {
    let hidden = affine(&tail.hidden, &inputs.0);
    tail.output_bias.wrapping_add(dot(&tail.output_weights.0, &hidden))
}

/// An affine layer with clipped ReLU: `clamp((bias + weights · inputs) >> 6, 0, 127)`.
fn affine<const IN: usize, const GROUPS: usize>(
    layer: &AffineLayer<IN, GROUPS>,
    inputs: &[u8; IN],
) -> [u8; HIDDEN] {
    std::array::from_fn(|n| {
        let sum = layer.bias.0[n].wrapping_add(dot(&layer.weights[n], inputs));
        (sum >> 6).clamp(0, 127) as u8
    })
}

fn dot(weights: &[i8], inputs: &[u8]) -> i32 {
    weights.iter().zip(inputs).map(|(&weight, &input)| i32::from(weight) * i32::from(input)).sum()
}

#[derive(Clone, Copy)]
pub(crate) struct I16s([i16; 8]);

// SAFETY: (the trait and all blocks) 8 divides 32; callers vouch for pointers to 8 values.
unsafe impl I16Vector for I16s {
    const LANES: usize = 8;
    type Sum = [i32; 4];

    #[inline(always)]
    unsafe fn load(from: *const i16) -> Self {
        // SAFETY: see above.
        Self(unsafe { from.cast::<[i16; 8]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut i16) {
        // SAFETY: see above.
        unsafe { to.cast::<[i16; 8]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|n| self.0[n].wrapping_add(other.0[n])))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|n| self.0[n].wrapping_sub(other.0[n])))
    }

    #[inline(always)]
    fn zero_sum() -> [i32; 4] {
        [0; 4]
    }

    #[inline(always)]
    unsafe fn screlu_dot(self, weights: *const i8, sum: [i32; 4]) -> [i32; 4] {
        // SAFETY: see above.
        let weights = unsafe { weights.cast::<[i8; 8]>().read_unaligned() };
        let x = self.0.map(|x| x.clamp(0, QA));
        let product = |n: usize| i32::from(x[n].wrapping_mul(weights[n].into())) * i32::from(x[n]);
        std::array::from_fn(|n| sum[n] + (product(2 * n) + product(2 * n + 1)))
    }

    #[inline(always)]
    fn horizontal_sum(a: [i32; 4], b: [i32; 4]) -> i64 {
        a.into_iter().chain(b).map(i64::from).sum()
    }
}

/// [`loops::pairwise_affine`].
#[inline]
pub(crate) fn first_layer(layers: &halfka::Layers, own: &[i16], other: &[i16]) -> [i32; OUTPUTS] {
    // SAFETY: plain Rust.
    unsafe { loops::pairwise_affine::<Sums>(layers, own, other) }
}

#[derive(Clone, Copy)]
pub(crate) struct Sums([i32; OUTPUTS]);

impl GroupSums for Sums {
    #[inline(always)]
    fn load(sums: &CacheAligned<[i32; OUTPUTS]>) -> Self {
        Self(sums.0)
    }

    #[inline(always)]
    fn store(self) -> [i32; OUTPUTS] {
        self.0
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|n| self.0[n].wrapping_add(other.0[n])))
    }

    #[inline(always)]
    fn add_dot(self, bytes: i32, weights: &Group) -> Self {
        let bytes = bytes.to_ne_bytes().map(i32::from);
        let dot = |w: &[i8; 4]| (0..4).map(|n| i32::from(w[n]) * bytes[n]).sum::<i32>();
        Self(std::array::from_fn(|n| self.0[n].wrapping_add(dot(&weights.0[n]))))
    }

    #[inline(always)]
    fn products(low: &[i16; BLOCK], high: &[i16; BLOCK]) -> (Block, u16) {
        let product = |n: usize| ((low[n].clamp(0, 127) * high[n].clamp(0, 127)) >> 7) as u8;
        let group = |n: usize| [4 * n, 4 * n + 1, 4 * n + 2, 4 * n + 3].map(product);
        let groups: [i32; 16] = std::array::from_fn(|n| i32::from_ne_bytes(group(n)));
        let nonzero = (0..16).fold(0, |bits, n| bits | u16::from(groups[n] != 0) << n);
        (CacheAligned(groups), nonzero)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct F32x16([f32; 16]);

impl vector::F32x16 for F32x16 {
    const REGISTERS: usize = 8;
    const FUSED: bool = cfg!(any(target_feature = "fma", target_arch = "aarch64"));

    unsafe fn outline<K: Outline>(kernel: K) {
        // SAFETY: plain Rust.
        unsafe { kernel.run::<Self>() }
    }

    #[inline(always)]
    fn load(values: &[f32; 16]) -> Self {
        Self(*values)
    }

    #[inline(always)]
    fn store(self, values: &mut [f32; 16]) {
        *values = self.0;
    }

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; 16])
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|n| self.0[n] + other.0[n]))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|n| self.0[n] - other.0[n]))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(std::array::from_fn(|n| self.0[n] * other.0[n]))
    }

    #[inline(always)]
    fn scale_by_power(self, exponent: Self) -> Self {
        let scaled = |n: usize| self.0[n].to_bits().wrapping_add(exponent.0[n].to_bits() << 23);
        Self(std::array::from_fn(|n| f32::from_bits(scaled(n))))
    }

    #[inline(always)]
    fn add_product(self, a: Self, b: Self) -> Self {
        Self(std::array::from_fn(|n| vector::mul_add::<Self>(a.0[n], b.0[n], self.0[n])))
    }

    #[inline(always)]
    fn clip(self) -> Self {
        Self(self.0.map(|value| value.clamp(0.0, 1.0)))
    }

    #[inline(always)]
    fn nonzero(self) -> u16 {
        (0..16).fold(0, |bits, n| bits | u16::from(self.0[n] != 0.0) << n)
    }

    #[inline(always)]
    unsafe fn load_partial(from: *const f32, len: usize) -> Self {
        if len == 16 {
            // SAFETY: the caller vouches for 16 values.
            return Self(unsafe { *from.cast() });
        }
        let mut values = [0.0; 16];
        // SAFETY: the caller vouches for `len` values, at most 16.
        unsafe { from.copy_to_nonoverlapping(values.as_mut_ptr(), len) };
        Self(values)
    }

    #[inline(always)]
    unsafe fn store_partial(self, to: *mut f32, len: usize) {
        if len == 16 {
            // SAFETY: the caller vouches for room for 16 values.
            return unsafe { *to.cast() = self.0 };
        }
        // SAFETY: the caller vouches for room for `len` values, at most 16.
        unsafe { to.copy_from_nonoverlapping(self.0.as_ptr(), len) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activations_are_clipped_and_squared() {
        // −1 is clipped to 0, 300 to 255.
        assert_eq!(screlu_dot(&[-1, 2], &[300, 255], &[100, 3, 1, -1]), 4 * 3);
    }

    #[test]
    fn accumulators_wrap_around_and_rows_beyond_the_weights_are_skipped() {
        let (mut up, mut down) = ([0; 2], [0; 2]);
        accumulate(&[1, 1, 7], &[i16::MAX, 0], &mut up, &[0, 1, u16::MAX], &[]);
        assert_eq!(up, [i16::MIN, 1]);
        accumulate(&[1, 1, 7], &up, &mut down, &[], &[u16::MAX, 0]);
        assert_eq!(down, [i16::MAX, 0]);
    }
}
