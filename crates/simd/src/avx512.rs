//! AVX-512: 64-byte vectors, with and without VNNI.

#![allow(clippy::needless_range_loop, reason = "see the module `vector` on loops")]

use std::arch::x86_64::*;

use crate::halfka::{self, BLOCK, OUTPUTS};
use crate::halfkp::{Accumulator, AffineLayer, HIDDEN, Layers, Tail, view};
use crate::vector::{self, I16Vector, Outline};
use crate::{CacheAligned, avx2};

// Without VNNI, wider registers do not make the small layers faster.
pub(crate) use crate::avx2::{halfkp_forward, halfkp_tail};
pub(crate) use crate::integer::Avx512 as Inlined;

pub(crate) type I16s = Words<false>;

/// The kernels that use VNNI.
pub(crate) mod vnni {
    pub(crate) use super::F32x16;
    pub(crate) use super::halfkp_forward_vnni as halfkp_forward;
    pub(crate) use super::halfkp_tail_vnni as halfkp_tail;
    pub(crate) use crate::integer::Avx512Vnni as Inlined;

    pub(crate) use super::first_layer_vnni as first_layer;
    pub(crate) type I16s = super::Words<true>;
}

/// [`scalar::halfkp_forward`](crate::scalar::halfkp_forward).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub fn halfkp_forward_vnni(layers: &Layers, own: &Accumulator, other: &Accumulator) -> i32 {
    let inputs = CacheAligned([avx2::clipped_relu(own), avx2::clipped_relu(other)]);
    // SAFETY: vectors of bytes and groups of four bytes are integers.
    halfkp_tail_vnni(&layers.tail, &affine(&layers.hidden1, unsafe { view(&inputs) }))
}

/// [`scalar::halfkp_tail`](crate::scalar::halfkp_tail).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub fn halfkp_tail_vnni(tail: &Tail, inputs: &CacheAligned<[u8; HIDDEN]>) -> i32 {
    // SAFETY: bytes and groups of four of them are integers.
    avx2::output(tail, &affine(&tail.hidden, unsafe { view(inputs) }))
}

/// An affine layer with clipped ReLU. The inputs come in groups of four bytes, as one `i32`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn affine<const IN: usize, const GROUPS: usize>(
    layer: &AffineLayer<IN, GROUPS>,
    inputs: &CacheAligned<[i32; GROUPS]>,
) -> CacheAligned<[u8; HIDDEN]> {
    /// Independent dependency chains, which hide the latency of the dot product.
    const CHAINS: usize = 4;
    // SAFETY: weights, biases and vectors are integers.
    let (weights, bias): (&CacheAligned<[[__m512i; 2]; GROUPS]>, &CacheAligned<[__m512i; 2]>) =
        unsafe { (view(&*layer.packed), view(&layer.bias)) };
    let mut chains = [[_mm512_setzero_si512(); 2]; CHAINS];
    for n in 0..GROUPS / CHAINS {
        for chain in 0..CHAINS {
            let group = CHAINS * n + chain;
            let input = _mm512_set1_epi32(inputs.0[group]);
            for half in 0..2 {
                let sum = chains[chain][half];
                chains[chain][half] = _mm512_dpbusd_epi32(sum, input, weights.0[group][half]);
            }
        }
    }
    let mut outputs = CacheAligned([_mm_setzero_si128(); 2]);
    for half in 0..2 {
        let mut sum = bias.0[half];
        for chain in 0..CHAINS {
            sum = _mm512_add_epi32(sum, chains[chain][half]);
        }
        let positive = _mm512_max_epi32(_mm512_srai_epi32::<6>(sum), _mm512_setzero_si512());
        outputs.0[half] = _mm512_cvtepi32_epi8(_mm512_min_epi32(positive, _mm512_set1_epi32(127)));
    }
    // SAFETY: vectors and bytes are integers.
    unsafe { *view(&outputs) }
}

#[derive(Clone, Copy)]
pub(crate) struct Words<const VNNI: bool>(__m512i);

