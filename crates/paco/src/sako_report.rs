//! What a player can do against the kings, as text and as JSON.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::{Answer, IllegalAction, PacoIn, PacoSequences, Position};

/// The answers about a position, with sequences in notation.
#[derive(Clone, Debug)]
pub struct SakoReport {
    position: Position,
    by_me: Answer,
    by_opp: Answer,
    sequences: Vec<String>,
    is_complete: bool,
    forced: Option<Forced>,
}

/// The search for a forced Paco.
#[derive(Clone, Debug)]
struct Forced {
    turns: u32,
    answer: Answer,
    turn: Option<String>,
}

impl SakoReport {
    /// Lists at most `limit` sequences that unite with the king, given the answers of
    /// [`Position::sako`] and [`Position::sako_against`]; the search has a limit of `nodes`.
    pub fn new(
        position: &Position,
        by_me: Answer,
        by_opp: Answer,
        nodes: u32,
        limit: usize,
    ) -> Result<Self, IllegalAction> {
        let found = match by_me {
            Answer::No => PacoSequences { sequences: Vec::new(), complete: true },
            _ => position.paco_sequences(nodes, limit),
        };
        let texts = found.sequences.iter().map(|actions| position.notation(actions));
        let sequences = texts.collect::<Result<_, _>>()?;
        let (position, is_complete) = (*position, found.complete);
        Ok(Self { position, by_me, by_opp, sequences, is_complete, forced: None })
    }

    /// Adds a search for a Paco that can be forced within `turns` turns; see [`Position::paco_in`].
    pub fn with_forced(mut self, turns: u32, budget: u64) -> Result<Self, IllegalAction> {
        let (answer, turn) = match self.position.paco_in(turns, budget) {
            PacoIn::Yes(actions) => (Answer::Yes, Some(self.position.notation(&actions)?)),
            PacoIn::No => (Answer::No, None),
            PacoIn::Unknown => (Answer::Unknown, None),
        };
        self.forced = Some(Forced { turns, answer, turn });
        Ok(self)
    }

    /// The answers as JSON, with the seconds that the two searches took.
    pub fn to_json(&self, seconds: f64) -> Value {
        let mut report = json!({
            "sako_by_me": self.by_me.to_json(),
            "sako_by_opp": self.by_opp.to_json(),
            "sequences": self.sequences,
            "complete": self.is_complete,
            "seconds": seconds,
        });
        if let Some(Forced { turns, answer, turn }) = &self.forced {
            report["paco_in"] = json!({ "turns": turns, "forced": answer.to_json(), "turn": turn });
        }
        report
    }

    /// The answers in sentences, with the CPU seconds that the two searches took.
    pub fn to_text(&self, seconds: f64) -> String {
        let player = self.position.player();
        let mut text = format!("{player} can unite with the king this turn: {}\n", self.by_me);
        for sequence in &self.sequences {
            text += &format!("  {sequence}\n");
        }
        if !self.is_complete {
            text += "  … and perhaps more\n";
        }
        text += &format!("{player} is in Ŝako: {}\n", self.by_opp);
        text += &format!("{:.3} ms of CPU time\n", 1000.0 * seconds);
        match self.forced.as_ref().map(|forced| (forced.answer, &forced.turn)) {
            None => {}
            Some((_, Some(turn))) => text += &format!("Paco can be forced, with {turn}\n"),
            Some((Answer::No, _)) => text += "Paco cannot be forced within these turns\n",
            Some(_) => {
                text += "Whether Paco can be forced is unknown; try a larger --budget\n";
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SAKO_NODES;

    #[test]
    fn a_forced_paco_is_reported_with_its_first_turn() {
        let position: Position = "7k/R7/1R6/8/8/8/8/K7 w 0 - - -".parse().unwrap();
        let (by_me, by_opp) = (position.sako(SAKO_NODES), position.sako_against(SAKO_NODES));
        let report = SakoReport::new(&position, by_me, by_opp, SAKO_NODES, 5).unwrap();
        assert!(report.to_json(0.0).get("paco_in").is_none());
        let unknown = report.clone().with_forced(2, 0).unwrap();
        assert!(unknown.to_json(0.0)["paco_in"]["forced"].is_null());
        assert!(unknown.to_text(0.0).ends_with("try a larger --budget\n"));
        let report = report.with_forced(2, 100_000).unwrap();
        assert_eq!(report.to_json(0.0)["paco_in"]["forced"], true);
        assert!(report.to_text(0.0).contains("Paco can be forced, with Rb6>b8"));
    }
}
