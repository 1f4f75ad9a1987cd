//! AVX2: 32-byte vectors.

#![allow(clippy::needless_range_loop, reason = "see the module `vector` on loops")]

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use crate::halfka::{self, BLOCK, GROUPS_OF_BLOCK, Group, OUTPUTS};
use crate::halfkp::{Accumulator, AffineLayer, HIDDEN, Layers, Tail, view};
pub(crate) use crate::integer::Avx2 as Inlined;
use crate::vector::{self, Block, GroupSums, I16Vector, Outline};
use crate::{CacheAligned, loops};

/// [`scalar::halfkp_forward`](crate::scalar::halfkp_forward).
#[inline]
#[target_feature(enable = "avx2")]
pub fn halfkp_forward(layers: &Layers, own: &Accumulator, other: &Accumulator) -> i32 {
    let inputs = CacheAligned([clipped_relu(own), clipped_relu(other)]);
    // SAFETY: vectors of bytes and groups of four bytes are integers.
    halfkp_tail(&layers.tail, &affine(&layers.hidden1, unsafe { view(&inputs) }))
}

/// [`scalar::halfkp_tail`](crate::scalar::halfkp_tail).
#[inline]
#[target_feature(enable = "avx2")]
pub fn halfkp_tail(tail: &Tail, inputs: &CacheAligned<[u8; HIDDEN]>) -> i32 {
    // SAFETY: bytes and groups of four of them are integers.
    output(tail, &affine(&tail.hidden, unsafe { view(inputs) }))
}

/// Clipped ReLU of an accumulator: bytes from 0 to 127.
#[inline]
#[target_feature(enable = "avx2")]
pub fn clipped_relu(accumulator: &Accumulator) -> [__m256i; 8] {
    // SAFETY: both types are integers.
    let pairs: &[[__m256i; 2]; 8] = unsafe { view(accumulator) };
    let mut bytes = [_mm256_setzero_si256(); 8];
    for n in 0..8 {
        let packed = _mm256_packs_epi16(pairs[n][0], pairs[n][1]);
        let positive = _mm256_max_epi8(packed, _mm256_setzero_si256());
        // Packing interleaves the two vectors in blocks of 8 bytes.
        bytes[n] = _mm256_permute4x64_epi64::<0b11_01_10_00>(positive);
    }
    bytes
}

/// The output layer.
#[inline]
#[target_feature(enable = "avx2")]
pub fn output(tail: &Tail, hidden: &CacheAligned<[u8; HIDDEN]>) -> i32 {
    // SAFETY: arrays of 32 bytes and vectors are integers.
    let (hidden, weights): (&CacheAligned<__m256i>, &CacheAligned<__m256i>) =
        unsafe { (view(hidden), view(&tail.output_weights)) };
    let products = dot4(_mm256_setzero_si256(), hidden.0, weights.0);
    // SAFETY: a vector and eight `i32` are integers.
    let products: &[i32; 8] = unsafe { view(&products) };
    let mut sum = tail.output_bias;
    for n in 0..8 {
        sum = sum.wrapping_add(products[n]);
    }
    sum
}

/// Adds to each `i32` lane the dot product of four unsigned bytes and four signed ones.
#[inline]
#[target_feature(enable = "avx2")]
fn dot4(sums: __m256i, bytes: __m256i, weights: __m256i) -> __m256i {
    let pairs = _mm256_maddubs_epi16(bytes, weights);
    _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
}

