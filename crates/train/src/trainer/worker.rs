//! What one thread does with its share of a batch: forward, loss, backward.
//!
//! It takes as many rows at a time as keep their hidden layers in the second-level cache (a *block*). For
//! the gradient of feature weights the inputs of a block are sorted: every weight row that is active is
//! read and written once for the block, not once for every position. A thread has gradients of its own,
//! which the optimiser adds up in a fixed order, so that a run can be repeated to the bit.

use chess::PackedRow;
use nnue::network::SCALE;
use simd::{AlignedVec, float};

use super::example::{Encoder, Example, RowCounts, sigmoid};
use super::parameters::{Parameters, Part};

/// Numbers in the hidden layers of a block: 256 KiB.
const BLOCK_VALUES: usize = 1 << 16;

/// What a share of a batch comes to.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tally {
    /// The sum of the losses of all rows that were used.
    pub loss: f64,
    /// How many were, and how many were not.
    pub counts: RowCounts,
}

impl Tally {
    pub(super) fn append(&mut self, other: &Self) {
        self.loss += other.loss;
        self.counts.append(&other.counts);
    }

    /// The mean loss, if there are rows.
    pub fn mean(&self) -> Option<f64> {
        (self.counts.used > 0).then(|| self.loss / self.counts.used as f64)
    }
}

/// How far an expectation is off counts by this power of the difference.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Loss {
    pub(super) power: f32,
    /// Centipawns in the sigmoid.
    pub(super) scale: f32,
}

impl Loss {
    /// The loss of an output, and its slope.
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

/// The memory of one thread.
#[derive(Clone, Debug)]
pub(super) struct Worker {
    pub(super) gradients: Parameters,
    /// How many rows a block has.
    block: usize,
    examples: Vec<Example>,
    /// The hidden layers of a block, the mover's and the other's in turn; later their gradients.
    hidden: AlignedVec<f32>,
    sorted: Sorted,
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
        }
    }

    /// Sets the gradients to those of these rows, summed and not averaged.
    pub(super) fn learn(
        &mut self,
        parameters: &Parameters,
        encoder: &Encoder,
        loss: &Loss,
        rows: &[PackedRow],
    ) -> Tally {
        self.gradients.values.fill(0.0);
        let mut tally = Tally::default();
        for block in rows.chunks(self.block) {
            self.encode(encoder, block, &mut tally.counts);
            self.forward(parameters);
            tally.loss += self.backward(parameters, loss);
        }
        tally
    }

    /// The loss of these rows.
    pub(super) fn measure(
        &mut self,
        parameters: &Parameters,
        encoder: &Encoder,
        loss: &Loss,
        rows: &[PackedRow],
    ) -> Tally {
        let mut tally = Tally::default();
        for block in rows.chunks(self.block) {
            self.encode(encoder, block, &mut tally.counts);
            self.forward(parameters);
            let layers = self.hidden.chunks_exact(2 * parameters.shape().hidden);
            for (example, hidden) in self.examples.iter().zip(layers) {
                let output = output(parameters, example, hidden);
                tally.loss += f64::from(loss.of(output, example.target).0);
            }
        }
        tally
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
        let weights = parameters.part(Part::FeatureWeights);
        let bias = parameters.part(Part::FeatureBias);
        let mut layers = self.hidden.chunks_exact_mut(bias.len());
        for example in &self.examples {
            for (side, hidden) in layers.by_ref().take(2).enumerate() {
                hidden.copy_from_slice(bias);
                float::add_rows(hidden, weights, example.inputs(side));
            }
        }
    }

    /// Adds to the gradients; gives the loss.
    #[inline(never)]
    fn backward(&mut self, parameters: &Parameters, loss: &Loss) -> f64 {
        let shape = parameters.shape();
        let width = 2 * shape.hidden;
        let mut total = 0.0;
        let outputs = parameters.part(Part::OutputWeights);
        let [weight_sums, bias_sums, output_sums, output_bias_sums] = self.gradients.parts_mut();
        for (example, hidden) in self.examples.iter().zip(self.hidden.chunks_exact_mut(width)) {
            let (loss, gradient) = loss.of(output(parameters, example, hidden), example.target);
            total += f64::from(loss);
            let bucket = usize::from(example.bucket);
            let row = bucket * width..(bucket + 1) * width;
            float::screlu_backward(hidden, &outputs[row.clone()], gradient, &mut output_sums[row]);
            output_bias_sums[bucket] += gradient;
            let (own, other) = hidden.split_at(shape.hidden);
            float::add(bias_sums, own);
            float::add(bias_sums, other);
        }
        self.sorted.sort(&self.examples);
        for (input, sums) in weight_sums.chunks_exact_mut(shape.hidden).enumerate() {
            float::add_rows(sums, &self.hidden, self.sorted.rows(input));
        }
        total
    }
}

fn output(parameters: &Parameters, example: &Example, hidden: &[f32]) -> f32 {
    let (width, bucket) = (hidden.len(), usize::from(example.bucket));
    let weights = &parameters.part(Part::OutputWeights)[bucket * width..][..width];
    parameters.part(Part::OutputBias)[bucket] + float::screlu_dot(hidden, weights)
}

/// The inputs of a block in order, each with the hidden layers it is active in.
#[derive(Clone, Debug)]
struct Sorted {
    /// Where the rows of each input begin.
    starts: Vec<u32>,
    rows: Vec<u16>,
}

impl Sorted {
    fn rows(&self, input: usize) -> &[u16] {
        &self.rows[self.starts[input] as usize..self.starts[input + 1] as usize]
    }

    /// Counts, adds up, and puts in place, from the last to the first.
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
