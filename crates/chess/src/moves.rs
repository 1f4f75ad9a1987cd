//! Moves in 16 bits, and a list of them that needs no heap.

use std::fmt;

use arrayvec::ArrayVec;

use crate::{File, PieceType, Square};

/// What sort of move it is, promotions aside.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum MoveKind {
    /// To an empty square, with nothing special about it.
    Quiet = 0,
    /// A pawn's first move by two squares.
    DoublePush = 1,
    /// King and rook together.
    Castling = 2,
    /// Onto an enemy piece.
    Capture = 4,
    /// A pawn takes a pawn that has just passed it.
    EnPassant = 5,
    /// A pawn reaches the last rank.
    Promotion = 8,
    /// A pawn captures onto the last rank.
    PromotionCapture = 12,
}

/// A move: from, to and kind in 16 bits. It means something only together with the
/// [`Position`](crate::Position) it belongs to.
///
/// Castling is written as the king taking his own rook: that is unambiguous in Chess960 too.
/// In text, [`Position::uci`](crate::Position::uci) has both conventions.
///
/// Bits 0–5 from, 6–11 to, 12–15 kind: bit 14 marks captures, bit 15 promotions, whose piece is in
/// bits 12–13 (knight, bishop, rook, queen).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u16);

impl Move {
    /// A move that is no promotion.
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

    /// Where the piece comes from.
    #[inline(always)]
    pub const fn from(self) -> Square {
        Square::from_index(self.0 as usize)
    }

    /// Where it goes; for castling, the square of the rook.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::from_index((self.0 >> 6) as usize)
    }

    /// What sort of move it is.
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

    /// What the pawn becomes, if it becomes anything.
    #[inline(always)]
    pub const fn promotion(self) -> Option<PieceType> {
        if self.0 & 0x8000 == 0 {
            return None;
        }
        Some(PieceType::PROMOTIONS[(self.0 >> 12 & 3) as usize])
    }

    /// Whether it takes a piece, en passant included.
    #[inline(always)]
    pub const fn is_capture(self) -> bool {
        self.0 & 0x4000 != 0
    }

    /// Whether it castles.
    #[inline(always)]
    pub const fn is_castling(self) -> bool {
        self.0 >> 12 == MoveKind::Castling as u16
    }

    /// Where the king ends up if this is castling: the g- or c-file of his rank.
    #[inline]
    pub const fn castling_king_to(self) -> Square {
        let file = if self.to().index() > self.from().index() { File::G } else { File::C };
        Square::new(file, self.from().rank())
    }

    /// Where the rook ends up if this is castling: the f- or d-file of its rank.
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

    /// The move of such bits. Any bits make some move; whether a position allows it is for
    /// [`Position::is_legal`](crate::Position::is_legal) to say.
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }
}

/// The move in UCI with castling as king takes rook; see [`Position::uci`](crate::Position::uci).
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        self.promotion().map_or(Ok(()), |piece| write!(f, "{}", piece.letter()))
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}:{:?}", self.kind())
    }
}

/// The most moves that a legal position of chess has.
pub const MAX_MOVES: usize = 218;

/// The moves of one position, on the stack.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_gives_back_what_it_was_made_of() {
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
