//! Piece types, and pieces with a color.

use core::fmt;

use crate::Color;

/// The type of a piece, without its color: Pawn 0 … King 5.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "self-explanatory names")]
pub enum PieceType {
    Pawn = 0,
    Knight = 1,
    Bishop = 2,
    Rook = 3,
    Queen = 4,
    King = 5,
}

impl PieceType {
    /// All six, from Pawn to King.
    pub const ALL: [Self; 6] =
        [Self::Pawn, Self::Knight, Self::Bishop, Self::Rook, Self::Queen, Self::King];

    /// The promotion pieces, in the order of the move encoding.
    pub const PROMOTIONS: [Self; 4] = [Self::Knight, Self::Bishop, Self::Rook, Self::Queen];

    /// 0 for a pawn … 5 for a king.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The lower-case letter of FEN and UCI.
    pub const fn letter(self) -> char {
        b"pnbrqk"[self as usize] as char
    }

    /// The piece type of a letter in either case.
    ///
    /// ```
    /// use tabiya_chess::PieceType;
    /// assert_eq!(PieceType::from_letter('N'), Some(PieceType::Knight));
    /// assert_eq!(PieceType::from_letter('x'), None);
    /// ```
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter.to_ascii_lowercase() {
            'p' => Some(Self::Pawn),
            'n' => Some(Self::Knight),
            'b' => Some(Self::Bishop),
            'r' => Some(Self::Rook),
            'q' => Some(Self::Queen),
            'k' => Some(Self::King),
            _ => None,
        }
    }
}

impl fmt::Display for PieceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Pawn => "pawn",
            Self::Knight => "knight",
            Self::Bishop => "bishop",
            Self::Rook => "rook",
            Self::Queen => "queen",
            Self::King => "king",
        })
    }
}

/// A piece with its color in one byte: the type in bits 0–2, the color in bit 3 (set for Black).
///
/// ```
/// use tabiya_chess::{Color, Piece, PieceType};
/// let queen = Piece::new(Color::Black, PieceType::Queen);
/// assert_eq!(queen.to_bits(), 0b1100);
/// assert_eq!((queen.color(), queen.piece_type()), (Color::Black, PieceType::Queen));
/// assert_eq!(queen.letter(), 'q');
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece(u8);

impl Piece {
    /// All twelve: White's from pawn to king, then Black's.
    pub const ALL: [Self; 12] = {
        let mut all = [Self(0); 12];
        let mut i = 0;
        while i < 12 {
            all[i] = Self((i % 6) as u8 | ((i / 6) as u8) << 3);
            i += 1;
        }
        all
    };

    /// The piece of this color and type.
    #[inline(always)]
    pub const fn new(color: Color, piece_type: PieceType) -> Self {
        Self(piece_type as u8 | (color as u8) << 3)
    }

    /// The color.
    #[inline(always)]
    pub const fn color(self) -> Color {
        if self.0 & 8 == 0 { Color::White } else { Color::Black }
    }

    /// The type.
    #[inline(always)]
    pub const fn piece_type(self) -> PieceType {
        match self.0 & 7 {
            0 => PieceType::Pawn,
            1 => PieceType::Knight,
            2 => PieceType::Bishop,
            3 => PieceType::Rook,
            4 => PieceType::Queen,
            _ => PieceType::King,
        }
    }

    /// Whether it is White's.
    #[inline(always)]
    pub const fn is_white(self) -> bool {
        self.color().is_white()
    }

    /// Whether it is Black's.
    #[inline(always)]
    pub const fn is_black(self) -> bool {
        self.color().is_black()
    }

    /// The byte: type in bits 0–2, color in bit 3.
    #[inline(always)]
    pub const fn to_bits(self) -> u8 {
        self.0
    }

    /// The piece of a byte, if it is valid.
    pub const fn from_bits(bits: u8) -> Option<Self> {
        if bits < 16 && bits & 7 < 6 { Some(Self(bits)) } else { None }
    }

    /// The letter of FEN: upper case for White.
    pub const fn letter(self) -> char {
        b"PNBRQK  pnbrqk  "[(self.0 & 15) as usize] as char
    }

    /// The piece of a FEN letter.
    pub const fn from_letter(letter: char) -> Option<Self> {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        match PieceType::from_letter(letter) {
            Some(piece_type) => Some(Self::new(color, piece_type)),
            None => None,
        }
    }

    /// The chess symbol of Unicode, for terminals.
    pub const fn symbol(self) -> char {
        ['♙', '♘', '♗', '♖', '♕', '♔', ' ', ' ', '♟', '♞', '♝', '♜', '♛', '♚', ' ', ' ']
            [(self.0 & 15) as usize]
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Piece({})", self.letter())
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_round_trip_through_letters_and_bytes() {
        for piece in Piece::ALL {
            assert_eq!(Piece::from_letter(piece.letter()), Some(piece));
            assert_eq!(Piece::from_bits(piece.to_bits()), Some(piece));
            assert_eq!(Piece::new(piece.color(), piece.piece_type()), piece);
            assert_eq!(piece.is_white(), piece.letter().is_ascii_uppercase());
            assert_eq!(piece.is_black(), !piece.is_white());
        }
        assert_eq!((0..=255).filter_map(Piece::from_bits).count(), 12);
    }
}
