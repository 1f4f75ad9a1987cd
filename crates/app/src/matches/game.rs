//! One game between two engines.

use std::fmt::Write;
use std::time::Duration;

use chess::{CastlingStyle, Color, Game, Move, Outcome, Position};

use super::adjudicate::{Adjudicator, Ruling};
use super::info::Score;
use super::openings::Opening;
use super::record::Ending;
use super::turn::{Failure, MoveNote, Seat, no_answer, note_unasked, think};

/// What holds for all games of a match.
#[derive(Clone, Debug)]
pub struct Rules {
    pub chess960: bool,
    /// How far behind the end of its time a move is still taken.
    pub margin: Duration,
    /// How long an engine may be silent where no clock runs: when it thinks.
    pub patience: Duration,
    /// The same for `uciok` and `readyok`.
    pub ready_patience: Duration,
    /// The game is drawn after this many moves.
    pub max_moves: Option<u32>,
    pub adjudicator: Adjudicator,
}

/// A game that was played to its end.
pub struct Played {
    pub game: Game,
    /// Notes on the last moves; the first moves are the opening's.
    pub notes: Vec<MoveNote>,
    pub winner: Option<Color>,
    pub ending: Ending,
    /// The ending in words.
    pub reason: String,
}

/// Plays a game; nothing if the match was interrupted. `seats` are White and Black.
pub fn play(seats: &mut [Seat; 2], opening: &Opening, rules: &Rules) -> Option<Played> {
    let mut board = Table::new(opening, rules);
    let mut adjudicator = rules.adjudicator.clone();
    let mut notes = Vec::new();
    let (winner, ending, reason) = match begin(seats, rules) {
        Err((_, Failure::Interrupted)) => return None,
        Err((loser, Failure::Lost(ending, why))) => (Some(!loser), ending, why),
        Ok(()) => loop {
            if let Some(over) = board.is_over(rules) {
                break over;
            }
            let mover = board.game.position().turn();
            let number = u32::from(board.game.position().fullmove_number());
            let clocks = seats.each_ref().map(|seat| seat.clock.clone());
            let seat = &mut seats[mover as usize];
            match think(seat, &clocks, (board.game.position(), &board.command), rules) {
                Ok((m, note)) => {
                    board.play(m);
                    notes.push(note);
                    // A game that is over by the rules needs no ruling.
                    let score = note.score.map(Score::centipawns);
                    let ruling = adjudicator.judge(mover, score, number);
                    if let Some(ruling) = ruling.filter(|_| board.is_over(rules).is_none()) {
                        break match ruling {
                            Ruling::Win(winner) => (
                                Some(winner),
                                Ending::AdjudicatedWin,
                                format!("both engines see {winner} win"),
                            ),
                            Ruling::Draw => (
                                None,
                                Ending::AdjudicatedDraw,
                                "both engines see a draw".to_owned(),
                            ),
                        };
                    }
                }
                Err(Failure::Interrupted) => return None,
                Err(Failure::Lost(ending, why)) => break (Some(!mover), ending, why),
            }
        },
    };
    for seat in seats.iter_mut().filter(|seat| !seat.is_broken) {
        wind_up(seat, rules);
    }
    Some(Played { game: board.game, notes, winner, ending, reason })
}

/// Tells both engines that a new game begins. An error names who failed.
fn begin(seats: &mut [Seat; 2], rules: &Rules) -> Result<(), (Color, Failure)> {
    for color in Color::ALL {
        let seat = &mut seats[color as usize];
        let greeted = seat.engine.send("ucinewgame");
        match greeted.and_then(|()| seat.engine.ready(rules.ready_patience)) {
            Ok(unasked) => note_unasked(seat, unasked),
            Err(trouble) => return Err((color, no_answer(seat, trouble, "isready"))),
        }
    }
    Ok(())
}

/// Finds out whether an engine is still well after the game: one that dies then has not lost it, but
/// is named all the same.
fn wind_up(seat: &mut Seat, rules: &Rules) {
    match seat.engine.ready(rules.ready_patience) {
        Ok(unasked) => note_unasked(seat, unasked),
        Err(trouble) => {
            let _ = no_answer(seat, trouble, "isready after the game");
        }
    }
}

/// The game, and how it is told to engines.
struct Table {
    game: Game,
    /// The `position` command of the current position.
    command: String,
    style: CastlingStyle,
}

impl Table {
    fn new(opening: &Opening, rules: &Rules) -> Self {
        let start = opening.start;
        let style = crate::input::castling_style(rules.chess960);
        let command = if start == Position::INITIAL && !rules.chess960 {
            "position startpos".to_owned()
        } else {
            format!("position fen {start}")
        };
        let mut table = Self { game: Game::new(start), command, style };
        for &m in &opening.moves {
            table.play(m);
        }
        table
    }

    fn play(&mut self, m: Move) {
        let first = if self.game.is_empty() { " moves" } else { "" };
        let text = self.game.position().uci(m, self.style);
        // Moves come from the position itself: an illegal one is not told to anybody.
        if self.game.play(m).is_ok() {
            let _ = write!(self.command, "{first} {text}");
        }
    }

    /// How the game ended, if it did. Draws that players may claim are given at once.
    fn is_over(&self, rules: &Rules) -> Option<(Option<Color>, Ending, String)> {
        let draw = |reason| {
            let ending = Ending::of_draw(reason);
            (None, ending, format!("draw: {ending}"))
        };
        if let Some(outcome) = self.game.outcome() {
            return Some(match outcome {
                Outcome::Checkmate(winner) => {
                    (Some(winner), Ending::Checkmate, format!("{winner} mates"))
                }
                Outcome::Draw(reason) => draw(reason),
            });
        }
        if let Some(reason) = self.game.claimable_draw() {
            return Some(draw(reason));
        }
        let number = u32::from(self.game.position().fullmove_number());
        let too_long = rules.max_moves.is_some_and(|limit| number > limit);
        too_long.then(|| (None, Ending::MoveLimit, "draw: the move limit".to_owned()))
    }
}
