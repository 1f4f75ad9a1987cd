//! The integer loops of [`scalar`](crate::scalar) over registers, generic over the instruction set.

use crate::CacheAligned;
use crate::halfka::{BLOCK, Layers, OUTPUTS};
use crate::quantized::STEP;
use crate::vector::{GroupSums, I16Vector};

/// Registers of a tile: their sums stay in registers while all rows are added.
const TILE: usize = 8;

/// Values whose products are summed in `i32` before the sum is widened: even with four lanes each gets
/// 256 products of at most 255² · 128, which is below 2³¹.
const SEGMENT: usize = 1024;

/// [`scalar::accumulate`](crate::scalar::accumulate).
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
pub(crate) unsafe fn accumulate<V: I16Vector>(
    weights: &[i16],
    src: &[i16],
    dst: &mut [i16],
    add: &[u16],
    sub: &[u16],
) {
    let len = dst.len();
    assert!(len.is_multiple_of(STEP) && src.len() == len);
    let row = |row: &u16| weights.get(usize::from(*row) * len..)?.get(..len);
    // The deltas of a quiet move, a capture and castling, in one pass over all rows.
    // SAFETY: the caller's promise; all rows are as long as the accumulators.
    unsafe {
        match (add, sub) {
            ([a], [r]) => {
                if let (Some(a), Some(r)) = (row(a), row(r)) {
                    return accumulate_rows::<V, 1, 1>(src, dst, [a], [r]);
                }
            }
            ([a], [r, s]) => {
                if let (Some(a), Some(r), Some(s)) = (row(a), row(r), row(s)) {
                    return accumulate_rows::<V, 1, 2>(src, dst, [a], [r, s]);
                }
            }
            ([a, b], [r, s]) => {
                if let (Some(a), Some(b), Some(r), Some(s)) = (row(a), row(b), row(r), row(s)) {
                    return accumulate_rows::<V, 2, 2>(src, dst, [a, b], [r, s]);
                }
            }
            _ => {}
        }
    }
    let mut at = 0;
    while at + TILE * V::LANES <= len {
        // SAFETY: the tile ends within the accumulators.
        unsafe { accumulate_tile::<V, TILE>((weights, src, dst), add, sub, at) };
        at += TILE * V::LANES;
    }
    while at < len {
        // SAFETY: the length is a multiple of the lanes, so another register is left.
        unsafe { accumulate_tile::<V, 1>((weights, src, dst), add, sub, at) };
        at += V::LANES;
    }
}

/// `dst = src` plus `A` rows and minus `S`.
///
/// # Safety
/// The CPU supports the instruction set of `V`; all slices have the same length, a multiple of the lanes.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "see the module `vector` on loops")]
unsafe fn accumulate_rows<V: I16Vector, const A: usize, const S: usize>(
    src: &[i16],
    dst: &mut [i16],
    add: [&[i16]; A],
    sub: [&[i16]; S],
) {
    for at in (0..dst.len()).step_by(V::LANES) {
        // SAFETY: the caller's promise.
        unsafe {
            let mut sum = V::load(src.as_ptr().add(at));
            for n in 0..A {
                sum = sum.add(V::load(add[n].as_ptr().add(at)));
            }
            for n in 0..S {
                sum = sum.sub(V::load(sub[n].as_ptr().add(at)));
            }
            sum.store(dst.as_mut_ptr().add(at));
        }
    }
}

/// The registers from `at` on.
///
/// # Safety
/// The CPU supports the instruction set of `V`; `src` and `dst` have the same length, and `T · LANES`
/// values from `at` on.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "see the module `vector` on loops")]
unsafe fn accumulate_tile<V: I16Vector, const T: usize>(
    (weights, src, dst): (&[i16], &[i16], &mut [i16]),
    add: &[u16],
    sub: &[u16],
    at: usize,
) {
    let len = dst.len();
    let row = |row: u16| weights.get(usize::from(row) * len..)?.get(..len);
    // SAFETY: the caller's promise; rows are as long as the accumulators.
    unsafe {
        let from = src.as_ptr().add(at);
        let mut tile = [V::load(from); T];
        for n in 1..T {
            tile[n] = V::load(from.add(n * V::LANES));
        }
        for &index in add {
            let Some(row) = row(index) else { continue };
            for n in 0..T {
                tile[n] = tile[n].add(V::load(row.as_ptr().add(at + n * V::LANES)));
            }
        }
        for &index in sub {
            let Some(row) = row(index) else { continue };
            for n in 0..T {
                tile[n] = tile[n].sub(V::load(row.as_ptr().add(at + n * V::LANES)));
            }
        }
        let to = dst.as_mut_ptr().add(at);
        for n in 0..T {
            tile[n].store(to.add(n * V::LANES));
        }
    }
}

/// [`scalar::screlu_dot`](crate::scalar::screlu_dot).
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
pub(crate) unsafe fn screlu_dot<V: I16Vector>(own: &[i16], other: &[i16], weights: &[i8]) -> i64 {
    let len = own.len();
    assert!(len.is_multiple_of(STEP) && other.len() == len && weights.len() == 2 * len);
    let mut total = 0;
    for segment in (0..len).step_by(SEGMENT) {
        // Two independent dependency chains.
        let (mut own_sum, mut other_sum) = (V::zero_sum(), V::zero_sum());
        for at in (segment..len.min(segment + SEGMENT)).step_by(V::LANES) {
            // SAFETY: both accumulators have the same length, a multiple of the lanes, and `at` is below;
            // there are twice as many weights.
            unsafe {
                let weights = weights.as_ptr().add(at);
                own_sum = V::load(own.as_ptr().add(at)).screlu_dot(weights, own_sum);
                let weights = weights.add(len);
                other_sum = V::load(other.as_ptr().add(at)).screlu_dot(weights, other_sum);
            }
        }
        total += V::horizontal_sum(own_sum) + V::horizontal_sum(other_sum);
    }
    total
}

/// The sums of the first layer of a HalfKAv2_hm network: the halves of each accumulator multiplied with each
/// other, groups of four that are all 0 skipped.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
pub(crate) unsafe fn pairwise_affine<V: GroupSums>(
    layers: &Layers,
    own: &[i16],
    other: &[i16],
) -> [i32; OUTPUTS] {
    // Two independent dependency chains, which hide the latency of the dot product.
    let mut sums = [V::load(&layers.bias), V::load(&CacheAligned([0; OUTPUTS]))];
    let mut groups = layers.groups.as_chunks::<{ BLOCK / 4 }>().0.iter();
    for accumulator in [own, other] {
        let (low, high) = accumulator.split_at(accumulator.len() / 2);
        for (low, high) in low.as_chunks().0.iter().zip(high.as_chunks().0) {
            let Some(weights) = groups.next() else { break };
            let (inputs, mut nonzero) = V::products(low, high);
            while nonzero != 0 {
                let group = nonzero.trailing_zeros() as usize % 16;
                sums[0] = sums[0].add_dot(inputs.0[group], &weights[group]);
                nonzero &= nonzero - 1;
                if nonzero == 0 {
                    break;
                }
                let group = nonzero.trailing_zeros() as usize % 16;
                sums[1] = sums[1].add_dot(inputs.0[group], &weights[group]);
                nonzero &= nonzero - 1;
            }
        }
    }
    sums[0].add(sums[1])
}
