//! How far the value is from what came, and whether a chance of 60 % is one.
//!
//! Everything is seen by the player to move. The model's expected score is its win plus half its draw.

use chess::pgn::Score;
use serde::Serialize;

use super::case::Known;
use crate::player::{centipawns, expected_score};

/// Centipawns beyond this count as this: how far a game is won matters to nobody.
pub const CENTIPAWN_LIMIT: i32 = 2000;
/// Classes of the expected score in the table of calibration.
const BINS: usize = 10;
/// No probability is held to be less: a model that is sure and wrong is not infinitely wrong.
const LEAST: f64 = 1e-6;

/// How far the expected score was from the result of games.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ResultError {
    /// Positions of games with a result.
    pub positions: u64,
    /// Mean absolute difference of the expected score and the points, from 0 to 1.
    pub mean_absolute: f64,
    /// The square root of the mean of squares.
    pub root_mean_square: f64,
    /// Mean of −(*s* ln *e* + (1−*s*) ln (1−*e*)) for points *s* and expected score *e*.
    pub cross_entropy: f64,
    /// Mean of −ln of the probability of what came of win, draw and loss; nothing for models that know
    /// no draws.
    pub wdl_cross_entropy: Option<f64>,
}

/// How far it was from evaluations.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct EvalError {
    /// Positions with an evaluation or a mate.
    pub positions: u64,
    /// Mean absolute difference of expected scores, from 0 to 1; *c* centipawns are
    /// ½ + ½ *c* / (|*c*| + 1000), a mate 1 or 0.
    pub mean_absolute: f64,
    /// Positions with an evaluation.
    pub centipawn_positions: u64,
    /// Mean absolute difference in centipawns; beyond 2000 they count as 2000.
    pub centipawns: Option<f64>,
}

/// A row of the table of calibration.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Bin {
    /// Expected scores from here …
    pub from: f64,
    /// … to here.
    pub to: f64,
    /// How many positions.
    pub positions: u64,
    /// Their mean expected score.
    pub predicted: f64,
    /// The mean of the points that came.
    pub came: f64,
}

/// What is found about the value.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Value {
    /// Against results, if there were any.
    pub result: Option<ResultError>,
    /// Against evaluations, if there were any.
    pub eval: Option<EvalError>,
    /// Expected against points; classes in which nothing fell are left out.
    pub calibration: Vec<Bin>,
    /// The mean difference of the two, weighted by positions.
    pub calibration_error: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct BinSum {
    positions: u64,
    predicted: f64,
    came: f64,
}

/// Adds up.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct ValueTally {
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

impl ValueTally {
    pub(super) fn add(&mut self, known: &Known, wdl: [f32; 3]) {
        let expected = f64::from(expected_score(wdl)).clamp(0.0, 1.0);
        if let Some(points) = known.result.map(f64::from) {
            self.results += 1;
            self.absolute += (expected - points).abs();
            self.squared += (expected - points).powi(2);
            let ln = |p: f64| p.max(LEAST).ln();
            self.entropy -= points * ln(expected) + (1.0 - points) * ln(1.0 - expected);
            let came = ((1.0 - points) * 2.0).round() as usize;
            self.wdl_entropy -= ln(wdl.get(came).copied().unwrap_or(0.0).into());
            let bin = &mut self.bins[((expected * BINS as f64) as usize).min(BINS - 1)];
            bin.positions += 1;
            bin.predicted += expected;
            bin.came += points;
        }
        if let Some(score) = known.score {
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

    pub(super) fn report(&self, knows_draws: bool) -> Value {
        let mean = |sum: f64, count: u64| sum / count as f64;
        let bins = self.bins.iter().enumerate().filter(|(_, bin)| bin.positions > 0);
        let calibration: Vec<Bin> = bins
            .map(|(n, bin)| Bin {
                from: n as f64 / BINS as f64,
                to: (n + 1) as f64 / BINS as f64,
                positions: bin.positions,
                predicted: mean(bin.predicted, bin.positions),
                came: mean(bin.came, bin.positions),
            })
            .collect();
        let off: f64 = self.bins.iter().map(|bin| (bin.predicted - bin.came).abs()).sum();
        Value {
            result: (self.results > 0).then(|| ResultError {
                positions: self.results,
                mean_absolute: mean(self.absolute, self.results),
                root_mean_square: mean(self.squared, self.results).sqrt(),
                cross_entropy: mean(self.entropy, self.results),
                wdl_cross_entropy: knows_draws.then(|| mean(self.wdl_entropy, self.results)),
            }),
            eval: (self.evals > 0).then(|| EvalError {
                positions: self.evals,
                mean_absolute: mean(self.eval_absolute, self.evals),
                centipawn_positions: self.centipawn_evals,
                centipawns: (self.centipawn_evals > 0)
                    .then(|| mean(self.centipawns, self.centipawn_evals)),
            }),
            calibration,
            calibration_error: (self.results > 0).then(|| mean(off, self.results)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;

    fn known(result: Option<f32>, score: Option<Score>) -> Known {
        let played = Position::INITIAL.legal_moves()[0];
        Known { played, rating: None, result, score }
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }

    #[test]
    fn errors_are_means_of_differences() {
        let mut tally = ValueTally::default();
        tally.add(&known(Some(1.0), None), [0.5, 0.2, 0.3]);
        tally.add(&known(Some(0.5), None), [0.1, 0.6, 0.3]);
        let value = tally.report(true);
        let result = value.result.unwrap();
        close(result.mean_absolute, (0.4 + 0.1) / 2.0);
        close(result.root_mean_square, (0.085f64).sqrt());
        close(result.wdl_cross_entropy.unwrap(), -(0.5f64.ln() + 0.6f64.ln()) / 2.0);
        let first = -0.6f64.ln();
        let second = -0.5 * 0.4f64.ln() - 0.5 * 0.6f64.ln();
        close(result.cross_entropy, (first + second) / 2.0);
        assert!(value.eval.is_none());
        assert_eq!(tally.report(false).result.unwrap().wdl_cross_entropy, None);
    }

    #[test]
    fn evaluations_are_compared_as_expected_scores_and_as_centipawns() {
        let mut tally = ValueTally::default();
        // 1000 centipawns are 0.75; 3000 and a mate are won.
        tally.add(&known(None, Some(Score::Centipawns(500))), [0.75, 0.0, 0.25]);
        tally.add(&known(None, Some(Score::Centipawns(3000))), [1.0, 0.0, 0.0]);
        tally.add(&known(None, Some(Score::Mate(-2))), [0.25, 0.0, 0.75]);
        let eval = tally.report(false).eval.unwrap();
        assert_eq!((eval.positions, eval.centipawn_positions), (3, 2));
        close(eval.mean_absolute, (0.75 - 2.0 / 3.0 + 0.125 + 0.25) / 3.0);
        close(eval.centipawns.unwrap(), 250.0);
    }

    #[test]
    fn calibration_compares_what_was_expected_with_what_came() {
        let mut tally = ValueTally::default();
        for points in [1.0, 1.0, 0.0, 1.0] {
            tally.add(&known(Some(points), None), [0.72, 0.0, 0.28]);
        }
        tally.add(&known(Some(1.0), None), [1.0, 0.0, 0.0]);
        let value = tally.report(true);
        assert_eq!(value.calibration.len(), 2);
        let bin = value.calibration[0];
        assert_eq!((bin.from, bin.positions), (0.7, 4));
        close(bin.predicted, 0.72);
        close(bin.came, 0.75);
        close(value.calibration_error.unwrap(), 4.0 * 0.03 / 5.0);
        assert_eq!(value.calibration[1].to, 1.0);
    }
}
