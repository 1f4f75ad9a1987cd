//! Forward and backward pass of one thread.
//!
//! Rows are processed in *blocks* whose hidden layers fit the L2 cache. For the gradient of the feature
//! weights the inputs of a block are sorted: every active weight row is read and written once per block,
//! not once per position. Each thread has its own gradient; the optimizer sums them in a fixed order, so
//! that runs are bit-exactly reproducible.

use chess::PackedRow;
use nnue::network::{Head, SCALE};
use simd::{AlignedVec, float};

use super::dense::Dense;
use super::example::{Encoder, Example, RowCounts, sigmoid};
use super::parameters::{Parameters, Tensor};

/// Values in the hidden layers of a block: 256 KiB.
const BLOCK_VALUES: usize = 1 << 16;

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
    fn of(&self, output: f32, target: f32) -> (f32, f32) {
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
    /// Rows per block.
    block: usize,
    examples: Vec<Example>,
    /// The hidden layers of a block, side to move and opponent in turn; after the backward pass, their
    /// gradients.
    hidden: AlignedVec<f32>,
    sorted: Sorted,
    dense: Dense,
}

impl Worker {
    pub(super) fn new(parameters: &Parameters) -> Self {
        let shape = parameters.shape();
        let rows = BLOCK_VALUES / (2 * shape.hidden);
        Self {
            gradients: Parameters::zero(shape),
            block: rows,
            examples: Vec::new(),
            hidden: AlignedVec::zeros(rows * 2 * shape.hidden),
            sorted: Sorted { starts: vec![0; shape.inputs() + 1], rows: vec![0; rows * 64] },
            dense: Dense::new(shape.hidden),
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
        let counts = self.forward_blocks(parameters, encoder, rows, |worker| {
            total += worker.backward(parameters, loss);
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
        let counts = self.forward_blocks(parameters, encoder, rows, |worker| {
            let shape = parameters.shape();
            let layers = worker.hidden.chunks_exact(2 * shape.hidden);
            for (example, hidden) in worker.examples.iter().zip(layers) {
                let bucket = usize::from(example.bucket);
                let output = match shape.head {
                    Head::Linear => linear_output(parameters, bucket, hidden),
                    Head::Dense => worker.dense.forward(parameters, bucket, hidden),
                };
                total += f64::from(loss.of(output, example.target).0);
            }
        });
        LossTotals { loss: total, counts }
    }

    /// Encodes the rows block by block, runs the forward pass, and calls `each`.
    fn forward_blocks(
        &mut self,
        parameters: &Parameters,
        encoder: &Encoder,
        rows: &[PackedRow],
        mut each: impl FnMut(&mut Self),
    ) -> RowCounts {
        let mut counts = RowCounts::default();
        for block in rows.chunks(self.block) {
            self.encode(encoder, block, &mut counts);
            self.forward(parameters);
            each(self);
        }
        counts
    }

    fn encode(&mut self, encoder: &Encoder, rows: &[PackedRow], counts: &mut RowCounts) {
        self.examples.clear();
        let mut example = Example::EMPTY;
        for row in rows {
            if encoder.encode(row, &mut example, counts) {
                self.examples.push(example);
            }
        }
    }

    #[inline(never)]
    fn forward(&mut self, parameters: &Parameters) {
        let weights = parameters.tensor(Tensor::FeatureWeights);
        let bias = parameters.tensor(Tensor::FeatureBias);
        let mut layers = self.hidden.chunks_exact_mut(bias.len());
        for example in &self.examples {
            for (side, hidden) in layers.by_ref().take(2).enumerate() {
                hidden.copy_from_slice(bias);
                float::add_rows(hidden, weights, example.inputs(side));
            }
        }
    }

    /// Adds to the gradient; returns the loss.
    #[inline(never)]
    fn backward(&mut self, parameters: &Parameters, loss: &Loss) -> f64 {
        let total = match parameters.shape().head {
            Head::Linear => self.backward_linear(parameters, loss),
            Head::Dense => self.backward_dense(parameters, loss),
        };
        let hidden = parameters.shape().hidden;
        let [weight_sums, bias_sums, ..] = self.gradients.tensors_mut();
        for gradients in self.hidden.chunks_exact(hidden).take(2 * self.examples.len()) {
            float::add(bias_sums, gradients);
        }
        self.sorted.sort(&self.examples);
        for (input, sums) in weight_sums.chunks_exact_mut(hidden).enumerate() {
            float::add_rows(sums, &self.hidden, self.sorted.rows(input));
        }
        total
    }

    /// The backward pass as far as the accumulators, whose gradients replace them.
    fn backward_linear(&mut self, parameters: &Parameters, loss: &Loss) -> f64 {
        let mut total = 0.0;
        let width = 2 * parameters.shape().hidden;
        for (example, hidden) in self.examples.iter().zip(self.hidden.chunks_exact_mut(width)) {
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

    /// The same for a dense head; bucket by bucket, because the layers of all do not fit the cache.
    fn backward_dense(&mut self, parameters: &Parameters, loss: &Loss) -> f64 {
        let mut total = 0.0;
        let width = 2 * parameters.shape().hidden;
        for bucket in 0..parameters.shape().output_buckets {
            let rows = self.examples.iter().zip(self.hidden.chunks_exact_mut(width));
            for (example, hidden) in rows.filter(|(row, _)| usize::from(row.bucket) == bucket) {
                let output = self.dense.forward(parameters, bucket, hidden);
                let (loss, gradient) = loss.of(output, example.target);
                total += f64::from(loss);
                self.dense.backward(parameters, bucket, gradient, hidden, &mut self.gradients);
            }
        }
        total
    }
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
