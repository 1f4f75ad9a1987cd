//! The game in play: moves of people and machines, takebacks, hints, results.

use std::collections::HashSet;
use std::time::Duration;

use chess::pgn::{GameTree, NodeId};
use chess::{Color, Move, Position, chess960};
use engine::search::Limits;
use pra::imitation::fitted_temperature;
use pra::pace::{Clock, thinking_time};
use pra::predict::PositionPrediction;

use super::clock::GameClock;
use super::document::uci;
use super::players;
use super::position::{outcome_message, won_by};
use super::refusal::Refusal;
use super::slot::Step;
use super::{DocumentNode, Session};
use crate::job::{JobId, Output, Purpose, Search, Work};
use crate::protocol::{
    GameResult, PlayMessage, PlayStatus, Player, ServerMessage, TimeControl, VariantName,
};

/// The time limit of a hint.
const HINT: Duration = Duration::from_millis(600);

/// The game in play.
pub struct Play {
    /// White's and Black's.
    players: [Player; 2],
    clock: Option<GameClock>,
    /// The first node of the game: earlier moves are not taken back.
    first: NodeId,
    /// The last move.
    pub node: NodeId,
    /// The result and its reason.
    end: Option<(GameResult, String)>,
    /// When the machine's turn began.
    since: Duration,
    /// The move chosen by the machine, and when it is played.
    chosen: Option<(Move, Duration)>,
    /// The node at which the machine failed to move, not retried.
    failed: Option<NodeId>,
    /// Moves explored beside the game.
    pub explored: HashSet<NodeId>,
}

impl Play {
    pub fn new(
        players: [Player; 2],
        clock: Option<TimeControl>,
        node: NodeId,
        now: Duration,
    ) -> Result<Self, Refusal> {
        players.into_iter().try_for_each(players::check)?;
        Ok(Self {
            players,
            clock: clock.map(GameClock::new).transpose()?,
            first: node,
            node,
            end: None,
            since: now,
            chosen: None,
            failed: None,
            explored: HashSet::new(),
        })
    }

    /// Restores first node and clocks of a saved game.
    pub fn resume(
        &mut self,
        first: NodeId,
        milliseconds: [u64; 2],
        turn: Option<Color>,
        now: Duration,
    ) {
        self.first = first;
        if let Some(clock) = &mut self.clock {
            clock.set(milliseconds);
            if let Some(color) = turn {
                clock.start(color, now);
            }
        }
    }

    /// Ends the game.
    pub fn finish(&mut self, result: GameResult, reason: String, now: Duration) {
        self.chosen = None;
        if let Some(clock) = &mut self.clock {
            clock.stop(now);
        }
        self.end = Some((result, reason));
    }

    fn player(&self, color: Color) -> Player {
        self.players[color.index()]
    }

    fn is_person(&self, color: Color) -> bool {
        matches!(self.player(color), Player::Person {})
    }

    fn time_left(&self, color: Color, now: Duration) -> Option<Clock> {
        self.clock.as_ref().map(|clock| Clock {
            remaining: clock.remaining(color, now),
            increment: Duration::from_millis(clock.control.increment_ms),
            moves_to_go: None,
        })
    }
}

impl Session {
    pub(super) fn new_game(
        &mut self,
        variant: VariantName,
        number: Option<u16>,
        fen: Option<&str>,
        players: [Player; 2],
        clock: Option<TimeControl>,
    ) -> Result<(), Refusal> {
        let start = match (fen, variant) {
            (Some(fen), _) => Position::from_fen_lenient(fen)?,
            (None, VariantName::Chess) => Position::INITIAL,
            (None, VariantName::Chess960) => {
                let number = number.unwrap_or_else(|| self.rng.below(960) as u16);
                chess960::start(number).ok_or(Refusal::Chess960(number))?
            }
        };
        let play = Play::new(players, clock, NodeId::ROOT, self.now)?;
        let mut tree = GameTree::new(start);
        for (tag, player) in ["White", "Black"].into_iter().zip(players) {
            tree.set_tag(tag, &players::name(player))?;
        }
        if variant == VariantName::Chess960 {
            tree.set_tag("Variant", "Chess960")?;
        }
        self.open(tree, None);
        self.play = Some(play);
        self.end_by_rule();
        Ok(())
    }

