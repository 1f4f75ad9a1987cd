//! Errors and calibration of the value head.
//!
//! All numbers are from the perspective of the side to move. The expected score is the win probability
//! plus half the draw probability.

use std::fmt;

use chess::pgn::Score;
use serde::Serialize;

use super::sample::Labels;
use crate::player::{centipawns, expected_score};

/// Evaluations are clamped to this many centipawns.
pub const CENTIPAWN_LIMIT: i32 = 2000;
/// Bins of the calibration curve.
const BINS: usize = 10;
/// Probabilities are clamped to this, so that the cross-entropy is finite.
const MIN_PROBABILITY: f64 = 1e-6;

/// Error of the expected score against the results of games.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ResultError {
    /// Positions of games with a known result.
    pub positions: u64,
    /// Mean absolute error, from 0 to 1.
    pub mean_absolute: f64,
    /// Root mean square error.
    pub root_mean_square: f64,
    /// Binary cross-entropy: mean of −(*s* ln *e* + (1−*s*) ln (1−*e*)) for points *s* and expected score *e*.
    pub cross_entropy: f64,
    /// Cross-entropy of win, draw and loss; only for models that predict draws.
    pub wdl_cross_entropy: Option<f64>,
}

/// Error of the expected score against evaluations.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct EvalError {
    /// Positions with an evaluation or a mate.
    pub positions: u64,
    /// Mean absolute error of the expected score, from 0 to 1; that of *c* centipawns is
    /// ½ + ½ *c* / (|*c*| + 1000), that of a mate 1 or 0.
    pub mean_absolute: f64,
    /// Positions with an evaluation in centipawns.
    pub centipawn_positions: u64,
    /// Mean absolute error in centipawns, clamped to [`CENTIPAWN_LIMIT`].
    pub centipawns: Option<f64>,
}

/// A bin of the calibration curve.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct CalibrationBin {
    /// Lower bound of the expected score.
    pub from: f64,
    /// Upper bound of the expected score.
    pub to: f64,
    /// Number of positions.
    pub positions: u64,
    /// Mean expected score.
    pub predicted: f64,
    /// Mean result in points.
    #[serde(rename = "came")]
    pub observed: f64,
}

/// Errors and calibration of the value head.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ValueReport {
    /// Against results, if any are known.
    pub result: Option<ResultError>,
    /// Against evaluations, if there are any.
    pub eval: Option<EvalError>,
    /// Calibration curve; empty bins are omitted.
    pub calibration: Vec<CalibrationBin>,
    /// Expected calibration error: mean of |predicted − observed|, weighted by positions.
    pub calibration_error: Option<f64>,
}

