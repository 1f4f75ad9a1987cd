//! Attention of one position: who looks where, what comes of it, and the way back.
//!
//! Queries and keys are normed, so that their products are small: nothing has to be subtracted before
//! the exponential. A head's pattern is a *gate* for each pair of squares by which the exponential is
//! multiplied: 0 or 1 for the heads of the pieces, `sigmoid(logit) + 1e-6` for the free ones. That is
//! the same as adding the logarithm of the gate before.

use std::f32::consts::LOG2_E;
use std::ops::Range;

use simd::AlignedVec;
use simd::gemm::{Matrix, MatrixMut, copy_row_major, matmul};

use super::ops::{exp, to_shares, to_shares_back};
use super::pass::Watch;
use crate::config::{Config, FREE_HEADS, HEADS, PIECE_HEADS, SQUARES};
use crate::masks;

/// Pairs of squares.
pub(super) const PAIRS: usize = SQUARES * SQUARES;
/// What the reference adds to a sigmoid.
const FLOOR: f32 = 1e-6;

/// The gates of all heads of all blocks: `[depth][12][64][64]`.
#[derive(Clone, Debug)]
pub(super) struct Gates {
    gates: AlignedVec<f32>,
    /// What the free ones were last made of: predictions ask again and again with the same.
    logits: Vec<f32>,
}

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
        let logits = vec![f32::NAN; config.depth * FREE_HEADS * PAIRS];
        let gates = AlignedVec::from(&*block.repeat(config.depth));
        Self { gates, logits }
    }

    /// Those of a block.
    pub fn block(&self, block: usize) -> &[f32] {
        &self.gates[block * HEADS * PAIRS..][..HEADS * PAIRS]
    }

    /// Sets the free ones of a block by their logits.
    pub fn set_free(&mut self, block: usize, logits: &[f32]) {
        let known = &mut self.logits[block * FREE_HEADS * PAIRS..][..FREE_HEADS * PAIRS];
        if known == logits {
            return;
        }
        known.copy_from_slice(logits);
        let begin = (block * HEADS + PIECE_HEADS) * PAIRS;
        for (gate, logit) in self.gates[begin..][..FREE_HEADS * PAIRS].iter_mut().zip(logits) {
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

    /// Where queries (0), keys (1) or values (2) of a head begin.
    const fn begin(self, part: usize, head: usize) -> usize {
        part * self.width + head * self.head
    }

    /// Queries, keys or values of a head.
    fn part(self, qkv: &[f32], part: usize, head: usize) -> Matrix<'_> {
        Matrix::with_stride(&qkv[self.begin(part, head)..], SQUARES, self.head, self.step())
    }

    fn part_mut(self, qkv: &mut [f32], part: usize, head: usize) -> MatrixMut<'_> {
        MatrixMut::with_stride(&mut qkv[self.begin(part, head)..], SQUARES, self.head, self.step())
    }

    /// Queries, keys or values of all heads: a row for each of their numbers, a column for each square.
    fn turned(self, qkv: &[f32], part: usize) -> AlignedVec<f32> {
        let squares = &qkv[part * self.width..];
        let squares = Matrix::with_stride(squares, SQUARES, self.width, self.step());
        let mut turned = AlignedVec::zeros(self.width * SQUARES);
        copy_row_major(&mut turned, squares.transposed());
        turned
    }

    /// The rows of a head in what is [turned](Self::turned).
    fn rows(self, turned: &[f32], head: usize) -> Matrix<'_> {
        Matrix::new(&turned[head * self.head * SQUARES..], self.head, SQUARES)
    }

    /// The columns of a head in a plain matrix of squares.
    fn columns(self, data: &[f32], head: usize) -> Matrix<'_> {
        Matrix::with_stride(&data[head * self.head..], SQUARES, self.head, self.width)
    }

    fn scale(self) -> f32 {
        (self.head as f32).sqrt().recip()
    }
}

/// A number for each pair of squares.
fn pairs(data: &[f32]) -> Matrix<'_> {
    Matrix::new(data, SQUARES, SQUARES)
}

/// From queries, keys and values of a position to what its squares have seen. Only the own squares look;
/// what they see has its rows one after another. There is room for the shares of all heads, or of one
/// that is used by all in turn.
pub(super) fn forward(
    shape: Shape,
    own: Range<usize>,
    qkv: &[f32],
    gates: &[f32],
    shares: &mut [f32],
    seen: &mut [f32],
    watch: &mut impl Watch,
) {
    let looking = own.len();
    let place = own.start * SQUARES..own.end * SQUARES;
    let keys = shape.turned(qkv, 1);
    for head in 0..HEADS {
        let gates = &gates[head * PAIRS..][place.clone()];
        let begin = head * PAIRS % shares.len();
        let all_shares = &mut shares[begin..][..PAIRS];
        let shares = &mut all_shares[place.clone()];
        let queries = &qkv[shape.begin(0, head) + own.start * shape.step()..];
        let queries = Matrix::with_stride(queries, looking, shape.head, shape.step());
        let scores = MatrixMut::new(shares, looking, SQUARES);
        // Shares are powers of two, which are made faster than those of e: the factor is in the scale.
        matmul(scores, queries, shape.rows(&keys, head), shape.scale() * LOG2_E);
        to_shares(shares.as_chunks_mut().0, gates.as_chunks().0);
        let (into, values) = (&mut seen[head * shape.head..], shape.part(qkv, 2, head));
        let into = MatrixMut::with_stride(into, looking, shape.head, shape.width);
        matmul(into, Matrix::new(shares, looking, SQUARES), values, 1.0);
        watch.attention(all_shares);
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
) {
    let values = shape.turned(qkv, 2);
    let mut changes = AlignedVec::zeros(PAIRS);
    for head in 0..HEADS {
        let shares = &shares[head * PAIRS..][..PAIRS];
        let seen = shape.columns(seen_back, head);
        matmul(shape.part_mut(qkv_back, 2, head), pairs(shares).transposed(), seen, 1.0);
        let into = MatrixMut::new(&mut changes, SQUARES, SQUARES);
        matmul(into, seen, shape.rows(&values, head), 1.0);
        let rows = changes.as_chunks_mut().0.iter_mut();
        rows.zip(shares.as_chunks().0).for_each(|(change, share)| to_shares_back(change, share));
        if let Some(free) = head.checked_sub(PIECE_HEADS) {
            let sums = free_changes[free * PAIRS..].iter_mut();
            sums.zip(changes.iter()).for_each(|(sum, change)| *sum += change);
        }
        let (queries, keys) = (shape.part(qkv, 0, head), shape.part(qkv, 1, head));
        let changes = pairs(&changes);
        matmul(shape.part_mut(qkv_back, 0, head), changes, keys, shape.scale());
        matmul(shape.part_mut(qkv_back, 1, head), changes.transposed(), queries, shape.scale());
    }
}
