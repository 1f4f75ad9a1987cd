//! Validation loss and accuracy.

use data::Split;

use learn::{Observer, TrainError};

use super::{Event, LogLine, Training};
use crate::compute::{Compute, ComputeError};
use crate::loader::{LoaderError, sample};
use crate::model::{Batch, Losses};
use crate::weights::Weights;

/// The validation positions, in micro-batches; none if there are no validation rows.
pub(super) fn positions(
    training: &Training,
    observe: &mut Observer<'_, LogLine>,
) -> Result<Vec<Batch>, TrainError> {
    let options = &training.options;
    if options.eval_every == 0 {
        return Ok(Vec::new());
    }
    let sizes = (options.eval_positions, options.device_batch_size);
    match sample(&training.data, Split::Validation, &options.config, sizes) {
        Ok(parts) if !parts.is_empty() => Ok(parts),
        Ok(_) | Err(LoaderError::NoRows { .. }) => {
            observe(Event::NoValidation);
            Ok(Vec::new())
        }
        Err(error) => Err(error.into()),
    }
}

/// Losses and accuracy on validation positions.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Validation {
    /// Sums of losses.
    pub losses: Losses,
    /// Positions whose move is ranked first among the legal moves.
    pub first: u64,
    /// Positions whose move is among the first five.
    pub first_five: u64,
}

impl Validation {
    /// Top-1 accuracy.
    pub fn top1(&self) -> f64 {
        self.first as f64 / self.losses.positions.max(1) as f64
    }

    /// Top-5 accuracy.
    pub fn top5(&self) -> f64 {
        self.first_five as f64 / self.losses.positions.max(1) as f64
    }
}

/// Evaluates a model on micro-batches.
pub fn validate(
    engine: &mut dyn Compute,
    weights: &Weights,
    parts: &[Batch],
) -> Result<Validation, ComputeError> {
    let mut sum = Validation::default();
    for batch in parts {
        sum.losses.append(&engine.losses(weights, batch)?);
        for (n, prediction) in engine.predict(weights, &batch.tokens)?.iter().enumerate() {
            let rank = rank(&prediction.logits, batch.legal(n), batch.targets[n]);
            sum.first += u64::from(rank == 0);
            sum.first_five += u64::from(rank < 5);
        }
    }
    Ok(sum)
}

/// The rank of the target among the legal moves; ties go to the first.
fn rank(logits: &[f32], legal: &[u16], target: u16) -> usize {
    let logit = |number: u16| logits.get(usize::from(number)).copied().unwrap_or(f32::MIN);
    let own = logit(target);
    let index = legal.iter().position(|&number| number == target).unwrap_or(legal.len());
    let is_before = |n: usize, number: u16| {
        number != target && (logit(number) > own || logit(number) == own && n < index)
    };
    legal.iter().enumerate().filter(|&(n, &number)| is_before(n, number)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_legal_moves_are_ranked_and_ties_go_to_the_first() {
        let logits = [0.5, 9.0, 0.25, 0.5, 0.75];
        assert_eq!(rank(&logits, &[0, 2, 3], 0), 0);
        assert_eq!(rank(&logits, &[0, 2, 3], 3), 1);
        assert_eq!(rank(&logits, &[0, 2, 3, 4], 2), 3);
        assert_eq!(rank(&logits, &[4], 4), 0);
    }
}