    pub(super) fn play_from(
        &mut self,
        players: [Player; 2],
        clock: Option<TimeControl>,
    ) -> Result<(), Refusal> {
        let game = self.document.tree.game(self.cursor).unwrap_or_default();
        if game.outcome().is_some() {
            return Err(Refusal::Over);
        }
        self.play = Some(Play::new(players, clock, self.cursor, self.now)?);
        self.changed.play = true;
        Ok(())
    }

    /// The game in play, unless it is over.
    fn playing(&mut self) -> Result<&mut Play, Refusal> {
        self.play.as_mut().filter(|play| play.end.is_none()).ok_or(Refusal::NoGame)
    }

    /// Whether moves made on the board are moves of the game.
    pub(super) fn plays_here(&self) -> bool {
        self.play.as_ref().is_some_and(|play| play.end.is_none() && play.node == self.cursor)
    }

    pub(super) fn person_moves(&mut self, m: Move) -> Result<(), Refusal> {
        let turn = self.document.position(self.cursor).turn();
        if !self.playing()?.is_person(turn) {
            return Err(Refusal::NotYourTurn);
        }
        self.play_move(m)
    }

    /// Plays a legal move of the game; a cursor at its last position follows.
    fn play_move(&mut self, m: Move) -> Result<(), Refusal> {
        let now = self.now;
        let from = self.playing()?.node;
        let mover = self.document.position(from).turn();
        let (node, is_new) = self.document.play(from, m)?;
        let first = self.document.tree.node(from).and_then(|from| from.children().first().copied());
        let play = self.playing()?;
        if let Some(clock) = &mut play.clock {
            clock.press(mover, now);
        }
        play.node = node;
        play.since = now;
        play.chosen = None;
        // Moves explored earlier become variations.
        let is_beside = first.is_some_and(|first| first != node && play.explored.contains(&first));
        if is_beside {
            self.document.tree.promote(node)?;
        }
        if self.cursor == from {
            self.show(node);
        }
        self.changed.game |= is_new || is_beside;
        self.changed.play = true;
        self.end_by_rule();
        Ok(())
    }

    /// Ends the game if the rules do.
    pub(super) fn end_by_rule(&mut self) {
        let Ok(play) = self.playing() else { return };
        let node = play.node;
        let game = self.document.tree.game(node).unwrap_or_default();
        if let Some(outcome) = game.outcome() {
            let message = outcome_message(outcome);
            self.end_game(message.result, message.reason);
        }
    }

    fn end_game(&mut self, result: GameResult, reason: String) {
        let now = self.now;
        let Ok(play) = self.playing() else { return };
        play.finish(result, reason, now);
        let node = play.node;
        // The result is that of the main line.
        if self.document.tree.main_line().last().map_or(NodeId::ROOT, |(id, _)| id) == node {
            self.document.tree.result = result.into();
            self.changed.game = true;
        }
        self.changed.play = true;
    }

    /// Takes back a person's last move and the reply.
    pub(super) fn take_back(&mut self) -> Result<(), Refusal> {
        let now = self.now;
        let (removed, target) = self.taken_back().ok_or(Refusal::NothingToTakeBack)?;
        let turn = self.document.position(target).turn();
        let shows_it =
            self.document.tree.path(self.cursor).is_some_and(|path| path.contains(&removed));
        self.document.tree.remove(removed)?;
        let tree = &self.document.tree;
        self.document.judged_moves.retain(|&id, _| tree.path(id).is_some());
        let play = self.playing()?;
        play.node = target;
        play.since = now;
        play.chosen = None;
        if let Some(clock) = &mut play.clock {
            clock.start(turn, now);
        }
        if shows_it {
            self.show(target);
        }
        self.drop_stale_exercises();
        self.changed.game = true;
        self.changed.play = true;
        Ok(())
    }

    /// The first move that a takeback removes, and the move before it.
    fn taken_back(&self) -> Option<(NodeId, NodeId)> {
        let play = self.play.as_ref().filter(|play| play.end.is_none())?;
        let mut at = play.node;
        while at != play.first {
            let parent = self.document.tree.node(at)?.parent()?;
            if play.is_person(self.document.position(parent).turn()) {
                return Some((at, parent));
            }
            at = parent;
        }
        None
    }

