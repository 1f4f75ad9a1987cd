//! Piece types in the order of Paco Ŝako's encodings: pawn, rook, knight, bishop, queen, king.
//!
//! The order differs from [`chess::PieceType`] (pawn, knight, bishop, rook, …), and it is visible
//! in the representation and in the policy indices, so the game has a type of its own.

use core::fmt;

/// The type of a piece, without its color: Pawn 0, Rook 1, Knight 2, Bishop 3, Queen 4, King 5.
///
/// ```
/// use tabiya_paco::{PieceType, chess};
/// assert_eq!(PieceType::Rook.index(), 1);
/// assert_eq!(chess::PieceType::from(PieceType::Rook), chess::PieceType::Rook);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "self-explanatory names")]
pub enum PieceType {
    Pawn = 0,
    Rook = 1,
    Knight = 2,
    Bishop = 3,
    Queen = 4,
    King = 5,
}

impl PieceType {
    /// All six, from pawn to king.
    pub const ALL: [Self; 6] =
        [Self::Pawn, Self::Rook, Self::Knight, Self::Bishop, Self::Queen, Self::King];

    /// The promotion pieces, in the order of the policy indices.
    pub const PROMOTIONS: [Self; 4] = [Self::Rook, Self::Knight, Self::Bishop, Self::Queen];

    /// 0 for a pawn … 5 for a king.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The type with this number; six and above count as the king.
    #[inline(always)]
    pub const fn from_index(index: usize) -> Self {
        match index {
            0 => Self::Pawn,
            1 => Self::Rook,
            2 => Self::Knight,
            3 => Self::Bishop,
            4 => Self::Queen,
            _ => Self::King,
        }
    }

    /// The upper-case letter: `P R N B Q K`.
    pub const fn letter(self) -> char {
        b"PRNBQK"[self as usize] as char
    }

    /// The type of a letter in either case.
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter.to_ascii_uppercase() {
            'P' => Some(Self::Pawn),
            'R' => Some(Self::Rook),
            'N' => Some(Self::Knight),
            'B' => Some(Self::Bishop),
            'Q' => Some(Self::Queen),
            'K' => Some(Self::King),
            _ => None,
        }
    }

    /// The English name with a capital, as JSON actions write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pawn => "Pawn",
            Self::Rook => "Rook",
            Self::Knight => "Knight",
            Self::Bishop => "Bishop",
            Self::Queen => "Queen",
            Self::King => "King",
        }
    }
}

impl fmt::Display for PieceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl From<PieceType> for chess::PieceType {
    fn from(piece: PieceType) -> Self {
        match piece {
            PieceType::Pawn => Self::Pawn,
            PieceType::Rook => Self::Rook,
            PieceType::Knight => Self::Knight,
            PieceType::Bishop => Self::Bishop,
            PieceType::Queen => Self::Queen,
            PieceType::King => Self::King,
        }
    }
}

impl From<chess::PieceType> for PieceType {
    fn from(piece: chess::PieceType) -> Self {
        match piece {
            chess::PieceType::Pawn => Self::Pawn,
            chess::PieceType::Rook => Self::Rook,
            chess::PieceType::Knight => Self::Knight,
            chess::PieceType::Bishop => Self::Bishop,
            chess::PieceType::Queen => Self::Queen,
            chess::PieceType::King => Self::King,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_round_trip_through_letters_numbers_and_the_chess_crate() {
        for (i, piece) in PieceType::ALL.into_iter().enumerate() {
            assert_eq!(piece.index(), i);
            assert_eq!(PieceType::from_index(i), piece);
            assert_eq!(PieceType::from_letter(piece.letter()), Some(piece));
            assert_eq!(PieceType::from(chess::PieceType::from(piece)), piece);
        }
        assert_eq!(PieceType::from_letter('x'), None);
    }
}