/// An affine layer with clipped ReLU. The inputs come in groups of four bytes, as one `i32`.
#[inline]
#[target_feature(enable = "avx2")]
fn affine<const IN: usize, const GROUPS: usize>(
    layer: &AffineLayer<IN, GROUPS>,
    inputs: &CacheAligned<[i32; GROUPS]>,
) -> CacheAligned<[u8; HIDDEN]> {
    // SAFETY: weights, biases and vectors are integers.
    let (weights, bias): (&CacheAligned<[[__m256i; 4]; GROUPS]>, &CacheAligned<[__m256i; 4]>) =
        unsafe { (view(&*layer.packed), view(&layer.bias)) };
    let mut sums = bias.0;
    for group in 0..GROUPS {
        let input = _mm256_set1_epi32(inputs.0[group]);
        for n in 0..4 {
            sums[n] = dot4(sums[n], input, weights.0[group][n]);
        }
    }
    for n in 0..4 {
        sums[n] = _mm256_srai_epi32::<6>(sums[n]);
    }
    let low = _mm256_packs_epi32(sums[0], sums[1]);
    let high = _mm256_packs_epi32(sums[2], sums[3]);
    let packed = _mm256_max_epi8(_mm256_packs_epi16(low, high), _mm256_setzero_si256());
    // Packing twice interleaves the four vectors in blocks of 4 bytes.
    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let outputs = CacheAligned(_mm256_permutevar8x32_epi32(packed, order));
    // SAFETY: a vector and bytes are integers.
    unsafe { *view(&outputs) }
}

#[derive(Clone, Copy)]
pub(crate) struct I16s(__m256i);

// SAFETY: (the trait and all blocks) 16 divides 32; values of this type are used only where the CPU
// supports AVX2; callers vouch for pointers to 16 values, which need no alignment.
unsafe impl I16Vector for I16s {
    const LANES: usize = 16;
    type Sum = __m256i;

    #[inline(always)]
    unsafe fn load(from: *const i16) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut i16) {
        // SAFETY: see above.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_add_epi16(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_sub_epi16(self.0, other.0) })
    }

    #[inline(always)]
    fn zero_sum() -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    unsafe fn screlu_dot(self, weights: *const i8, sum: __m256i) -> __m256i {
        // SAFETY: see above.
        unsafe {
            let positive = _mm256_max_epi16(self.0, _mm256_setzero_si256());
            let x = _mm256_min_epi16(positive, _mm256_set1_epi16(255));
            let w = _mm256_cvtepi8_epi16(_mm_loadu_si128(weights.cast()));
            _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_mullo_epi16(x, w), x))
        }
    }

    #[inline(always)]
    fn horizontal_sum(a: __m256i, b: __m256i) -> i64 {
        // SAFETY: see above.
        unsafe {
            let sum = _mm256_add_epi32(a, b);
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

/// Clips the `n`th sixteen values to 0..=127.
///
/// # Safety
/// The CPU supports AVX2; there are sixteen values.
#[inline(always)]
unsafe fn clip(values: &[i16; BLOCK], n: usize) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe {
        let values = _mm256_loadu_si256(values.as_ptr().add(16 * n).cast());
        let positive = _mm256_max_epi16(values, _mm256_setzero_si256());
        _mm256_min_epi16(positive, _mm256_set1_epi16(127))
    }
}

/// For each byte the indices of its bits, as bytes.
static BITS: [u64; 256] = {
    let mut numbers = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut rest, mut shift) = (byte, 0);
        while rest != 0 {
            numbers[byte] |= (rest.trailing_zeros() as u64) << shift;
            shift += 8;
            rest &= rest - 1;
        }
        byte += 1;
    }
    numbers
};

/// The indices of the bits of a byte, counted from `first`; those after the last are of no use.
///
/// # Safety
/// The CPU supports AVX2.
#[inline(always)]
unsafe fn bits(byte: u8, first: u32) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe {
        let numbers = _mm_cvtsi64_si128(BITS[usize::from(byte)] as i64);
        _mm256_add_epi32(_mm256_cvtepu8_epi32(numbers), _mm256_set1_epi32(first as i32))
    }
}

/// [`loops::pairwise_affine`].
#[inline]
#[target_feature(enable = "avx2,popcnt")]
pub(crate) fn first_layer(layers: &halfka::Layers, own: &[i16], other: &[i16]) -> [i32; OUTPUTS] {
    // SAFETY: the CPU supports AVX2.
    unsafe { loops::pairwise_affine::<Sums>(layers, own, other) }
}

