//! Vectors of 64 bytes, and dot products of bytes.

#![allow(clippy::needless_range_loop, reason = "see the parent module on loops")]

use std::arch::x86_64::*;

use super::view;
use crate::halfkp::Half;
use crate::halfkp::layers::{Aligned, Dense, HIDDEN, Layers};

/// A half as vectors: they stay in registers while all rows are added.
type Vectors = [__m512i; 8];

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn change(rows: &[Half], from: &Half, removed: &[u16], added: &[u16], to: &mut Half) {
    let mut sums = *vectors(from);
    for &feature in removed {
        if let Some(row) = rows.get(usize::from(feature)) {
            let row = vectors(row);
            for n in 0..8 {
                sums[n] = _mm512_sub_epi16(sums[n], row[n]);
            }
        }
    }
    for &feature in added {
        if let Some(row) = rows.get(usize::from(feature)) {
            let row = vectors(row);
            for n in 0..8 {
                sums[n] = _mm512_add_epi16(sums[n], row[n]);
            }
        }
    }
    // SAFETY: vectors and a half are numbers.
    *to = unsafe { *view(&sums) };
}

#[inline(always)]
fn vectors(half: &Half) -> &Vectors {
    // SAFETY: a half and vectors are numbers.
    unsafe { view(half) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn output(layers: &Layers, own: &Half, other: &Half) -> i32 {
    let inputs = Aligned([clipped(own), clipped(other)]);
    // SAFETY: vectors of bytes and fours of them are numbers.
    let hidden = dense(&layers.first, unsafe { view(&inputs) });
    // SAFETY: as above.
    let hidden = dense(&layers.second, unsafe { view(&hidden) });
    // SAFETY: arrays of 32 bytes and vectors are numbers.
    let (hidden, weights): (&Aligned<__m256i>, &Aligned<__m256i>) =
        unsafe { (view(&hidden), view(&layers.output)) };
    let products =
        _mm512_madd_epi16(_mm512_cvtepu8_epi16(hidden.0), _mm512_cvtepi8_epi16(weights.0));
    layers.output_bias.wrapping_add(_mm512_reduce_add_epi32(products))
}

/// The numbers of a half as bytes from 0 to 127.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn clipped(half: &Half) -> [__m256i; 8] {
    let mut bytes = [_mm256_setzero_si256(); 8];
    for n in 0..8 {
        let positive = _mm512_max_epi16(vectors(half)[n], _mm512_setzero_si512());
        bytes[n] = _mm512_cvtsepi16_epi8(positive);
    }
    bytes
}

/// A hidden layer. The inputs are taken four at a time, as a number that stands for their bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn dense<const IN: usize, const FOURS: usize>(
    layer: &Dense<IN, FOURS>,
    inputs: &Aligned<[i32; FOURS]>,
) -> Aligned<[u8; HIDDEN]> {
    /// Sums that do not wait for one another: a dot product takes longer than the next can begin.
    const CHAINS: usize = 4;
    // SAFETY: weights, biases and vectors are numbers.
    let (weights, bias): (&Aligned<[[__m512i; 2]; FOURS]>, &Aligned<[__m512i; 2]>) =
        unsafe { (view(&*layer.fours), view(&layer.bias)) };
    let mut chains = [[_mm512_setzero_si512(); 2]; CHAINS];
    for n in 0..FOURS / CHAINS {
        for chain in 0..CHAINS {
            let four = CHAINS * n + chain;
            let input = _mm512_set1_epi32(inputs.0[four]);
            for half in 0..2 {
                let sum = chains[chain][half];
                chains[chain][half] = _mm512_dpbusd_epi32(sum, input, weights.0[four][half]);
            }
        }
    }
    let mut outputs = Aligned([_mm_setzero_si128(); 2]);
    for half in 0..2 {
        let mut sum = bias.0[half];
        for chain in 0..CHAINS {
            sum = _mm512_add_epi32(sum, chains[chain][half]);
        }
        let positive = _mm512_max_epi32(_mm512_srai_epi32::<6>(sum), _mm512_setzero_si512());
        outputs.0[half] = _mm512_cvtepi32_epi8(_mm512_min_epi32(positive, _mm512_set1_epi32(127)));
    }
    // SAFETY: vectors and bytes are numbers.
    unsafe { *view(&outputs) }
}
