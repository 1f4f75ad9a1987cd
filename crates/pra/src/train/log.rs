//! The log: a line per step and per validation.

use std::fmt;

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

impl fmt::Display for StepLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, loss, policy_loss, value_loss, .. } = self;
        let (accuracy, speed) = (100.0 * self.accuracy, self.positions_per_second);
        write!(f, "step {step} loss {loss:.4} (moves {policy_loss:.4}, value {value_loss:.4}) ")?;
        write!(f, "accuracy {accuracy:.1} % {speed:.0} positions/s")
    }
}

impl fmt::Display for ValidationLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (loss, policy) = (self.validation_loss, self.validation_policy_loss);
        let (step, value) = (self.step, self.validation_value_loss);
        let (top1, top5) = (100.0 * self.top1, 100.0 * self.top5);
        write!(f, "step {step} val loss {loss:.4} (moves {policy:.4}, value {value:.4}) ")?;
        write!(f, "top-1 {top1:.2} % top-5 {top5:.2} %")
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
