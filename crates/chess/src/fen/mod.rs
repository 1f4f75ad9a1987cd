//! Forsyth–Edwards Notation (FEN).
//!
//! The parser is strict: six fields separated by single blanks, eight ranks of exactly eight squares, no two
//! digits in a row. It accepts these unambiguous variants:
//!
//! - castling rights as `KQkq` (X-FEN: the outermost rook on that side), by rook file as Shredder
//!   writes them (`HAha`), or mixed; in any order;
//! - a move number of 0 (read as 1), and leading zeros in both numbers.
//!
//! The writer follows python-chess and Lichess: the en-passant square only if a capture there is
//! legal, castling as `KQkq` where that is unambiguous and by rook file where not (X-FEN), or always
//! by rook file ([`FenStyle::Shredder`]).

use alloc::string::String;
use alloc::vec::Vec;

mod read;
mod write;

use core::fmt;
use core::str::FromStr;

use crate::{Board, Position, Rank, Setup, SetupError};
pub use write::FenWriter;
use write::write_bytes;
pub(crate) use write::write_text;

/// The fields of a FEN, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are those of the FEN standard")]
pub enum FenField {
    Placement,
    Turn,
    Castling,
    EnPassant,
    HalfmoveClock,
    FullmoveNumber,
}

impl fmt::Display for FenField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Placement => "piece placement",
            Self::Turn => "side to move",
            Self::Castling => "castling rights",
            Self::EnPassant => "en-passant square",
            Self::HalfmoveClock => "halfmove clock",
            Self::FullmoveNumber => "move number",
        })
    }
}

/// Why a text is not the FEN of a legal position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FenError {
    /// The text ends before this field.
    #[error("the FEN ends before its {0}")]
    Missing(FenField),
    /// A field is malformed.
    #[error("{field} '{text}' at byte {at}: {problem}")]
    Malformed {
        /// The field.
        field: FenField,
        /// The text of the field, truncated if it is very long.
        text: String,
        /// Byte offset of the error from the start of the FEN.
        at: usize,
        /// What is wrong with it.
        problem: FenProblem,
    },
    /// Text after the last field.
    #[error("'{text}' at byte {at} follows the end of the FEN")]
    Trailing {
        /// The trailing text, truncated if it is very long.
        text: String,
        /// Its byte offset.
        at: usize,
    },
    /// The FEN is well-formed, but the position is illegal.
    #[error(transparent)]
    Illegal(#[from] SetupError),
}

/// What is wrong with a field of a FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FenProblem {
    /// An unexpected character.
    #[error("'{0}' means nothing here")]
    UnexpectedChar(char),
    /// A rank with fewer than eight squares.
    #[error("rank {} has fewer than eight squares", .0.digit())]
    ShortRank(Rank),
    /// A rank with more than eight squares.
    #[error("rank {} has more than eight squares", .0.digit())]
    LongRank(Rank),
    /// Fewer than eight ranks.
    #[error("there are fewer than eight ranks")]
    FewRanks,
    /// More than eight ranks.
    #[error("there are more than eight ranks")]
    ManyRanks,
    /// Two digits in a row, which FEN writes as their sum.
    #[error("two numbers of empty squares in a row")]
    AdjacentDigits,
    /// Neither `w` nor `b`.
    #[error("it must be 'w' or 'b'")]
    NoColor,
    /// The same castling right twice.
    #[error("the same right is given twice")]
    RepeatedRight,
    /// Not a square, nor `-`.
    #[error("it must be a square or '-'")]
    NoSquare,
    /// Not on the rank where the player to move can take en passant.
    #[error("en passant happens on rank {} here", .0.digit())]
    WrongRank(Rank),
    /// Not a number from 0 to 65535.
    #[error("it must be a number from 0 to 65535")]
    NoNumber,
    /// Nothing between two blanks.
    #[error("it is empty")]
    Empty,
}

/// The notation of castling rights.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FenStyle {
    /// `KQkq`; by rook file only where another rook stands farther out.
    #[default]
    Standard,
    /// Always by rook file, as Shredder does.
    Shredder,
}

impl Setup {
    /// Parses a FEN without checking that the position is legal.
    ///
    /// ```
    /// use tabiya_chess::Setup;
    /// let error = Setup::from_fen("8/8/8/8/8/8/8/7 w - - 0 1").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "piece placement '8/8/8/8/8/8/8/7' at byte 14: rank 1 has fewer than eight squares",
    /// );
    /// ```
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        read::parse(fen)
    }
}

impl Position {
    /// Parses the FEN of a legal position.
    ///
    /// ```
    /// use tabiya_chess::{Color, Position};
    /// let position = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 b - - 3 17")?;
    /// assert_eq!(position.turn(), Color::Black);
    /// assert_eq!(position.fullmove_number(), 17);
    /// # Ok::<(), tabiya_chess::FenError>(())
    /// ```
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        Ok(Setup::from_fen(fen)?.position()?)
    }

    /// The position as FEN, castling rights in the standard style.
    pub fn fen(&self) -> String {
        self.fen_in(FenStyle::Standard)
    }

    /// The position as FEN in the given style.
    ///
    /// ```
    /// use tabiya_chess::{FenStyle, Position};
    /// let fen = Position::INITIAL.fen_in(FenStyle::Shredder);
    /// assert_eq!(fen, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1");
    /// ```
    pub fn fen_in(&self, style: FenStyle) -> String {
        let mut text = String::new();
        self.append_fen(style, &mut text);
        text
    }

    /// Appends the FEN to a string.
    pub fn append_fen(&self, style: FenStyle, text: &mut String) {
        write_text(text, |fen| fen.position(self, style));
    }

    /// Appends the FEN to a byte vector; the fastest way to write many.
    pub fn append_fen_bytes(&self, style: FenStyle, bytes: &mut Vec<u8>) {
        write_bytes(bytes, |fen| fen.position(self, style));
    }
}

impl FromStr for Position {
    type Err = FenError;

    fn from_str(fen: &str) -> Result<Self, FenError> {
        Self::from_fen(fen)
    }
}

impl FromStr for Setup {
    type Err = FenError;

    fn from_str(fen: &str) -> Result<Self, FenError> {
        Self::from_fen(fen)
    }
}

/// The piece placement field of any board.
pub(crate) struct Placement<'a>(pub &'a Board);

impl fmt::Display for Placement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        write_text(&mut text, |fen| fen.placement(self.0));
        f.write_str(&text)
    }
}
