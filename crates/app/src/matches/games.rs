//! The games of `tabiya match` and `tabiya tune`, from their arguments.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context;
use arena::{Adjudicator, Book, Contender, EngineLimits, EngineSpec, Rules, Tournament};
use serde_json::{Value, json};
use uci::Log;

use super::args::{BookOrder, GameArgs};

/// The longest time to answer `uci` and `isready`.
const READY_TIMEOUT: Duration = Duration::from_secs(10);

impl GameArgs {
    /// A tournament between these engines; without a PGN event none is written.
    pub fn tournament(
        &self,
        engines: &[EngineSpec],
        event: Option<String>,
        stop: Arc<AtomicBool>,
    ) -> anyhow::Result<Tournament> {
        let mut limits = EngineLimits {
            tc: self.tc,
            movetime: self.movetime,
            nodes: self.nodes,
            depth: self.depth,
        };
        if limits.is_empty() {
            limits.tc = Some("8+0.08".parse()?);
        }
        let contenders = engines
            .iter()
            .map(|spec| Contender { spec: spec.clone(), limits: spec.limits.unwrap_or(limits) })
            .collect();
        let book = match &self.openings {
            Some(path) => {
                let shuffle = (self.order == BookOrder::Random).then_some(self.seed);
                let plies = self.plies.map(usize::from);
                Book::read(path, plies, shuffle, |skipped| eprintln!("tabiya: {skipped}"))?
            }
            None => Book::random(self.seed, self.plies.unwrap_or(8).into(), self.chess960),
        };
        let log = match &self.log {
            Some(path) => Log::new(
                File::create(path).with_context(|| format!("cannot write {}", path.display()))?,
            ),
            None => Log::default(),
        };
        Ok(Tournament {
            contenders,
            common_options: self.options.clone(),
            book,
            rules: Rules {
                chess960: self.chess960,
                time_margin: Duration::from_millis(self.timemargin),
                timeout: self.patience,
                ready_timeout: self.patience.min(READY_TIMEOUT),
                max_moves: self.max_moves,
                adjudicator: Adjudicator::new(self.resign, self.draw),
            },
            event,
            log,
            stop,
        })
    }

    /// All that results of games depend on, and that must not change when a job is resumed.
    pub fn settings(&self, tournament: &Tournament) -> Value {
        let engine = |contender: &Contender| {
            let spec = &contender.spec;
            json!({
                "name": spec.name, "program": spec.program, "args": spec.args,
                "options": spec.settings, "limits": contender.limits.to_string(),
            })
        };
        json!({
            "engines": tournament.contenders.iter().map(engine).collect::<Vec<Value>>(),
            "options": self.options,
            "timemargin": self.timemargin,
            "openings": self.openings.as_ref().map(|path| path.display().to_string()),
            "openings_fingerprint": tournament.book.fingerprint().to_string(),
            "plies": self.plies,
            "order": format!("{:?}", self.order).to_lowercase(),
            "seed": self.seed,
            "chess960": self.chess960,
            "resign": self.resign.map(|rule| format!("{rule:?}")),
            "draw": self.draw.map(|rule| format!("{rule:?}")),
            "max_moves": self.max_moves,
        })
    }
}
