//! Scores in centipawns or moves to mate, as UCI and PGN comments write them.

use core::fmt;
use core::ops::Neg;

/// A score in centipawns or moves to mate.
///
/// The point of view depends on the source: the side to move in UCI, White in PGN comments and data sets.
///
/// ```
/// use tabiya_chess::Score;
/// assert_eq!(Score::Centipawns(-45).to_string(), "cp -45");
/// assert_eq!(Score::Mate(3).to_string(), "mate 3");
/// assert_eq!(-Score::Mate(3), Score::Mate(-3));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Full moves to mate; negative if the side whose view it is gets mated.
    Mate(i32),
}

/// The score from the opponent's point of view.
impl Neg for Score {
    type Output = Self;

    fn neg(self) -> Self {
        match self {
            Self::Centipawns(value) => Self::Centipawns(value.saturating_neg()),
            Self::Mate(moves) => Self::Mate(moves.saturating_neg()),
        }
    }
}

/// `cp 34` or `mate -3`, as in a UCI `info` line.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Centipawns(value) => write!(f, "cp {value}"),
            Self::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}
