//! A game: a position with its history.

use alloc::string::String;
use alloc::vec::Vec;

use crate::{Color, Move, Position};

/// The moves from a start position to the current one, with repetition counts.
///
/// ```
/// use tabiya_chess::{DrawReason, Game, Outcome};
/// let mut game = Game::default();
/// for _ in 0..4 {
///     for m in ["g1f3", "g8f6", "f3g1", "f6g8"] {
///         game.play(game.position().parse_uci(m).unwrap()).unwrap();
///     }
/// }
/// assert_eq!(game.repetitions(), 5);
/// assert_eq!(game.outcome(), Some(Outcome::Draw(DrawReason::FivefoldRepetition)));
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    current: Position,
    /// All earlier positions, each with the move that left it.
    past: Vec<(Position, Move)>,
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// Checkmate, with the winner.
    Checkmate(Color),
    /// A draw.
    Draw(DrawReason),
}

/// Why a game is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DrawReason {
    /// The player to move has no move and is not in check.
    Stalemate,
    /// Insufficient material: no sequence of legal moves can mate.
    InsufficientMaterial,
    /// The seventy-five-move rule.
    SeventyFiveMoves,
    /// Fivefold repetition.
    FivefoldRepetition,
    /// The fifty-move rule; a player must claim it.
    FiftyMoves,
    /// Threefold repetition; a player must claim it.
    ThreefoldRepetition,
}

/// An illegal move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{m} is not legal in {fen}")]
pub struct IllegalMove {
    /// The move.
    pub m: Move,
    /// The position.
    pub fen: String,
}

impl Game {
    /// A game from this position.
    pub fn new(position: Position) -> Self {
        Self { current: position, past: Vec::new() }
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        &self.current
    }

    /// The start position.
    pub fn initial_position(&self) -> &Position {
        self.past.first().map_or(&self.current, |(position, _)| position)
    }

    /// The moves so far.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = Move> {
        self.past.iter().map(|&(_, m)| m)
    }

    /// The number of moves played.
    pub fn len(&self) -> usize {
        self.past.len()
    }

    /// Whether no move has been played.
    pub fn is_empty(&self) -> bool {
        self.past.is_empty()
    }

    /// Plays a move, if it is legal.
    pub fn play(&mut self, m: Move) -> Result<(), IllegalMove> {
        let next = self.current.play(m)?;
        self.past.push((self.current, m));
        self.current = next;
        Ok(())
    }

    /// Undoes the last move.
    pub fn undo(&mut self) -> Option<Move> {
        let (position, m) = self.past.pop()?;
        self.current = position;
        Some(m)
    }

    /// The number of occurrences of the current position. Only positions since the last irreversible move
    /// can be equal.
    pub fn repetitions(&self) -> usize {
        let reversible = self.current.halfmove_clock() as usize;
        let key = self.current.key();
        1 + self.past.iter().rev().take(reversible).filter(|(past, _)| past.key() == key).count()
    }

    /// The keys of the earlier positions since the last capture or pawn move, oldest first.
    pub fn reversible_keys(&self) -> impl ExactSizeIterator<Item = u64> {
        let reversible = (self.current.halfmove_clock() as usize).min(self.past.len());
        self.past[self.past.len() - reversible..].iter().map(|(position, _)| position.key())
    }

    /// The automatic end of the game, if it is over: checkmate, stalemate, insufficient material, the
    /// seventy-five-move rule, fivefold repetition.
    pub fn outcome(&self) -> Option<Outcome> {
        let position = &self.current;
        if !position.has_legal_move() {
            return Some(if position.in_check() {
                Outcome::Checkmate(!position.turn())
            } else {
                Outcome::Draw(DrawReason::Stalemate)
            });
        }
        let draw = if position.is_insufficient_material() {
            DrawReason::InsufficientMaterial
        } else if position.halfmove_clock() >= 150 {
            DrawReason::SeventyFiveMoves
        } else if self.repetitions() >= 5 {
            DrawReason::FivefoldRepetition
        } else {
            return None;
        };
        Some(Outcome::Draw(draw))
    }

    /// The draw that a player may claim: the fifty-move rule or threefold repetition.
    pub fn claimable_draw(&self) -> Option<DrawReason> {
        if self.current.halfmove_clock() >= 100 && self.current.has_legal_move() {
            Some(DrawReason::FiftyMoves)
        } else if self.repetitions() >= 3 {
            Some(DrawReason::ThreefoldRepetition)
        } else {
            None
        }
    }
}

impl Default for Game {
    fn default() -> Self {
        Self::new(Position::INITIAL)
    }
}

impl Outcome {
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub const fn result(self) -> &'static str {
        match self {
            Self::Checkmate(Color::White) => "1-0",
            Self::Checkmate(Color::Black) => "0-1",
            Self::Draw(_) => "1/2-1/2",
        }
    }
}