// SAFETY: (the trait and all blocks) values of this type are used only where the CPU supports AVX-512F
// and BW, and VNNI if the parameter is set; callers vouch for pointers to 32 values, which need no
// alignment.
unsafe impl<const VNNI: bool> I16Vector for Words<VNNI> {
    const LANES: usize = 32;
    type Sum = __m512i;

    #[inline(always)]
    unsafe fn load(from: *const i16) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut i16) {
        // SAFETY: see above.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_add_epi16(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_sub_epi16(self.0, other.0) })
    }

    #[inline(always)]
    fn zero_sum() -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    unsafe fn screlu_dot(self, weights: *const i8, sum: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe {
            let positive = _mm512_max_epi16(self.0, _mm512_setzero_si512());
            let x = _mm512_min_epi16(positive, _mm512_set1_epi16(255));
            let w = _mm512_cvtepi8_epi16(_mm256_loadu_si256(weights.cast()));
            let product = _mm512_mullo_epi16(x, w);
            if VNNI {
                _mm512_dpwssd_epi32(sum, product, x)
            } else {
                _mm512_add_epi32(sum, _mm512_madd_epi16(product, x))
            }
        }
    }

    #[inline(always)]
    fn horizontal_sum(a: __m512i, b: __m512i) -> i64 {
        // SAFETY: see above.
        unsafe {
            let sum = _mm512_add_epi32(a, b);
            let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(sum));
            let high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(sum));
            _mm512_reduce_add_epi64(_mm512_add_epi64(low, high))
        }
    }
}

/// Clips the `n`th 32 values to 0..=127.
///
/// # Safety
/// The CPU supports AVX-512BW; there are 32 values.
#[inline(always)]
unsafe fn clip(values: &[i16; BLOCK], n: usize) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe {
        let values = _mm512_loadu_si512(values.as_ptr().add(32 * n).cast());
        let positive = _mm512_max_epi16(values, _mm512_setzero_si512());
        _mm512_min_epi16(positive, _mm512_set1_epi16(127))
    }
}

/// [`loops::pairwise_affine`](crate::loops::pairwise_affine).
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn first_layer(layers: &halfka::Layers, own: &[i16], other: &[i16]) -> [i32; OUTPUTS] {
    // SAFETY: the CPU supports AVX-512BW.
    unsafe { pairwise_affine::<false>(layers, own, other) }
}

/// [`loops::pairwise_affine`](crate::loops::pairwise_affine).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(crate) fn first_layer_vnni(
    layers: &halfka::Layers,
    own: &[i16],
    other: &[i16],
) -> [i32; OUTPUTS] {
    // SAFETY: the CPU supports AVX-512BW and VNNI.
    unsafe { pairwise_affine::<true>(layers, own, other) }
}

/// [`loops::pairwise_affine`](crate::loops::pairwise_affine), a block of inputs at a time: each output has a
/// register of sums, so that inputs need not be broadcast. That is faster than to skip groups, unless about
/// two of three are 0.
///
/// # Safety
/// The CPU supports AVX-512F and BW, and VNNI if the parameter is set.
#[inline(always)]
unsafe fn pairwise_affine<const VNNI: bool>(
    layers: &halfka::Layers,
    own: &[i16],
    other: &[i16],
) -> [i32; OUTPUTS] {
    let width = own.len();
    assert!(width.is_multiple_of(2 * BLOCK) && other.len() == width);
    assert!(layers.blocks.len() == width / BLOCK);
    // SAFETY: the caller's promise; the halves of an accumulator are whole blocks, and there are weights for
    // all; vectors, bytes and numbers that are viewed as each other are integers.
    unsafe {
        let mut sums = [_mm512_setzero_si512(); OUTPUTS];
        let mut weights = layers.blocks.as_ptr();
        for accumulator in [own, other] {
            for at in (0..width / 2).step_by(BLOCK) {
                let low = accumulator.as_ptr().add(at);
                let bytes = products(&*low.cast(), &*low.add(width / 2).cast());
                let block = view::<_, CacheAligned<[__m512i; OUTPUTS]>>(&*weights);
                for n in 0..OUTPUTS {
                    sums[n] = dot4::<VNNI>(sums[n], bytes, block.0[n]);
                }
                weights = weights.add(1);
            }
        }
        let bias = *view(&layers.bias);
        *view(&_mm512_add_epi32(horizontal_sums(sums), bias))
    }
}

