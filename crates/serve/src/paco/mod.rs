//! The Paco Ŝako session of a tab: a state machine like that of chess, without threads and clock.
//!
//! | file | holds |
//! |---|---|
//! | `record` | turns and actions, parsed from and written as text |
//! | `view` | the message with the position shown |
//! | `spoken` | turns in words |
//! | `levels` | the strengths of the player |

mod levels;
mod record;
mod spoken;
mod view;

use chess::Color;
use paco::{Action, Game, PacoIn, PieceType, Position};

use levels::STRENGTHS;
pub use levels::levels;
use record::{LoadError, MAX_ACTIONS, MAX_TURN, TurnRecord, game_from};

use crate::job::{GameKind, Job, JobId, Output, PacoTurn, Update, Work};
use crate::protocol::{
    ClientMessage, NoticeLevel, PacoAction, PacoHintMessage, PacoPlayer, PacoPromotion, SavedPaco,
    ServerMessage,
};

/// The Paco Ŝako session of a tab.
pub struct PacoSession {
    start: Position,
    game: Game,
    players: [PacoPlayer; 2],
    resigned: Option<Color>,
    /// The player who cannot complete a turn.
    blocked: Option<Color>,
    /// The position shown, as whole turns and actions of the next; `None` for the last one.
    shown: Option<(usize, usize)>,
    threats: bool,
    turn_job: Option<JobId>,
    hint_job: Option<(JobId, Position)>,
    jobs: u64,
    seed: u64,
}

/// An error of a message, one line.
type Refusal = String;

impl PacoSession {
    /// The initial position, for two people. The seed chooses among equal turns.
    pub fn new(seed: u64) -> Self {
        let start = Position::default();
        Self {
            start,
            game: game_from(start),
            players: [PacoPlayer::Person {}; 2],
            resigned: None,
            blocked: None,
            shown: None,
            threats: false,
            turn_job: None,
            hint_job: None,
            jobs: 0,
            seed,
        }
    }

    /// Restores a game saved by the page.
    pub fn restore(&mut self, saved: &SavedPaco, out: &mut Vec<Output>) {
        let begun = check_players(saved.white, saved.black).and_then(|players| {
            let game = record::restore(&saved.start, &saved.actions).map_err(|e| e.to_string())?;
            Ok((players, game))
        });
        match begun {
            Ok((players, (start, game))) => {
                self.begin(players, start, game, out);
                self.start_turn_job(out);
                self.send(out);
            }
            Err(text) => notice(out, text, "hello"),
        }
    }

    /// Handles a message about Paco Ŝako; others are ignored.
    pub fn message(&mut self, message: ClientMessage, out: &mut Vec<Output>) {
        let about = message.name();
        if let Err(text) = self.try_message(message, out) {
            notice(out, text, about);
        }
    }

    fn try_message(
        &mut self,
        message: ClientMessage,
        out: &mut Vec<Output>,
    ) -> Result<(), Refusal> {
        match message {
            ClientMessage::PacoNew { fen, white, black } => {
                let players = check_players(white, black)?;
                let start =
                    fen.map_or(Ok(Position::default()), |fen| record::parse_fen(fen.trim()))?;
                self.begin(players, start, game_from(start), out);
            }
            ClientMessage::PacoLoad { text, white, black } => {
                let players = check_players(white, black)?;
                let (start, game) = record::load(&text).map_err(|e: LoadError| e.to_string())?;
                self.begin(players, start, game, out);
            }
            ClientMessage::PacoAct { action } => self.act(action)?,
            ClientMessage::PacoUndo { all } => self.undo(all)?,
            ClientMessage::PacoTakeback {} => self.take_back(out)?,
            ClientMessage::PacoResign {} => self.resign(out)?,
            ClientMessage::PacoGoTo { turns, actions } => self.go_to(turns, actions),
            ClientMessage::PacoPlayFrom {} => self.play_from(out),
            ClientMessage::PacoHint { paco_in } => return self.request_hint(paco_in, out),
            ClientMessage::PacoThreats { on } => self.threats = on,
            _ => return Ok(()),
        }
        self.start_turn_job(out);
        self.send(out);
        Ok(())
    }

    /// Handles an update of a job.
    pub fn update(&mut self, id: JobId, update: Update, out: &mut Vec<Output>) {
        if self.turn_job == Some(id) {
            self.turn_job = None;
            match update {
                Update::PacoTurn(Some(actions)) => {
                    if actions.iter().any(|&action| self.game.play(action).is_err()) {
                        self.game.roll_back();
                        notice(out, "illegal turn of the machine: this is a bug", "paco_act");
                    } else {
                        self.start_turn_job(out);
                    }
                }
                Update::PacoTurn(None) => self.blocked = Some(self.game.position().player()),
                Update::Failed(text) => notice(out, text, "paco_act"),
                _ => {}
            }
            self.send(out);
        } else if self.hint_job.as_ref().is_some_and(|(known, _)| *known == id) {
            let Some((_, position)) = self.hint_job.take() else { return };
            match update {
                Update::PacoIn { turns, answer } => {
                    let hint = hint(&position, turns, answer);
                    out.push(Output::Send(ServerMessage::PacoHint(hint)));
                }
                Update::Failed(text) => notice(out, text, "paco_hint"),
                _ => {}
            }
        }
    }

