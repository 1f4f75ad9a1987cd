//! Attention of one head, for a size that the compiler knows: loops over 64 squares that stay in
//! registers, where a general product of such small matrices would spend its time on preparations.
//!
//! Keys and values are turned so that the 64 squares lie beside each other: a row of scores is then a
//! sum of rows, and nothing has to be added up across a register.

use std::ops::Range;

use super::attention::{PAIRS, Shape};
use super::ops::{LANES, fused, to_shares, to_shares_back};
use crate::config::SQUARES;

type Row = [f32; SQUARES];

/// The numbers of each square, from rows that begin so many numbers after each other.
fn gather<const SIZE: usize>(
    into: &mut [[f32; SIZE]; SQUARES],
    data: &[f32],
    begin: usize,
    step: usize,
) {
    for (square, row) in into.iter_mut().enumerate() {
        row.copy_from_slice(&data[begin + square * step..][..SIZE]);
    }
}

/// The same, turned: the squares beside each other.
fn gather_turned<const SIZE: usize>(
    into: &mut [Row; SIZE],
    data: &[f32],
    begin: usize,
    step: usize,
) {
    for square in 0..SQUARES {
        let row = &data[begin + square * step..][..SIZE];
        for n in 0..SIZE {
            into[n][square] = row[n];
        }
    }
}

fn scatter_turned<const SIZE: usize>(
    rows: &[Row; SIZE],
    data: &mut [f32],
    begin: usize,
    step: usize,
) {
    for square in 0..SQUARES {
        let row = &mut data[begin + square * step..][..SIZE];
        for n in 0..SIZE {
            row[n] = rows[n][square];
        }
    }
}

/// `Σ numbers[n] · rows[n]`.
#[inline(always)]
fn combine<const SIZE: usize>(into: &mut Row, numbers: &[f32; SIZE], rows: &[Row; SIZE]) {
    // A register's worth of squares at a time.
    for (lane, into) in into.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let mut sums = [0.0; LANES];
        for (number, row) in numbers.iter().zip(rows) {
            let row = &row.as_chunks::<LANES>().0[lane];
            for n in 0..LANES {
                sums[n] = fused(*number, row[n], sums[n]);
            }
        }
        *into = sums;
    }
}

/// `Σ shares[square] · rows[square]`. Two sums are formed beside each other, so that none waits for the
/// last.
#[inline(always)]
fn gathered<const SIZE: usize>(shares: &Row, rows: &[[f32; SIZE]; SQUARES]) -> [f32; SIZE] {
    let (mut even, mut odd) = ([0.0; SIZE], [0.0; SIZE]);
    let (rows, shares) = (rows.as_chunks::<2>().0, shares.as_chunks::<2>().0);
    for (rows, shares) in rows.iter().zip(shares) {
        add_row(&mut even, shares[0], &rows[0]);
        add_row(&mut odd, shares[1], &rows[1]);
    }
    add_row(&mut even, 1.0, &odd);
    even
}

#[inline(always)]
fn add_row<const SIZE: usize>(into: &mut [f32; SIZE], share: f32, row: &[f32; SIZE]) {
    for n in 0..SIZE {
        into[n] = fused(share, row[n], into[n]);
    }
}

/// `rows[n] += numbers[n] · row`.
#[inline(always)]
fn spread<const SIZE: usize>(rows: &mut [Row; SIZE], numbers: &[f32; SIZE], row: &Row) {
    for (into, number) in rows.iter_mut().zip(numbers) {
        for n in 0..SQUARES {
            into[n] = fused(*number, row[n], into[n]);
        }
    }
}

/// See [`super::attention::forward`].
pub(super) fn forward<const SIZE: usize>(
    shape: Shape,
    head: usize,
    own: Range<usize>,
    qkv: &[f32],
    gates: &[f32],
    shares: &mut [f32],
    seen: &mut [f32],
) {
    let mut keys = [[0.0; SQUARES]; SIZE];
    let mut values = [[0.0; SIZE]; SQUARES];
    let (step, queries) = (shape.step(), shape.begin(0, head));
    gather_turned(&mut keys, qkv, shape.begin(1, head), step);
    gather(&mut values, qkv, shape.begin(2, head), step);
    let (gates, shares) = (rows(&gates[..PAIRS]), rows_mut(&mut shares[..PAIRS]));
    let scale = shape.scale();
    for (n, square) in own.enumerate() {
        let seen = &mut seen[n * shape.width + head * SIZE..][..SIZE];
        let mut query = [0.0; SIZE];
        query.copy_from_slice(&qkv[queries + square * step..][..SIZE]);
        query.iter_mut().for_each(|x| *x *= scale);
        let row = &mut shares[square];
        combine(row, &query, &keys);
        to_shares(row, &gates[square]);
        seen.copy_from_slice(&gathered(row, &values));
    }
}

/// See [`super::attention::backward`]; `changes` are added to if there are any.
pub(super) fn backward<const SIZE: usize>(
    shape: Shape,
    head: usize,
    qkv: &[f32],
    shares: &[f32],
    seen_back: &[f32],
    qkv_back: &mut [f32],
    mut changes: Option<&mut [f32]>,
) {
    let (step, scale) = (shape.step(), shape.scale());
    let [query, key, value] = [0, 1, 2].map(|part| shape.begin(part, head));
    let mut keys = [[0.0; SIZE]; SQUARES];
    let mut values = [[0.0; SQUARES]; SIZE];
    gather(&mut keys, qkv, key, step);
    gather_turned(&mut values, qkv, value, step);
    let shares = rows(&shares[..PAIRS]);
    let (mut keys_back, mut values_back) = ([[0.0; SQUARES]; SIZE], [[0.0; SQUARES]; SIZE]);
    let (mut change, mut numbers) = ([0.0; SQUARES], [0.0; SIZE]);
    for (square, share) in shares.iter().enumerate() {
        numbers.copy_from_slice(&seen_back[square * shape.width + head * SIZE..][..SIZE]);
        spread(&mut values_back, &numbers, share);
        combine(&mut change, &numbers, &values);
        to_shares_back(&mut change, share);
        if let Some(changes) = &mut changes {
            let sums = &mut rows_mut(&mut changes[..PAIRS])[square];
            sums.iter_mut().zip(&change).for_each(|(sum, change)| *sum += change);
        }
        change.iter_mut().for_each(|change| *change *= scale);
        qkv_back[query + square * step..][..SIZE].copy_from_slice(&gathered(&change, &keys));
        numbers.copy_from_slice(&qkv[query + square * step..][..SIZE]);
        spread(&mut keys_back, &numbers, &change);
    }
    scatter_turned(&keys_back, qkv_back, key, step);
    scatter_turned(&values_back, qkv_back, value, step);
}

fn rows(data: &[f32]) -> &[Row] {
    data.as_chunks().0
}

fn rows_mut(data: &mut [f32]) -> &mut [Row] {
    data.as_chunks_mut().0
}
