//! Forward and backward pass of one thread.
//!
//! Weights and gradients do not fit the caches. So rows are processed in large *blocks*, and the accumulators
//! of a block in *strips* of columns: the weights of a strip, or the gradients of its accumulators, fit the
//! L2 cache, and all positions of the block use them. For the gradient of the feature weights the inputs of a
//! block are sorted: every active weight row is read and written once per block, not once per position. Each
//! thread has its own gradient; the optimizer sums them in a fixed order, so that runs are bit-exactly
//! reproducible.

use std::ops::Range;

use chess::PackedRow;
use nnue::network::{Head, SCALE};
use simd::AlignedVec;
use simd::float::{self, STRIP};

use super::dense::Dense;
use super::example::{Encoder, Example, RowCounts, sigmoid};
use super::parameters::{Parameters, Tensor};

/// Rows of a block.
const BLOCK: usize = 1024;
/// Rows that are encoded at once. A thread's part of a batch usually has no more, so that its blocks are as
/// full as possible; of a large set, as in validation, the examples do not take memory all at once.
const ENCODED: usize = 16 * BLOCK;
/// Rows that pass the dense head at once: its matrices fit the L2 cache.
const DENSE_ROWS: usize = 32;

/// The loss of some rows.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LossTotals {
    /// The sum over all used rows.
    pub loss: f64,
    /// Rows used and skipped.
    pub counts: RowCounts,
}

impl LossTotals {
    pub(super) fn append(&mut self, other: &Self) {
        self.loss += other.loss;
        self.counts.append(&other.counts);
    }

    /// The mean loss, if rows were used.
    pub fn mean(&self) -> Option<f64> {
        (self.counts.used > 0).then(|| self.loss / self.counts.used as f64)
    }
}

/// The loss function: |expected score − target| to a power.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Loss {
    pub(super) power: f32,
    /// The scale of the sigmoid, in centipawns.
    pub(super) scale: f32,
}

impl Loss {
    /// The loss of an output, and its derivative.
    #[inline]
    pub(super) fn of(&self, output: f32, target: f32) -> (f32, f32) {
        let slope = SCALE as f32 / self.scale;
        let expectation = sigmoid(output * slope);
        let error = expectation - target;
        let (loss, outer) = if self.power == 2.0 {
            (error * error, 2.0 * error)
        } else {
            let size = error.abs();
            (size.powf(self.power), self.power * size.powf(self.power - 1.0).copysign(error))
        };
        (loss, outer * expectation * (1.0 - expectation) * slope)
    }
}

/// One thread's memory.
#[derive(Clone, Debug)]
pub(super) struct Worker {
    pub(super) gradients: Parameters,
    /// The examples of a dense head by bucket: a block is a matrix for the layers of its bucket. Those of a
    /// linear head are one list.
    examples: Vec<Vec<Example>>,
    /// The hidden layers of a block, side to move and opponent in turn; after the backward pass, their
    /// gradients.
    hidden: AlignedVec<f32>,
    /// A strip of the feature weights, or of the hidden layers.
    strip: AlignedVec<f32>,
    sorted: Sorted,
    dense: Option<Dense>,
}

impl Worker {
    pub(super) fn new(parameters: &Parameters) -> Self {
        let shape = parameters.shape();
        let dense = (shape.head == Head::Dense).then(|| Dense::new(shape.hidden, DENSE_ROWS));
        Self {
            gradients: Parameters::zero(shape),
            examples: vec![Vec::new(); if dense.is_some() { shape.output_buckets } else { 1 }],
            hidden: AlignedVec::zeros(2 * BLOCK * shape.hidden),
            strip: AlignedVec::zeros(STRIP * shape.inputs().max(2 * BLOCK)),
            sorted: Sorted { starts: vec![0; shape.inputs() + 1], rows: vec![0; BLOCK * 64] },
            dense,
        }
    }

