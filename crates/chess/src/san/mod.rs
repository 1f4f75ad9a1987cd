//! Standard (SAN, `Nf3`) and long algebraic notation (`Ng1-f3`).
//!
//! Parsing has two steps. [`San`] is the parsed text: piece, target, disambiguation. [`Position::find_san`]
//! resolves it to the unique legal move: it finds candidates by the piece's attacks from the target square and
//! tests only those for king safety, without a move list. If there is none, [`Position::parse_san`] returns
//! the reason: no such piece, ambiguous (with the candidates), or illegal (with the rule).
//!
//! The writer follows the standard: minimal disambiguation among legal moves, `=` before a promotion, `+` and
//! `#`. The parser also accepts:
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

/// A parsed move in algebraic notation, independent of a position.
///
/// ```
/// use tabiya_chess::{Position, San};
/// let san = San::parse(b"Nf3!?")?;
/// let m = Position::INITIAL.find_san(san).unwrap();
/// assert_eq!(m.to_string(), "g1f3");
/// # Ok::<(), tabiya_chess::SanError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum San {
    /// A piece move.
    Move {
        /// The piece type.
        piece: PieceType,
        /// The possible origins by the disambiguation: all squares, a file, a rank or a single square. For a
        /// pawn without a file it is the target's file.
        from: Bitboard,
        /// The target square.
        to: Square,
        /// The promotion piece.
        promotion: Option<PieceType>,
    },
    /// `O-O` or `O-O-O`.
    Castling {
        /// Whether it is kingside.
        king_side: bool,
    },
    /// A null move: `--`.
    Null,
}
