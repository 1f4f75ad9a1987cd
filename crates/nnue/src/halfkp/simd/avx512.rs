//! Vectors of 64 bytes, and dot products of bytes.

use std::arch::x86_64::*;

use crate::halfkp::layers::{Aligned, Dense, HIDDEN, INPUTS, Layers};
use crate::halfkp::{HALF, Half};

/// The numbers of a half in one vector.
const LANES: usize = 32;
/// A half is so many vectors: they stay in registers while all rows are added.
const VECTORS: usize = HALF / LANES;

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn change(rows: &[Half], from: &Half, removed: &[u16], added: &[u16], to: &mut Half) {
    let mut sums = load(from);
    for row in removed.iter().filter_map(|&feature| rows.get(usize::from(feature))) {
        for (sum, weight) in sums.iter_mut().zip(load(row)) {
            *sum = _mm512_sub_epi16(*sum, weight);
        }
    }
    for row in added.iter().filter_map(|&feature| rows.get(usize::from(feature))) {
        for (sum, weight) in sums.iter_mut().zip(load(row)) {
            *sum = _mm512_add_epi16(*sum, weight);
        }
    }
    for (vector, numbers) in sums.iter().zip(to.0.as_chunks_mut::<LANES>().0) {
        // SAFETY: `numbers` are 64 bytes, at a multiple of 64 bytes from the start of a `Half`, which
        // is aligned to 64.
        unsafe { _mm512_store_si512(numbers.as_mut_ptr().cast(), *vector) };
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn load(half: &Half) -> [__m512i; VECTORS] {
    let mut vectors = [_mm512_setzero_si512(); VECTORS];
    for (vector, numbers) in vectors.iter_mut().zip(half.0.as_chunks::<LANES>().0) {
        // SAFETY: `numbers` are 64 bytes, at a multiple of 64 bytes from the start of a `Half`, which
        // is aligned to 64.
        *vector = unsafe { _mm512_load_si512(numbers.as_ptr().cast()) };
    }
    vectors
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn output(layers: &Layers, own: &Half, other: &Half) -> i32 {
    let mut inputs = Aligned([0; INPUTS]);
    clip(own, &mut inputs.0[..HALF]);
    clip(other, &mut inputs.0[HALF..]);
    let hidden = dense(&layers.second, &dense(&layers.first, &inputs));
    // SAFETY: both are arrays of 32 bytes, aligned to 64.
    let (hidden, weights) = unsafe {
        let weights: &[i8; HIDDEN] = &layers.output.0;
        (_mm256_load_si256(hidden.0.as_ptr().cast()), _mm256_load_si256(weights.as_ptr().cast()))
    };
    let products = _mm512_madd_epi16(_mm512_cvtepu8_epi16(hidden), _mm512_cvtepi8_epi16(weights));
    layers.output_bias.wrapping_add(_mm512_reduce_add_epi32(products))
}

/// The numbers of a half as bytes from 0 to 127; `bytes` are [`HALF`] many.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn clip(half: &Half, bytes: &mut [u8]) {
    for (numbers, bytes) in load(half).into_iter().zip(bytes.as_chunks_mut::<LANES>().0) {
        let positive = _mm512_max_epi16(numbers, _mm512_setzero_si512());
        let clipped = _mm512_cvtsepi16_epi8(positive);
        // SAFETY: `bytes` are 32; a store without alignment.
        unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), clipped) };
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn dense<const IN: usize, const FOURS: usize>(
    layer: &Dense<IN, FOURS>,
    inputs: &Aligned<[u8; IN]>,
) -> Aligned<[u8; HIDDEN]> {
    /// Sums that do not wait for one another: a dot product takes longer than the next can begin.
    const CHAINS: usize = 4;
    let mut chains = [[_mm512_setzero_si512(); 2]; CHAINS];
    let inputs = inputs.0.as_chunks::<4>().0.as_chunks::<CHAINS>().0;
    for (inputs, weights) in inputs.iter().zip(layer.fours.0.as_chunks::<CHAINS>().0) {
        for ((input, weights), sums) in inputs.iter().zip(weights).zip(&mut chains) {
            let input = _mm512_set1_epi32(i32::from_ne_bytes(*input));
            for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<16>().0) {
                // SAFETY: sixteen times four weights are one vector; the first is at a multiple of 64
                // bytes from the start of an `Aligned`.
                let weights = unsafe { _mm512_load_si512(weights.as_ptr().cast()) };
                *sum = _mm512_dpbusd_epi32(*sum, input, weights);
            }
        }
    }
    let mut outputs = Aligned([0; HIDDEN]);
    for half in 0..2 {
        // SAFETY: the bias is two vectors of sixteen numbers, aligned to 64 bytes.
        let bias = unsafe { _mm512_load_si512(layer.bias.0[16 * half..].as_ptr().cast()) };
        let sum = chains.iter().fold(bias, |sum, chain| _mm512_add_epi32(sum, chain[half]));
        let positive = _mm512_max_epi32(_mm512_srai_epi32::<6>(sum), _mm512_setzero_si512());
        let clipped = _mm512_cvtepi32_epi8(_mm512_min_epi32(positive, _mm512_set1_epi32(127)));
        // SAFETY: a half of the outputs is 16 bytes; a store without alignment.
        unsafe { _mm_storeu_si128(outputs.0[16 * half..].as_mut_ptr().cast(), clipped) };
    }
    outputs
}
