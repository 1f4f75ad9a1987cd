//! Metrics aggregated over positions: accuracy of the policy, by piece, phase and rating, and errors of
//! the value.

use std::collections::BTreeMap;

use chess::{PieceType, Position};
use serde::Serialize;

use super::phase::Phase;
use super::sample::{Labels, SampleMetrics, TEMPERATURES};
use super::value::{ValueMetrics, ValueReport};

/// Accuracy of the policy.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Accuracy {
    /// Number of positions.
    pub positions: u64,
    /// Top-1 accuracy among the legal moves.
    pub top1: f64,
    /// Top-5 accuracy among the legal moves.
    pub top5: f64,
    /// Top-1 accuracy among all 4096 from-to pairs, legal or not.
    pub all_top1: f64,
    /// Top-5 accuracy among all 4096 from-to pairs.
    pub all_top5: f64,
    /// Mean negative log-likelihood of the move, among the legal ones.
    pub cross_entropy: f64,
    /// The sampling temperature at which it would be least, between those of [`TEMPERATURES`].
    pub temperature: f64,
}

/// Sums behind an [`Accuracy`].
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct AccuracySums {
    positions: u64,
    hits: [u64; 4],
    nll: f64,
    nll_at: [f64; TEMPERATURES.len()],
}

impl AccuracySums {
    fn add(&mut self, sample: &SampleMetrics) {
        self.positions += 1;
        let SampleMetrics { rank, all_rank, nll, nll_at, .. } = *sample;
        self.nll_at.iter_mut().zip(nll_at).for_each(|(sum, nll)| *sum += nll);
        let hits = [rank < 1, rank < 5, all_rank < 1, all_rank < 5];
        self.hits.iter_mut().zip(hits).for_each(|(sum, hit)| *sum += u64::from(hit));
        self.nll += nll;
    }

    fn accuracy(&self) -> Accuracy {
        let mean = |sum: f64| if self.positions == 0 { 0.0 } else { sum / self.positions as f64 };
        let [top1, top5, all_top1, all_top5] = self.hits.map(|hits| mean(hits as f64));
        let cross_entropy = mean(self.nll);
        let temperature = if self.positions == 0 { 0.0 } else { best_temperature(&self.nll_at) };
        Accuracy {
            positions: self.positions,
            top1,
            top5,
            all_top1,
            all_top5,
            cross_entropy,
            temperature,
        }
    }
}

/// The temperature of the least negative log-likelihood: the minimum of a parabola through the least of the sums
/// and its neighbours.
fn best_temperature(nll_at: &[f64; TEMPERATURES.len()]) -> f64 {
    let last = TEMPERATURES.len() - 1;
    let least = (0..=last).min_by(|&a, &b| nll_at[a].total_cmp(&nll_at[b])).unwrap_or(0);
    if least == 0 || least == last {
        return TEMPERATURES[least];
    }
    let [before, here, after] = [least - 1, least, least + 1].map(|n| nll_at[n]);
    let step = (TEMPERATURES[last] - TEMPERATURES[0]) / last as f64;
    let bend = before - 2.0 * here + after;
    let shift = if bend > 0.0 { (before - after) / (2.0 * bend) } else { 0.0 };
    TEMPERATURES[least] + shift * step
}

/// The accuracy on a group of positions.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GroupAccuracy {
    /// The group.
    pub name: String,
    /// Its accuracy.
    #[serde(flatten)]
    pub accuracy: Accuracy,
}

/// The metrics of an evaluation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// All positions.
    pub moves: Accuracy,
    /// By the piece moved; castling is a king move.
    pub pieces: Vec<GroupAccuracy>,
    /// By phase.
    pub phases: Vec<GroupAccuracy>,
    /// By the rating of the player to move, in bands of [`RATING_STEP`]; empty bands are omitted.
    pub ratings: Vec<GroupAccuracy>,
    /// The value head.
    pub value: ValueReport,
}

/// Width of a rating band.
pub const RATING_STEP: i32 = 200;

/// Accumulates the metrics of positions.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Metrics {
    all: AccuracySums,
    pieces: [AccuracySums; 6],
    phases: [AccuracySums; 3],
    ratings: BTreeMap<i32, AccuracySums>,
    value: ValueMetrics,
}

