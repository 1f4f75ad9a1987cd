//! The gradient of the parameters, summed over all blocks in order.

use nnue::features::COUNT;
use nnue::towers::{HEAD_ROWS, SLAB_ROWS, Slab};
use simd::row64::{Row, matmul_add, transpose};

use super::block::{Block, SIZE, add, mask};

/// Scratch buffers of one thread.
pub(super) struct Scratch {
    pub gradient: Vec<Row>,
    transposed: Box<[Row; 64]>,
    values: Box<[Row; SIZE]>,
    errors: Box<[Row; SIZE]>,
}

impl Scratch {
    pub(super) fn new() -> Self {
        let rows = || Box::new([Row::ZERO; 64]);
        let gradient = vec![Row::ZERO; SLAB_ROWS.max(HEAD_ROWS)];
        Self { gradient, transposed: rows(), values: rows(), errors: rows() }
    }

    /// Computes the gradient of a slab, in the order of its rows. The buffer must be 0.
    pub(super) fn add_slab(&mut self, blocks: &[Block], number: usize, slab: Slab<'_>) {
        let Self { gradient, transposed, values, errors } = self;
        let (inputs, rest) = gradient.split_at_mut(COUNT);
        let (biases, next) = rest.split_at_mut(2);
        let mut next_transposed = Box::new([Row::ZERO; 64]);
        transpose(slab.next, &mut next_transposed);
        for block in blocks {
            let outputs = &block.slabs[number];
            let count = block.len();
            // The layer after the towers: its inputs are the sums of both towers.
            values.fill(Row::ZERO);
            add(&mut values[..count], &outputs.mover[..], &outputs.opponent[..]);
            transpose(values, transposed);
            matmul_add(&transposed[..], &block.hidden_error, &mut next[..64]);
            // Both towers have the same gradient, except where they were clipped.
            values.fill(Row::ZERO);
            matmul_add(&block.hidden_error[..], &next_transposed, &mut values[..]);
            for (tower, outputs) in [&outputs.mover, &outputs.opponent].into_iter().enumerate() {
                errors.copy_from_slice(&values[..]);
                mask(errors, outputs);
                scatter_add(&mut biases[tower], inputs, &errors[..count], block, tower);
            }
        }
    }

    /// Computes the gradient of the head, in the order of its rows. The buffer must be 0.
    pub(super) fn add_head(&mut self, blocks: &[Block]) {
        let Self { gradient, transposed, .. } = self;
        for block in blocks {
            let (bias, mut rest) = gradient.split_at_mut(1);
            sum(&mut bias[0], &block.hidden_error[..]);
            let layers = [
                (&block.hidden, &block.inner_error),
                (&block.inner, &block.residual_error),
                (&block.residual, &block.last_error),
            ];
            for (values, errors) in layers {
                let (layer, after) = rest.split_at_mut(65);
                transpose(values, transposed);
                matmul_add(&transposed[..], errors, &mut layer[..64]);
                sum(&mut layer[64], &errors[..]);
                rest = after;
            }
            add_weighted(&mut rest[0], &block.last[..], &block.output_error[..]);
            rest[1][0] = block.output_error.iter().fold(rest[1][0], |sum, error| sum + error);
        }
    }
}

simd::vectorize! {
    /// Adds the gradient of each position to the bias of a tower and to the weights of its active features.
    fn scatter_add(
        bias: &mut Row, inputs: &mut [Row], errors: &[Row], block: &Block, tower: usize; _
    ) {
        for (p, error) in errors.iter().enumerate() {
            bias.add(error);
            for &feature in block.active(p)[tower] {
                inputs[usize::from(feature)].add(error);
            }
        }
    }

    /// `total += Σ weights[p] · rows[p]`.
    fn add_weighted(total: &mut Row, rows: &[Row], weights: &[f32]; _) {
        for (row, &weight) in rows.iter().zip(weights) {
            for n in 0..64 {
                total.0[n] += weight * row.0[n];
            }
        }
    }

    /// `total += Σ rows`.
    fn sum(total: &mut Row, rows: &[Row]; _) {
        for row in rows {
            total.add(row);
        }
    }
}
