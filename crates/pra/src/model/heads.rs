//! The two answers of the model, their losses, and the way back from these: which move, and who wins.

use simd::AlignedVec;
use simd::gemm::{Matrix, MatrixMut, matmul, matmul_add, matmul_packed};

use super::batch::{Batch, LossWeights, Losses, is_known};
use super::ops::{add_scaled, dot, exp};
use crate::config::{Config, SQUARES};
use crate::encode::{Outcome, PLAIN_MOVES, POLICY, promotion_of};
use crate::layout::{Layout, VALUE_CHANNELS, value_shape};

/// Space for the answers to some positions.
#[derive(Clone, Debug)]
pub(super) struct Heads {
    config: Config,
    /// From and to, beside each other.
    pairs: AlignedVec<f32>,
    /// The numbers of all moves of a position.
    pub logits: AlignedVec<f32>,
    squares: AlignedVec<f32>,
    /// Neurons of the value head, squares of them, and its outputs.
    neurons: AlignedVec<f32>,
    neuron_squares: AlignedVec<f32>,
    outputs: AlignedVec<f32>,
    // For the way back:
    pairs_back: AlignedVec<f32>,
    plain_back: AlignedVec<f32>,
    outputs_back: AlignedVec<f32>,
    neurons_back: AlignedVec<f32>,
    squares_back: AlignedVec<f32>,
    /// The change of what the heads read.
    pub last_back: AlignedVec<f32>,
}

/// What the loss of a batch is divided by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shares {
    /// What a position counts in the loss of moves.
    pub policy: f32,
    /// What one with an outcome counts in that of outcomes.
    pub value: f32,
}

impl Shares {
    /// Means over so many positions.
    pub fn new(weights: LossWeights, of: u64, of_valued: u64) -> Self {
        Self {
            policy: weights.policy / of.max(1) as f32,
            value: weights.value / of_valued.max(1) as f32,
        }
    }
}

impl Heads {
    /// For so many positions at a time.
    pub fn new(config: &Config, positions: usize, goes_back: bool) -> Self {
        let (d, rows) = (config.n_embd, positions * SQUARES);
        let back = |length: usize| AlignedVec::zeros(if goes_back { length } else { 0 });
        let (_, neurons, outputs) = value_shape(config);
        let channels = if config.light_value { VALUE_CHANNELS } else { 0 };
        Self {
            config: *config,
            pairs: AlignedVec::zeros(rows * 2 * d),
            logits: AlignedVec::zeros(POLICY),
            squares: AlignedVec::zeros(rows * channels),
            neurons: AlignedVec::zeros(positions * neurons),
            neuron_squares: AlignedVec::zeros(positions * neurons),
            outputs: AlignedVec::zeros(positions * outputs),
            pairs_back: back(rows * 2 * d),
            plain_back: back(PLAIN_MOVES),
            outputs_back: back(positions * outputs),
            neurons_back: back(positions * neurons),
            squares_back: back(rows * channels),
            last_back: back(rows * d),
        }
    }

    /// What both heads make of `last`, by weights as [`crate::Weights::turned`] has them, up to the
    /// logits of single positions.
    pub fn forward(&mut self, layout: &Layout, turned: &[f32], last: &[f32], positions: usize) {
        let (d, rows) = (self.config.n_embd, positions * SQUARES);
        let last = Matrix::new(last, rows, d);
        let pairs = MatrixMut::new(&mut self.pairs, rows, 2 * d);
        matmul_packed(pairs, last, &turned[layout.policy..], false);
        let (inputs, neurons, outputs) = value_shape(&self.config);
        if self.config.light_value {
            let squares = MatrixMut::new(&mut self.squares, rows, VALUE_CHANNELS);
            matmul_packed(squares, last, &turned[layout.value_squares..], false);
        }
        let read = if self.config.light_value { &self.squares[..] } else { last.data() };
        matmul_packed(
            MatrixMut::new(&mut self.neurons, positions, neurons),
            Matrix::new(read, positions, inputs),
            &turned[layout.value_in..],
            false,
        );
        for (neuron, square) in self.neurons.iter_mut().zip(self.neuron_squares.iter_mut()) {
            *neuron = neuron.max(0.0);
            *square = *neuron * *neuron;
        }
        matmul_packed(
            MatrixMut::new(&mut self.outputs, positions, outputs),
            Matrix::new(&self.neuron_squares, positions, neurons),
            &turned[layout.value_out..],
            false,
        );
    }

    /// Computes the logits of a position's plain moves.
    fn plain_logits(&mut self, n: usize) {
        let d = self.config.n_embd;
        let own = &self.pairs[n * SQUARES * 2 * d..][..SQUARES * 2 * d];
        let from = Matrix::with_stride(own, SQUARES, d, 2 * d);
        let to = Matrix::with_stride(&own[d..], SQUARES, d, 2 * d).transposed();
        let into = MatrixMut::new(&mut self.logits, SQUARES, SQUARES);
        matmul(into, from, to, (d as f32).sqrt().recip());
    }

