//! Moves in 16 bits, and move lists on the stack.

use core::fmt;

use arrayvec::ArrayVec;

use crate::{CastlingStyle, File, PieceType, Square};

/// The kind of a move; promotions carry their piece separately.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum MoveKind {
    /// A quiet move that is none of the following.
    Quiet = 0,
    /// A double pawn push.
    DoublePush = 1,
    /// Castling.
    Castling = 2,
    /// A capture.
    Capture = 4,
    /// An en-passant capture.
    EnPassant = 5,
    /// A promotion without capture.
    Promotion = 8,
    /// A promotion with capture.
    PromotionCapture = 12,
}

/// A move: from, to and kind in 16 bits, meaningful only in its [`Position`](crate::Position).
///
/// Castling is encoded as king takes rook, which is unambiguous in Chess960 too: [`Move::to`] is the rook's
/// square. Its text is the standard one, `e1g1`; [`Move::uci`] writes either convention.
///
/// ```
/// use tabiya_chess::{CastlingStyle, Position};
/// let position: Position = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse()?;
/// let castles = position.parse_uci("e1g1")?;
/// assert_eq!(castles.to_string(), "e1g1");
/// assert_eq!(castles.uci(CastlingStyle::Chess960).as_str(), "e1h1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Bits 0–5 from, 6–11 to, 12–15 kind: bit 14 marks captures, bit 15 promotions, whose piece is in
/// bits 12–13 (knight, bishop, rook, queen).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u16);

impl Move {
    /// A move that is not a promotion.
    #[inline(always)]
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Self {
        Self(from.index() as u16 | (to.index() as u16) << 6 | (kind as u16) << 12)
    }

    /// A promotion; anything but knight, bishop and rook makes a queen.
    #[inline(always)]
    pub const fn promotion_to(from: Square, to: Square, piece: PieceType, captures: bool) -> Self {
        let kind = if captures { MoveKind::PromotionCapture } else { MoveKind::Promotion };
        let choice = match piece {
            PieceType::Knight => 0,
            PieceType::Bishop => 1,
            PieceType::Rook => 2,
            _ => 3,
        };
        Self(Self::new(from, to, kind).0 | choice << 12)
    }

    /// The origin square.
    #[inline(always)]
    pub const fn from(self) -> Square {
        Square::from_index_wrapping(self.0 as usize)
    }

    /// The target square; for castling, the rook's.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::from_index_wrapping((self.0 >> 6) as usize)
    }

    /// The kind of the move.
    #[inline(always)]
    pub const fn kind(self) -> MoveKind {
        match self.0 >> 12 {
            1 => MoveKind::DoublePush,
            2 => MoveKind::Castling,
            4 => MoveKind::Capture,
            5 => MoveKind::EnPassant,
            8..12 => MoveKind::Promotion,
            12.. => MoveKind::PromotionCapture,
            _ => MoveKind::Quiet,
        }
    }

    /// The promotion piece, if it is a promotion.
    #[inline(always)]
    pub const fn promotion(self) -> Option<PieceType> {
        if self.0 & 0x8000 == 0 {
            return None;
        }
        Some(PieceType::PROMOTIONS[(self.0 >> 12 & 3) as usize])
    }

    /// Whether it is a capture, en passant included.
    #[inline(always)]
    pub const fn is_capture(self) -> bool {
        self.0 & 0x4000 != 0
    }

    /// Whether it is castling.
    #[inline(always)]
    pub const fn is_castling(self) -> bool {
        self.0 >> 12 == MoveKind::Castling as u16
    }

    /// The king's target square when castling: on the g- or c-file.
    #[inline]
    pub const fn castling_king_to(self) -> Square {
        let file = if self.to().index() > self.from().index() { File::G } else { File::C };
        Square::new(file, self.from().rank())
    }

    /// The rook's target square when castling: on the f- or d-file.
    #[inline]
    pub const fn castling_rook_to(self) -> Square {
        let file = if self.to().index() > self.from().index() { File::F } else { File::D };
        Square::new(file, self.from().rank())
    }

    /// The 16 bits.
    #[inline(always)]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// The move of these bits. All bit patterns are valid moves; test with
    /// [`Position::is_legal`](crate::Position::is_legal).
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }
}

/// The move in standard UCI notation, castling as `e1g1`: see [`CastlingStyle::Standard`](crate::CastlingStyle).
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.uci(CastlingStyle::Standard))
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}:{:?}", self.kind())
    }
}

/// The maximum number of legal moves in any position.
pub const MAX_MOVES: usize = 218;

/// The moves of one position, on the stack.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn castling_is_written_as_the_king_s_move_where_that_is_the_standard() {
        use MoveKind::{Castling, Quiet};
        for (from, to, standard) in [
            (Square::E1, Square::H1, "e1g1"),
            (Square::E1, Square::A1, "e1c1"),
            (Square::E8, Square::H8, "e8g8"),
            (Square::E8, Square::A8, "e8c8"),
            (Square::E1, Square::G1, "e1g1"),
            (Square::B1, Square::A1, "b1a1"),
            (Square::F8, Square::H8, "f8h8"),
        ] {
            let castles = Move::new(from, to, Castling);
            assert_eq!(castles.to_string(), standard);
            assert_eq!(*castles.uci(CastlingStyle::Chess960), format!("{from}{to}"));
            assert_eq!(Move::new(from, to, Quiet).to_string(), format!("{from}{to}"));
        }
        let promotes = Move::promotion_to(Square::E7, Square::D8, PieceType::Knight, true);
        assert_eq!(format!("{promotes:>7}|{promotes:?}"), "  e7d8n|e7d8n:PromotionCapture");
    }

    #[test]
    fn from_to_and_kind_round_trip() {
        use MoveKind::*;
        for from in Square::all() {
            for to in Square::all() {
                for kind in [Quiet, DoublePush, Castling, Capture, EnPassant] {
                    let m = Move::new(from, to, kind);
                    assert_eq!((m.from(), m.to(), m.kind(), m.promotion()), (from, to, kind, None));
                    assert_eq!(m.is_capture(), matches!(kind, Capture | EnPassant));
                    assert_eq!(m.is_castling(), kind == Castling);
                }
                for piece in PieceType::PROMOTIONS {
                    for captures in [false, true] {
                        let m = Move::promotion_to(from, to, piece, captures);
                        let kind = if captures { PromotionCapture } else { Promotion };
                        assert_eq!((m.from(), m.to(), m.kind()), (from, to, kind));
                        assert_eq!((m.promotion(), m.is_capture()), (Some(piece), captures));
                    }
                }
            }
        }
    }
}
