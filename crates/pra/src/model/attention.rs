//! Attention of one position: who looks where, what comes of it, and the way back.
//!
//! Queries and keys are normed, so that their products are small: nothing has to be subtracted before
//! the exponential. A head's pattern is a *gate* for each pair of squares by which the exponential is
//! multiplied: 0 or 1 for the heads of the pieces, `sigmoid(logit) + 1e-6` for the free ones. That is
//! the same as adding the logarithm of the gate before.

use super::ops::{dot, exp};
use crate::config::{Config, FREE_HEADS, HEADS, PIECE_HEADS, SQUARES};
use crate::masks;
use crate::mul::{Matrix, MatrixMut, multiply};

/// Pairs of squares.
pub(super) const PAIRS: usize = SQUARES * SQUARES;
/// What the reference adds to a sigmoid.
const FLOOR: f32 = 1e-6;

/// The gates of all heads of all blocks: `[depth][12][64][64]`.
#[derive(Clone, Debug)]
pub(super) struct Gates(Vec<f32>);

impl Gates {
    /// Those of the pieces; the free ones are all 0 until they are set.
    pub fn new(config: &Config) -> Self {
        let mut block = vec![0.0; HEADS * PAIRS];
        for (head, rows) in masks::piece_masks(config).iter().enumerate() {
            for (from, row) in rows.iter().enumerate() {
                for to in *row {
                    block[head * PAIRS + from * SQUARES + to.index()] = 1.0;
                }
            }
        }
        Self(block.repeat(config.depth))
    }

    /// Those of a block.
    pub fn block(&self, block: usize) -> &[f32] {
        &self.0[block * HEADS * PAIRS..][..HEADS * PAIRS]
    }

    /// Sets the free ones of a block by their logits.
    pub fn set_free(&mut self, block: usize, logits: &[f32]) {
        let begin = (block * HEADS + PIECE_HEADS) * PAIRS;
        for (gate, logit) in self.0[begin..][..FREE_HEADS * PAIRS].iter_mut().zip(logits) {
            *gate = 1.0 / (1.0 + exp(-logit)) + FLOOR;
        }
    }
}

/// The gradient of logits, from the sums of changes that would be added before the exponential.
pub(super) fn free_back(gradient: &mut [f32], changes: &[f32], logits: &[f32]) {
    for ((gradient, change), logit) in gradient.iter_mut().zip(changes).zip(logits) {
        let sigmoid = 1.0 / (1.0 + exp(-logit));
        *gradient += change * sigmoid * (1.0 - sigmoid) / (sigmoid + FLOOR);
    }
}

/// Where the numbers of a position are: queries, keys and values of a square beside each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Numbers of a square.
    pub width: usize,
    /// Numbers of a head.
    pub head: usize,
}

impl Shape {
    /// How far it is from a square to the next.
    const fn step(self) -> usize {
        3 * self.width
    }

    /// Queries (0), keys (1) or values (2) of a head.
    fn part(self, qkv: &[f32], part: usize, head: usize) -> Matrix<'_> {
        let begin = part * self.width + head * self.head;
        Matrix::with_step(&qkv[begin..], SQUARES, self.head, self.step())
    }

    fn part_mut(self, qkv: &mut [f32], part: usize, head: usize) -> MatrixMut<'_> {
        let begin = part * self.width + head * self.head;
        MatrixMut::with_step(&mut qkv[begin..], SQUARES, self.head, self.step())
    }

    /// The columns of a head in a plain matrix of squares.
    fn columns(self, data: &[f32], head: usize) -> Matrix<'_> {
        Matrix::with_step(&data[head * self.head..], SQUARES, self.head, self.width)
    }

    fn columns_mut(self, data: &mut [f32], head: usize) -> MatrixMut<'_> {
        MatrixMut::with_step(&mut data[head * self.head..], SQUARES, self.head, self.width)
    }

    fn scale(self) -> f32 {
        (self.head as f32).sqrt().recip()
    }
}

/// From queries, keys and values of a position to what its squares have seen. `shares` becomes how much
/// each square looks at each other, for all heads.
pub(super) fn forward(
    shape: Shape,
    qkv: &[f32],
    gates: &[f32],
    shares: &mut [f32],
    seen: &mut [f32],
) {
    for head in 0..HEADS {
        let own = &mut shares[head * PAIRS..][..PAIRS];
        let (queries, keys) = (shape.part(qkv, 0, head), shape.part(qkv, 1, head));
        multiply(MatrixMut::new(own, SQUARES, SQUARES), queries, keys.transposed(), shape.scale());
        let gates = gates[head * PAIRS..][..PAIRS].as_chunks::<SQUARES>().0;
        for (row, gates) in own.as_chunks_mut::<SQUARES>().0.iter_mut().zip(gates) {
            let mut sums = [0.0; 16];
            for n in 0..SQUARES {
                row[n] = exp(row[n]) * gates[n];
                sums[n % 16] += row[n];
            }
            let inverse = sums.iter().sum::<f32>().recip();
            row.iter_mut().for_each(|share| *share *= inverse);
        }
        let own = Matrix::new(own, SQUARES, SQUARES);
        multiply(shape.columns_mut(seen, head), own, shape.part(qkv, 2, head), 1.0);
    }
}

/// Space for the way back of one head.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    changes: Vec<f32>,
}

impl Scratch {
    pub fn new() -> Self {
        Self { changes: vec![0.0; PAIRS] }
    }
}

/// From the change of what squares have seen to those of queries, keys and values (`qkv_back`, which is
/// overwritten), and of the free patterns, which are added to.
pub(super) fn backward(
    shape: Shape,
    qkv: &[f32],
    shares: &[f32],
    seen_back: &[f32],
    qkv_back: &mut [f32],
    free_changes: &mut [f32],
    scratch: &mut Scratch,
) {
    let changes = &mut scratch.changes;
    for head in 0..HEADS {
        let own = &shares[head * PAIRS..][..PAIRS];
        let seen = shape.columns(seen_back, head);
        let square = |data| Matrix::new(data, SQUARES, SQUARES);
        multiply(shape.part_mut(qkv_back, 2, head), square(own).transposed(), seen, 1.0);
        let values = shape.part(qkv, 2, head).transposed();
        multiply(MatrixMut::new(changes, SQUARES, SQUARES), seen, values, 1.0);
        let rows = changes.as_chunks_mut::<SQUARES>().0.iter_mut();
        for (change, share) in rows.zip(own.as_chunks::<SQUARES>().0) {
            let mean = dot(change, share);
            for n in 0..SQUARES {
                change[n] = share[n] * (change[n] - mean);
            }
        }
        if head >= PIECE_HEADS {
            let sums = &mut free_changes[(head - PIECE_HEADS) * PAIRS..][..PAIRS];
            sums.iter_mut().zip(&*changes).for_each(|(sum, change)| *sum += change);
        }
        let (queries, keys) = (shape.part(qkv, 0, head), shape.part(qkv, 1, head));
        let changes = square(changes);
        multiply(shape.part_mut(qkv_back, 0, head), changes, keys, shape.scale());
        multiply(shape.part_mut(qkv_back, 1, head), changes.transposed(), queries, shape.scale());
    }
}