    pub(super) fn resign(&mut self) -> Result<(), Refusal> {
        let node = self.playing()?.node;
        let turn = self.document.position(node).turn();
        let play = self.playing()?;
        let loser = match Color::ALL.map(|color| play.is_person(color)) {
            [true, false] => Some(Color::White),
            [false, true] => Some(Color::Black),
            [true, true] => Some(turn),
            [false, false] => None,
        };
        match loser {
            Some(loser) => self.end_game(won_by(!loser), "resignation".to_owned()),
            None => self.end_game(GameResult::Unknown, "stopped".to_owned()),
        }
        Ok(())
    }

    pub(super) fn claim_draw(&mut self) -> Result<(), Refusal> {
        let node = self.playing()?.node;
        let game = self.document.tree.game(node).unwrap_or_default();
        let reason = game.claimable_draw().ok_or(Refusal::NoClaim)?;
        self.end_game(GameResult::Draw, reason.to_string());
        Ok(())
    }

    /// Timed events: flag fall, and the chosen move of a machine.
    pub(super) fn tick(&mut self) {
        let now = self.now;
        let Ok(play) = self.playing() else { return };
        let (node, chosen) = (play.node, play.chosen);
        let flag = play.clock.as_ref().and_then(GameClock::flag);
        if let Some((m, due)) = chosen
            && now >= due
            && flag.is_none_or(|(_, at)| due < at)
        {
            // The move is legal, since the position has not changed, but the tree may be full.
            if let Err(refusal) = self.play_move(m) {
                self.end_game(GameResult::Unknown, refusal.to_string());
            }
            return;
        }
        let Some((loser, _)) = flag.filter(|&(_, at)| now >= at) else { return };
        if self.document.position(node).has_insufficient_material(!loser) {
            let reason = "time, and the opponent has no material to mate";
            self.end_game(GameResult::Draw, reason.to_owned());
        } else {
            self.end_game(won_by(!loser), "time".to_owned());
        }
    }

    /// When [`Session::tick`] is due.
    pub(super) fn play_timer(&self) -> Option<Duration> {
        let play = self.play.as_ref().filter(|play| play.end.is_none())?;
        let flag = play.clock.as_ref().and_then(GameClock::flag).map(|(_, at)| at);
        let chosen = play.chosen.map(|(_, due)| due);
        [flag, chosen].into_iter().flatten().min()
    }

    /// Starts the job of the machine to move.
    pub(super) fn play_jobs(&mut self) {
        let wanted = self.machine_to_move();
        match self.play_job.step(wanted.as_ref()) {
            Step::Nothing => {}
            Step::Stop(id) => self.out.push(Output::Stop(id)),
            Step::Start => {
                let Some((place, player)) = wanted else { return };
                let game = self.document.tree.game(place.node).unwrap_or_default();
                let turn = game.position().turn();
                let time = self.play.as_ref().and_then(|play| play.time_left(turn, self.now));
                let work = match player {
                    Player::Engine { level } => {
                        let random = self.rng.next_u64();
                        Work::Search(players::engine_search(game, level, time, random))
                    }
                    Player::Model { rating, .. } => Work::Predict { game, rating: Some(rating) },
                    Player::Person {} => return,
                };
                let id = self.start(work);
                self.play_job.fill(id, (place, player));
            }
        }
    }

    /// The machine to move, with the node.
    fn machine_to_move(&self) -> Option<(DocumentNode, Player)> {
        let play = self.play.as_ref()?;
        let turn = self.document.position(play.node).turn();
        let needs_move = play.end.is_none()
            && play.chosen.is_none()
            && !play.is_person(turn)
            && play.failed != Some(play.node);
        let place = DocumentNode { document: self.document.number, node: play.node };
        needs_move.then(|| (place, play.player(turn)))
    }

    pub(super) fn play_found(&mut self, id: JobId, best: Option<Move>) {
        let now = self.now;
        let Some((place, _)) = self.play_job.finish(id) else { return };
        let Some(play) = &mut self.play else { return };
        let position = self.document.position(place.node);
        let legal = best.filter(|&m| position.is_legal(m));
        // A search stopped before its first iteration has no move.
        let Some(m) = legal.or_else(|| position.legal_moves().first().copied()) else { return };
        let pause = players::engine_pause(play.time_left(position.turn(), now));
        play.chosen = Some((m, play.since + pause));
        self.tick();
    }