    /// Computes the logit of a promotion, if the number is that of one.
    fn promotion_logit(&mut self, layout: &Layout, weights: &[f32], last: &[f32], index: u16) {
        let d = self.config.n_embd;
        if let Some((from, to, piece)) = promotion_of(index).filter(|_| self.config.promotions) {
            let weights = &weights[layout.promotion + piece * d..][..d];
            self.logits[usize::from(index)] =
                self.logits[from * SQUARES + to] + dot(&last[from * d..][..d], weights);
        }
    }

    /// The logits of all moves of a position: plain ones, and promotions if the model has them.
    pub fn all_logits(&mut self, layout: &Layout, weights: &[f32], last: &[f32], n: usize) {
        let d = self.config.n_embd;
        self.plain_logits(n);
        let last = &last[n * SQUARES * d..][..SQUARES * d];
        for index in PLAIN_MOVES..POLICY {
            self.promotion_logit(layout, weights, last, index as u16);
        }
    }

    /// How likely win, draw and loss are; for the reference's head there is no draw.
    pub fn outcome(&self, n: usize) -> Outcome {
        if self.config.light_value {
            let own = &self.outputs[n * 3..][..3];
            let most = own.iter().copied().fold(f32::MIN, f32::max);
            let all = [own[0], own[1], own[2]].map(|output| (output - most).exp());
            let sum: f32 = all.iter().sum();
            all.map(|share| share / sum)
        } else {
            let value = self.outputs[n].tanh();
            [(1.0 + value) / 2.0, 0.0, (1.0 - value) / 2.0]
        }
    }

    /// The losses of positions; with shares also the change of `last` and the gradient of the heads.
    pub fn losses(
        &mut self,
        layout: &Layout,
        weights: &[f32],
        last: &[f32],
        (batch, first, positions): (&Batch, usize, usize),
        mut back: Option<(Shares, &mut [f32])>,
    ) -> Losses {
        let d = self.config.n_embd;
        let mut losses = Losses { positions: positions as u64, ..Losses::default() };
        if back.is_some() {
            self.last_back[..positions * SQUARES * d].fill(0.0);
        }
        for n in 0..positions {
            let own = &last[n * SQUARES * d..][..SQUARES * d];
            let back = back.as_mut().map(|(shares, gradient)| (*shares, &mut **gradient));
            self.policy_loss(layout, weights, own, (batch, first + n, n), back, &mut losses);
        }
        let rows = positions * SQUARES;
        if let Some((_, gradient)) = &mut back {
            let changes = Matrix::new(&self.pairs_back, rows, 2 * d);
            matmul_add(
                MatrixMut::new(&mut gradient[layout.policy..], 2 * d, d),
                changes.transposed(),
                Matrix::new(last, rows, d),
                1.0,
            );
            matmul_add(
                MatrixMut::new(&mut self.last_back, rows, d),
                changes,
                Matrix::new(&weights[layout.policy..], 2 * d, d),
                1.0,
            );
        }
        for n in 0..positions {
            let shares = back.as_ref().map(|(shares, _)| *shares);
            self.value_loss(&batch.outcomes[first + n], n, shares, &mut losses);
        }
        if let Some((_, gradient)) = back {
            self.value_back(layout, weights, last, positions, gradient);
        }
        losses
    }