    /// Computes loss and gradient, both summed over the rows.
    pub(super) fn gradient(
        &mut self,
        parameters: &Parameters,
        encoder: &Encoder,
        loss: &Loss,
        rows: &[PackedRow],
    ) -> LossTotals {
        self.gradients.values.fill(0.0);
        let mut total = 0.0;
        let counts = self.forward_blocks(parameters, encoder, rows, |worker, block| {
            total += worker.backward(parameters, loss, block);
        });
        LossTotals { loss: total, counts }
    }

    /// Computes the loss, summed over the rows.
    pub(super) fn loss(
        &mut self,
        parameters: &Parameters,
        encoder: &Encoder,
        loss: &Loss,
        rows: &[PackedRow],
    ) -> LossTotals {
        let mut total = 0.0;
        let width = 2 * parameters.shape().hidden;
        let counts = self.forward_blocks(parameters, encoder, rows, |worker, block| {
            if let Some(dense) = &mut worker.dense {
                let layers = worker.hidden.chunks(DENSE_ROWS * width);
                for (chunk, hidden) in block.chunks(DENSE_ROWS).zip(layers) {
                    let outputs = dense.forward(parameters, &hidden[..chunk.len() * width]);
                    for (&output, example) in outputs.iter().zip(chunk) {
                        total += f64::from(loss.of(output, example.target).0);
                    }
                }
            } else {
                for (example, hidden) in block.iter().zip(worker.hidden.chunks_exact(width)) {
                    let output = linear_output(parameters, usize::from(example.bucket), hidden);
                    total += f64::from(loss.of(output, example.target).0);
                }
            }
        });
        LossTotals { loss: total, counts }
    }

    /// Encodes the rows, runs the forward pass block by block, and calls `each`.
    fn forward_blocks(
        &mut self,
        parameters: &Parameters,
        encoder: &Encoder,
        rows: &[PackedRow],
        mut each: impl FnMut(&mut Self, &[Example]),
    ) -> RowCounts {
        let mut lists = std::mem::take(&mut self.examples);
        let mut counts = RowCounts::default();
        for rows in rows.chunks(ENCODED) {
            counts.append(&encode(encoder, rows, &mut lists));
            for (bucket, list) in lists.iter().enumerate() {
                if let Some(dense) = &mut self.dense {
                    dense.load(parameters, bucket);
                }
                for block in list.chunks(BLOCK) {
                    self.forward(parameters, block);
                    each(self, block);
                }
            }
        }
        self.examples = lists;
        counts
    }

    #[inline(never)]
    fn forward(&mut self, parameters: &Parameters, block: &[Example]) {
        let weights = parameters.tensor(Tensor::FeatureWeights);
        let bias = parameters.tensor(Tensor::FeatureBias);
        let hidden = bias.len();
        for first in (0..hidden).step_by(STRIP) {
            let columns = first..(first + STRIP).min(hidden);
            let strip = copy_strip(&mut self.strip, weights, hidden, columns.clone());
            let mut layers = self.hidden.chunks_exact_mut(hidden);
            for example in block {
                for (side, layer) in layers.by_ref().take(2).enumerate() {
                    let sums = &mut layer[columns.clone()];
                    sums.copy_from_slice(&bias[columns.clone()]);
                    float::add_rows(sums, strip, example.inputs(side));
                }
            }
        }
    }

    /// Adds to the gradient; returns the loss.
    #[inline(never)]
    fn backward(&mut self, parameters: &Parameters, loss: &Loss, block: &[Example]) -> f64 {
        let hidden = parameters.shape().hidden;
        let total = if let Some(dense) = &mut self.dense {
            let layers = self.hidden.chunks_mut(DENSE_ROWS * 2 * hidden);
            let step = |(chunk, layers): (&[Example], &mut [f32])| {
                let layers = &mut layers[..chunk.len() * 2 * hidden];
                dense.forward(parameters, layers);
                let targets = chunk.iter().map(|example| example.target);
                dense.backward(parameters, loss, targets, layers, &mut self.gradients)
            };
            block.chunks(DENSE_ROWS).zip(layers).map(step).sum()
        } else {
            self.backward_linear(parameters, loss, block)
        };
        let [weight_sums, bias_sums, ..] = self.gradients.tensors_mut();
        let layers = &self.hidden[..2 * block.len() * hidden];
        layers.chunks_exact(hidden).for_each(|gradients| float::add(bias_sums, gradients));
        self.sorted.sort(block);
        for first in (0..hidden).step_by(STRIP) {
            let columns = first..(first + STRIP).min(hidden);
            let strip = copy_strip(&mut self.strip, layers, hidden, columns.clone());
            for (input, sums) in weight_sums.chunks_exact_mut(hidden).enumerate() {
                let rows = self.sorted.rows(input);
                if !rows.is_empty() {
                    float::add_rows(&mut sums[columns.clone()], strip, rows);
                }
            }
        }
        total
    }

