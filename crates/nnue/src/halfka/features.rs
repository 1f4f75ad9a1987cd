//! The HalfKAv2_hm feature set: for each perspective, one feature for each piece, kings included.
//!
//! Black's perspective flips the ranks, and a king on the files a to d flips the files, so that it is always
//! on e to h. Each of the 32 king squares that are left has a block of 704 features: 64 for each piece type
//! from pawn to queen, own pieces and the enemy's in turn, and 64 that both kings share.

use chess::{Color, Piece, PieceType, Square};

/// Features of one king square.
const BLOCK: usize = 11 * 64;
/// Features of one perspective.
pub const COUNT: usize = 32 * BLOCK;

/// The perspective of a color whose king is on a certain square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Perspective {
    color: Color,
    king: Square,
}

impl Perspective {
    /// How many perspectives there are.
    pub(super) const COUNT: usize = 2 * 64;

    /// The perspective of a color whose king is on this square.
    #[inline(always)]
    pub const fn new(color: Color, king: Square) -> Self {
        Self { color, king }
    }

    /// A unique index below [`COUNT`](Self::COUNT).
    #[inline(always)]
    pub(super) const fn index(self) -> usize {
        64 * self.color.index() + self.king.index()
    }

    /// The feature of a piece on a square.
    ///
    /// ```
    /// use tabiya_nnue::chess::{Color, Piece, Square};
    /// use tabiya_nnue::halfka::features::Perspective;
    /// let pawn = Piece::from_letter('P').unwrap();
    /// let white = Perspective::new(Color::White, Square::H8);
    /// assert_eq!(white.feature(pawn, Square::A2), 8);
    /// let black = Perspective::new(Color::Black, Square::A1);
    /// assert_eq!(black.feature(pawn, Square::A2), 64 + 55);
    /// ```
    #[inline(always)]
    pub const fn feature(self, piece: Piece, square: Square) -> u16 {
        let ranks = match self.color {
            Color::White => 0,
            Color::Black => 56,
        };
        let king = self.king.index() ^ ranks;
        let files = if king & 7 < 4 { 7 } else { 0 };
        // From rank 8 to rank 1, and on each rank from h to e.
        let bucket = 4 * (7 - king / 8) + (7 - ((king ^ files) & 7));
        let enemy = (piece.color() as usize != self.color as usize) as usize;
        let kind = match piece.piece_type() {
            PieceType::King => 10,
            piece_type => 2 * piece_type.index() + enemy,
        };
        (BLOCK * bucket + 64 * kind + (square.index() ^ ranks ^ files)) as u16
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn features_are_distinct_but_for_the_kings_and_mirrored_boards_share_them() {
        for color in Color::ALL {
            let mut seen = HashSet::new();
            for king in Square::all() {
                let perspective = Perspective::new(color, king);
                let mirrored = Square::from_index_wrapping(king.index() ^ 7);
                let mirrored = Perspective::new(color, mirrored);
                for piece in Piece::ALL {
                    for square in Square::all() {
                        let feature = perspective.feature(piece, square);
                        assert!(usize::from(feature) < COUNT);
                        seen.insert(feature);
                        let other = Square::from_index_wrapping(square.index() ^ 7);
                        assert_eq!(mirrored.feature(piece, other), feature);
                    }
                }
            }
            assert_eq!(seen.len(), COUNT);
        }
    }

    #[test]
    fn colors_see_the_board_flipped() {
        let flip = |square: Square| Square::from_index_wrapping(square.index() ^ 56);
        for king in Square::all() {
            let (white, black) =
                (Perspective::new(Color::White, king), Perspective::new(Color::Black, flip(king)));
            for piece in Piece::ALL {
                let swapped = Piece::new(!piece.color(), piece.piece_type());
                for square in Square::all() {
                    assert_eq!(white.feature(piece, square), black.feature(swapped, flip(square)));
                }
            }
        }
    }
}
