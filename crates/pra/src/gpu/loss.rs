//! How wrong the model is.

use burn_tensor::activation::{log_softmax, softmax};
use burn_tensor::{Int, Tensor, TensorData, Transaction};

use super::forward::Said;
use super::inputs::Targets;
use super::next;
use crate::{ComputeError, Config, Losses};

/// Sums over the positions of a batch, on the device.
pub(super) struct Sums {
    pub policy: Tensor<1>,
    pub value: Tensor<1>,
    correct: Tensor<1, Int>,
}

impl Sums {
    pub fn new(config: &Config, said: Said, targets: Targets) -> Self {
        let policy = match targets.compared {
            Some(compared) => said.policy + compared,
            None => said.policy,
        };
        let plain = policy.clone().inner();
        let best = plain.clone().max_dim(1);
        let correct = plain.gather(1, targets.moves.clone()).greater_equal(best).int().sum();
        let policy = -log_softmax(policy, 1).gather(1, targets.moves).sum();
        let value = if config.light_value {
            -(log_softmax(said.value, 1) * targets.outcomes).sum()
        } else {
            let outcomes = targets.outcomes;
            let wanted = outcomes.clone().narrow(1, 0, 1) - outcomes.narrow(1, 2, 1);
            let wrong = (said.value.tanh() - wanted) * targets.known;
            (wrong.clone() * wrong).sum()
        };
        Self { policy, value, correct }
    }

    /// Asks for the sums.
    pub fn register(self, transaction: Transaction) -> Transaction {
        let (policy, value) = (self.policy.inner(), self.value.inner());
        transaction.register(policy).register(value).register(self.correct)
    }

    /// What was asked for, in the same order, but for how many positions have an outcome.
    pub fn read(
        answers: &mut impl Iterator<Item = TensorData>,
        positions: usize,
    ) -> Result<Losses, ComputeError> {
        let mut sum = || next(answers)?.first().copied().ok_or(ComputeError::NoAnswer);
        Ok(Losses {
            positions: positions as u64,
            policy: sum()?.into(),
            value: sum()?.into(),
            valued: 0,
            correct: sum()? as u64,
        })
    }
}

/// How likely win, draw and loss are: `[n, 3]`.
pub(super) fn outcomes(config: &Config, value: Tensor<2>) -> Tensor<2> {
    if config.light_value {
        return softmax(value, 1);
    }
    let value = value.tanh();
    let (win, loss) = ((value.clone() + 1.0) / 2.0, (-value.clone() + 1.0) / 2.0);
    Tensor::cat(vec![win, value.zeros_like(), loss], 1)
}