    /// The backward pass as far as the accumulators, whose gradients replace them.
    fn backward_linear(&mut self, parameters: &Parameters, loss: &Loss, block: &[Example]) -> f64 {
        let mut total = 0.0;
        let width = 2 * parameters.shape().hidden;
        for (example, hidden) in block.iter().zip(self.hidden.chunks_exact_mut(width)) {
            let bucket = usize::from(example.bucket);
            let (loss, gradient) =
                loss.of(linear_output(parameters, bucket, hidden), example.target);
            total += f64::from(loss);
            let weights = parameters.bucket(Tensor::OutputWeights, bucket);
            let sums = self.gradients.bucket_mut(Tensor::OutputWeights, bucket);
            float::screlu_backward(hidden, weights, gradient, sums);
            self.gradients.tensor_mut(Tensor::OutputBias)[bucket] += gradient;
        }
        total
    }
}

/// Copies columns of a row-major matrix into a contiguous one.
fn copy_strip<'a>(
    strip: &'a mut [f32],
    matrix: &[f32],
    width: usize,
    columns: Range<usize>,
) -> &'a [f32] {
    let rows = matrix.chunks_exact(width);
    let strip = &mut strip[..rows.len() * columns.len()];
    for (to, row) in strip.chunks_exact_mut(columns.len()).zip(rows) {
        to.copy_from_slice(&row[columns.clone()]);
    }
    strip
}

/// Encodes rows into one list, or a list for each bucket.
fn encode(encoder: &Encoder, rows: &[PackedRow], lists: &mut [Vec<Example>]) -> RowCounts {
    lists.iter_mut().for_each(Vec::clear);
    let (mut counts, mut example) = (RowCounts::default(), Example::EMPTY);
    for row in rows {
        if encoder.encode(row, &mut example, &mut counts) {
            let list = usize::from(example.bucket).min(lists.len() - 1);
            lists[list].push(example);
        }
    }
    counts
}

/// The output of a bucket of a linear head, for both accumulators.
pub(super) fn linear_output(parameters: &Parameters, bucket: usize, hidden: &[f32]) -> f32 {
    let weights = parameters.bucket(Tensor::OutputWeights, bucket);
    parameters.tensor(Tensor::OutputBias)[bucket] + float::screlu_dot(hidden, weights)
}

/// The inputs of a block, sorted, each with the hidden layers it is active in.
#[derive(Clone, Debug)]
struct Sorted {
    /// The first row of each input.
    starts: Vec<u32>,
    rows: Vec<u16>,
}

impl Sorted {
    fn rows(&self, input: usize) -> &[u16] {
        &self.rows[self.starts[input] as usize..self.starts[input + 1] as usize]
    }

    /// Counting sort, from the last example to the first.
    fn sort(&mut self, examples: &[Example]) {
        self.starts.fill(0);
        for example in examples {
            for side in 0..2 {
                for &input in example.inputs(side) {
                    self.starts[usize::from(input)] += 1;
                }
            }
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        for (n, example) in examples.iter().enumerate().rev() {
            for side in [1, 0] {
                for &input in example.inputs(side) {
                    let start = &mut self.starts[usize::from(input)];
                    *start -= 1;
                    self.rows[*start as usize] = (2 * n + side) as u16;
                }
            }
        }
    }
}
