//! The log: one line per superbatch.

use serde::{Deserialize, Serialize};

/// Losses and speed of a superbatch.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LogLine {
    /// Steps taken.
    pub step: u64,
    /// Positions seen.
    pub positions: u64,
    /// The same in epochs.
    pub epochs: f64,
    /// The learning rate of the last step.
    #[serde(rename = "rate", alias = "lr")]
    pub lr: f64,
    /// The mean training loss of the superbatch.
    pub loss: f64,
    /// The validation loss.
    pub validation: Option<f64>,
    /// Rows of the superbatch that were skipped.
    pub left_out: u64,
    /// The training speed.
    pub positions_per_second: f64,
}

impl learn::LogLine for LogLine {
    fn step(&self) -> u64 {
        self.step
    }
}

/// Draws training loss and validation loss over the positions seen.
pub(super) fn loss_svg(title: &str, lines: &[LogLine]) -> String {
    let training: Vec<_> = lines.iter().map(|line| (line.positions as f64, line.loss)).collect();
    let validation =
        lines.iter().filter_map(|line| Some((line.positions as f64, line.validation?)));
    learn::loss_svg(title, &training, &validation.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_log_is_a_point_and_titles_are_escaped() {
        let line = |n: u64| LogLine {
            step: n,
            positions: n * 1_000_000,
            epochs: 0.0,
            lr: 0.1,
            loss: 0.1 / n as f64,
            validation: (n > 1).then_some(0.2),
            left_out: 0,
            positions_per_second: 1.0,
        };
        let svg = loss_svg("<a>", &[1, 2, 3].map(line));
        let points = |n: usize| svg.split("points=\"").nth(n).unwrap().split('"').next().unwrap();
        assert_eq!((points(1).split(' ').count(), points(2).split(' ').count()), (3, 2));
        assert!(svg.contains("&lt;a&gt;") && !svg.contains("<a>"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert!(!loss_svg("", &[line(1)]).contains("NaN"));
        assert!(loss_svg("", &[]).starts_with("<svg "));
    }
}
