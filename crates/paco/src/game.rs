//! A game: a position with its history, and undo.
//!
//! The game stores the keys of the settled positions since the last progress, for draws by repetition; the
//! start of the turn in progress, to roll back from a dead end; and the actions played.

use alloc::vec::Vec;

use chess::Color;

use crate::{Action, Ending, IllegalAction, Legal, Position, Required};

/// How a game ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// This player has united with the enemy king.
    PacoVictory(Color),
    /// This player has won because the other ran out of time.
    TimeoutVictory(Color),
    /// A turn has ended with the no-progress counter at 100.
    NoProgressDraw,
    /// Draw by repetition of a settled position.
    RepetitionDraw,
}

impl Outcome {
    /// The winner, if there is one.
    pub fn winner(self) -> Option<Color> {
        match self {
            Self::PacoVictory(color) | Self::TimeoutVictory(color) => Some(color),
            Self::NoProgressDraw | Self::RepetitionDraw => None,
        }
    }
}

/// `PacoVictory(White)`, `NoProgressDraw` and so on, as scripts read it.
impl core::fmt::Display for Outcome {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::PacoVictory(color) => write!(f, "PacoVictory({color})"),
            Self::TimeoutVictory(color) => write!(f, "TimeoutVictory({color})"),
            Self::NoProgressDraw => f.write_str("NoProgressDraw"),
            Self::RepetitionDraw => f.write_str("RepetitionDraw"),
        }
    }
}

/// The default number of repetitions for a draw.
pub const DRAW_AFTER_REPETITIONS: u8 = 3;

/// A game in progress.
///
/// ```
/// use tabiya_paco::chess::Square;
/// use tabiya_paco::{Action, Game};
/// let mut game = Game::default();
/// game.play(Action::Lift(Square::E2))?;
/// game.roll_back();
/// assert_eq!(game.position(), &tabiya_paco::Position::default());
/// game.play(Action::Lift(Square::D2))?;
/// game.play(Action::Place(Square::D4))?;
/// assert_eq!(game.actions().len(), 2);
/// assert!(game.outcome().is_none());
/// # Ok::<(), tabiya_paco::IllegalAction>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    start: Position,
    position: Position,
    turn_start: Position,
    /// The number of actions played before the turn in progress.
    actions_before: usize,
    /// The keys of settled positions since the last progress.
    record: Vec<u64>,
    draw_after: u8,
    repeated: bool,
    timeout: Option<Color>,
    actions: Vec<Action>,
}

impl Default for Game {
    fn default() -> Self {
        Self::new(Position::default(), DRAW_AFTER_REPETITIONS)
    }
}

impl Game {
    /// A game from this position; a draw when a settled position is recorded for the
    /// `draw_after`-th time (never for 0). The start position itself is not recorded.
    pub fn new(start: Position, draw_after: u8) -> Self {
        Self {
            start,
            position: start,
            turn_start: start,
            actions_before: 0,
            record: Vec::with_capacity(128),
            draw_after,
            repeated: false,
            timeout: None,
            actions: Vec::with_capacity(1024),
        }
    }

    /// Restarts from a position, reusing allocations.
    pub fn restart(&mut self, start: Position) {
        self.start = start;
        self.position = start;
        self.turn_start = start;
        self.actions_before = 0;
        self.record.clear();
        self.repeated = false;
        self.timeout = None;
        self.actions.clear();
    }

    /// The position now.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The position where the turn in progress began.
    pub fn turn_start(&self) -> &Position {
        &self.turn_start
    }

    /// The actions played, those of the turn in progress included.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The actions of the turn in progress.
    pub fn turn_actions(&self) -> &[Action] {
        self.actions.get(self.actions_before..).unwrap_or_default()
    }

    /// How the game has ended, if it has.
    #[inline]
    pub fn outcome(&self) -> Option<Outcome> {
        match self.position.ending {
            _ if self.timeout.is_some() => self.timeout.map(Outcome::TimeoutVictory),
            Some(Ending::Paco(color)) => Some(Outcome::PacoVictory(color)),
            Some(Ending::NoProgress) => Some(Outcome::NoProgressDraw),
            None if self.repeated => Some(Outcome::RepetitionDraw),
            None => None,
        }
    }

    /// The legal actions; none when the game is over.
    #[inline]
    pub fn legal(&self) -> Legal {
        if self.repeated || self.timeout.is_some() { Legal::Nothing } else { self.position.legal() }
    }