impl Metrics {
    /// Adds a position.
    pub fn add(&mut self, position: &Position, labels: &Labels, sample: &SampleMetrics) {
        self.all.add(sample);
        if let Some(piece) = position.piece_at(labels.played.from()) {
            self.pieces[piece.piece_type().index()].add(sample);
        }
        self.phases[Phase::of(position) as usize].add(sample);
        if let Some(rating) = labels.rating {
            self.ratings.entry(rating.div_euclid(RATING_STEP)).or_default().add(sample);
        }
        self.value.add(labels, sample.wdl);
    }

    /// Number of positions.
    pub const fn positions(&self) -> u64 {
        self.all.positions
    }

    /// The metrics; the WDL cross-entropy only for models that predict draws.
    pub fn report(&self, predicts_draws: bool) -> Report {
        let group = |name: String, sums: &AccuracySums| {
            let accuracy = sums.accuracy();
            GroupAccuracy { name, accuracy }
        };
        let pieces =
            PieceType::ALL.map(|piece| group(piece.to_string(), &self.pieces[piece.index()]));
        let phases = Phase::ALL.map(|phase| group(phase.to_string(), &self.phases[phase as usize]));
        let ratings = self.ratings.iter().map(|(band, sums)| {
            let from = band * RATING_STEP;
            group(format!("{from}-{}", from + RATING_STEP - 1), sums)
        });
        Report {
            moves: self.all.accuracy(),
            pieces: pieces.to_vec(),
            phases: phases.to_vec(),
            ratings: ratings.collect(),
            value: self.value.report(predicts_draws),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Square;

    #[test]
    fn positions_are_grouped_by_piece_phase_and_rating() {
        let position = Position::INITIAL;
        let knight = position.parse_uci("g1f3").unwrap();
        let pawn = position.parse_uci("e2e4").unwrap();
        let labels = |played, rating| Labels { played, rating, result: Some(0.5), score: None };
        let sample = |rank| SampleMetrics {
            rank,
            all_rank: rank + 1,
            nll: 2.0,
            nll_at: TEMPERATURES.map(|t| 2.0 + (t - 0.93) * (t - 0.93)),
            wdl: [0.2, 0.6, 0.2],
        };
        let mut metrics = Metrics::default();
        metrics.add(&position, &labels(knight, Some(1999)), &sample(0));
        metrics.add(&position, &labels(pawn, Some(2000)), &sample(4));
        metrics.add(&position, &labels(pawn, None), &sample(5));
        let report = metrics.report(true);
        let third = 1.0 / 3.0;
        assert!((report.moves.temperature - 0.93).abs() < 1e-9);
        let expected = Accuracy {
            temperature: report.moves.temperature,
            positions: 3,
            top1: third,
            top5: 2.0 * third,
            all_top1: 0.0,
            all_top5: third,
            cross_entropy: 2.0,
        };
        assert_eq!(report.moves, expected);
        let counts = |groups: &[GroupAccuracy]| -> Vec<(String, u64)> {
            groups.iter().map(|group| (group.name.clone(), group.accuracy.positions)).collect()
        };
        let named = |name: &str, count| (name.to_owned(), count);
        assert_eq!(counts(&report.ratings), [named("1800-1999", 1), named("2000-2199", 1)]);
        assert_eq!(counts(&report.phases)[0], named("opening", 3));
        assert_eq!(counts(&report.pieces)[..2], [named("pawn", 2), named("knight", 1)]);
        assert_eq!(report.value.result.unwrap().positions, 3);
        assert_eq!(knight.from(), Square::G1);
    }

    #[test]
    fn the_report_of_no_positions_has_no_nan() {
        let report = Metrics::default().report(true);
        let text = serde_json::to_string(&report).unwrap();
        assert_eq!(report.moves, Accuracy::default());
        assert!(report.value.result.is_none() && report.ratings.is_empty(), "{text}");
        assert!(!text.contains("NaN") && serde_json::from_str::<serde_json::Value>(&text).is_ok());
    }
}