/// Two registers.
#[derive(Clone, Copy)]
pub(crate) struct Sums([__m256i; 2]);

// SAFETY (all blocks): values of this type are used only where the CPU supports AVX2; vectors, bytes and
// numbers that are viewed as each other are integers.
impl GroupSums for Sums {
    #[inline(always)]
    fn load(sums: &CacheAligned<[i32; OUTPUTS]>) -> Self {
        // SAFETY: see above.
        Self(unsafe { view::<_, CacheAligned<[__m256i; 2]>>(sums) }.0)
    }

    #[inline(always)]
    fn store(self) -> [i32; OUTPUTS] {
        // SAFETY: see above.
        unsafe { *view(&self.0) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: see above.
        Self(unsafe { [_mm256_add_epi32(a, c), _mm256_add_epi32(b, d)] })
    }

    #[inline(always)]
    fn append(mask: u16, first: u32, to: &mut [MaybeUninit<u32>; GROUPS_OF_BLOCK]) {
        let bytes = mask.to_le_bytes();
        // SAFETY: see above; eight numbers are written from the first on, then eight from the ninth at most.
        unsafe {
            let to = to.as_mut_ptr();
            _mm256_storeu_si256(to.cast(), bits(bytes[0], first));
            let to = to.add(bytes[0].count_ones() as usize);
            _mm256_storeu_si256(to.cast(), bits(bytes[1], first + 8));
        }
    }

    #[inline(always)]
    fn add_dot(self, bytes: i32, weights: &Group) -> Self {
        // SAFETY: see above.
        unsafe {
            let weights = view::<_, CacheAligned<[__m256i; 2]>>(weights).0;
            let bytes = _mm256_set1_epi32(bytes);
            Self([dot4(self.0[0], bytes, weights[0]), dot4(self.0[1], bytes, weights[1])])
        }
    }

    #[inline(always)]
    fn products(low: &[i16; BLOCK], high: &[i16; BLOCK]) -> (Block, u16) {
        let mut groups = CacheAligned([0; 16]);
        let mut nonzero = 0;
        // SAFETY: see above; the loads and stores are of 16 values from a multiple of 16 on, or of 8.
        unsafe {
            let mut products = [_mm256_setzero_si256(); 4];
            for n in 0..4 {
                let product = _mm256_mullo_epi16(clip(low, n), clip(high, n));
                products[n] = _mm256_srli_epi16::<7>(product);
            }
            for n in 0..2 {
                let packed = _mm256_packus_epi16(products[2 * n], products[2 * n + 1]);
                // Packing interleaves the two vectors in blocks of 8 bytes.
                let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
                _mm256_store_si256(groups.0.as_mut_ptr().add(8 * n).cast(), bytes);
                let zeros = _mm256_cmpeq_epi32(bytes, _mm256_setzero_si256());
                nonzero |=
                    (!_mm256_movemask_ps(_mm256_castsi256_ps(zeros)) as u16 & 0xff) << (8 * n);
            }
        }
        (groups, nonzero)
    }
}

/// Two registers.
#[derive(Clone, Copy)]
pub(crate) struct F32x16([__m256; 2]);

/// The sum of eight lanes, by halves.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn sum(eight: __m256) -> f32 {
    let four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
    let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
}

impl F32x16 {
    /// A mask of the first `len` lanes of a register.
    #[inline(always)]
    fn mask(len: usize) -> __m256i {
        // SAFETY: see below.
        unsafe {
            let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            _mm256_cmpgt_epi32(_mm256_set1_epi32(len as i32), lanes)
        }
    }
}

// SAFETY (all blocks): values of this type are used only where the CPU supports AVX2 and FMA. Loads and
// stores are of references to eight values each, or of the lanes that the caller vouches for; they need
// no alignment.
impl vector::F32x16 for F32x16 {
    const REGISTERS: usize = 8;
    const FUSED: bool = true;

