//! The policy and value heads together.

use simd::AlignedVec;

use super::batch::{Batch, LossWeights, Losses};
use super::packed::Parameters;
use super::policy::PolicyHead;
use super::precision::Products;
use super::value::ValueHead;
use crate::config::{Config, SQUARES};
use simd::gemm::Matrix;

/// Activations of both heads.
#[derive(Clone, Debug)]
pub(super) struct Heads {
    n_embd: usize,
    pub policy: PolicyHead,
    pub value: ValueHead,
    /// The gradient w.r.t. the final hidden states.
    pub grad_hidden: AlignedVec<f32>,
}

/// Factors of the loss of one position: loss weights over the numbers of positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct LossScale {
    pub policy: f32,
    /// For positions with a value target.
    pub value: f32,
}

impl LossScale {
    /// For means over `positions` positions, `valued` of them with a value target.
    pub fn new(weights: LossWeights, positions: u64, valued: u64) -> Self {
        Self {
            policy: weights.policy / positions.max(1) as f32,
            value: weights.value / valued.max(1) as f32,
        }
    }
}

/// Where the backward pass of a head adds its gradients.
#[derive(Debug)]
pub(super) struct Backward<'a> {
    pub scale: LossScale,
    pub products: &'a mut Products,
    /// W.r.t. all parameters.
    pub gradient: &'a mut [f32],
    /// W.r.t. the final hidden states.
    pub grad_hidden: &'a mut [f32],
}

impl Heads {
    pub fn new(config: &Config, positions: usize, training: bool) -> Self {
        let size = if training { positions * SQUARES * config.n_embd } else { 0 };
        Self {
            n_embd: config.n_embd,
            policy: PolicyHead::new(config, positions, training),
            value: ValueHead::new(config, positions, training),
            grad_hidden: AlignedVec::zeros(size),
        }
    }

    /// Computes both heads from the final hidden states, up to the logits of single positions.
    pub fn forward(
        &mut self,
        parameters: &Parameters<'_>,
        products: &mut Products,
        hidden: &[f32],
        positions: usize,
    ) {
        let rows = positions * SQUARES;
        let hidden = Matrix::new(hidden, rows, self.n_embd);
        self.policy.forward(parameters, products, hidden, rows);
        self.value.forward(parameters, hidden, positions);
    }

    /// The losses of `positions` positions of a batch, from `first` on. With a gradient to add to, also
    /// the backward pass of both heads.
    pub fn losses(
        &mut self,
        parameters: &Parameters<'_>,
        hidden: &[f32],
        (batch, first, positions): (&Batch, usize, usize),
        training: Option<(LossScale, &mut Products, &mut [f32])>,
    ) -> Losses {
        let size = SQUARES * self.n_embd;
        let mut losses = Losses { positions: positions as u64, ..Losses::default() };
        let Self { policy, value, grad_hidden, .. } = self;
        let mut backward = training.map(|(scale, products, gradient)| {
            grad_hidden[..positions * size].fill(0.0);
            Backward { scale, products, gradient, grad_hidden }
        });
        for n in 0..positions {
            let own = &hidden[n * size..][..size];
            policy.loss(parameters, own, (batch, first + n, n), backward.as_mut(), &mut losses);
            let scale = backward.as_ref().map(|backward| backward.scale.value);
            value.loss(&batch.outcomes[first + n], n, scale, &mut losses);
        }
        if let Some(backward) = &mut backward {
            policy.backward(parameters, hidden, positions * SQUARES, backward);
            value.backward(parameters, hidden, positions, backward);
        }
        losses
    }
}
