//! Losses.

use burn_tensor::activation::{log_softmax, softmax};
use burn_tensor::{Int, Tensor, TensorData, Transaction};

use super::forward::Output;
use super::inputs::Targets;
use super::next;
use crate::{ComputeError, Config, Losses};

/// Losses summed over positions, on the device.
pub(super) struct LossSums {
    pub policy: Tensor<1>,
    pub value: Tensor<1>,
    correct: Tensor<1, Int>,
}

impl LossSums {
    pub fn new(config: &Config, output: Output, targets: Targets) -> Self {
        let policy = match targets.mask {
            Some(mask) => output.policy + mask,
            None => output.policy,
        };
        let plain = policy.clone().inner();
        let best = plain.clone().max_dim(1);
        let correct = plain.gather(1, targets.moves.clone()).greater_equal(best).int().sum();
        let policy = -log_softmax(policy, 1).gather(1, targets.moves).sum();
        let value = if config.light_value {
            -(log_softmax(output.value, 1) * targets.outcomes).sum()
        } else {
            let outcomes = targets.outcomes;
            let target = outcomes.clone().narrow(1, 0, 1) - outcomes.narrow(1, 2, 1);
            let error = (output.value.tanh() - target) * targets.valued;
            (error.clone() * error).sum()
        };
        Self { policy, value, correct }
    }

    /// Requests the sums from the device.
    pub fn register(self, transaction: Transaction) -> Transaction {
        let (policy, value) = (self.policy.inner(), self.value.inner());
        transaction.register(policy).register(value).register(self.correct)
    }

    /// Reads the requested sums, in the same order; `valued` is left 0.
    pub fn read(
        results: &mut impl Iterator<Item = TensorData>,
        positions: usize,
    ) -> Result<Losses, ComputeError> {
        let mut sum = || next(results)?.first().copied().ok_or(ComputeError::MissingResult);
        Ok(Losses {
            positions: positions as u64,
            policy: sum()?.into(),
            value: sum()?.into(),
            valued: 0,
            correct: sum()? as u64,
        })
    }
}

/// Win, draw and loss probabilities: `[n, 3]`.
pub(super) fn outcomes(config: &Config, value: Tensor<2>) -> Tensor<2> {
    if config.light_value {
        return softmax(value, 1);
    }
    let value = value.tanh();
    let (win, loss) = ((value.clone() + 1.0) / 2.0, (-value.clone() + 1.0) / 2.0);
    Tensor::cat(vec![win, value.zeros_like(), loss], 1)
}
