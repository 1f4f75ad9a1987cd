//! What is counted of positions whose continuation is known: how often the move was foreseen, and how
//! far the value was off.

use std::collections::BTreeMap;

use chess::{PieceType, Position};
use serde::Serialize;

use super::case::{Case, Known, Phase};
use super::value::{Value, ValueTally};

/// How often moves were foreseen.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Accuracy {
    /// Of how many.
    pub positions: u64,
    /// The share whose move is the likeliest of the legal ones.
    pub top1: f64,
    /// The share whose move is among the five likeliest of the legal ones.
    pub top5: f64,
    /// The share whose move has the highest of all 4096 logits of squares from and to, legal or not.
    pub all_top1: f64,
    /// The share whose move is among the five highest of these.
    pub all_top5: f64,
    /// Mean of −ln of the probability of the move, among the legal ones.
    pub cross_entropy: f64,
}

/// The sums of an [`Accuracy`].
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Counts {
    positions: u64,
    hits: [u64; 4],
    surprise: f64,
}

impl Counts {
    fn add(&mut self, case: &Case) {
        self.positions += 1;
        let hits = [case.rank < 1, case.rank < 5, case.all_rank < 1, case.all_rank < 5];
        self.hits.iter_mut().zip(hits).for_each(|(sum, hit)| *sum += u64::from(hit));
        self.surprise += case.surprise;
    }

    fn accuracy(&self) -> Accuracy {
        let share = |sum: f64| if self.positions == 0 { 0.0 } else { sum / self.positions as f64 };
        let [top1, top5, all_top1, all_top5] = self.hits.map(|hits| share(hits as f64));
        let cross_entropy = share(self.surprise);
        Accuracy { positions: self.positions, top1, top5, all_top1, all_top5, cross_entropy }
    }
}

/// Some positions, and how often their moves were foreseen.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Part {
    /// Which positions.
    pub name: String,
    /// How often.
    #[serde(flatten)]
    pub accuracy: Accuracy,
}

/// What an evaluation found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// All positions.
    pub moves: Accuracy,
    /// By the piece that moved; the king's includes castling.
    pub pieces: Vec<Part>,
    /// By what is on the board.
    pub phases: Vec<Part>,
    /// By the rating of the player to move, in steps of 200; only those that came up.
    pub ratings: Vec<Part>,
    /// The value.
    pub value: Value,
}

/// Ratings are put together in steps of so many points.
pub const RATING_STEP: i32 = 200;

/// Adds up.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tally {
    all: Counts,
    pieces: [Counts; 6],
    phases: [Counts; 3],
    ratings: BTreeMap<i32, Counts>,
    value: ValueTally,
}

impl Tally {
    /// Another position: what was known of it, and what was said.
    pub fn add(&mut self, position: &Position, known: &Known, case: &Case) {
        self.all.add(case);
        if let Some(piece) = position.piece_at(known.played.from()) {
            self.pieces[piece.piece_type().index()].add(case);
        }
        self.phases[Phase::of(position) as usize].add(case);
        if let Some(rating) = known.rating {
            self.ratings.entry(rating.div_euclid(RATING_STEP)).or_default().add(case);
        }
        self.value.add(known, case.wdl);
    }

    /// How many positions there were.
    pub const fn positions(&self) -> u64 {
        self.all.positions
    }

    /// What it comes to; whether the model knows draws tells whether those are measured.
    pub fn report(&self, knows_draws: bool) -> Report {
        let part = |name: String, counts: &Counts| Part { name, accuracy: counts.accuracy() };
        let pieces =
            PieceType::ALL.map(|piece| part(piece.to_string(), &self.pieces[piece.index()]));
        let phases = Phase::ALL.map(|phase| part(phase.to_string(), &self.phases[phase as usize]));
        let ratings = self.ratings.iter().map(|(band, counts)| {
            let from = band * RATING_STEP;
            part(format!("{from}-{}", from + RATING_STEP - 1), counts)
        });
        Report {
            moves: self.all.accuracy(),
            pieces: pieces.to_vec(),
            phases: phases.to_vec(),
            ratings: ratings.collect(),
            value: self.value.report(knows_draws),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Square;

    #[test]
    fn positions_are_counted_where_they_belong() {
        let position = Position::INITIAL;
        let knight = position.parse_uci("g1f3").unwrap();
        let pawn = position.parse_uci("e2e4").unwrap();
        let known = |played, rating| Known { played, rating, result: Some(0.5), score: None };
        let case = |rank| Case { rank, all_rank: rank + 1, surprise: 2.0, wdl: [0.2, 0.6, 0.2] };
        let mut tally = Tally::default();
        tally.add(&position, &known(knight, Some(1999)), &case(0));
        tally.add(&position, &known(pawn, Some(2000)), &case(4));
        tally.add(&position, &known(pawn, None), &case(5));
        let report = tally.report(true);
        let third = 1.0 / 3.0;
        let expected = Accuracy {
            positions: 3,
            top1: third,
            top5: 2.0 * third,
            all_top1: 0.0,
            all_top5: third,
            cross_entropy: 2.0,
        };
        assert_eq!(report.moves, expected);
        let counts = |parts: &[Part]| -> Vec<(String, u64)> {
            parts.iter().map(|part| (part.name.clone(), part.accuracy.positions)).collect()
        };
        let named = |name: &str, count| (name.to_owned(), count);
        assert_eq!(counts(&report.ratings), [named("1800-1999", 1), named("2000-2199", 1)]);
        assert_eq!(counts(&report.phases)[0], named("opening", 3));
        assert_eq!(counts(&report.pieces)[..2], [named("pawn", 2), named("knight", 1)]);
        assert_eq!(report.value.result.unwrap().positions, 3);
        assert_eq!(knight.from(), Square::G1);
    }

    #[test]
    fn nothing_gives_a_report_of_nothing_without_a_number_that_is_none() {
        let report = Tally::default().report(true);
        let text = serde_json::to_string(&report).unwrap();
        assert_eq!(report.moves, Accuracy::default());
        assert!(report.value.result.is_none() && report.ratings.is_empty(), "{text}");
        assert!(!text.contains("NaN") && serde_json::from_str::<serde_json::Value>(&text).is_ok());
    }
}
