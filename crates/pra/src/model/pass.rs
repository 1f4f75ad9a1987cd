//! A few positions on their way through the whole network and back.
//!
//! A thread takes some positions at a time, so few that what one layer leaves for the next stays in its
//! cache, and so many that products of matrices are worth their set-up. What the way back needs of the
//! way forward is kept for each block; without a way back all blocks share one such place.

use std::ops::Range;

use simd::AlignedVec;
use simd::gemm::{Matrix, MatrixMut, matmul, matmul_add, matmul_packed};

use super::attention::{self, Gates, PAIRS, Shape};
use super::ops::{EPSILON, norm, norm_back, short_dot};
use crate::config::{Config, FREE_HEADS, HEADS, SQUARES};
use crate::encode::Tokens;
use crate::layout::Layout;
use crate::weights::Weights;

/// All squares of a position.
pub(super) const ALL: Range<usize> = 0..SQUARES;

/// Who is told what happens on the way forward.
pub(super) trait Watch {
    /// How much squares look at each other in the next head.
    fn attention(&mut self, _shares: &[f32]) {}

    /// The rows of somebody else's squares are wanted; a row has so many numbers.
    fn exchange(&mut self, _rows: &mut [f32], _width: usize) {}
}

/// Nobody.
impl Watch for () {}

/// What the way back needs to know of a block.
#[derive(Clone, Debug)]
struct Kept {
    /// What attention reads, and the divisors of its norm.
    input: AlignedVec<f32>,
    input_inverse: AlignedVec<f32>,
    /// Queries and keys, normed, and values.
    qkv: AlignedVec<f32>,
    /// The divisors of queries and keys: 24 for each square.
    qk_inverse: AlignedVec<f32>,
    /// How much each square looks at each other.
    shares: AlignedVec<f32>,
    /// What it sees.
    seen: AlignedVec<f32>,
    /// What the perceptron reads.
    middle: AlignedVec<f32>,
    middle_inverse: AlignedVec<f32>,
    /// What is positive of its neurons.
    neurons: AlignedVec<f32>,
}

/// The state of some positions in the network.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    config: Config,
    positions: usize,
    goes_back: bool,
    blocks: Vec<Kept>,
    /// The stream that blocks read and add to.
    stream: AlignedVec<f32>,
    first: AlignedVec<f32>,
    first_inverse: AlignedVec<f32>,
    /// What the heads of the model read: the normed stream after the last block.
    pub last: AlignedVec<f32>,
    last_inverse: AlignedVec<f32>,
    squares: AlignedVec<f32>,
    // For the way back:
    /// The change of the stream.
    change: AlignedVec<f32>,
    narrow: AlignedVec<f32>,
    /// Of queries, keys and values.
    triple: AlignedVec<f32>,
    wide: AlignedVec<f32>,
    free: AlignedVec<f32>,
}

impl Pass {
    /// For so many positions at a time.
    pub fn new(config: &Config, positions: usize, goes_back: bool) -> Self {
        let (d, rows) = (config.n_embd, positions * SQUARES);
        let zeros = |per_row: usize| AlignedVec::zeros(rows * per_row);
        let back = |per_row: usize| AlignedVec::zeros(if goes_back { rows * per_row } else { 0 });
        let kept = Kept {
            input: zeros(d),
            input_inverse: zeros(1),
            qkv: zeros(3 * d),
            qk_inverse: zeros(2 * HEADS),
            shares: if goes_back { zeros(HEADS * SQUARES) } else { AlignedVec::zeros(PAIRS) },
            seen: zeros(d),
            middle: zeros(d),
            middle_inverse: zeros(1),
            neurons: zeros(4 * d),
        };
        Self {
            config: *config,
            positions,
            goes_back,
            blocks: vec![kept; if goes_back { config.depth } else { 1 }],
            stream: zeros(d),
            first: zeros(d),
            first_inverse: zeros(1),
            last: zeros(d),
            last_inverse: zeros(1),
            squares: back(4 * d),
            change: back(d),
            narrow: back(d),
            triple: back(3 * d),
            wide: back(4 * d),
            free: AlignedVec::zeros(if goes_back { FREE_HEADS * PAIRS } else { 0 }),
        }
    }

    /// How many positions there is room for.
    pub const fn positions(&self) -> usize {
        self.positions
    }

