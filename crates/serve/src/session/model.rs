//! Human-move predictions for the position shown, compared with the engine: good moves that are hard to find, and
//! traps; attention maps of the transformer.
//!
//! The engine scores the moves that people are likely to play: from its lines if it is on and deep enough,
//! otherwise by a short search of all moves; moves not among the lines by another short search.

use std::time::Duration;

use chess::{Color, Move, Position};
use engine::analysis::{MISTAKE, loss};
use engine::search::Limits;
use engine::value::Value;
use pra::predict::PositionPrediction;

use super::document::uci;
use super::refusal::Refusal;
use super::slot::{Slot, Step};
use super::{DocumentNode, Session};
use crate::job::{JobId, Lines, Output, Purpose, Search, Work};
use crate::protocol::{AttentionMessage, ModelMessage, ModelMove, MoveKind, ServerMessage};

/// The least probability of a likely move.
const LIKELY: f32 = 0.10;
/// The maximum number of moves sent.
const MAX_MOVES: usize = 12;
/// Less likely moves are not sent.
const LEAST: f32 = 0.005;
/// A loss within the error of the search.
const NEARLY_BEST: f64 = 0.02;
/// Every likely move loses at least this where a good one is hard to find.
const MISSED: f64 = 0.05;
/// The depth at which the lines of the engine are good enough.
const DEEP_ENOUGH: i32 = 12;
/// The time of a short search.
const SHORT: Duration = Duration::from_millis(400);
/// The lines of a short search of all moves.
const SHORT_LINES: usize = 3;

/// A short search, by its key.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Check {
    place: DocumentNode,
    /// The moves searched; empty: all.
    moves: Vec<Move>,
}

/// The state of the model panel.
#[derive(Default)]
pub struct ModelView {
    is_on: bool,
    /// The rating of the people; `None` if unknown.
    rating: Option<u16>,
    job: Slot<(DocumentNode, Option<u16>)>,
    /// The prediction for a node; none if the model failed there.
    predicted: Option<(DocumentNode, Option<PositionPrediction>)>,
    check: Slot<Check>,
    /// Scores of moves there, for the side to move.
    scores: Vec<(Move, Value)>,
    /// Whether all moves have been searched, so that the best score is among them.
    has_best: bool,
    /// Whether all needed searches are done.
    is_complete: bool,
    attention: Slot<(DocumentNode, usize, usize)>,
    wanted: Option<(usize, usize)>,
}

impl ModelView {
    pub fn set(&mut self, is_on: bool, rating: Option<u16>) {
        if !is_on || rating != self.rating {
            self.predicted = None;
        }
        self.is_on = is_on;
        self.rating = rating;
    }

    fn reset(&mut self) {
        self.scores.clear();
        self.has_best = false;
        self.is_complete = false;
    }

    fn add_scores(&mut self, lines: &Lines) {
        for line in &lines.lines {
            let Some(&m) = line.moves.first() else { continue };
            match self.scores.iter_mut().find(|(known, _)| *known == m) {
                Some(known) => known.1 = line.score,
                None => self.scores.push((m, line.score)),
            }
        }
    }

    fn score(&self, m: Move) -> Option<Value> {
        self.scores.iter().find(|(known, _)| *known == m).map(|&(_, score)| score)
    }

    /// The expected points lost by a move, if it has a score.
    fn loss(&self, position: &Position, m: Move) -> Option<f64> {
        if !self.has_best {
            return None;
        }
        let best = self.scores.iter().map(|&(_, score)| score).max()?;
        self.score(m).map(|score| loss(best, score, position))
    }

    pub fn failed(&mut self, id: JobId) -> bool {
        let predicted = self.job.finish(id);
        let checked = self.check.finish(id).is_some();
        let attended = self.attention.finish(id).is_some();
        self.is_complete |= checked;
        if let Some((place, _)) = predicted {
            self.predicted = Some((place, None));
        }
        predicted.is_some() || checked || attended
    }
}

/// The likely moves of a prediction.
fn likely(prediction: &PositionPrediction) -> impl Iterator<Item = Move> {
    prediction.moves.iter().take_while(|&&(_, p)| p >= LIKELY).map(|&(m, _)| m)
}

