//! Attention of one head, for a size that the compiler knows: loops over 64 squares that stay in
//! registers, where a general product of such small matrices would spend its time on preparations.
//!
//! Keys and values are turned so that the 64 squares lie beside each other: a row of scores is then a
//! sum of rows, and nothing has to be added up across a register.

use super::attention::{PAIRS, Shape};
use super::ops::{dot, exp, fused, sum};
use crate::config::SQUARES;

/// Sums that are formed beside each other, so that none waits for the last.
const BESIDE: usize = 4;

type Row = [f32; SQUARES];

/// A part of queries, keys and values (0, 1, 2): the numbers of each square.
fn gather<const SIZE: usize>(data: &[f32], begin: usize, step: usize) -> [[f32; SIZE]; SQUARES] {
    std::array::from_fn(|square| {
        let row = &data[begin + square * step..][..SIZE];
        std::array::from_fn(|n| row[n])
    })
}

fn turned<const SIZE: usize>(rows: &[[f32; SIZE]; SQUARES]) -> [Row; SIZE] {
    std::array::from_fn(|n| std::array::from_fn(|square| rows[square][n]))
}

fn scatter<const SIZE: usize>(
    data: &mut [f32],
    begin: usize,
    step: usize,
    row: impl Fn(usize) -> [f32; SIZE],
) {
    for square in 0..SQUARES {
        data[begin + square * step..][..SIZE].copy_from_slice(&row(square));
    }
}

/// `Σ numbers[n] · rows[n]`.
#[inline(always)]
fn combine<const SIZE: usize>(numbers: &[f32; SIZE], rows: &[Row; SIZE]) -> Row {
    let mut result = [0.0; SQUARES];
    for (number, row) in numbers.iter().zip(rows) {
        for n in 0..SQUARES {
            result[n] = fused(*number, row[n], result[n]);
        }
    }
    result
}

/// `Σ shares[square] · rows[square]`.
#[inline(always)]
fn gathered<const SIZE: usize>(shares: &Row, rows: &[[f32; SIZE]; SQUARES]) -> [f32; SIZE] {
    let mut sums = [[0.0; SIZE]; BESIDE];
    let (rows, shares) = (rows.as_chunks::<BESIDE>().0, shares.as_chunks::<BESIDE>().0);
    for (rows, shares) in rows.iter().zip(shares) {
        for k in 0..BESIDE {
            for n in 0..SIZE {
                sums[k][n] = fused(shares[k], rows[k][n], sums[k][n]);
            }
        }
    }
    std::array::from_fn(|n| sums.iter().map(|sum| sum[n]).sum())
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
    qkv: &[f32],
    gates: &[f32],
    shares: &mut [f32],
    seen: &mut [f32],
) {
    let part = |part: usize| gather::<SIZE>(qkv, shape.begin(part, head), shape.step());
    let (queries, keys, values) = (part(0), turned(&part(1)), part(2));
    let (gates, shares) = (rows(&gates[..PAIRS]), rows_mut(&mut shares[..PAIRS]));
    for square in 0..SQUARES {
        let scores = combine(&queries[square].map(|x| x * shape.scale()), &keys);
        let mut row = [0.0; SQUARES];
        for n in 0..SQUARES {
            row[n] = exp(scores[n]) * gates[square][n];
        }
        let inverse = sum(&row).recip();
        row.iter_mut().for_each(|share| *share *= inverse);
        shares[square] = row;
        let own = gathered(&row, &values);
        seen[square * shape.width + head * SIZE..][..SIZE].copy_from_slice(&own);
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
    let part = |part: usize| gather::<SIZE>(qkv, shape.begin(part, head), shape.step());
    let (queries, keys, values) = (part(0), part(1), turned(&part(2)));
    let seen = gather::<SIZE>(seen_back, head * SIZE, shape.width);
    let shares = rows(&shares[..PAIRS]);
    let scale = shape.scale();
    let (mut keys_back, mut values_back) = ([[0.0; SQUARES]; SIZE], [[0.0; SQUARES]; SIZE]);
    let mut queries_back = [[0.0; SIZE]; SQUARES];
    for square in 0..SQUARES {
        let share = &shares[square];
        spread(&mut values_back, &seen[square], share);
        let mut change = combine(&seen[square], &values);
        let mean = dot(&change, share);
        for n in 0..SQUARES {
            change[n] = share[n] * (change[n] - mean);
        }
        if let Some(changes) = &mut changes {
            let sums = &mut rows_mut(&mut changes[..PAIRS])[square];
            sums.iter_mut().zip(&change).for_each(|(sum, change)| *sum += change);
        }
        change.iter_mut().for_each(|change| *change *= scale);
        queries_back[square] = gathered(&change, &keys);
        spread(&mut keys_back, &queries[square], &change);
    }
    let turn = |rows: [Row; SIZE]| move |square: usize| rows.map(|row| row[square]);
    let step = shape.step();
    scatter(qkv_back, shape.begin(0, head), step, |square| queries_back[square]);
    scatter(qkv_back, shape.begin(1, head), step, turn(keys_back));
    scatter(qkv_back, shape.begin(2, head), step, turn(values_back));
}

fn rows(data: &[f32]) -> &[Row] {
    data.as_chunks().0
}

fn rows_mut(data: &mut [f32]) -> &mut [Row] {
    data.as_chunks_mut().0
}