/// `clamp(low, 0, 127) · clamp(high, 0, 127) / 128`, as bytes.
///
/// # Safety
/// The CPU supports AVX-512F and BW.
#[inline(always)]
unsafe fn products(low: &[i16; BLOCK], high: &[i16; BLOCK]) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe {
        let mut products = [_mm512_setzero_si512(); 2];
        for n in 0..2 {
            let product = _mm512_mullo_epi16(clip(low, n), clip(high, n));
            products[n] = _mm512_srli_epi16::<7>(product);
        }
        let packed = _mm512_packus_epi16(products[0], products[1]);
        // Packing interleaves the two vectors in blocks of 8 bytes.
        let order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
        _mm512_permutexvar_epi64(order, packed)
    }
}

/// Adds to each `i32` lane the dot product of four unsigned bytes and four signed ones.
///
/// # Safety
/// The CPU supports AVX-512F and BW, and VNNI if the parameter is set.
#[inline(always)]
unsafe fn dot4<const VNNI: bool>(sums: __m512i, bytes: __m512i, weights: __m512i) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe {
        if VNNI {
            _mm512_dpbusd_epi32(sums, bytes, weights)
        } else {
            let pairs = _mm512_maddubs_epi16(bytes, weights);
            _mm512_add_epi32(sums, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
        }
    }
}

/// Lane *n* is the sum of the lanes of vector *n*.
///
/// # Safety
/// The CPU supports AVX-512F.
#[inline(always)]
unsafe fn horizontal_sums(vectors: [__m512i; 16]) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe {
        // In each 128-bit lane first the sums of two lanes of `i32`, then of all four.
        let mut pairs = [_mm512_setzero_si512(); 8];
        for n in 0..8 {
            let (a, b) = (vectors[2 * n], vectors[2 * n + 1]);
            pairs[n] = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        }
        let mut fours = [_mm512_setzero_si512(); 4];
        for n in 0..4 {
            let (a, b) = (pairs[2 * n], pairs[2 * n + 1]);
            fours[n] = _mm512_add_epi32(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
        }
        let low = add_even_and_odd(fours[0], fours[1]);
        add_even_and_odd(low, add_even_and_odd(fours[2], fours[3]))
    }
}

/// The sums of neighbouring 128-bit lanes, those of `a` first.
///
/// # Safety
/// The CPU supports AVX-512F.
#[inline(always)]
unsafe fn add_even_and_odd(a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe {
        let even = _mm512_shuffle_i32x4::<0b10_00_10_00>(a, b);
        _mm512_add_epi32(even, _mm512_shuffle_i32x4::<0b11_01_11_01>(a, b))
    }
}

/// One register.
#[derive(Clone, Copy)]
pub(crate) struct F32x16(__m512);

impl F32x16 {
    /// The register.
    #[inline(always)]
    pub(crate) const fn register(self) -> __m512 {
        self.0
    }

    /// From a register.
    #[inline(always)]
    pub(crate) const fn of(register: __m512) -> Self {
        Self(register)
    }

    /// A mask of the first `len` lanes.
    #[inline(always)]
    const fn mask(len: usize) -> __mmask16 {
        (0xffff_u32 >> (16 - len)) as __mmask16
    }
}

// SAFETY (all blocks): values of this type are used only where the CPU supports AVX-512F. Loads and
// stores are of references to sixteen values, or of the lanes that the caller vouches for; they need no
// alignment.
impl vector::F32x16 for F32x16 {
    const REGISTERS: usize = 32;
    const FUSED: bool = true;

    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma")]
    #[inline(never)]
    unsafe fn outline<K: Outline>(kernel: K) {
        // SAFETY: the caller's promise.
        unsafe { kernel.run::<Self>() }
    }