    pub(super) fn play_predicted(&mut self, id: JobId, prediction: &PositionPrediction) {
        let now = self.now;
        let Some((place, _)) = self.play_job.finish(id) else { return };
        let Some(play) = &mut self.play else { return };
        let game = self.document.tree.game(place.node).unwrap_or_default();
        let turn = game.position().turn();
        let Player::Model { rating, temperature } = play.player(turn) else { return };
        let temperature = temperature.unwrap_or_else(|| fitted_temperature(rating));
        let sampled = players::sample(prediction, temperature, &mut self.rng);
        let legal = sampled.filter(|&m| game.position().is_legal(m));
        let Some(m) = legal.or_else(|| game.position().legal_moves().first().copied()) else {
            return;
        };
        let time = play.time_left(turn, now);
        let thinks = thinking_time(prediction, &game, m, time, &mut self.rng);
        play.chosen = Some((m, play.since + thinks));
        self.tick();
    }

    /// The machine's job failed; the game stays open.
    pub(super) fn play_failed(&mut self, id: JobId) -> bool {
        let Some((place, _)) = self.play_job.finish(id) else { return false };
        if let Some(play) = &mut self.play {
            play.failed = Some(place.node);
        }
        self.changed.play = true;
        true
    }

    pub(super) fn request_hint(&mut self) -> Result<(), Refusal> {
        let game = self.document.tree.game(self.cursor).unwrap_or_default();
        if !game.position().has_legal_move() {
            return Err(Refusal::Over);
        }
        let place = self.place();
        match self.hint.step(Some(&place)) {
            // Only stops the earlier one; a new hint needs another request.
            Step::Stop(id) => self.out.push(Output::Stop(id)),
            Step::Nothing => {}
            Step::Start => {
                let limits = Limits { move_time: Some(HINT), ..Limits::default() };
                let id = self.start(Work::Search(Search {
                    purpose: Purpose::Play,
                    game,
                    limits,
                    multi_pv: 1,
                    weakening: None,
                }));
                self.hint.fill(id, place);
            }
        }
        Ok(())
    }

    pub(super) fn hint_found(&mut self, id: JobId, best: Option<Move>) {
        let Some(place) = self.hint.finish(id) else { return };
        let position = self.document.position(place.node);
        let Some(m) = best.filter(|&m| position.is_legal(m)) else { return };
        if place.document == self.document.number {
            let (node, san) = (place.node.number(), position.san(m).to_string());
            self.send(ServerMessage::Hint { node, uci: uci(m), san });
        }
    }

    pub(super) fn play_message(&self) -> PlayMessage {
        let person = Player::Person {};
        let Some(play) = &self.play else {
            return PlayMessage {
                status: PlayStatus::None,
                white: person,
                black: person,
                clock: None,
                white_ms: 0,
                black_ms: 0,
                running: None,
                node: self.cursor.number(),
                line: Vec::new(),
                thinking: false,
                result: GameResult::Unknown,
                reason: None,
                claimable: None,
                can_take_back: false,
            };
        };
        let game = self.document.tree.game(play.node).unwrap_or_default();
        let is_over = play.end.is_some();
        let left = |color| {
            let left = play.clock.as_ref().map(|clock| clock.remaining(color, self.now));
            left.map_or(0, |left| left.as_millis() as u64)
        };
        let claimable = game.claimable_draw().filter(|_| !is_over);
        PlayMessage {
            status: if is_over { PlayStatus::Over } else { PlayStatus::Playing },
            white: play.player(Color::White),
            black: play.player(Color::Black),
            clock: play.clock.as_ref().map(|clock| clock.control),
            white_ms: left(Color::White),
            black_ms: left(Color::Black),
            running: play.clock.as_ref().and_then(GameClock::running).map(Into::into),
            node: play.node.number(),
            line: self.document.line(play.node),
            thinking: !is_over
                && !play.is_person(game.position().turn())
                && play.failed != Some(play.node),
            result: play.end.as_ref().map_or(GameResult::Unknown, |(result, _)| *result),
            reason: play.end.as_ref().map(|(_, reason)| reason.clone()),
            claimable: claimable.map(|reason| reason.to_string()),
            can_take_back: self.taken_back().is_some(),
        }
    }
}