impl fmt::Display for ValueReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(result) = &self.result {
            writeln!(f, "\nvalue against game results, {} positions", result.positions)?;
            writeln!(f, "  mean absolute error    {:.4}", result.mean_absolute)?;
            writeln!(f, "  root mean square error {:.4}", result.root_mean_square)?;
            writeln!(f, "  cross-entropy          {:.4}", result.cross_entropy)?;
            if let Some(entropy) = result.wdl_cross_entropy {
                writeln!(f, "  … of win, draw, loss   {entropy:.4}")?;
            }
        }
        if let Some(eval) = &self.eval {
            writeln!(f, "\nvalue against evaluations, {} positions", eval.positions)?;
            writeln!(f, "  mean absolute error    {:.4}", eval.mean_absolute)?;
            if let Some(centipawns) = eval.centipawns {
                let positions = eval.centipawn_positions;
                writeln!(f, "  … in centipawns        {centipawns:.0} ({positions} positions)")?;
            }
        }
        if !self.calibration.is_empty() {
            writeln!(
                f,
                "\n{:12} {:>9} {:>9} {:>7}",
                "expected", "positions", "predicted", "result"
            )?;
        }
        for bin in &self.calibration {
            let name = format!("{:.1} to {:.1}", bin.from, bin.to);
            let CalibrationBin { positions, predicted, observed, .. } = bin;
            writeln!(f, "{name:12} {positions:>9} {predicted:>9.3} {observed:>7.3}")?;
        }
        if let Some(error) = self.calibration_error {
            writeln!(f, "expected calibration error: {error:.4}")?;
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct BinSum {
    positions: u64,
    predicted: f64,
    observed: f64,
}

/// Accumulates a [`ValueReport`].
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct ValueMetrics {
    results: u64,
    absolute: f64,
    squared: f64,
    entropy: f64,
    wdl_entropy: f64,
    evals: u64,
    eval_absolute: f64,
    centipawn_evals: u64,
    centipawns: f64,
    bins: [BinSum; BINS],
}

impl ValueMetrics {
    pub(super) fn add(&mut self, labels: &Labels, wdl: [f32; 3]) {
        let expected = f64::from(expected_score(wdl)).clamp(0.0, 1.0);
        if let Some(points) = labels.result.map(f64::from) {
            self.results += 1;
            self.absolute += (expected - points).abs();
            self.squared += (expected - points).powi(2);
            let ln = |p: f64| p.max(MIN_PROBABILITY).ln();
            self.entropy -= points * ln(expected) + (1.0 - points) * ln(1.0 - expected);
            let class = ((1.0 - points) * 2.0).round() as usize;
            self.wdl_entropy -= ln(wdl.get(class).copied().unwrap_or(0.0).into());
            let bin = &mut self.bins[((expected * BINS as f64) as usize).min(BINS - 1)];
            bin.positions += 1;
            bin.predicted += expected;
            bin.observed += points;
        }
        if let Some(score) = labels.score {
            self.evals += 1;
            let target = match score {
                Score::Centipawns(c) => {
                    let c = f64::from(c);
                    0.5 + 0.5 * c / (c.abs() + 1000.0)
                }
                Score::Mate(moves) => f64::from(u8::from(moves > 0)),
            };
            self.eval_absolute += (expected - target).abs();
            if let Score::Centipawns(c) = score {
                let limited = |c: i32| c.clamp(-CENTIPAWN_LIMIT, CENTIPAWN_LIMIT);
                let own = limited(centipawns(expected as f32));
                self.centipawn_evals += 1;
                self.centipawns += f64::from((own - limited(c)).abs());
            }
        }
    }

    pub(super) fn report(&self, predicts_draws: bool) -> ValueReport {
        let mean = |sum: f64, count: u64| sum / count as f64;
        let bins = self.bins.iter().enumerate().filter(|(_, bin)| bin.positions > 0);
        let calibration: Vec<CalibrationBin> = bins
            .map(|(n, bin)| CalibrationBin {
                from: n as f64 / BINS as f64,
                to: (n + 1) as f64 / BINS as f64,
                positions: bin.positions,
                predicted: mean(bin.predicted, bin.positions),
                observed: mean(bin.observed, bin.positions),
            })
            .collect();
        let error: f64 = self.bins.iter().map(|bin| (bin.predicted - bin.observed).abs()).sum();
        ValueReport {
            result: (self.results > 0).then(|| ResultError {
                positions: self.results,
                mean_absolute: mean(self.absolute, self.results),
                root_mean_square: mean(self.squared, self.results).sqrt(),
                cross_entropy: mean(self.entropy, self.results),
                wdl_cross_entropy: predicts_draws.then(|| mean(self.wdl_entropy, self.results)),
            }),
            eval: (self.evals > 0).then(|| EvalError {
                positions: self.evals,
                mean_absolute: mean(self.eval_absolute, self.evals),
                centipawn_positions: self.centipawn_evals,
                centipawns: (self.centipawn_evals > 0)
                    .then(|| mean(self.centipawns, self.centipawn_evals)),
            }),
            calibration,
            calibration_error: (self.results > 0).then(|| mean(error, self.results)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;

    fn labels(result: Option<f32>, score: Option<Score>) -> Labels {
        let played = Position::INITIAL.legal_moves()[0];
        Labels { played, rating: None, result, score }
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }

    #[test]
    fn errors_are_means_over_positions() {
        let mut metrics = ValueMetrics::default();
        metrics.add(&labels(Some(1.0), None), [0.5, 0.2, 0.3]);
        metrics.add(&labels(Some(0.5), None), [0.1, 0.6, 0.3]);
        let value = metrics.report(true);
        let result = value.result.unwrap();
        close(result.mean_absolute, (0.4 + 0.1) / 2.0);
        close(result.root_mean_square, (0.085f64).sqrt());
        close(result.wdl_cross_entropy.unwrap(), -(0.5f64.ln() + 0.6f64.ln()) / 2.0);
        let first = -0.6f64.ln();
        let second = -0.5 * 0.4f64.ln() - 0.5 * 0.6f64.ln();
        close(result.cross_entropy, (first + second) / 2.0);
        assert!(value.eval.is_none());
        assert_eq!(metrics.report(false).result.unwrap().wdl_cross_entropy, None);
    }

    #[test]
    fn evaluations_are_compared_as_expected_scores_and_as_centipawns() {
        let mut metrics = ValueMetrics::default();
        // 1000 centipawns are an expected score of 0.75; 3000 are clamped.
        metrics.add(&labels(None, Some(Score::Centipawns(500))), [0.75, 0.0, 0.25]);
        metrics.add(&labels(None, Some(Score::Centipawns(3000))), [1.0, 0.0, 0.0]);
        metrics.add(&labels(None, Some(Score::Mate(-2))), [0.25, 0.0, 0.75]);
        let eval = metrics.report(false).eval.unwrap();
        assert_eq!((eval.positions, eval.centipawn_positions), (3, 2));
        close(eval.mean_absolute, (0.75 - 2.0 / 3.0 + 0.125 + 0.25) / 3.0);
        close(eval.centipawns.unwrap(), 250.0);
    }

    #[test]
    fn calibration_compares_predicted_with_observed_scores() {
        let mut metrics = ValueMetrics::default();
        for points in [1.0, 1.0, 0.0, 1.0] {
            metrics.add(&labels(Some(points), None), [0.72, 0.0, 0.28]);
        }
        metrics.add(&labels(Some(1.0), None), [1.0, 0.0, 0.0]);
        let value = metrics.report(true);
        assert_eq!(value.calibration.len(), 2);
        let bin = value.calibration[0];
        assert_eq!((bin.from, bin.positions), (0.7, 4));
        close(bin.predicted, 0.72);
        close(bin.observed, 0.75);
        close(value.calibration_error.unwrap(), 4.0 * 0.03 / 5.0);
        assert_eq!(value.calibration[1].to, 1.0);
    }
}
