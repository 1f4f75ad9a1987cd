//! The policy head: a logit for each move, the cross-entropy loss, and its gradient.

use simd::AlignedVec;

use super::batch::{Batch, Losses};
use super::heads::Backward;
use super::ops::{add_scaled, dot, exp_differences};
use super::packed::Parameters;
use super::precision::Products;
use crate::config::{Config, SQUARES};
use crate::encode::{PLAIN_MOVES, POLICY, promotion_of};
use simd::gemm::{Matrix, MatrixMut, matmul};

/// Activations of the policy head.
#[derive(Clone, Debug)]
pub(super) struct PolicyHead {
    config: Config,
    /// Projections of from- and to-squares, side by side: `[rows, 2d]`.
    from_to: AlignedVec<f32>,
    /// The logits of one position.
    pub logits: AlignedVec<f32>,
    grad_from_to: AlignedVec<f32>,
    grad_plain: AlignedVec<f32>,
}

impl PolicyHead {
    pub fn new(config: &Config, positions: usize, training: bool) -> Self {
        let size = positions * SQUARES * 2 * config.n_embd;
        let grad = |length: usize| AlignedVec::zeros(if training { length } else { 0 });
        Self {
            config: *config,
            from_to: AlignedVec::zeros(size),
            logits: AlignedVec::zeros(POLICY),
            grad_from_to: grad(size),
            grad_plain: grad(PLAIN_MOVES),
        }
    }

    /// Projects the hidden states of all positions.
    pub fn forward(
        &mut self,
        parameters: &Parameters<'_>,
        products: &mut Products,
        hidden: Matrix<'_>,
        rows: usize,
    ) {
        let into = MatrixMut::new(&mut self.from_to, rows, 2 * self.config.n_embd);
        products.forward(into, hidden, parameters, parameters.layout.policy_proj, false);
    }

    /// Computes the logits of all from-to pairs of position `n`.
    fn plain_logits(&mut self, n: usize) {
        let d = self.config.n_embd;
        let own = &self.from_to[n * SQUARES * 2 * d..][..SQUARES * 2 * d];
        let from = Matrix::with_stride(own, SQUARES, d, 2 * d);
        let to = Matrix::with_stride(&own[d..], SQUARES, d, 2 * d).transposed();
        let into = MatrixMut::new(&mut self.logits, SQUARES, SQUARES);
        matmul(into, from, to, (d as f32).sqrt().recip());
    }

    /// Computes the logit of a policy index that is a promotion, from the hidden states of the position.
    fn promotion_logit(&mut self, parameters: &Parameters<'_>, hidden: &[f32], index: u16) {
        let d = self.config.n_embd;
        if let Some((from, to, piece)) = promotion_of(index).filter(|_| self.config.promotions) {
            let weights = &parameters.weights[parameters.layout.promotion + piece * d..][..d];
            self.logits[usize::from(index)] =
                self.logits[from * SQUARES + to] + dot(&hidden[from * d..][..d], weights);
        }
    }

    /// Computes all [`logits`](Self::logits) of position `n`.
    pub fn all_logits(&mut self, parameters: &Parameters<'_>, hidden: &[f32], n: usize) {
        let d = self.config.n_embd;
        self.plain_logits(n);
        let hidden = &hidden[n * SQUARES * d..][..SQUARES * d];
        for index in PLAIN_MOVES..POLICY {
            self.promotion_logit(parameters, hidden, index as u16);
        }
    }

    /// Adds the cross-entropy of position `n`, which is `index` in the batch; in training, also the
    /// gradients w.r.t. the projections, the promotion weights and the hidden states.
    pub fn loss(
        &mut self,
        parameters: &Parameters<'_>,
        hidden: &[f32],
        (batch, index, n): (&Batch, usize, usize),
        backward: Option<&mut Backward<'_>>,
        losses: &mut Losses,
    ) {
        let (d, target) = (self.config.n_embd, batch.targets[index]);
        self.plain_logits(n);
        let all: Vec<u16>;
        let moves = if self.config.legal_mask {
            batch.legal(index)
        } else {
            let exists =
                |&index: &u16| usize::from(index) < PLAIN_MOVES || promotion_of(index).is_some();
            let count = if self.config.promotions { POLICY } else { PLAIN_MOVES };
            all = (0..count as u16).filter(exists).collect();
            &all
        };
        for &index in moves {
            self.promotion_logit(parameters, hidden, index);
        }
        let logit = |index: &u16| self.logits[usize::from(*index)];
        let most = moves.iter().map(logit).fold(f32::MIN, f32::max);
        let mut exponentials: Vec<f32> = moves.iter().map(logit).collect();
        exp_differences(&mut exponentials, most);
        let sum: f64 = exponentials.iter().copied().map(f64::from).sum();
        losses.policy += sum.ln() - f64::from(logit(&target) - most);
        losses.correct += u64::from(logit(&target) >= most);
        let Some(Backward { scale, gradient, grad_hidden, .. }) = backward else { return };
        self.grad_plain.fill(0.0);
        let inverse = (1.0 / sum) as f32;
        for (&index, exponential) in moves.iter().zip(exponentials) {
            let probability = exponential * inverse;
            let grad = scale.policy * (probability - f32::from(index == target));
            match promotion_of(index) {
                None => self.grad_plain[usize::from(index)] += grad,
                Some((from, to, piece)) => {
                    self.grad_plain[from * SQUARES + to] += grad;
                    let begin = parameters.layout.promotion + piece * d;
                    add_scaled(&mut gradient[begin..][..d], &hidden[from * d..][..d], grad);
                    let into = &mut grad_hidden[(n * SQUARES + from) * d..][..d];
                    add_scaled(into, &parameters.weights[begin..][..d], grad);
                }
            }
        }
        let scale = (d as f32).sqrt().recip();
        let range = n * SQUARES * 2 * d..(n + 1) * SQUARES * 2 * d;
        let (own, grad_own) = (&self.from_to[range.clone()], &mut self.grad_from_to[range]);
        let grad_plain = Matrix::new(&self.grad_plain, SQUARES, SQUARES);
        let from = Matrix::with_stride(own, SQUARES, d, 2 * d);
        let to = Matrix::with_stride(&own[d..], SQUARES, d, 2 * d);
        matmul(MatrixMut::with_stride(grad_own, SQUARES, d, 2 * d), grad_plain, to, scale);
        let into = MatrixMut::with_stride(&mut grad_own[d..], SQUARES, d, 2 * d);
        matmul(into, grad_plain.transposed(), from, scale);
    }

    /// Adds the gradients w.r.t. the projection weights and the hidden states of all positions.
    pub fn backward(
        &self,
        parameters: &Parameters<'_>,
        hidden: &[f32],
        rows: usize,
        backward: &mut Backward<'_>,
    ) {
        let (d, begin) = (self.config.n_embd, parameters.layout.policy_proj);
        let grad_from_to = Matrix::new(&self.grad_from_to, rows, 2 * d);
        let Backward { products, gradient, grad_hidden, .. } = backward;
        let hidden = Matrix::new(hidden, rows, d);
        products.grad_weight(&mut gradient[begin..], grad_from_to, hidden, parameters);
        let into = MatrixMut::new(grad_hidden, rows, d);
        products.grad_input(into, grad_from_to, parameters, begin, true);
    }
}
