//! Vectors of 32 bytes.

#![allow(clippy::needless_range_loop, reason = "see the parent module on loops")]

use std::arch::x86_64::*;

use super::view;
use crate::halfkp::Half;
use crate::halfkp::layers::{Aligned, Dense, HIDDEN, Layers};

/// A half as vectors, in two parts: the vectors of one stay in registers while all rows are added.
type Vectors = [[__m256i; 8]; 2];

#[target_feature(enable = "avx2")]
pub(super) fn change(rows: &[Half], from: &Half, removed: &[u16], added: &[u16], to: &mut Half) {
    let mut sums = *vectors(from);
    for part in 0..2 {
        let mut sum = sums[part];
        for &feature in removed {
            if let Some(row) = rows.get(usize::from(feature)) {
                let row = &vectors(row)[part];
                for n in 0..8 {
                    sum[n] = _mm256_sub_epi16(sum[n], row[n]);
                }
            }
        }
        for &feature in added {
            if let Some(row) = rows.get(usize::from(feature)) {
                let row = &vectors(row)[part];
                for n in 0..8 {
                    sum[n] = _mm256_add_epi16(sum[n], row[n]);
                }
            }
        }
        sums[part] = sum;
    }
    let sums = Aligned(sums);
    // SAFETY: vectors and a half are numbers.
    *to = unsafe { *view(&sums) };
}

#[inline(always)]
fn vectors(half: &Half) -> &Vectors {
    // SAFETY: a half and vectors are numbers.
    unsafe { view(half) }
}

#[target_feature(enable = "avx2")]
pub(super) fn output(layers: &Layers, own: &Half, other: &Half) -> i32 {
    let inputs = Aligned([clipped(own), clipped(other)]);
    // SAFETY: vectors of bytes and fours of them are numbers.
    let hidden = dense(&layers.first, unsafe { view(&inputs) });
    // SAFETY: as above.
    let hidden = dense(&layers.second, unsafe { view(&hidden) });
    // SAFETY: arrays of 32 bytes and vectors are numbers.
    let (hidden, weights): (&Aligned<__m256i>, &Aligned<__m256i>) =
        unsafe { (view(&hidden), view(&layers.output)) };
    let products = dot_fours(_mm256_setzero_si256(), hidden.0, weights.0);
    // SAFETY: a vector and eight numbers are numbers.
    let products: &[i32; 8] = unsafe { view(&products) };
    let mut sum = layers.output_bias;
    for n in 0..8 {
        sum = sum.wrapping_add(products[n]);
    }
    sum
}

/// The numbers of a half as bytes from 0 to 127.
#[inline]
#[target_feature(enable = "avx2")]
fn clipped(half: &Half) -> [__m256i; 8] {
    // SAFETY: a half and vectors are numbers.
    let pairs: &[[__m256i; 2]; 8] = unsafe { view(half) };
    let mut bytes = [_mm256_setzero_si256(); 8];
    for n in 0..8 {
        let packed = _mm256_packs_epi16(pairs[n][0], pairs[n][1]);
        let positive = _mm256_max_epi8(packed, _mm256_setzero_si256());
        // Packing interleaves the two vectors by 8 bytes.
        bytes[n] = _mm256_permute4x64_epi64::<0b11_01_10_00>(positive);
    }
    bytes
}

/// Adds to each sum the products of four bytes and four weights.
#[inline]
#[target_feature(enable = "avx2")]
fn dot_fours(sums: __m256i, bytes: __m256i, weights: __m256i) -> __m256i {
    let pairs = _mm256_maddubs_epi16(bytes, weights);
    _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
}

/// A hidden layer. The inputs are taken four at a time, as a number that stands for their bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn dense<const IN: usize, const FOURS: usize>(
    layer: &Dense<IN, FOURS>,
    inputs: &Aligned<[i32; FOURS]>,
) -> Aligned<[u8; HIDDEN]> {
    // SAFETY: weights, biases and vectors are numbers.
    let (weights, bias): (&Aligned<[[__m256i; 4]; FOURS]>, &Aligned<[__m256i; 4]>) =
        unsafe { (view(&*layer.fours), view(&layer.bias)) };
    let mut sums = bias.0;
    for four in 0..FOURS {
        let input = _mm256_set1_epi32(inputs.0[four]);
        for n in 0..4 {
            sums[n] = dot_fours(sums[n], input, weights.0[four][n]);
        }
    }
    for n in 0..4 {
        sums[n] = _mm256_srai_epi32::<6>(sums[n]);
    }
    let low = _mm256_packs_epi32(sums[0], sums[1]);
    let high = _mm256_packs_epi32(sums[2], sums[3]);
    let packed = _mm256_max_epi8(_mm256_packs_epi16(low, high), _mm256_setzero_si256());
    // Packing twice interleaves the four vectors by 4 bytes.
    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let outputs = Aligned(_mm256_permutevar8x32_epi32(packed, order));
    // SAFETY: a vector and bytes are numbers.
    unsafe { *view(&outputs) }
}
