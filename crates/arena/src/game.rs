//! One game between two engines.

use std::time::Duration;

use chess::{CastlingStyle, Color, Game, Move, Outcome};

use crate::adjudication::{Adjudication, Adjudicator};
use crate::turn::{MoveFailure, MoveStats, Seat, add_unsolicited, failure, play_move};
use crate::{Ending, Opening};

/// The rules of all games of a match.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Engines play with `UCI_Chess960`.
    pub chess960: bool,
    /// How late a move may be.
    pub time_margin: Duration,
    /// Time to answer `go` without a clock.
    pub timeout: Duration,
    /// Time to answer `uci` and `isready`.
    pub ready_timeout: Duration,
    /// The game is drawn after this many moves.
    pub max_moves: Option<u32>,
    /// Adjudication by score.
    pub adjudicator: Adjudicator,
}

/// A finished game.
pub struct PlayedGame {
    pub game: Game,
    /// The moves of the engines; those of the opening have none.
    pub stats: Vec<MoveStats>,
    pub winner: Option<Color>,
    pub ending: Ending,
    /// The ending in words.
    pub reason: String,
}

/// Winner, ending, and the ending in words.
type GameEnd = (Option<Color>, Ending, String);

/// Plays a game; `None` if the match is interrupted. `seats` are White and Black.
pub fn play(seats: &mut [Seat; 2], opening: &Opening, rules: &Rules) -> Option<PlayedGame> {
    let mut board = Board::new(opening, rules);
    let mut adjudicator = rules.adjudicator.clone();
    let mut stats = Vec::new();
    let (winner, ending, reason) = match start_game(seats, rules) {
        Err((_, MoveFailure::Interrupted)) => return None,
        Err((loser, MoveFailure::Loss(ending, why))) => (Some(!loser), ending, why),
        Ok(()) => loop {
            if let Some(end) = board.end(rules) {
                break end;
            }
            let mover = board.game.position().turn();
            let move_number = u32::from(board.game.position().fullmove_number());
            let clocks = seats.each_ref().map(|seat| seat.clock.clone());
            let seat = &mut seats[mover as usize];
            match play_move(seat, &clocks, (board.game.position(), &board.command), rules) {
                Ok((m, move_stats)) => {
                    board.play(m);
                    stats.push(move_stats);
                    let adjudication = adjudicator.judge(mover, move_stats.score, move_number);
                    // The rules of chess come first.
                    if let Some(adjudication) = adjudication.filter(|_| board.end(rules).is_none())
                    {
                        break adjudicated(adjudication);
                    }
                }
                Err(MoveFailure::Interrupted) => return None,
                Err(MoveFailure::Loss(ending, why)) => break (Some(!mover), ending, why),
            }
        },
    };
    for seat in seats.iter_mut().filter(|seat| !seat.is_broken) {
        check_alive(seat, rules);
    }
    Some(PlayedGame { game: board.game, stats, winner, ending, reason })
}

fn adjudicated(adjudication: Adjudication) -> GameEnd {
    match adjudication {
        Adjudication::Win(winner) => {
            (Some(winner), Ending::AdjudicatedWin, format!("both engines see {winner} win"))
        }
        Adjudication::Draw => (None, Ending::AdjudicatedDraw, "both engines see a draw".to_owned()),
    }
}

/// Sends `ucinewgame` to both engines. An error names the color of the engine that fails.
fn start_game(seats: &mut [Seat; 2], rules: &Rules) -> Result<(), (Color, MoveFailure)> {
    for color in Color::ALL {
        let seat = &mut seats[color as usize];
        let sent = seat.engine.send("ucinewgame");
        match sent.and_then(|()| seat.engine.ready(rules.ready_timeout)) {
            Ok(unsolicited) => add_unsolicited(seat, unsolicited),
            Err(error) => return Err((color, failure(seat, error, "isready"))),
        }
    }
    Ok(())
}

/// Checks an engine after the game: a crash now does not lose the game, but is a fault all the same.
fn check_alive(seat: &mut Seat, rules: &Rules) {
    match seat.engine.ready(rules.ready_timeout) {
        Ok(unsolicited) => add_unsolicited(seat, unsolicited),
        Err(error) => {
            let _ = failure(seat, error, "isready after the game");
        }
    }
}

/// The game, and the UCI command of its position.
struct Board {
    game: Game,
    command: String,
    style: CastlingStyle,
}

impl Board {
    fn new(opening: &Opening, rules: &Rules) -> Self {
        let style = if rules.chess960 { CastlingStyle::Chess960 } else { CastlingStyle::Standard };
        let args = opening.position_args(style, !rules.chess960);
        let mut game = Game::new(opening.start);
        for &m in &opening.moves {
            let _ = game.play(m);
        }
        Self { game, command: format!("position {args}"), style }
    }

    fn play(&mut self, m: Move) {
        self.command += if self.game.is_empty() { " moves " } else { " " };
        self.command += &self.game.position().uci(m, self.style);
        let legal = self.game.play(m);
        debug_assert!(legal.is_ok(), "{m} was parsed in this position");
    }

    /// The end of the game by the rules, claimable draws and the move limit included.
    fn end(&self, rules: &Rules) -> Option<GameEnd> {
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
        let move_number = u32::from(self.game.position().fullmove_number());
        let is_too_long = rules.max_moves.is_some_and(|limit| move_number > limit);
        is_too_long.then(|| (None, Ending::MoveLimit, "draw: the move limit".to_owned()))
    }
}