    fn policy_loss(
        &mut self,
        layout: &Layout,
        weights: &[f32],
        last: &[f32],
        (batch, index, n): (&Batch, usize, usize),
        back: Option<(Shares, &mut [f32])>,
        losses: &mut Losses,
    ) {
        let (d, target) = (self.config.n_embd, batch.targets[index]);
        self.plain_logits(n);
        let all: Vec<u16>;
        let moves = if self.config.legal_mask {
            batch.legal(index)
        } else {
            let is_one =
                |&index: &u16| usize::from(index) < PLAIN_MOVES || promotion_of(index).is_some();
            let count = if self.config.promotions { POLICY } else { PLAIN_MOVES };
            all = (0..count as u16).filter(is_one).collect();
            &all
        };
        for &index in moves {
            self.promotion_logit(layout, weights, last, index);
        }
        let logit = |index: &u16| self.logits[usize::from(*index)];
        let most = moves.iter().map(logit).fold(f32::MIN, f32::max);
        let sum: f64 = moves.iter().map(|index| f64::from(exp(logit(index) - most))).sum();
        losses.policy += sum.ln() - f64::from(logit(&target) - most);
        losses.correct += u64::from(logit(&target) >= most);
        let Some((shares, gradient)) = back else { return };
        self.plain_back.fill(0.0);
        let inverse = (1.0 / sum) as f32;
        for &index in moves {
            let share = exp(self.logits[usize::from(index)] - most) * inverse;
            let change = shares.policy * (share - f32::from(index == target));
            match promotion_of(index) {
                None => self.plain_back[usize::from(index)] += change,
                Some((from, to, piece)) => {
                    self.plain_back[from * SQUARES + to] += change;
                    let begin = layout.promotion + piece * d;
                    let own = &last[from * d..][..d];
                    add_scaled(&mut gradient[begin..][..d], own, change);
                    let into = &mut self.last_back[(n * SQUARES + from) * d..][..d];
                    add_scaled(into, &weights[begin..][..d], change);
                }
            }
        }
        let scale = (d as f32).sqrt().recip();
        let place = n * SQUARES * 2 * d..(n + 1) * SQUARES * 2 * d;
        let (own, own_back) = (&self.pairs[place.clone()], &mut self.pairs_back[place]);
        let changes = Matrix::new(&self.plain_back, SQUARES, SQUARES);
        let from = Matrix::with_stride(own, SQUARES, d, 2 * d);
        let to = Matrix::with_stride(&own[d..], SQUARES, d, 2 * d);
        matmul(MatrixMut::with_stride(own_back, SQUARES, d, 2 * d), changes, to, scale);
        let into = MatrixMut::with_stride(&mut own_back[d..], SQUARES, d, 2 * d);
        matmul(into, changes.transposed(), from, scale);
    }

    /// The loss of an outcome; with shares also the change of the outputs.
    fn value_loss(
        &mut self,
        target: &Outcome,
        n: usize,
        shares: Option<Shares>,
        losses: &mut Losses,
    ) {
        let outputs = value_shape(&self.config).2;
        let mut changes = [0.0; 3];
        if is_known(target) {
            let outcome = self.outcome(n);
            losses.valued += 1;
            if self.config.light_value {
                for (share, wanted) in outcome.iter().zip(target) {
                    losses.value -= f64::from(*wanted) * f64::from(share.max(1e-30)).ln();
                }
                changes = std::array::from_fn(|k| outcome[k] - target[k]);
            } else {
                let value = outcome[0] - outcome[2];
                let error = value - (target[0] - target[2]);
                losses.value += f64::from(error) * f64::from(error);
                changes[0] = 2.0 * error * (1.0 - value * value);
            }
        }
        if let Some(shares) = shares {
            let own = &mut self.outputs_back[n * outputs..][..outputs];
            own.iter_mut().zip(changes).for_each(|(own, change)| *own = shares.value * change);
        }
    }

    /// The way back of the value head.
    fn value_back(
        &mut self,
        layout: &Layout,
        weights: &[f32],
        last: &[f32],
        positions: usize,
        gradient: &mut [f32],
    ) {
        let (d, rows) = (self.config.n_embd, positions * SQUARES);
        let (inputs, neurons, outputs) = value_shape(&self.config);
        let changes = Matrix::new(&self.outputs_back, positions, outputs);
        matmul_add(
            MatrixMut::new(&mut gradient[layout.value_out..], outputs, neurons),
            changes.transposed(),
            Matrix::new(&self.neuron_squares, positions, neurons),
            1.0,
        );
        matmul(
            MatrixMut::new(&mut self.neurons_back, positions, neurons),
            changes,
            Matrix::new(&weights[layout.value_out..], outputs, neurons),
            1.0,
        );
        for (change, neuron) in self.neurons_back.iter_mut().zip(self.neurons.iter()) {
            *change *= 2.0 * neuron;
        }
        let changes = Matrix::new(&self.neurons_back, positions, neurons);
        let read = if self.config.light_value { &self.squares[..] } else { last };
        matmul_add(
            MatrixMut::new(&mut gradient[layout.value_in..], neurons, inputs),
            changes.transposed(),
            Matrix::new(read, positions, inputs),
            1.0,
        );
        let value_in = Matrix::new(&weights[layout.value_in..], neurons, inputs);
        if !self.config.light_value {
            let into = MatrixMut::new(&mut self.last_back, positions, inputs);
            matmul_add(into, changes, value_in, 1.0);
            return;
        }
        let into = MatrixMut::new(&mut self.squares_back, positions, inputs);
        matmul(into, changes, value_in, 1.0);
        let changes = Matrix::new(&self.squares_back, rows, VALUE_CHANNELS);
        matmul_add(
            MatrixMut::new(&mut gradient[layout.value_squares..], VALUE_CHANNELS, d),
            changes.transposed(),
            Matrix::new(last, rows, d),
            1.0,
        );
        matmul_add(
            MatrixMut::new(&mut self.last_back, rows, d),
            changes,
            Matrix::new(&weights[layout.value_squares..], VALUE_CHANNELS, d),
            1.0,
        );
    }
}
