//! What is printed when a match is over: tables for people, or JSON.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::live::Pace;
use super::record::Fault;
use super::schedule::Pairing;
use super::standings::{Score, Standings};
use super::stats::{Sprt, Verdict};
use super::table;
use crate::layout::{self, wrap};
use crate::words::count;

/// So many faults are told in words; with JSON all are.
const TOLD: usize = 20;

/// A match that is over, or was stopped.
pub struct Report<'a> {
    pub names: &'a [String],
    pub ids: &'a [String],
    pub pairings: &'a [Pairing],
    pub standings: &'a Standings,
    pub sprt: Option<Sprt>,
    pub pace: Pace,
    /// How long this run took, without those before it.
    pub time: Duration,
    pub is_interrupted: bool,
}

impl Report<'_> {
    pub fn text(&self) -> String {
        let (standings, width) = (self.standings, layout::width());
        let mut parts = vec![table::ranking(standings, self.names).stacked(width)];
        if self.pairings.len() > 1 {
            let pairings = table::pairings(standings, self.names, self.pairings);
            parts.push(pairings.stacked(width));
        }
        parts.push(table::conduct(standings, self.names).stacked(width));
        if standings.has_faults() {
            parts.push(wrap(&table::incidents(standings, self.names, TOLD), width, 2));
        }
        let mut last = String::new();
        if let (Some(test), Some(&pairing)) = (&self.sprt, self.pairings.first()) {
            last = format!("{}\n", table::sprt(test, &standings.pairing(pairing)));
        }
        let resumed = match self.pace.resumed {
            0 => String::new(),
            resumed => {
                let new = (standings.games() as usize).saturating_sub(resumed);
                format!(", {} of this run", count(new, "game"))
            }
        };
        let endings: Vec<String> =
            standings.endings.iter().map(|(ending, count)| format!("{count} {ending}")).collect();
        last = format!(
            "{last}{} of {}{} in {:.1} s{}{}\n",
            standings.games(),
            count(self.pace.planned, "game"),
            resumed,
            self.time.as_secs_f64(),
            if endings.is_empty() { String::new() } else { format!(": {}", endings.join(", ")) },
            if self.is_interrupted { "; interrupted" } else { "" },
        );
        parts.push(wrap(&last, width, 2));
        parts.join("\n")
    }

    pub fn json(&self) -> Value {
        let standings = self.standings;
        let engines: Vec<Value> = (0..self.names.len())
            .map(|engine| {
                let conduct = &standings.conduct[engine];
                let mut value = score(&standings.engine(engine));
                value.insert("name".to_owned(), json!(self.names[engine]));
                value.insert("id".to_owned(), json!(self.ids[engine]));
                for fault in Fault::ALL {
                    let name = fault.plural().replace(' ', "_");
                    value.insert(name, json!(conduct.faults.count(fault)));
                }
                let moves = conduct.moves.max(1) as f64;
                for (name, number) in [
                    ("moves", json!(conduct.moves)),
                    ("nodes", json!(conduct.nodes)),
                    ("milliseconds", json!(conduct.milliseconds)),
                    ("mean_depth", json!(conduct.depths as f64 / moves)),
                    ("max_overrun_ms", json!(conduct.overrun)),
                    ("lowest_clock_ms", json!(conduct.lowest_clock)),
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
                incident.faults.iter().map(|(fault, tally)| {
                    json!({
                        "game": incident.game, "engine": self.names[incident.engine],
                        "fault": fault, "count": tally.count, "example": tally.example,
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

/// Games, points and what follows from the pairs. What is infinite or unknown is null.
fn score(score: &Score) -> Map<String, Value> {
    let estimate = score.pairs.estimate();
    let known = |value: fn(&super::stats::Estimate) -> f64| json!(estimate.as_ref().map(value));
    let fields = [
        ("games", json!(score.games())),
        ("wins", json!(score.wins)),
        ("draws", json!(score.draws)),
        ("losses", json!(score.losses)),
        ("points", json!(score.points())),
        ("score", json!(score.share())),
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
