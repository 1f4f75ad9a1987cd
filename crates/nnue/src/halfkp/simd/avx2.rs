//! Vectors of 32 bytes.

use std::arch::x86_64::*;

use crate::halfkp::layers::{Aligned, Dense, HIDDEN, INPUTS, Layers};
use crate::halfkp::{HALF, Half};

/// The numbers of a half in one vector.
const LANES: usize = 16;
/// A half is done in parts of so many vectors: they stay in registers while all rows are added.
const PART: usize = 8;

#[target_feature(enable = "avx2")]
pub(super) fn change(rows: &[Half], from: &Half, removed: &[u16], added: &[u16], to: &mut Half) {
    for start in (0..HALF).step_by(PART * LANES) {
        let mut sums = load(from, start);
        for row in removed.iter().filter_map(|&feature| rows.get(usize::from(feature))) {
            let weights = load(row, start);
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum = _mm256_sub_epi16(*sum, weight);
            }
        }
        for row in added.iter().filter_map(|&feature| rows.get(usize::from(feature))) {
            let weights = load(row, start);
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum = _mm256_add_epi16(*sum, weight);
            }
        }
        for (vector, numbers) in sums.iter().zip(to.0[start..].as_chunks_mut::<LANES>().0) {
            // SAFETY: `numbers` are 32 bytes, at a multiple of 32 bytes from the start of a `Half`,
            // which is aligned to 64.
            unsafe { _mm256_store_si256(numbers.as_mut_ptr().cast(), *vector) };
        }
    }
}

/// A part of a half, beginning with this number, which is a multiple of [`LANES`].
#[inline]
#[target_feature(enable = "avx2")]
fn load(half: &Half, start: usize) -> [__m256i; PART] {
    let mut vectors = [_mm256_setzero_si256(); PART];
    for (vector, numbers) in vectors.iter_mut().zip(half.0[start..].as_chunks::<LANES>().0) {
        // SAFETY: `numbers` are 32 bytes, at a multiple of 32 bytes from the start of a `Half`, which
        // is aligned to 64.
        *vector = unsafe { _mm256_load_si256(numbers.as_ptr().cast()) };
    }
    vectors
}

#[target_feature(enable = "avx2")]
pub(super) fn output(layers: &Layers, own: &Half, other: &Half) -> i32 {
    let mut inputs = Aligned([0; INPUTS]);
    clip(own, &mut inputs.0[..HALF]);
    clip(other, &mut inputs.0[HALF..]);
    let hidden = dense(&layers.second, &dense(&layers.first, &inputs));
    // SAFETY: both are arrays of 32 bytes; loads without alignment.
    let (hidden, weights) = unsafe {
        let weights: &[i8; HIDDEN] = &layers.output.0;
        (_mm256_loadu_si256(hidden.0.as_ptr().cast()), _mm256_loadu_si256(weights.as_ptr().cast()))
    };
    let mut sums = [0i32; 8];
    let products = dot_fours(_mm256_setzero_si256(), hidden, weights);
    // SAFETY: eight numbers of 32 bits are one vector; a store without alignment.
    unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast(), products) };
    layers.output_bias.wrapping_add(sums.iter().sum())
}

/// The numbers of a half as bytes from 0 to 127; `bytes` are [`HALF`] many.
#[inline]
#[target_feature(enable = "avx2")]
fn clip(half: &Half, bytes: &mut [u8]) {
    let numbers = half.0.as_chunks::<{ 2 * LANES }>().0;
    for (numbers, bytes) in numbers.iter().zip(bytes.as_chunks_mut::<32>().0) {
        // SAFETY: `numbers` are two vectors, at a multiple of 64 bytes from the start of a `Half`,
        // which is aligned to 64.
        let (low, high) = unsafe {
            let start: *const __m256i = numbers.as_ptr().cast();
            (_mm256_load_si256(start), _mm256_load_si256(start.add(1)))
        };
        let packed = _mm256_max_epi8(_mm256_packs_epi16(low, high), _mm256_setzero_si256());
        // Packing interleaves the two vectors by 8 bytes.
        let ordered = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
        // SAFETY: `bytes` are 32; a store without alignment.
        unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), ordered) };
    }
}

/// Adds to each sum the products of four bytes and four weights.
#[inline]
#[target_feature(enable = "avx2")]
fn dot_fours(sums: __m256i, bytes: __m256i, weights: __m256i) -> __m256i {
    let pairs = _mm256_maddubs_epi16(bytes, weights);
    _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn dense<const IN: usize, const FOURS: usize>(
    layer: &Dense<IN, FOURS>,
    inputs: &Aligned<[u8; IN]>,
) -> Aligned<[u8; HIDDEN]> {
    // SAFETY: the bias is four vectors of eight numbers, aligned to 64 bytes.
    let mut sums: [__m256i; 4] = unsafe {
        let bias: *const __m256i = layer.bias.0.as_ptr().cast();
        std::array::from_fn(|n| _mm256_load_si256(bias.add(n)))
    };
    for (input, weights) in inputs.0.as_chunks::<4>().0.iter().zip(&layer.fours.0) {
        let input = _mm256_set1_epi32(i32::from_ne_bytes(*input));
        for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<8>().0) {
            // SAFETY: eight times four weights are one vector; the first is at a multiple of 32 bytes
            // from the start of an `Aligned`.
            let weights = unsafe { _mm256_load_si256(weights.as_ptr().cast()) };
            *sum = dot_fours(*sum, input, weights);
        }
    }
    let [a, b, c, d] = sums.map(|sum| _mm256_srai_epi32::<6>(sum));
    let (low, high) = (_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    let packed = _mm256_max_epi8(_mm256_packs_epi16(low, high), _mm256_setzero_si256());
    // Packing twice interleaves the four vectors by 4 bytes.
    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let ordered = _mm256_permutevar8x32_epi32(packed, order);
    let mut outputs = Aligned([0; HIDDEN]);
    // SAFETY: the outputs are 32 bytes, aligned to 64.
    unsafe { _mm256_store_si256(outputs.0.as_mut_ptr().cast(), ordered) };
    outputs
}