    /// Queries, keys and values of the first block for everything that a square can be: for both sides,
    /// all kinds of pieces, all squares. They depend on nothing else, so that a pass without a way back
    /// can look them up.
    pub fn entrance(weights: &Weights) -> AlignedVec<f32> {
        let (config, layout, turned) = (weights.config(), weights.layout(), weights.turned());
        let mut pass = Self::new(config, 1, false);
        let mut table = Vec::new();
        for side in 0..2 {
            for kind in 0..config.piece_kinds() as u8 {
                let tokens = Tokens { squares: [kind; SQUARES], side };
                pass.enter(layout, turned, &[tokens], ALL);
                pass.ask(0, layout.blocks[0].qkv, turned, SQUARES, 0);
                table.extend_from_slice(&pass.blocks[0].qkv);
            }
        }
        (&*table).into()
    }

    /// The stream before the first block.
    fn enter(&mut self, layout: &Layout, turned: &[f32], tokens: &[Tokens], own: Range<usize>) {
        let (d, rows) = (self.config.n_embd, tokens.len() * own.len());
        self.embed(layout, turned, tokens, own);
        norm(&mut self.first[..rows * d], &mut self.first_inverse, &self.stream, d);
        self.stream[..rows * d].copy_from_slice(&self.first[..rows * d]);
    }

    /// Queries, keys and values of so many rows in a block, from this square on.
    fn ask(&mut self, block: usize, matrix: usize, turned: &[f32], rows: usize, first: usize) {
        let d = self.config.n_embd;
        let shape = Shape { width: d, head: self.config.head_dim() };
        let kept = &mut self.blocks[block];
        norm(&mut kept.input[..rows * d], &mut kept.input_inverse, &self.stream, d);
        let qkv = &mut kept.qkv[first * 3 * d..][..rows * 3 * d];
        matmul_packed(
            MatrixMut::new(qkv, rows, 3 * d),
            Matrix::new(&kept.input, rows, d),
            &turned[matrix..],
            false,
        );
        norm_heads(qkv, &mut kept.qk_inverse, shape);
    }

    /// The same for the first block, from the table of the [entrance](Self::entrance).
    fn look_up(&mut self, entrance: &[f32], tokens: &[Tokens], own: Range<usize>) {
        let (size, kinds) = (3 * self.config.n_embd, self.config.piece_kinds());
        let mut rows = self.blocks[0].qkv[own.start * size..].chunks_exact_mut(size);
        for tokens in tokens {
            for (square, row) in own.clone().zip(&mut rows) {
                let thing = usize::from(tokens.side) * kinds + usize::from(tokens.squares[square]);
                row.copy_from_slice(&entrance[(thing * SQUARES + square) * size..][..size]);
            }
        }
    }

