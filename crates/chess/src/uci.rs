//! Moves in UCI notation: `e2e4`, `e7e8q`, and two conventions for castling.
//!
//! Standard chess writes castling as the king's move, `e1g1`; in Chess960 that can be ambiguous, so it is
//! king takes rook, `e1h1`. The parser accepts both.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::str::FromStr;

use arrayvec::ArrayString;

use crate::{File, Move, MoveFilter, MoveList, PieceType, Position, Square};

/// The castling convention.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CastlingStyle {
    /// `e1g1` from the standard squares; otherwise king takes rook.
    #[default]
    Standard,
    /// Always king takes rook: `e1h1`.
    Chess960,
}

/// Why a text is not a legal move of the position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UciError {
    /// Not of the form `e2e4` or `e7e8q`.
    #[error("'{0}' is not a move in UCI notation, such as e2e4 or e7e8q")]
    Malformed(String),
    /// No piece of the side to move on the origin square.
    #[error("'{text}' is illegal: no piece of {turn}'s on {from}")]
    NoPiece {
        /// The move as given.
        text: String,
        /// The origin square.
        from: Square,
        /// The side to move.
        turn: crate::Color,
    },
    /// The piece has no such legal move.
    #[error("'{text}' is illegal: the {piece} on {from} cannot go there")]
    Illegal {
        /// The move as given.
        text: String,
        /// The piece on the origin square.
        piece: PieceType,
        /// The origin square.
        from: Square,
    },
}

impl Move {
    /// The move in UCI notation with this castling convention.
    pub fn uci(self, style: CastlingStyle) -> ArrayString<5> {
        let mut text = ArrayString::new();
        text.push_str(self.from().name());
        text.push_str(uci_target(self, style).name());
        if let Some(piece) = self.promotion() {
            text.push(piece.letter());
        }
        text
    }
}

impl Position {
    /// The move in UCI notation, as [`Move::uci`] writes it.
    ///
    /// ```
    /// use tabiya_chess::{CastlingStyle, Position};
    /// let position: Position = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse().unwrap();
    /// let castles = position.parse_uci("e1g1")?;
    /// assert_eq!(position.parse_uci("e1h1")?, castles);
    /// assert_eq!(position.uci(castles, CastlingStyle::Standard).as_str(), "e1g1");
    /// assert_eq!(position.uci(castles, CastlingStyle::Chess960).as_str(), "e1h1");
    /// # Ok::<(), tabiya_chess::UciError>(())
    /// ```
    pub fn uci(&self, m: Move, style: CastlingStyle) -> ArrayString<5> {
        m.uci(style)
    }

    /// Appends the move in UCI notation to a byte vector; the fastest way to write many.
    ///
    /// ```
    /// use tabiya_chess::{CastlingStyle, Position};
    /// let (start, mut column) = (Position::INITIAL, Vec::new());
    /// start.append_uci_bytes(start.parse_uci("e2e4")?, CastlingStyle::Standard, &mut column);
    /// assert_eq!(column, b"e2e4");
    /// # Ok::<(), tabiya_chess::UciError>(())
    /// ```
    #[inline]
    pub fn append_uci_bytes(&self, m: Move, style: CastlingStyle, bytes: &mut Vec<u8>) {
        let (from, to) = (m.from().index() as u8, uci_target(m, style).index() as u8);
        let (file, rank) = (|square: u8| b'a' + (square & 7), |square: u8| b'1' + (square >> 3));
        bytes.extend_from_slice(&[file(from), rank(from), file(to), rank(to)]);
        if let Some(piece) = m.promotion() {
            bytes.push(piece.letter() as u8);
        }
    }

    /// Parses a legal move in UCI notation, with either castling convention.
    pub fn parse_uci(&self, text: &str) -> Result<Move, UciError> {
        let malformed = || UciError::Malformed(text.to_owned());
        let (from, to, promotion) = split(text).ok_or_else(malformed)?;
        let own = self.board().color(self.turn());
        let Some(piece) = self.board().piece_type_at(from).filter(|_| own.has(from)) else {
            return Err(UciError::NoPiece { text: text.to_owned(), from, turn: self.turn() });
        };
        let moves = self.moves(MoveFilter { from: from.bitboard(), ..MoveFilter::ALL });
        find(&moves, to, promotion)
            .or_else(|| castling_by_king(&moves, to).filter(|_| promotion.is_none()))
            .ok_or_else(|| UciError::Illegal { text: text.to_owned(), piece, from })
    }
}

/// The target square of a move's text.
#[inline]
fn uci_target(m: Move, style: CastlingStyle) -> Square {
    let usual = m.from().file() == File::E && matches!(m.to().file(), File::A | File::H);
    if m.is_castling() && usual && style == CastlingStyle::Standard {
        m.castling_king_to()
    } else {
        m.to()
    }
}

fn split(text: &str) -> Option<(Square, Square, Option<PieceType>)> {
    let from = Square::from_str(text.get(0..2)?).ok()?;
    let to = Square::from_str(text.get(2..4)?).ok()?;
    let promotion = match text.get(4..)? {
        "" => None,
        "n" => Some(PieceType::Knight),
        "b" => Some(PieceType::Bishop),
        "r" => Some(PieceType::Rook),
        "q" => Some(PieceType::Queen),
        _ => return None,
    };
    Some((from, to, promotion))
}

fn find(moves: &MoveList, to: Square, promotion: Option<PieceType>) -> Option<Move> {
    moves.iter().copied().find(|m| m.to() == to && m.promotion() == promotion)
}

/// Castling given as a king's move of two or more files. (A single step is a king move, matched before.)
fn castling_by_king(moves: &MoveList, to: Square) -> Option<Move> {
    moves
        .iter()
        .copied()
        .find(|m| m.is_castling() && m.castling_king_to() == to && m.from().distance(to) >= 2)
}
