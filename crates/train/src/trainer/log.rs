//! What was measured on the way: one line of JSON for each superbatch.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::TrainError;

/// No log is longer.
const MAX_BYTES: u64 = 1 << 30;

/// The state of things at the end of a superbatch.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LogLine {
    /// Steps taken.
    pub step: u64,
    /// Positions seen.
    pub positions: u64,
    /// How many times through the rows that is.
    pub epochs: f64,
    /// The learning rate of the last step.
    pub rate: f64,
    /// The mean loss of training since the line before.
    pub loss: f64,
    /// The mean loss of the rows for validation.
    pub validation: Option<f64>,
    /// Rows left out since the line before.
    pub left_out: u64,
    /// The speed of training since the line before.
    pub positions_per_second: f64,
}

/// The lines of a log up to a step; what is none is left out.
pub(super) fn read(path: &Path, last_step: u64) -> Vec<LogLine> {
    let text = regular::read_to_string(path, MAX_BYTES).unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<LogLine>(line).ok());
    lines.filter(|line| line.step <= last_step).collect()
}

pub(super) fn write(path: &Path, lines: &[LogLine]) -> Result<(), TrainError> {
    let mut text = String::new();
    for line in lines {
        text += &serde_json::to_string(line).unwrap_or_default();
        text.push('\n');
    }
    Ok(data::write_whole(path, text.as_bytes())?)
}
