//! The log: a line per step and per validation.

use serde::{Deserialize, Serialize};

/// A step.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StepLine {
    /// Steps taken, this one included.
    pub step: u64,
    /// Positions seen.
    pub positions: u64,
    /// The weighted loss.
    pub loss: f64,
    /// The policy loss.
    pub policy_loss: f64,
    /// The value loss.
    pub value_loss: f64,
    /// Top-1 accuracy of the policy, over the moves that the loss compares.
    pub accuracy: f64,
    /// The multiplier of the learning rates.
    #[serde(rename = "multiplier", alias = "lr_multiplier")]
    pub lr_multiplier: f64,
    /// The speed of the step; all other fields are reproducible.
    pub positions_per_second: f64,
}

/// A validation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ValidationLine {
    /// Steps taken.
    pub step: u64,
    /// Positions seen.
    pub positions: u64,
    /// The weighted loss.
    pub validation_loss: f64,
    /// The policy loss.
    pub validation_policy_loss: f64,
    /// The value loss.
    pub validation_value_loss: f64,
    /// The number of validation positions.
    pub validation_positions: u64,
    /// Top-1 accuracy over legal moves.
    pub top1: f64,
    /// Top-5 accuracy over legal moves.
    pub top5: f64,
}

/// A line of the log.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LogLine {
    /// A step.
    Step(StepLine),
    /// A validation.
    Validation(ValidationLine),
}

impl learn::LogLine for LogLine {
    fn step(&self) -> u64 {
        match self {
            Self::Step(line) => line.step,
            Self::Validation(line) => line.step,
        }
    }
}

/// Draws training loss and validation loss over the positions seen.
pub(super) fn loss_svg(title: &str, lines: &[LogLine]) -> String {
    let (mut training, mut validation) = (Vec::new(), Vec::new());
    for line in lines {
        match line {
            LogLine::Step(line) => training.push((line.positions as f64, line.loss)),
            LogLine::Validation(line) => {
                validation.push((line.positions as f64, line.validation_loss));
            }
        }
    }
    learn::loss_svg(title, &training, &validation)
}
