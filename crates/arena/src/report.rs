//! The report of a match as JSON, and its pace.

use std::time::Duration;

use layout::{clock, count};
use serde_json::{Map, Value, json};

use crate::{Estimate, Fault, MatchScore, Pairing, Sprt, Standings, Verdict};

/// A match that is over or interrupted.
pub struct MatchReport<'a> {
    /// The names of the engines.
    pub names: &'a [String],
    /// The names from `id name`.
    pub ids: &'a [String],
    /// All pairings.
    pub pairings: &'a [Pairing],
    /// All games, those of earlier runs included.
    pub standings: &'a Standings,
    /// The sequential test, if there is one.
    pub sprt: Option<Sprt>,
    /// Games planned and resumed.
    pub pace: Pace,
    /// The duration of this run.
    pub time: Duration,
    /// Whether the user interrupted it.
    pub is_interrupted: bool,
}

/// How fast a match is played.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The number of games.
    pub planned: usize,
    /// Games of earlier runs.
    pub resumed: usize,
    /// Whether a sequential test may end the match early.
    pub may_end_early: bool,
}

impl Pace {
    /// Games per second of this run, after `games` in all runs.
    pub fn rate(self, games: usize, elapsed: Duration) -> f64 {
        games.saturating_sub(self.resumed) as f64 / elapsed.as_secs_f64().max(1e-9)
    }

    /// Games played, speed and remaining time.
    pub fn text(self, games: usize, elapsed: Duration) -> String {
        let played = format!("{games}/{}", count(self.planned, "game"));
        if games <= self.resumed {
            return played;
        }
        let rate = self.rate(games, elapsed);
        let left = clock(self.planned.saturating_sub(games) as f64 / rate.max(1e-9));
        let bound = if self.may_end_early { "at most " } else { "" };
        format!("{played}, {:.1}/min, {bound}{left} left", 60.0 * rate)
    }
}

impl MatchReport<'_> {
    /// The report as one object.
    pub fn json(&self) -> Value {
        let standings = self.standings;
        let engines: Vec<Value> = (0..self.names.len())
            .map(|engine| {
                let totals = &standings.totals[engine];
                let mut value = score(&standings.engine(engine));
                value.insert("name".to_owned(), json!(self.names[engine]));
                value.insert("id".to_owned(), json!(self.ids[engine]));
                for fault in Fault::ALL {
                    let name = fault.plural().replace(' ', "_");
                    value.insert(name, json!(totals.faults.count(fault)));
                }
                let moves = totals.moves.max(1) as f64;
                for (name, number) in [
                    ("moves", json!(totals.moves)),
                    ("nodes", json!(totals.nodes)),
                    ("milliseconds", json!(totals.milliseconds)),
                    ("mean_depth", json!(totals.depths as f64 / moves)),
                    ("max_overrun_ms", json!(totals.overrun)),
                    ("lowest_clock_ms", json!(totals.lowest_clock)),
                ] {
                    value.insert(name.to_owned(), number);
                }
                Value::Object(value)
            })
            .collect();
        let pairings: Vec<Value> = self
            .pairings
            .iter()
            .map(|&(first, second)| {
                let mut value = score(&standings.pairing((first, second)));
                value.insert("first".to_owned(), json!(self.names[first]));
                value.insert("second".to_owned(), json!(self.names[second]));
                Value::Object(value)
            })
            .collect();
        let failures: Vec<Value> = standings
            .incidents
            .iter()
            .flat_map(|incident| {
                incident.faults.iter().map(|(fault, occurrences)| {
                    json!({
                        "game": incident.game, "engine": self.names[incident.engine],
                        "fault": fault, "count": occurrences.count, "example": occurrences.example,
                    })
                })
            })
            .collect();
        let endings: Map<String, Value> = standings
            .endings
            .iter()
            .map(|(ending, count)| (ending.to_string(), json!(count)))
            .collect();
        json!({
            "games": standings.games(), "planned": self.pace.planned,
            "resumed": self.pace.resumed, "seconds": self.time.as_secs_f64(),
            "games_per_second": self.pace.rate(standings.games() as usize, self.time),
            "interrupted": self.is_interrupted, "engines": engines, "pairings": pairings,
            "sprt": self.sprt_json(), "endings": endings, "failures": failures,
        })
    }

    fn sprt_json(&self) -> Value {
        let (Some(test), Some(&pairing)) = (&self.sprt, self.pairings.first()) else {
            return Value::Null;
        };
        let pairs = self.standings.pairing(pairing).pairs;
        let (low, high) = test.bounds();
        let verdict = match test.verdict(&pairs) {
            Verdict::Accept => "accepted",
            Verdict::Reject => "rejected",
            Verdict::Open => "open",
        };
        json!({
            "elo0": test.elo0, "elo1": test.elo1, "alpha": test.alpha, "beta": test.beta,
            "llr": test.llr(&pairs), "low": low, "high": high, "verdict": verdict,
        })
    }
}

/// Games, points and estimates. Infinite and unknown values are null.
fn score(score: &MatchScore) -> Map<String, Value> {
    let estimate = score.pairs.estimate();
    let known = |value: fn(&Estimate) -> f64| json!(estimate.as_ref().map(value));
    let fields = [
        ("games", json!(score.games())),
        ("wins", json!(score.wins)),
        ("draws", json!(score.draws)),
        ("losses", json!(score.losses)),
        ("points", json!(score.points())),
        ("score", json!(score.rate())),
        ("pentanomial", json!(score.pairs.0)),
        ("elo", known(|estimate| estimate.elo)),
        ("elo_low", known(|estimate| estimate.low)),
        ("elo_high", known(|estimate| estimate.high)),
        ("elo_error", known(|estimate| estimate.error())),
        ("normalized_elo", known(|estimate| estimate.normalized)),
        ("los", known(|estimate| estimate.los)),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_counts_games_of_this_run_and_a_test_may_end_early() {
        let minute = Duration::from_secs(60);
        let pace = Pace { planned: 100, resumed: 0, may_end_early: false };
        assert_eq!(pace.text(20, minute), "20/100 games, 20.0/min, 4:00 left");
        let pace = Pace { resumed: 50, ..pace };
        assert_eq!(pace.text(50, minute), "50/100 games");
        assert_eq!(pace.text(60, minute), "60/100 games, 10.0/min, 4:00 left");
        let pace = Pace { planned: 40_000, resumed: 1_000, may_end_early: true };
        let text = pace.text(1_600, minute);
        assert_eq!(text, "1600/40000 games, 600.0/min, at most 1:04:00 left");
    }
}