    /// Whether the turn in progress is at a dead end. The player then has to
    /// [`roll_back`](Self::roll_back).
    pub fn is_dead_end(&self) -> bool {
        self.outcome().is_none() && self.legal().is_empty()
    }

    /// Plays an action if it is legal.
    pub fn play(&mut self, action: Action) -> Result<(), IllegalAction> {
        let legal = self.legal();
        if !legal.has(action) {
            let over = legal == Legal::Nothing;
            return Err(IllegalAction { action, required: self.position.required, over });
        }
        self.play_unchecked(action);
        Ok(())
    }

    /// Plays an action that came from [`legal`](Self::legal).
    #[inline]
    pub fn play_unchecked(&mut self, action: Action) {
        let before = self.position.half_moves;
        self.position.play_unchecked(action);
        self.actions.push(action);
        if self.position.half_moves != before {
            self.end_turn();
        } else if self.position.required == Required::Lift {
            // A promotion at the start of the turn is progress too.
            self.record.clear();
        }
    }

    fn end_turn(&mut self) {
        debug_assert_eq!(self.position.broken_invariant(), None);
        if self.position.no_progress == 0 {
            self.record.clear();
        }
        if self.draw_after > 0 && self.position.required == Required::Lift {
            let key = self.position.key;
            self.record.push(key);
            let count = self.record.iter().filter(|&&recorded| recorded == key).count();
            self.repeated = count >= usize::from(self.draw_after);
        }
        self.turn_start = self.position;
        self.actions_before = self.actions.len();
    }

    /// Undoes the actions of the turn in progress.
    pub fn roll_back(&mut self) {
        self.position = self.turn_start;
        self.actions.truncate(self.actions_before);
    }

    /// Undoes the last action; returns whether there was one.
    pub fn undo(&mut self) -> bool {
        let mut actions = core::mem::take(&mut self.actions);
        let undone = actions.pop().is_some();
        self.restart(self.start);
        for action in actions {
            self.play_unchecked(action);
        }
        undone
    }

    /// Takes back the turn in progress, or else the last turn; whether there was one.
    pub fn undo_turn(&mut self) -> bool {
        let is_undone = !self.turn_actions().is_empty() || self.undo();
        self.roll_back();
        is_undone
    }

    /// The player has run out of time: the other one wins, if the game is not over yet.
    pub fn time_out(&mut self, loser: Color) {
        if self.outcome().is_none() {
            self.timeout = Some(!loser);
        }
    }
}

#[cfg(test)]
mod tests {
    use chess::Square;

    use super::*;

    fn knights_out_and_back(game: &mut Game) {
        for (from, to) in [
            (Square::G1, Square::F3),
            (Square::G8, Square::F6),
            (Square::F3, Square::G1),
            (Square::F6, Square::G8),
        ] {
            game.play(Action::Lift(from)).unwrap();
            game.play(Action::Place(to)).unwrap();
        }
    }

    #[test]
    fn the_third_record_of_a_position_is_a_draw_and_the_start_is_not_recorded() {
        let mut game = Game::default();
        knights_out_and_back(&mut game);
        knights_out_and_back(&mut game);
        assert_eq!(game.outcome(), None);
        game.play(Action::Lift(Square::G1)).unwrap();
        game.play(Action::Place(Square::F3)).unwrap();
        assert_eq!(game.outcome(), Some(Outcome::RepetitionDraw));
        assert!(game.legal().is_empty() && !game.is_dead_end());
        assert!(game.play(Action::Lift(Square::B8)).unwrap_err().to_string().contains("over"));
        assert!(game.undo());
        assert_eq!(game.outcome(), None);
        assert_eq!(game.turn_actions(), [Action::Lift(Square::G1)]);
    }

    #[test]
    fn zero_repetitions_mean_never() {
        let mut game = Game::new(Position::default(), 0);
        for _ in 0..5 {
            knights_out_and_back(&mut game);
        }
        assert_eq!(game.outcome(), None);
    }

    #[test]
    fn a_time_out_ends_a_running_game_for_the_other_player() {
        let mut game = Game::default();
        game.time_out(Color::White);
        game.time_out(Color::Black);
        assert_eq!(game.outcome(), Some(Outcome::TimeoutVictory(Color::Black)));
        assert_eq!(game.outcome().unwrap().winner(), Some(Color::Black));
        assert!(game.legal().is_empty());
    }
}
