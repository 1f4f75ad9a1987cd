//! From rows to lanes and back: a transposition, of blocks of sixteen by sixteen numbers.

#![allow(clippy::needless_range_loop, reason = "see the module `vector` on loops")]

use super::{Lanes, Rows, SEQUENCES, head_len};
use crate::vector::F32x16;

/// Numbers of a block in a row.
const WIDTH: usize = 16;

/// Where the first token of each column is among the lanes.
fn places(Rows { tokens, columns, dim }: Rows) -> Vec<usize> {
    (0..columns).map(|column| column / dim * head_len(tokens, dim) + column % dim).collect()
}

fn sequences(rows: &[f32], Rows { tokens, columns, .. }: Rows) -> usize {
    let count = rows.len() / (tokens * columns);
    assert!(count <= SEQUENCES && count * tokens * columns == rows.len(), "not 0 to 16 sequences");
    count
}

#[inline(always)]
pub(super) fn to_lanes<V: F32x16>(lanes: &mut [Lanes], rows: &[f32], sizes: Rows) {
    let Rows { tokens, columns, dim } = sizes;
    let (count, places) = (sequences(rows, sizes), places(sizes));
    for token in 0..tokens {
        for (block, places) in places.chunks(WIDTH).enumerate() {
            let mut vectors = [V::splat(0.0); 16];
            for n in 0..16 {
                if n < count {
                    let row = (n * tokens + token) * columns + block * WIDTH;
                    vectors[n] = load_row(&rows[row..][..places.len()]);
                }
            }
            let vectors = V::transpose(&vectors);
            for n in 0..16 {
                if n < places.len() {
                    vectors[n].store(&mut lanes[places[n] + token * dim]);
                }
            }
        }
    }
}

#[inline(always)]
pub(super) fn from_lanes<V: F32x16>(rows: &mut [f32], lanes: &[Lanes], sizes: Rows) {
    let Rows { tokens, columns, dim } = sizes;
    let (count, places) = (sequences(rows, sizes), places(sizes));
    for token in 0..tokens {
        for (block, places) in places.chunks(WIDTH).enumerate() {
            let mut vectors = [V::splat(0.0); 16];
            for n in 0..16 {
                if n < places.len() {
                    vectors[n] = V::load(&lanes[places[n] + token * dim]);
                }
            }
            let vectors = V::transpose(&vectors);
            for n in 0..16 {
                if n < count {
                    let row = (n * tokens + token) * columns + block * WIDTH;
                    store_row(vectors[n], &mut rows[row..][..places.len()]);
                }
            }
        }
    }
}

#[inline(always)]
fn load_row<V: F32x16>(row: &[f32]) -> V {
    if let Ok(row) = row.try_into() {
        return V::load(row);
    }
    let mut lanes = [0.0; WIDTH];
    lanes[..row.len()].copy_from_slice(row);
    V::load(&lanes)
}

#[inline(always)]
fn store_row<V: F32x16>(vector: V, row: &mut [f32]) {
    if let Ok(row) = row.try_into() {
        return vector.store(row);
    }
    let mut lanes = [0.0; WIDTH];
    vector.store(&mut lanes);
    row.copy_from_slice(&lanes[..row.len()]);
}