    /// From tokens to `last`, by weights as [`crate::Weights::turned`] has them, and by the table of the
    /// [entrance](Self::entrance) if there is one. Of a single position it may be some of the squares
    /// only: the rest is somebody else's, and is exchanged with him.
    pub fn forward(
        &mut self,
        layout: &Layout,
        turned: &[f32],
        entrance: Option<&[f32]>,
        gates: &Gates,
        tokens: &[Tokens],
        (own, watch): (Range<usize>, &mut impl Watch),
    ) {
        debug_assert!(own == ALL || tokens.len() == 1);
        let (d, rows) = (self.config.n_embd, tokens.len() * own.len());
        let shape = Shape { width: d, head: self.config.head_dim() };
        self.enter(layout, turned, tokens, own.clone());
        for (number, places) in layout.blocks.iter().enumerate() {
            let place = number.min(self.blocks.len() - 1);
            match entrance.filter(|_| number == 0) {
                Some(entrance) => self.look_up(entrance, tokens, own.clone()),
                None => self.ask(place, places.qkv, turned, rows, own.start),
            }
            let kept = &mut self.blocks[place];
            watch.exchange(&mut kept.qkv, 3 * d);
            for n in 0..tokens.len() {
                // Without a way back, one place serves all.
                let shares = if self.goes_back { HEADS * PAIRS } else { PAIRS };
                let (qkv, first) = (SQUARES * 3 * d, n * shares % kept.shares.len());
                attention::forward(
                    shape,
                    own.clone(),
                    &kept.qkv[n * qkv..][..qkv],
                    gates.block(number),
                    &mut kept.shares[first..][..shares],
                    &mut kept.seen[n * SQUARES * d..],
                    watch,
                );
            }
            matmul_packed(
                MatrixMut::new(&mut self.stream, rows, d),
                Matrix::new(&kept.seen, rows, d),
                &turned[places.projection..],
                true,
            );
            norm(&mut kept.middle[..rows * d], &mut kept.middle_inverse, &self.stream, d);
            matmul_packed(
                MatrixMut::new(&mut kept.neurons, rows, 4 * d),
                Matrix::new(&kept.middle, rows, d),
                &turned[places.mlp_in..],
                false,
            );
            // Squares may take the place of neurons that no way back asks for.
            let neurons = &mut kept.neurons[..rows * 4 * d];
            let squares = if self.goes_back {
                for (neuron, square) in neurons.iter_mut().zip(self.squares.iter_mut()) {
                    *neuron = neuron.max(0.0);
                    *square = *neuron * *neuron;
                }
                &self.squares
            } else {
                neurons.iter_mut().for_each(|neuron| *neuron = neuron.max(0.0) * neuron.max(0.0));
                &*neurons
            };
            matmul_packed(
                MatrixMut::new(&mut self.stream, rows, d),
                Matrix::new(squares, rows, 4 * d),
                &turned[places.mlp_out..],
                true,
            );
        }
        let last = &mut self.last[own.start * d..][..rows * d];
        norm(last, &mut self.last_inverse, &self.stream, d);
        watch.exchange(&mut self.last, d);
    }

    fn embed(&mut self, layout: &Layout, weights: &[f32], tokens: &[Tokens], own: Range<usize>) {
        let d = self.config.n_embd;
        let row = |begin: usize, number: usize| &weights[begin + number * d..][..d];
        for (tokens, stream) in tokens.iter().zip(self.stream.chunks_exact_mut(own.len() * d)) {
            let side = row(layout.sides, tokens.side.into());
            for (square, into) in own.clone().zip(stream.chunks_exact_mut(d)) {
                let piece = row(layout.pieces, tokens.squares[square].into());
                let place = row(layout.positions, square);
                for n in 0..d {
                    into[n] = piece[n] + place[n] + side[n];
                }
            }
        }
    }