    #[inline(always)]
    fn load(values: &[f32; 16]) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_loadu_ps(values.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, values: &mut [f32; 16]) {
        // SAFETY: see above.
        unsafe { _mm512_storeu_ps(values.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_sub_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_mul_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn scale_by_power(self, exponent: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            let power = _mm512_slli_epi32::<23>(_mm512_castps_si512(exponent.0));
            _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(self.0), power))
        })
    }

    #[inline(always)]
    fn transpose(rows: &[Self; 16]) -> [Self; 16] {
        // SAFETY: see above.
        unsafe {
            let zero = _mm512_setzero_ps();
            // Pairs of rows, then groups of four rows, within 128-bit parts; then the parts themselves.
            let (mut pairs, mut fours) = ([zero; 16], [zero; 16]);
            for n in 0..8 {
                let (a, b) = (rows[2 * n].0, rows[2 * n + 1].0);
                pairs[2 * n] = _mm512_unpacklo_ps(a, b);
                pairs[2 * n + 1] = _mm512_unpackhi_ps(a, b);
            }
            for n in 0..4 {
                for half in 0..2 {
                    let a = _mm512_castps_pd(pairs[4 * n + half]);
                    let b = _mm512_castps_pd(pairs[4 * n + 2 + half]);
                    fours[4 * n + 2 * half] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
                    fours[4 * n + 2 * half + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
                }
            }
            let mut columns = *rows;
            for n in 0..4 {
                let [a, b, c, d] = [fours[n], fours[4 + n], fours[8 + n], fours[12 + n]];
                let even_low = _mm512_shuffle_f32x4::<0x88>(a, b);
                let even_high = _mm512_shuffle_f32x4::<0x88>(c, d);
                let odd_low = _mm512_shuffle_f32x4::<0xdd>(a, b);
                let odd_high = _mm512_shuffle_f32x4::<0xdd>(c, d);
                columns[n] = Self(_mm512_shuffle_f32x4::<0x88>(even_low, even_high));
                columns[8 + n] = Self(_mm512_shuffle_f32x4::<0xdd>(even_low, even_high));
                columns[4 + n] = Self(_mm512_shuffle_f32x4::<0x88>(odd_low, odd_high));
                columns[12 + n] = Self(_mm512_shuffle_f32x4::<0xdd>(odd_low, odd_high));
            }
            columns
        }
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        // SAFETY: see above.
        unsafe {
            let (low, high) = (_mm512_castps512_ps256(self.0), _mm512_extractf32x8_ps::<1>(self.0));
            avx2::sum(_mm256_add_ps(low, high))
        }
    }

    #[inline(always)]
    fn add_product(self, a: Self, b: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_fmadd_ps(a.0, b.0, self.0) })
    }

    #[inline(always)]
    fn clip(self) -> Self {
        // SAFETY: see above.
        Self(unsafe {
            _mm512_min_ps(_mm512_max_ps(self.0, _mm512_setzero_ps()), _mm512_set1_ps(1.0))
        })
    }

    #[inline(always)]
    fn nonzero(self) -> u16 {
        // SAFETY: see above.
        unsafe { _mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(self.0, _mm512_setzero_ps()) }
    }

    #[inline(always)]
    unsafe fn load_partial(from: *const f32, len: usize) -> Self {
        // SAFETY: see above; lanes beyond the mask are not accessed.
        Self(unsafe { _mm512_maskz_loadu_ps(Self::mask(len), from) })
    }

    #[inline(always)]
    unsafe fn store_partial(self, to: *mut f32, len: usize) {
        // SAFETY: see above; lanes beyond the mask are not accessed.
        unsafe { _mm512_mask_storeu_ps(to, Self::mask(len), self.0) }
    }
}
