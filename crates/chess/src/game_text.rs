//! Games and their outcomes as text.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use core::fmt;

use crate::{DrawReason, FenError, Game, IllegalMove, Outcome, Position, UciError};

/// Why a text is no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseGameError {
    /// The start position is invalid.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A move is invalid.
    #[error("move {number}: {error}")]
    Move {
        /// From 1.
        number: usize,
        /// Why.
        error: UciError,
    },
    /// A move cannot be played.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
}

impl Game {
    /// Parses `FEN`, `FEN moves e2e4 …` or `startpos moves …`, the forms of UCI's `position`. The clocks
    /// of a FEN may be missing, as in EPD.
    ///
    /// ```
    /// let game = tabiya_chess::Game::parse("startpos moves e2e4 e7e5")?;
    /// assert_eq!(game.moves().len(), 2);
    /// # Ok::<(), tabiya_chess::ParseGameError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, ParseGameError> {
        let text = text.trim();
        let (start, moves) = match text.split_once(" moves") {
            Some((start, moves)) if moves.is_empty() || moves.starts_with(char::is_whitespace) => {
                (start, moves)
            }
            _ => (text, ""),
        };
        let start = start.trim_end();
        let position = match start {
            "startpos" => Position::INITIAL,
            _ if start.split_ascii_whitespace().count() == 4 => {
                Position::from_fen(&format!("{start} 0 1"))?
            }
            _ => Position::from_fen(start)?,
        };
        let mut game = Self::new(position);
        for (text, number) in moves.split_ascii_whitespace().zip(1..) {
            let m = game.position().parse_uci(text);
            game.play(m.map_err(|error| ParseGameError::Move { number, error })?)?;
        }
        Ok(game)
    }
}

/// `stalemate`, `insufficient material`, `75 moves`, ….
impl fmt::Display for DrawReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stalemate => "stalemate",
            Self::InsufficientMaterial => "insufficient material",
            Self::SeventyFiveMoves => "75 moves",
            Self::FivefoldRepetition => "fivefold repetition",
            Self::FiftyMoves => "50 moves",
            Self::ThreefoldRepetition => "threefold repetition",
        })
    }
}

/// `checkmate`, or the reason of a draw.
impl Game {
    /// The state of the game in a sentence: who has mated, why it is drawn, or who is to move.
    ///
    /// ```
    /// let game = tabiya_chess::Game::parse("startpos moves f2f3 e7e5 g2g4 d8h4")?;
    /// assert_eq!(game.status(), "Black has mated");
    /// assert_eq!(tabiya_chess::Game::default().status(), "White to move, 20 legal moves");
    /// # Ok::<(), tabiya_chess::ParseGameError>(())
    /// ```
    pub fn status(&self) -> String {
        let position = self.position();
        match self.outcome() {
            Some(Outcome::Checkmate(winner)) => format!("{winner} has mated"),
            Some(Outcome::Draw(reason)) => format!("Draw: {reason}"),
            None => {
                let check = if position.in_check() { ", in check" } else { "" };
                let moves = match position.count_legal_moves() {
                    1 => "1 legal move".to_owned(),
                    n => format!("{n} legal moves"),
                };
                format!("{} to move{check}, {moves}", position.turn())
            }
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checkmate(_) => f.write_str("checkmate"),
            Self::Draw(reason) => reason.fmt(f),
        }
    }
}
