//! The engine's lines for the position shown, and the threat in it.
//!
//! Lines are sent at most twenty times a second. A search ends after some minutes, so that an abandoned tab stops
//! using CPU.

use std::time::Duration;

use chess::{Game, Position};
use engine::search::Limits;
use engine::value::white_pov;
use engine::wdl::Chances;

use super::document::{notations, uci, white};
use super::slot::{Slot, Step};
use super::{DocumentNode, Session};
use crate::job::{JobId, Lines, Output, Purpose, Search, Work};
use crate::protocol::{LinesMessage, PvMessage, ServerMessage, Wdl};

/// The maximum number of lines.
const MAX_LINES: usize = 5;
/// The minimum time between two messages.
const INTERVAL: Duration = Duration::from_millis(50);
/// The time limit of a search.
const MAX_TIME: Duration = Duration::from_secs(300);
/// The time limit of a search for a threat.
const THREAT: Duration = Duration::from_millis(700);

/// The purpose of a search: node and number of lines.
type Key = (DocumentNode, usize);

/// The state of the engine panel.
#[derive(Default)]
pub struct EngineView {
    is_on: bool,
    multi_pv: usize,
    shows_threat: bool,
    job: Slot<Key>,
    /// The search that has completed, which is not started again.
    done: Option<Key>,
    /// The last lines.
    latest: Option<(DocumentNode, Lines)>,
    /// Whether the last lines are still to be sent.
    is_pending: bool,
    sent: Duration,
    threat: Slot<DocumentNode>,
    threat_done: Option<DocumentNode>,
}

impl EngineView {
    pub fn set(&mut self, is_on: bool, multi_pv: usize, shows_threat: bool) {
        if !is_on || !self.is_on {
            self.done = None;
        }
        if !shows_threat {
            self.threat_done = None;
        }
        self.is_on = is_on;
        self.multi_pv = multi_pv.clamp(1, MAX_LINES);
        self.shows_threat = shows_threat;
    }

    /// When pending lines may be sent.
    pub fn timer(&self) -> Option<Duration> {
        self.is_pending.then_some(self.sent + INTERVAL)
    }

    /// The lines of a node, if they have at least this depth.
    pub fn lines(&self, place: DocumentNode, depth: i32) -> Option<&Lines> {
        let (_, lines) = self.latest.as_ref().filter(|(at, _)| *at == place)?;
        (self.is_on && lines.depth >= depth).then_some(lines)
    }

    pub fn failed(&mut self, id: JobId) -> bool {
        let (lines, threat) = (self.job.finish(id), self.threat.finish(id));
        let is_ours = lines.is_some() || threat.is_some();
        self.done = lines.or(self.done);
        self.threat_done = threat.or(self.threat_done);
        is_ours
    }
}

impl Session {
    pub(super) fn engine_jobs(&mut self, has_moved: bool) {
        if self.engine.is_pending && self.now >= self.engine.sent + INTERVAL {
            self.send_lines(false);
        }
        let place = self.place();
        let position = self.document.position(self.cursor);
        let can_move = position.has_legal_move();
        let is_hidden = self.hides_answers();
        let wants_lines = self.engine.is_on && !is_hidden;
        if has_moved && wants_lines && !can_move {
            self.engine.latest = Some((place, Lines::default()));
            self.send_lines(true);
        }
        let key = (place, self.engine.multi_pv);
        let wanted = (wants_lines && can_move && self.engine.done != Some(key)).then_some(key);
        match self.engine.job.step(wanted.as_ref()) {
            Step::Nothing => {}
            Step::Stop(id) => {
                self.engine.is_pending = false;
                self.out.push(Output::Stop(id));
            }
            Step::Start => {
                let game = self.document.tree.game(self.cursor).unwrap_or_default();
                let limits = Limits { move_time: Some(MAX_TIME), ..Limits::default() };
                let multi_pv = self.engine.multi_pv;
                let purpose = Purpose::Analysis;
                let search = Search { purpose, game, limits, multi_pv, weakening: None };
                let id = self.start(Work::Search(search));
                self.engine.job.fill(id, key);
            }
        }
        // The position after a null move; there is none in check.
        let passed = position.after_null().filter(Position::has_legal_move);
        let wants_threat =
            self.engine.shows_threat && !is_hidden && self.engine.threat_done != Some(place);
        let wanted = passed.filter(|_| wants_threat && can_move).map(|_| place);
        match (self.engine.threat.step(wanted.as_ref()), passed) {
            (Step::Stop(id), _) => self.out.push(Output::Stop(id)),
            (Step::Start, Some(passed)) => {
                let limits = Limits { move_time: Some(THREAT), ..Limits::default() };
                let (purpose, game) = (Purpose::Check, Game::new(passed));
                let search = Search { purpose, game, limits, multi_pv: 1, weakening: None };
                let id = self.start(Work::Search(search));
                self.engine.threat.fill(id, place);
            }
            _ => {}
        }
    }

    pub(super) fn engine_lines(&mut self, id: JobId, lines: Lines) {
        let Some(&(place, _)) = self.engine.job.key(id) else { return };
        if lines.lines.is_empty() {
            return;
        }
        self.engine.latest = Some((place, lines));
        self.engine.is_pending = true;
    }

    pub(super) fn engine_found(&mut self, id: JobId, lines: Lines) {
        let Some(key) = self.engine.job.finish(id) else { return };
        self.engine.done = Some(key);
        self.engine.latest = Some((key.0, lines));
        self.send_lines(true);
    }

    fn send_lines(&mut self, done: bool) {
        self.engine.is_pending = false;
        self.engine.sent = self.now;
        let Some((place, lines)) = &self.engine.latest else { return };
        if place.document != self.document.number {
            return;
        }
        let position = self.document.position(place.node);
        let line = |line: &crate::job::ScoredLine| {
            let (uci, san) = notations(&position, &line.moves);
            let score = white_pov(line.score, position.turn());
            PvMessage { score: white(score), wdl: wdl(Chances::of(score, &position)), uci, san }
        };
        let seconds = lines.elapsed.as_secs_f64();
        let message = LinesMessage {
            node: place.node.number(),
            depth: lines.depth,
            seldepth: lines.seldepth,
            nodes: lines.nodes,
            nps: if seconds > 0.0 { (lines.nodes as f64 / seconds) as u64 } else { 0 },
            lines: lines.lines.iter().take(MAX_LINES).map(line).collect(),
            done,
        };
        self.send(ServerMessage::Lines(message));
    }

    pub(super) fn threat_found(&mut self, id: JobId, lines: &Lines) {
        let Some(place) = self.engine.threat.finish(id) else { return };
        self.engine.threat_done = Some(place);
        let Some(passed) = self.document.position(place.node).after_null() else { return };
        let Some(line) = lines.lines.first() else { return };
        let Some(&m) = line.moves.first().filter(|&&m| passed.is_legal(m)) else { return };
        self.send(ServerMessage::Threat {
            node: place.node.number(),
            uci: uci(m),
            san: passed.san(m).to_string(),
            score: white(white_pov(line.score, passed.turn())),
        });
    }
}

/// Win, draw and loss as the protocol has them.
pub fn wdl(chances: Chances) -> Wdl {
    [chances.win, chances.draw, chances.loss]
}
