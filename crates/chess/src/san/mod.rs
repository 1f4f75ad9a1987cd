//! Moves as people write them: short (SAN, `Nf3`) and long algebraic notation (`Ng1-f3`).
//!
//! Reading has two steps. [`San`] is what a text says by itself: a piece, where it goes, what is told
//! of where it comes from. [`Position::find_san`] looks for the one legal move that this means in a
//! position: it goes backwards from the target, along the piece's own attacks, to the pieces that
//! could come, and asks of those alone whether the king would be safe. No move list is made. When
//! there is no such move, [`Position::parse_san`] says why: nothing of the kind, more than one (and
//! which), or not legal (and for what reason).
//!
//! What is written is the standard: the least disambiguation that legal moves need, `=` before a
//! promotion, `+` and `#`. What is read, beyond that:
//!
//! - long algebraic and over-disambiguated moves: `Ng1-f3`, `Ng1f3`, `e2-e4`, `e2e4`, `Ngf3`, `N1f3`;
//! - UCI: `g1f3`, `e7e8q`, `e1g1`: of two squares without a piece, whatever stands on the first moves;
//! - any check mark, or none: `Qh5`, `Qh5+`, `Qh5#`, `Qh5++`, `Qh5ch`, `Qh5 mate`;
//! - a capture mark where nothing is taken, or none where something is (a pawn needs its file); a colon
//!   for it: `N:f3`;
//! - promotions as `e8=Q`, `e8Q`, `e8(Q)`, `e8/Q`, `e8=q`, `e8q`;
//! - castling with letters or zeros: `O-O`, `0-0`, `o-o`;
//! - a pawn with its letter: `Pe4`;
//! - annotations after the move: `b5?`, `Nf3!!`, `exd6e.p.`, `exd6ep`; a comma or a period;
//! - figurines of either color (`♘f3`), `×`, `†`, `‡`, dashes for hyphens, `‼` and the like, and
//!   characters within a move that cannot be seen;
//! - null moves: `--`, `Z0`, `0000`, `@@@@`.

mod error;
mod find;
mod parse;
mod plain;
mod write;

pub(crate) use plain::plain_text;

pub use error::{Illegality, SanError};
pub use write::SanText;

use crate::{Bitboard, PieceType, Square};

/// What a move in algebraic notation says, before any position is asked.
///
/// ```
/// use chess::{Position, San};
/// let san = San::parse(b"Nf3!?")?;
/// let m = Position::INITIAL.find_san(san).unwrap();
/// assert_eq!(m.to_string(), "g1f3");
/// # Ok::<(), chess::SanError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum San {
    /// A piece goes to a square.
    Move {
        /// What moves.
        piece: PieceType,
        /// Where it may come from, as far as the text tells: all squares, a file, a rank or a single
        /// square. For a pawn without a file it is the file it goes to.
        from: Bitboard,
        /// Where it goes.
        to: Square,
        /// What a pawn becomes.
        promotion: Option<PieceType>,
    },
    /// `O-O` or `O-O-O`.
    Castling {
        /// Whether it is the short one, towards the h-file.
        king_side: bool,
    },
    /// A move that changes nothing but the turn: `--`.
    Null,
}