impl Session {
    pub(super) fn model_jobs(&mut self, has_moved: bool) {
        let place = self.place();
        let position = self.document.position(self.cursor);
        let is_wanted = self.model.is_on && !self.hides_answers() && position.has_legal_move();
        if has_moved {
            self.model.wanted = None;
        }
        let known = self.model.predicted.as_ref().is_some_and(|(at, _)| *at == place);
        let rating = self.model.rating;
        let wanted = (is_wanted && !known).then_some((place, rating));
        match self.model.job.step(wanted.as_ref()) {
            Step::Nothing => {}
            Step::Stop(id) => self.out.push(Output::Stop(id)),
            Step::Start => {
                let game = self.document.tree.game(place.node).unwrap_or_default();
                let id = self.start(Work::Predict { game, rating });
                self.model.job.fill(id, (place, rating));
            }
        }
        let wanted = if is_wanted { self.next_check(place) } else { None };
        match self.model.check.step(wanted.as_ref()) {
            Step::Nothing => {}
            Step::Stop(id) => self.out.push(Output::Stop(id)),
            Step::Start => {
                let Some(check) = wanted else { return };
                let game = self.document.tree.game(place.node).unwrap_or_default();
                let moves = check.moves.clone();
                let multi_pv = if moves.is_empty() { SHORT_LINES } else { moves.len() };
                let limits = Limits { move_time: Some(SHORT), moves, ..Limits::default() };
                let purpose = Purpose::Check;
                let search = Search { purpose, game, limits, multi_pv, weakening: None };
                let id = self.start(Work::Search(search));
                self.model.check.fill(id, check);
            }
        }
        let wanted = self.model.wanted.map(|(layer, head)| (place, layer, head));
        match self.model.attention.step(wanted.as_ref()) {
            Step::Nothing => {}
            Step::Stop(id) => self.out.push(Output::Stop(id)),
            Step::Start => {
                let Some((_, layer, head)) = wanted else { return };
                let id = self.start(Work::Attention { position, layer, head });
                self.model.attention.fill(id, (place, layer, head));
            }
        }
    }

    /// The next short search needed to compare the prediction with the engine.
    fn next_check(&mut self, place: DocumentNode) -> Option<Check> {
        let view = &mut self.model;
        let (at, prediction) = view.predicted.as_ref()?;
        let prediction = prediction.as_ref().filter(|_| *at == place && !view.is_complete)?;
        let likely: Vec<Move> = likely(prediction).collect();
        if !view.has_best {
            let Some(lines) = self.engine.lines(place, DEEP_ENOUGH) else {
                return Some(Check { place, moves: Vec::new() });
            };
            view.add_scores(lines);
            view.has_best = true;
        }
        let unknown: Vec<Move> = likely.into_iter().filter(|&m| view.score(m).is_none()).collect();
        if unknown.is_empty() {
            view.is_complete = true;
            self.send_model();
            return None;
        }
        Some(Check { place, moves: unknown })
    }

    pub(super) fn model_predicted(&mut self, id: JobId, prediction: PositionPrediction) {
        let Some((place, _)) = self.model.job.finish(id) else { return };
        self.model.reset();
        self.model.predicted = Some((place, Some(prediction)));
        self.send_model();
    }

    pub(super) fn model_checked(&mut self, id: JobId, lines: &Lines) {
        let Some(check) = self.model.check.finish(id) else { return };
        if self.model.predicted.as_ref().is_none_or(|(place, _)| *place != check.place) {
            return;
        }
        self.model.add_scores(lines);
        self.model.has_best = true;
        // Not repeated, even if it was too short to score all of them.
        self.model.is_complete = !check.moves.is_empty();
        self.send_model();
    }

    fn send_model(&mut self) {
        let Some((place, Some(prediction))) = &self.model.predicted else { return };
        if place.document != self.document.number {
            return;
        }
        let position = self.document.position(place.node);
        let loss = |m: Move| self.model.loss(&position, m);
        let is_missed = likely(prediction).next().is_some()
            && likely(prediction).all(|m| loss(m).is_some_and(|loss| loss >= MISSED));
        let kind = |m: Move, p: f32| match loss(m) {
            Some(loss) if p >= LIKELY && loss >= MISTAKE => Some(MoveKind::Trap),
            Some(loss) if p < LIKELY && loss <= NEARLY_BEST && is_missed => Some(MoveKind::Hard),
            _ => None,
        };
        let is_shown = |(n, &(m, p)): (usize, &(Move, f32))| {
            let shown = (n < MAX_MOVES && p >= LEAST) || kind(m, p).is_some();
            (shown && position.is_legal(m)).then(|| ModelMove {
                uci: uci(m),
                san: position.san(m).to_string(),
                probability: p,
                loss: loss(m),
                kind: kind(m, p),
            })
        };
        let moves: Vec<ModelMove> =
            prediction.moves.iter().enumerate().filter_map(is_shown).collect();
        let [win, draw, loss] = prediction.wdl.map(|p| (1000.0 * p).round() as u32);
        let is_white = position.turn() == Color::White;
        let wdl = if is_white { [win, draw, loss] } else { [loss, draw, win] };
        let message = ModelMessage { node: place.node.number(), wdl, moves };
        self.send(ServerMessage::Model(message));
    }

    pub(super) fn request_attention(&mut self, layer: usize, head: usize) -> Result<(), Refusal> {
        let model = &self.welcome.model;
        if layer >= model.layers || head >= model.heads.len() {
            return Err(Refusal::NoHead);
        }
        self.model.wanted = Some((layer, head));
        Ok(())
    }

    pub(super) fn attention_found(&mut self, id: JobId, weights: &[f32]) {
        let Some((place, layer, head)) = self.model.attention.finish(id) else { return };
        self.model.wanted = None;
        let per_mille = |weight: &f32| (1000.0 * weight).round() as u16;
        let weights = weights.iter().map(per_mille).collect();
        let node = place.node.number();
        self.send(ServerMessage::Attention(AttentionMessage { node, layer, head, weights }));
    }
}
