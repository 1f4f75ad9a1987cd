//! The value head: win, draw and loss probabilities, the loss, and its gradient.
//!
//! The reference has an MLP over the hidden states of all squares with one tanh output and a squared
//! error. The light head first projects each square to a few channels, and is a classifier of win, draw
//! and loss with a cross-entropy loss.

use simd::AlignedVec;

use super::batch::{Losses, has_outcome};
use super::heads::Backward;
use super::ops::{relu_and_square, relu_squared_backward};
use super::packed::Parameters;
use crate::config::{Config, SQUARES};
use crate::encode::Outcome;
use crate::layout::{VALUE_CHANNELS, value_shape};
use simd::gemm::{Matrix, MatrixMut, matmul, matmul_add, matmul_packed};

/// Activations of the value head.
#[derive(Clone, Debug)]
pub(super) struct ValueHead {
    config: Config,
    /// Channels of the squares, in the light head.
    squares: AlignedVec<f32>,
    /// ReLU output, and its square.
    hidden: AlignedVec<f32>,
    squared: AlignedVec<f32>,
    outputs: AlignedVec<f32>,
    grad_outputs: AlignedVec<f32>,
    grad_hidden: AlignedVec<f32>,
    grad_squares: AlignedVec<f32>,
}

impl ValueHead {
    pub fn new(config: &Config, positions: usize, training: bool) -> Self {
        let grad = |length: usize| AlignedVec::zeros(if training { length } else { 0 });
        let (_, neurons, outputs) = value_shape(config);
        let channels = if config.light_value { VALUE_CHANNELS } else { 0 };
        let squares = positions * SQUARES * channels;
        Self {
            config: *config,
            squares: AlignedVec::zeros(squares),
            hidden: AlignedVec::zeros(positions * neurons),
            squared: AlignedVec::zeros(positions * neurons),
            outputs: AlignedVec::zeros(positions * outputs),
            grad_outputs: grad(positions * outputs),
            grad_hidden: grad(positions * neurons),
            grad_squares: grad(squares),
        }
    }

    /// Computes the outputs of all positions from their hidden states.
    pub fn forward(&mut self, parameters: &Parameters<'_>, last: Matrix<'_>, positions: usize) {
        let Parameters { layout, packed, .. } = *parameters;
        let (inputs, neurons, outputs) = value_shape(&self.config);
        if self.config.light_value {
            let into = MatrixMut::new(&mut self.squares, positions * SQUARES, VALUE_CHANNELS);
            matmul_packed(into, last, &packed[layout.value_squares..], false);
        }
        let input = if self.config.light_value { &self.squares[..] } else { last.data() };
        matmul_packed(
            MatrixMut::new(&mut self.hidden, positions, neurons),
            Matrix::new(input, positions, inputs),
            &packed[layout.value_fc1..],
            false,
        );
        relu_and_square(&mut self.hidden, &mut self.squared);
        matmul_packed(
            MatrixMut::new(&mut self.outputs, positions, outputs),
            Matrix::new(&self.squared, positions, neurons),
            &packed[layout.value_fc2..],
            false,
        );
    }

    /// Win, draw and loss probabilities of position `n`; the reference's head has no draws.
    pub fn outcome(&self, n: usize) -> Outcome {
        if self.config.light_value {
            let own = &self.outputs[n * 3..][..3];
            let most = own.iter().copied().fold(f32::MIN, f32::max);
            let all = [own[0], own[1], own[2]].map(|output| (output - most).exp());
            let sum: f32 = all.iter().sum();
            all.map(|output| output / sum)
        } else {
            let value = self.outputs[n].tanh();
            [(1.0 + value) / 2.0, 0.0, (1.0 - value) / 2.0]
        }
    }

    /// Adds the loss of position `n`; with a scale, also computes the gradient w.r.t. the outputs.
    pub fn loss(&mut self, target: &Outcome, n: usize, scale: Option<f32>, losses: &mut Losses) {
        let outputs = value_shape(&self.config).2;
        let mut grad = [0.0; 3];
        if has_outcome(target) {
            let outcome = self.outcome(n);
            losses.valued += 1;
            if self.config.light_value {
                for (probability, target) in outcome.iter().zip(target) {
                    losses.value -= f64::from(*target) * f64::from(probability.max(1e-30)).ln();
                }
                grad = std::array::from_fn(|k| outcome[k] - target[k]);
            } else {
                let value = outcome[0] - outcome[2];
                let error = value - (target[0] - target[2]);
                losses.value += f64::from(error) * f64::from(error);
                grad[0] = 2.0 * error * (1.0 - value * value);
            }
        }
        if let Some(scale) = scale {
            let own = &mut self.grad_outputs[n * outputs..][..outputs];
            own.iter_mut().zip(grad).for_each(|(own, grad)| *own = scale * grad);
        }
    }

    /// Adds the gradients w.r.t. the weights of the head and the hidden states of all positions.
    pub fn backward(
        &mut self,
        parameters: &Parameters<'_>,
        last: &[f32],
        positions: usize,
        backward: &mut Backward<'_>,
    ) {
        let (d, rows) = (self.config.n_embd, positions * SQUARES);
        let Parameters { layout, weights, .. } = *parameters;
        let Backward { gradient, grad_hidden: grad_last, .. } = backward;
        let (inputs, neurons, outputs) = value_shape(&self.config);
        let grad_outputs = Matrix::new(&self.grad_outputs, positions, outputs);
        matmul_add(
            MatrixMut::new(&mut gradient[layout.value_fc2..], outputs, neurons),
            grad_outputs.transposed(),
            Matrix::new(&self.squared, positions, neurons),
            1.0,
        );
        matmul(
            MatrixMut::new(&mut self.grad_hidden, positions, neurons),
            grad_outputs,
            Matrix::new(&weights[layout.value_fc2..], outputs, neurons),
            1.0,
        );
        relu_squared_backward(&mut self.grad_hidden, &self.hidden);
        let grad_hidden = Matrix::new(&self.grad_hidden, positions, neurons);
        let input = if self.config.light_value { &self.squares[..] } else { last };
        matmul_add(
            MatrixMut::new(&mut gradient[layout.value_fc1..], neurons, inputs),
            grad_hidden.transposed(),
            Matrix::new(input, positions, inputs),
            1.0,
        );
        let fc1 = Matrix::new(&weights[layout.value_fc1..], neurons, inputs);
        if !self.config.light_value {
            let into = MatrixMut::new(grad_last, positions, inputs);
            matmul_add(into, grad_hidden, fc1, 1.0);
            return;
        }
        let into = MatrixMut::new(&mut self.grad_squares, positions, inputs);
        matmul(into, grad_hidden, fc1, 1.0);
        let grad_squares = Matrix::new(&self.grad_squares, rows, VALUE_CHANNELS);
        matmul_add(
            MatrixMut::new(&mut gradient[layout.value_squares..], VALUE_CHANNELS, d),
            grad_squares.transposed(),
            Matrix::new(last, rows, d),
            1.0,
        );
        matmul_add(
            MatrixMut::new(grad_last, rows, d),
            grad_squares,
            Matrix::new(&weights[layout.value_squares..], VALUE_CHANNELS, d),
            1.0,
        );
    }
}