    #[target_feature(enable = "avx2,fma")]
    #[inline(never)]
    unsafe fn outline<K: Outline>(kernel: K) {
        // SAFETY: the caller's promise.
        unsafe { kernel.run::<Self>() }
    }

    #[inline(always)]
    fn load(values: &[f32; 16]) -> Self {
        let from = values.as_ptr();
        // SAFETY: see above.
        Self(unsafe { [_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8))] })
    }

    #[inline(always)]
    fn store(self, values: &mut [f32; 16]) {
        let to = values.as_mut_ptr();
        // SAFETY: see above.
        unsafe {
            _mm256_storeu_ps(to, self.0[0]);
            _mm256_storeu_ps(to.add(8), self.0[1]);
        }
    }

    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: see above.
        Self([unsafe { _mm256_set1_ps(value) }; 2])
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: see above.
        Self(unsafe { [_mm256_add_ps(a, c), _mm256_add_ps(b, d)] })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: see above.
        Self(unsafe { [_mm256_sub_ps(a, c), _mm256_sub_ps(b, d)] })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: see above.
        Self(unsafe { [_mm256_mul_ps(a, c), _mm256_mul_ps(b, d)] })
    }

    #[inline(always)]
    fn scale_by_power(mut self, exponent: Self) -> Self {
        for n in 0..2 {
            // SAFETY: see above.
            self.0[n] = unsafe {
                let power = _mm256_slli_epi32::<23>(_mm256_castps_si256(exponent.0[n]));
                _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(self.0[n]), power))
            };
        }
        self
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        // SAFETY: see above.
        unsafe { sum(_mm256_add_ps(self.0[0], self.0[1])) }
    }

    #[inline(always)]
    fn add_product(self, a: Self, b: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            [_mm256_fmadd_ps(a.0[0], b.0[0], self.0[0]), _mm256_fmadd_ps(a.0[1], b.0[1], self.0[1])]
        })
    }

    #[inline(always)]
    fn clip(self) -> Self {
        // SAFETY: see above.
        unsafe {
            let (zero, one) = (_mm256_setzero_ps(), _mm256_set1_ps(1.0));
            let low = _mm256_min_ps(_mm256_max_ps(self.0[0], zero), one);
            Self([low, _mm256_min_ps(_mm256_max_ps(self.0[1], zero), one)])
        }
    }

    #[inline(always)]
    fn nonzero(self) -> u16 {
        // SAFETY: see above.
        unsafe {
            let low = _mm256_cmp_ps::<_CMP_NEQ_UQ>(self.0[0], _mm256_setzero_ps());
            let high = _mm256_cmp_ps::<_CMP_NEQ_UQ>(self.0[1], _mm256_setzero_ps());
            _mm256_movemask_ps(low) as u16 | (_mm256_movemask_ps(high) as u16) << 8
        }
    }

    #[inline(always)]
    unsafe fn load_partial(from: *const f32, len: usize) -> Self {
        let upper = from.wrapping_add(8);
        // SAFETY: see above; lanes beyond a mask are not accessed.
        Self(unsafe {
            if len == 16 {
                [_mm256_loadu_ps(from), _mm256_loadu_ps(upper)]
            } else {
                let (low, high) = (Self::mask(len), Self::mask(len.saturating_sub(8)));
                [_mm256_maskload_ps(from, low), _mm256_maskload_ps(upper, high)]
            }
        })
    }

    #[inline(always)]
    unsafe fn store_partial(self, to: *mut f32, len: usize) {
        let upper = to.wrapping_add(8);
        // SAFETY: see above; lanes beyond a mask are not accessed.
        unsafe {
            if len == 16 {
                _mm256_storeu_ps(to, self.0[0]);
                _mm256_storeu_ps(upper, self.0[1]);
            } else {
                _mm256_maskstore_ps(to, Self::mask(len), self.0[0]);
                _mm256_maskstore_ps(upper, Self::mask(len.saturating_sub(8)), self.0[1]);
            }
        }
    }
}