    /// From the change of `last` (which is overwritten) to the gradient of all that comes before it,
    /// which is added to.
    pub fn backward(
        &mut self,
        layout: &Layout,
        weights: &[f32],
        tokens: &[Tokens],
        last_change: &mut [f32],
        gradient: &mut [f32],
    ) {
        let (d, rows) = (self.config.n_embd, tokens.len() * SQUARES);
        let shape = Shape { width: d, head: self.config.head_dim() };
        let matrix = |begin: usize, rows: usize, columns: usize| {
            Matrix::new(&weights[begin..], rows, columns)
        };
        let change = &mut self.change[..rows * d];
        change.fill(0.0);
        norm_back(change, last_change, &self.last, &self.last_inverse, d);
        for (number, places) in layout.blocks.iter().enumerate().rev() {
            let kept = &self.blocks[number];
            let neurons = &kept.neurons[..rows * 4 * d];
            let stream = Matrix::new(change, rows, d);
            // The perceptron: its neurons are squared again, which is cheaper than to keep squares.
            for (square, neuron) in self.squares.iter_mut().zip(neurons) {
                *square = neuron * neuron;
            }
            matmul_add(
                MatrixMut::new(&mut gradient[places.mlp_out..], d, 4 * d),
                stream.transposed(),
                Matrix::new(&self.squares, rows, 4 * d),
                1.0,
            );
            let wide = &mut self.wide[..rows * 4 * d];
            let into = MatrixMut::new(wide, rows, 4 * d);
            matmul(into, stream, matrix(places.mlp_out, d, 4 * d), 1.0);
            for (wide, neuron) in wide.iter_mut().zip(neurons) {
                *wide *= 2.0 * neuron;
            }
            let wide = Matrix::new(wide, rows, 4 * d);
            matmul_add(
                MatrixMut::new(&mut gradient[places.mlp_in..], 4 * d, d),
                wide.transposed(),
                Matrix::new(&kept.middle, rows, d),
                1.0,
            );
            let narrow = &mut self.narrow[..rows * d];
            let into = MatrixMut::new(narrow, rows, d);
            matmul(into, wide, matrix(places.mlp_in, 4 * d, d), 1.0);
            norm_back(change, narrow, &kept.middle, &kept.middle_inverse, d);
            // Attention.
            let stream = Matrix::new(change, rows, d);
            matmul_add(
                MatrixMut::new(&mut gradient[places.projection..], d, d),
                stream.transposed(),
                Matrix::new(&kept.seen, rows, d),
                1.0,
            );
            let into = MatrixMut::new(narrow, rows, d);
            matmul(into, stream, matrix(places.projection, d, d), 1.0);
            self.free.fill(0.0);
            let triple = &mut self.triple[..rows * 3 * d];
            for n in 0..tokens.len() {
                let (qkv, shares) = (SQUARES * 3 * d, HEADS * PAIRS);
                attention::backward(
                    shape,
                    &kept.qkv[n * qkv..][..qkv],
                    &kept.shares[n * shares..][..shares],
                    &narrow[n * SQUARES * d..][..SQUARES * d],
                    &mut triple[n * qkv..][..qkv],
                    &mut self.free,
                );
            }
            let own = places.free..places.free + FREE_HEADS * PAIRS;
            attention::free_back(&mut gradient[own.clone()], &self.free, &weights[own]);
            norm_heads_back(triple, &kept.qkv, &kept.qk_inverse, shape);
            let triple = Matrix::new(triple, rows, 3 * d);
            matmul_add(
                MatrixMut::new(&mut gradient[places.qkv..], 3 * d, d),
                triple.transposed(),
                Matrix::new(&kept.input, rows, d),
                1.0,
            );
            let into = MatrixMut::new(narrow, rows, d);
            matmul(into, triple, matrix(places.qkv, 3 * d, d), 1.0);
            norm_back(change, narrow, &kept.input, &kept.input_inverse, d);
        }
        let narrow = &mut self.narrow[..rows * d];
        narrow.fill(0.0);
        norm_back(narrow, change, &self.first, &self.first_inverse, d);
        for (tokens, change) in tokens.iter().zip(narrow.chunks_exact(SQUARES * d)) {
            for (square, change) in change.chunks_exact(d).enumerate() {
                for (begin, number) in [
                    (layout.pieces, tokens.squares[square].into()),
                    (layout.positions, square),
                    (layout.sides, tokens.side.into()),
                ] {
                    let row = &mut gradient[begin + number * d..][..d];
                    row.iter_mut().zip(change).for_each(|(row, change)| *row += change);
                }
            }
        }
    }
}

/// Norms queries and keys of each head, in place.
fn norm_heads(qkv: &mut [f32], inverse: &mut [f32], shape: Shape) {
    let rows = qkv.chunks_exact_mut(3 * shape.width);
    for (row, inverse) in rows.zip(inverse.as_chunks_mut::<{ 2 * HEADS }>().0) {
        let heads = &mut row[..2 * shape.width];
        for (head, square) in heads.chunks_exact(shape.head).zip(&mut *inverse) {
            *square = short_dot(head, head);
        }
        // All roots of a row at a time: each alone would be waited for.
        for square in &mut *inverse {
            *square = (*square / shape.head as f32 + EPSILON).sqrt().recip();
        }
        for (head, inverse) in heads.chunks_exact_mut(shape.head).zip(inverse) {
            head.iter_mut().for_each(|x| *x *= *inverse);
        }
    }
}

/// The way back of [`norm_heads`], in place.
fn norm_heads_back(change: &mut [f32], qkv: &[f32], inverse: &[f32], shape: Shape) {
    let (step, width) = (3 * shape.width, 2 * shape.width);
    let rows = change.chunks_exact_mut(step).zip(qkv.chunks_exact(step));
    for ((change, qkv), inverse) in rows.zip(inverse.chunks_exact(2 * HEADS)) {
        let heads = change[..width].chunks_exact_mut(shape.head);
        for ((change, normed), inverse) in
            heads.zip(qkv[..width].chunks_exact(shape.head)).zip(inverse)
        {
            let mean = short_dot(change, normed) / shape.head as f32;
            for (change, normed) in change.iter_mut().zip(normed) {
                *change = inverse * (*change - normed * mean);
            }
        }
    }
}