    fn begin(
        &mut self,
        players: [PacoPlayer; 2],
        start: Position,
        game: Game,
        out: &mut Vec<Output>,
    ) {
        self.stop(out);
        self.players = players;
        self.start = start;
        self.game = game;
        self.resigned = None;
        self.shown = None;
        if self.is_machine(self.game.position().player()) {
            // The machine plays whole turns: a turn begun by a person is rolled back.
            self.game.roll_back();
        }
    }

    /// Stops the jobs; their answers will be ignored.
    fn stop(&mut self, out: &mut Vec<Output>) {
        let jobs = self.turn_job.take().into_iter().chain(self.hint_job.take().map(|(id, _)| id));
        out.extend(jobs.map(Output::Stop));
        self.blocked = None;
    }

    fn is_machine(&self, color: Color) -> bool {
        matches!(self.players[color.index()], PacoPlayer::Player { .. })
    }

    fn is_over(&self) -> bool {
        self.game.outcome().is_some() || self.resigned.is_some() || self.blocked.is_some()
    }

    /// Starts a job if it is the machine's turn.
    fn start_turn_job(&mut self, out: &mut Vec<Output>) {
        let position = *self.game.position();
        let PacoPlayer::Player { level } = self.players[position.player().index()] else { return };
        let Some(strength) = STRENGTHS.get(level) else { return };
        if self.turn_job.is_some() || self.is_over() {
            return;
        }
        if self.game.actions().len() + MAX_TURN > MAX_ACTIONS {
            self.blocked = Some(position.player());
            return;
        }
        let keys = self.turns().into_iter().map(|turn| turn.before.key());
        self.seed = self.seed.wrapping_add(1);
        let turn = PacoTurn {
            position,
            seen: keys.chain([position.key()]).collect(),
            strategy: strength.strategy,
            depth: strength.depth,
            time: strength.time,
            seed: self.seed,
        };
        self.turn_job = Some(self.start_job(Work::PacoTurn(Box::new(turn)), out));
    }

    fn start_job(&mut self, work: Work, out: &mut Vec<Output>) -> JobId {
        self.jobs += 1;
        let id = JobId { game: GameKind::Paco, number: self.jobs };
        out.push(Output::Start(Job { id, work }));
        id
    }

    fn act(&mut self, action: PacoAction) -> Result<(), Refusal> {
        self.check_person()?;
        if self.shown.is_some() {
            return Err("Go to the last position to play, or play from here.".to_owned());
        }
        if self.game.turn_actions().len() >= MAX_TURN || self.game.actions().len() >= MAX_ACTIONS {
            return Err("The turn or the game is too long.".to_owned());
        }
        self.game.play(action_of(action)).map_err(|error| error.to_string())
    }

    fn check_person(&self) -> Result<(), Refusal> {
        if self.is_over() {
            return Err("The game is over.".to_owned());
        }
        if self.is_machine(self.game.position().player()) {
            return Err("It is not your turn.".to_owned());
        }
        Ok(())
    }

    fn undo(&mut self, all: bool) -> Result<(), Refusal> {
        if self.game.turn_actions().is_empty() {
            return Err("No turn has begun.".to_owned());
        }
        self.shown = None;
        if all {
            self.game.roll_back();
        } else {
            self.game.undo();
        }
        Ok(())
    }

    /// Takes back the unfinished turn and as many turns, at least one, as bring a person to move.
    fn take_back(&mut self, out: &mut Vec<Output>) -> Result<(), Refusal> {
        if self.game.actions().is_empty() {
            return Err("There is nothing to take back.".to_owned());
        }
        self.stop(out);
        (self.resigned, self.shown) = (None, None);
        self.game.roll_back();
        let has_person = Color::ALL.into_iter().any(|color| !self.is_machine(color));
        while self.game.undo_turn() {
            if !has_person || !self.is_machine(self.game.position().player()) {
                break;
            }
        }
        Ok(())
    }

