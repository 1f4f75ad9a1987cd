//! What was measured on the way: a line of JSON for each step and each validation.
//!
//! Lines are appended as they come. A training that goes on cuts off what it will do again, and leaves
//! the text of the others as it is.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::TrainError;
use data::write_whole;

/// No log is longer.
const MAX_BYTES: u64 = 1 << 30;

/// A step.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StepLine {
    /// Steps taken, this one included.
    pub step: u64,
    /// Positions seen.
    pub positions: u64,
    /// The loss that is trained on.
    pub loss: f64,
    /// The mean loss of the moves.
    pub policy_loss: f64,
    /// The mean loss of the outcomes.
    pub value_loss: f64,
    /// How often the move that was played was the most likely, among those that the loss compares.
    pub accuracy: f64,
    /// What learning rates were multiplied by.
    pub multiplier: f64,
    /// The speed of the step; the only thing here that another run has differently.
    pub positions_per_second: f64,
}

/// A validation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ValidationLine {
    /// Steps taken.
    pub step: u64,
    /// Positions seen.
    pub positions: u64,
    /// The loss that is trained on.
    pub validation_loss: f64,
    /// The mean loss of the moves.
    pub validation_policy_loss: f64,
    /// The mean loss of the outcomes.
    pub validation_value_loss: f64,
    /// How many positions were looked at.
    pub validation_positions: u64,
    /// How often the move that was played was the most likely of the legal ones.
    pub top1: f64,
    /// How often it was among the five most likely.
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

impl LogLine {
    const fn step(&self) -> u64 {
        match self {
            Self::Step(line) => line.step,
            Self::Validation(line) => line.step,
        }
    }
}

/// The lines of a log; what is none is left out.
pub fn read_log(path: &Path) -> Vec<LogLine> {
    read(path, u64::MAX).into_iter().map(|(_, line)| line).collect()
}

/// The lines up to a step, with their text.
fn read(path: &Path, last_step: u64) -> Vec<(String, LogLine)> {
    let bytes = regular::read(path, MAX_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let line = |text: &str| Some((text.to_owned(), serde_json::from_str::<LogLine>(text).ok()?));
    text.lines().filter_map(line).filter(|(_, line)| line.step() <= last_step).collect()
}

/// A log that is written to.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    file: File,
    lines: Vec<LogLine>,
}

impl Log {
    /// Goes on with a log after a step.
    pub(super) fn open(path: &Path, last_step: u64) -> Result<Self, TrainError> {
        let kept = read(path, last_step);
        let text: String = kept.iter().map(|(text, _)| format!("{text}\n")).collect();
        write_whole(path, text.as_bytes())?;
        let file = OpenOptions::new().append(true).open(path);
        let file = file.map_err(TrainError::io("open", path))?;
        let lines = kept.into_iter().map(|(_, line)| line).collect();
        Ok(Self { path: path.to_owned(), file, lines })
    }

    pub(super) fn lines(&self) -> &[LogLine] {
        &self.lines
    }

    pub(super) fn add(&mut self, line: LogLine) -> Result<(), TrainError> {
        let text = serde_json::to_string(&line).unwrap_or_default() + "\n";
        self.lines.push(line);
        self.file.write_all(text.as_bytes()).map_err(TrainError::io("write", &self.path))
    }

    /// Brings it to the disk.
    pub(super) fn sync(&self) -> Result<(), TrainError> {
        self.file.sync_all().map_err(TrainError::io("write", &self.path))
    }
}
