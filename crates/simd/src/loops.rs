//! The integer loops of [`scalar`](crate::scalar) over registers, generic over the instruction set.

use std::mem::MaybeUninit;

use crate::CacheAligned;
use crate::halfka::{BLOCK, GROUPS_OF_BLOCK, Layers, MAX_WIDTH, OUTPUTS};
use crate::quantized::STEP;
use crate::vector::{Block, GroupSums, I16Vector};

/// Registers of a tile: their sums stay in registers while all rows are added.
const TILE: usize = 8;

/// Values whose products are summed in `i32` before the sum is widened: even with four lanes each gets
/// 256 products of both accumulators, of at most 255² · 128, which is below 2³¹.
const SEGMENT: usize = 512;

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
    // SAFETY: the caller's promise.
    unsafe {
        if !accumulate_move::<V>(weights, src, dst, add, sub) {
            accumulate_tiles::<V>(weights, src, dst, add, sub);
        }
    }
}

/// [`accumulate`] of any rows, a tile of registers at a time.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
pub(crate) unsafe fn accumulate_tiles<V: I16Vector>(
    weights: &[i16],
    src: &[i16],
    dst: &mut [i16],
    add: &[u16],
    sub: &[u16],
) {
    let len = dst.len();
    assert!(len.is_multiple_of(STEP) && src.len() == len);
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

/// [`accumulate`], if rows are the delta of a quiet move, a capture or castling: in one pass over all rows.
/// Returns whether they are.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
pub(crate) unsafe fn accumulate_move<V: I16Vector>(
    weights: &[i16],
    src: &[i16],
    dst: &mut [i16],
    add: &[u16],
    sub: &[u16],
) -> bool {
    let len = dst.len();
    assert!(len.is_multiple_of(STEP) && src.len() == len);
    // SAFETY: the caller's promise; all rows are as long as the accumulators.
    unsafe {
        match (add, sub) {
            (&[a], &[r]) => {
                if let (Some(a), Some(r)) = (row(weights, a, len), row(weights, r, len)) {
                    accumulate_rows::<V, 1, 1>(src, dst, [a], [r]);
                    return true;
                }
            }
            (&[a], &[r, s]) => {
                if let (Some(a), Some(r)) = (row(weights, a, len), row(weights, r, len))
                    && let Some(s) = row(weights, s, len)
                {
                    accumulate_rows::<V, 1, 2>(src, dst, [a], [r, s]);
                    return true;
                }
            }
            (&[a, b], &[r, s]) => {
                if let (Some(a), Some(b)) = (row(weights, a, len), row(weights, b, len))
                    && let (Some(r), Some(s)) = (row(weights, r, len), row(weights, s, len))
                {
                    accumulate_rows::<V, 2, 2>(src, dst, [a, b], [r, s]);
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// A row of weights, none beyond their end.
#[inline(always)]
fn row(weights: &[i16], index: u16, len: usize) -> Option<&[i16]> {
    weights.get(usize::from(index) * len..)?.get(..len)
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
    // SAFETY: the caller's promise; rows are as long as the accumulators.
    unsafe {
        let from = src.as_ptr().add(at);
        let mut tile = [V::load(from); T];
        for n in 1..T {
            tile[n] = V::load(from.add(n * V::LANES));
        }
        for &index in add {
            let Some(row) = row(weights, index, len) else { continue };
            for n in 0..T {
                tile[n] = tile[n].add(V::load(row.as_ptr().add(at + n * V::LANES)));
            }
        }
        for &index in sub {
            let Some(row) = row(weights, index, len) else { continue };
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
        total += V::horizontal_sum(own_sum, other_sum);
    }
    total
}

/// The sums of the first layer of a HalfKAv2_hm network: the halves of each accumulator multiplied with each
/// other, groups of four that are all 0 skipped.
///
/// Which groups are not 0 is written to a list first: one loop over it ends with one mispredicted branch,
/// where a loop in every block of inputs ends with one each.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "see the module `vector` on loops")]
pub(crate) unsafe fn pairwise_affine<V: GroupSums>(
    layers: &Layers,
    own: &[i16],
    other: &[i16],
) -> [i32; OUTPUTS] {
    /// Independent dependency chains, which hide the latency of the dot product.
    const CHAINS: usize = 4;
    const GROUPS: usize = MAX_WIDTH / 4;
    let (width, groups) = (own.len(), layers.groups());
    assert!(width.is_multiple_of(2 * BLOCK) && width <= MAX_WIDTH && other.len() == width);
    assert!(groups.len() == width / 4 + 1);
    let mut inputs = MaybeUninit::<CacheAligned<[i32; GROUPS + 1]>>::uninit();
    let mut nonzero = MaybeUninit::<[u32; GROUPS + GROUPS_OF_BLOCK]>::uninit();
    let inputs = inputs.as_mut_ptr().cast::<i32>();
    let nonzero = nonzero.as_mut_ptr().cast::<u32>();
    let (mut group, mut len) = (0, 0);
    for accumulator in [own, other] {
        for at in (0..width / 2).step_by(BLOCK) {
            // SAFETY: the caller's promise; the halves of an accumulator are whole blocks; there is room for
            // all groups of both, and one block more in the list.
            unsafe {
                let low = accumulator.as_ptr().add(at).cast();
                let high = accumulator.as_ptr().add(width / 2 + at).cast();
                let (block, mask) = V::products(&*low, &*high);
                inputs.add(group).cast::<Block>().write(block);
                V::append(mask, group as u32, &mut *nonzero.add(len).cast());
                len += mask.count_ones() as usize;
            }
            group += GROUPS_OF_BLOCK;
        }
    }
    // SAFETY: as above; the list has groups that are written, and the one after them, whose weights are 0, up
    // to a multiple of `CHAINS`.
    unsafe {
        inputs.add(group).write(0);
        for n in 0..CHAINS - 1 {
            nonzero.add(len + n).write(group as u32);
        }
        let mut sums = [V::load(&CacheAligned([0; OUTPUTS])); CHAINS];
        sums[0] = V::load(&layers.bias);
        for at in (0..len).step_by(CHAINS) {
            for n in 0..CHAINS {
                let group = *nonzero.add(at + n) as usize;
                sums[n] = sums[n].add_dot(*inputs.add(group), groups.get_unchecked(group));
            }
        }
        sums[0].add(sums[1]).add(sums[2].add(sums[3])).store()
    }
}