    /// The person resigns: of two people the one to move.
    fn resign(&mut self, out: &mut Vec<Output>) -> Result<(), Refusal> {
        if self.is_over() {
            return Err("The game is over.".to_owned());
        }
        let mover = self.game.position().player();
        let mut people = [mover, !mover].into_iter().filter(|&color| !self.is_machine(color));
        let loser = people.next().ok_or_else(|| "Nobody is here to resign.".to_owned())?;
        self.stop(out);
        self.game.roll_back();
        (self.resigned, self.shown) = (Some(loser), None);
        Ok(())
    }

    /// Shows a position of the game; the nearest one if there is none of these numbers.
    fn go_to(&mut self, turns: usize, actions: usize) {
        let all = self.turns();
        let last = self.last_shown(&all);
        let turns = turns.min(last.0);
        let length = all.get(turns).map_or(0, |turn| turn.actions.len());
        let wanted = match actions {
            // All actions of a finished turn are the next whole turn.
            n if n >= length && turns < last.0 => (turns + 1, 0),
            n => (turns, n.min(length)),
        };
        self.shown = (wanted != last).then_some(wanted);
    }

    fn turns(&self) -> Vec<TurnRecord> {
        record::turns(&self.start, self.game.actions())
    }

    /// The end of the game as whole turns and actions.
    fn last_shown(&self, turns: &[TurnRecord]) -> (usize, usize) {
        match turns.last() {
            Some(turn) if !turn.is_finished => (turns.len() - 1, turn.actions.len()),
            _ => (turns.len(), 0),
        }
    }

    /// Drops everything after the position shown.
    fn play_from(&mut self, out: &mut Vec<Output>) {
        let all = self.turns();
        let (turns, actions) = self.shown.take().unwrap_or_else(|| self.last_shown(&all));
        let whole: usize = all.iter().take(turns).map(|turn| turn.actions.len()).sum();
        let kept: Vec<Action> = self.game.actions().iter().copied().take(whole + actions).collect();
        self.stop(out);
        self.resigned = None;
        self.game = game_from(self.start);
        for action in kept {
            self.game.play_unchecked(action);
        }
        if self.is_machine(self.game.position().player()) {
            self.game.roll_back();
        }
    }

    fn request_hint(&mut self, turns: u8, out: &mut Vec<Output>) -> Result<(), Refusal> {
        if !(1..=3).contains(&turns) {
            return Err("A hint looks one to three turns ahead.".to_owned());
        }
        if let Some((id, _)) = self.hint_job.take() {
            out.push(Output::Stop(id));
        }
        let position = self.shown_position(&self.turns());
        let work = Work::PacoIn { position: Box::new(position), turns };
        let id = self.start_job(work, out);
        self.hint_job = Some((id, position));
        Ok(())
    }
}

/// Rejects unknown levels.
fn check_players(white: PacoPlayer, black: PacoPlayer) -> Result<[PacoPlayer; 2], Refusal> {
    let players = [white, black];
    let is_known = |player: &PacoPlayer| match player {
        PacoPlayer::Person {} => true,
        PacoPlayer::Player { level } => *level < STRENGTHS.len(),
    };
    if players.iter().all(is_known) {
        Ok(players)
    } else {
        Err("There is no such level.".to_owned())
    }
}

fn action_of(action: PacoAction) -> Action {
    match action {
        PacoAction::Lift(square) => Action::Lift(square.0),
        PacoAction::Place(square) => Action::Place(square.0),
        PacoAction::Promote(piece) => Action::Promote(match piece {
            PacoPromotion::Rook => PieceType::Rook,
            PacoPromotion::Knight => PieceType::Knight,
            PacoPromotion::Bishop => PieceType::Bishop,
            PacoPromotion::Queen => PieceType::Queen,
        }),
    }
}

fn hint(position: &Position, turns: u8, answer: PacoIn) -> PacoHintMessage {
    let player = position.player();
    let count = if turns == 1 { "this turn".to_owned() } else { format!("within {turns} turns") };
    match answer {
        PacoIn::Yes(actions) => {
            let notation = position.notation(&actions).ok();
            let text = format!(
                "{player} can force a Paco {count}: {}",
                notation.as_deref().unwrap_or_default()
            );
            let actions = actions.into_iter().map(record::action_text).collect();
            PacoHintMessage { paco_in: Some(turns), notation, actions, text }
        }
        PacoIn::No => no_hint(format!("{player} cannot force a Paco {count}.")),
        PacoIn::Unknown => {
            no_hint(format!("No Paco {count} was found, but the search was incomplete."))
        }
    }
}

fn no_hint(text: String) -> PacoHintMessage {
    PacoHintMessage { paco_in: None, notation: None, actions: Vec::new(), text }
}

fn notice(out: &mut Vec<Output>, text: impl Into<String>, about: &str) {
    out.push(Output::Send(ServerMessage::Notice {
        level: NoticeLevel::Error,
        text: text.into(),
        about: Some(about.to_owned()),
    }));
}
