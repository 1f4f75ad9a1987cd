//! AVX-512: 64-byte vectors, with and without VNNI.

#![allow(clippy::needless_range_loop, reason = "see the module `vector` on loops")]

use std::arch::x86_64::*;

use crate::halfkp::{Accumulator, AffineLayer, HIDDEN, Layers, view};
use crate::vector::{self, I16Vector, Outline};
use crate::{CacheAligned, avx2};

// Without VNNI, wider registers do not make the small layers faster.
pub(crate) use crate::avx2::halfkp_forward;

pub(crate) type I16s = Words<false>;

/// The kernels that use VNNI.
pub(crate) mod vnni {
    pub(crate) use super::F32x16;
    pub(crate) use super::halfkp_forward_vnni as halfkp_forward;

    pub(crate) type I16s = super::Words<true>;
}

/// [`scalar::halfkp_forward`](crate::scalar::halfkp_forward).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub fn halfkp_forward_vnni(layers: &Layers, own: &Accumulator, other: &Accumulator) -> i32 {
    let inputs = CacheAligned([avx2::clipped_relu(own), avx2::clipped_relu(other)]);
    // SAFETY: vectors of bytes and groups of four bytes are integers.
    let hidden = affine(&layers.hidden1, unsafe { view(&inputs) });
    // SAFETY: as above.
    avx2::output(layers, &affine(&layers.hidden2, unsafe { view(&hidden) }))
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
// and BW, and VNNI where the parameter says so; callers vouch for pointers to 32 values, which need no
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
    fn horizontal_sum(sum: __m512i) -> i64 {
        // SAFETY: see above.
        unsafe {
            let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(sum));
            let high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(sum));
            _mm512_reduce_add_epi64(_mm512_add_epi64(low, high))
        }
    }
}

/// One register.
#[derive(Clone, Copy)]
pub(crate) struct F32x16(__m512);

impl F32x16 {
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
