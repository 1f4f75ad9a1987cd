//! The structured form: twelve bitboards by color and piece type, Black first.

use std::ops::Index;

use chess::{Bitboard, Board, Color, PieceType};

use super::{BLACK, WHITE, color_index};

/// The pieces as `[color][piece type]`, Black first.
///
/// ```
/// use tabiya_nnue::chess::{Board, Square};
/// use tabiya_nnue::features::{Bitboards, ROOK, WHITE};
///
/// let bitboards = Bitboards::of(&Board::INITIAL);
/// // The squares of the white rooks.
/// let rooks: Vec<Square> = bitboards[WHITE][ROOK].into_iter().collect();
/// assert_eq!(rooks, [Square::A1, Square::H1]);
///
/// // All pieces, by type.
/// let names = ["Pawn", "Knight", "Bishop", "Rook", "Queen", "King"];
/// let mut listing = String::new();
/// for (color, counts) in ["Black", "White"].into_iter().zip(bitboards.counts()) {
///     listing += &format!("{color} pieces:\n");
///     for (name, count) in names.into_iter().zip(counts).filter(|&(_, count)| count > 0) {
///         listing += &format!("  {name}: {count}\n");
///     }
/// }
/// assert!(listing.starts_with("Black pieces:\n  Pawn: 8\n  Knight: 2\n  Bishop: 2\n  Rook: 2\n"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bitboards([[Bitboard; 6]; 2]);

impl Bitboards {
    /// The pieces of a board.
    #[inline]
    pub fn of(board: &Board) -> Self {
        Self(board.bitboards())
    }

    /// The pieces of one color and type.
    ///
    /// ```
    /// use tabiya_nnue::chess::{Board, Color, PieceType, Rank};
    /// use tabiya_nnue::features::Bitboards;
    /// let black_pawns = Bitboards::of(&Board::INITIAL).pieces(Color::Black, PieceType::Pawn);
    /// assert_eq!(black_pawns, Rank::Seventh.bitboard());
    /// ```
    #[inline(always)]
    pub const fn pieces(&self, color: Color, piece_type: PieceType) -> Bitboard {
        self.0[color_index(color)][piece_type.index()]
    }

    /// All pieces of one color.
    pub fn color(&self, color: Color) -> Bitboard {
        self.0[color_index(color)].into_iter().fold(Bitboard::EMPTY, |all, set| all | set)
    }

    /// All pieces of one type.
    pub fn piece_type(&self, piece_type: PieceType) -> Bitboard {
        self.0[BLACK][piece_type.index()] | self.0[WHITE][piece_type.index()]
    }

    /// The number of pieces.
    pub fn len(&self) -> usize {
        self.0.as_flattened().iter().map(|set| set.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of pieces of each color and type, Black first.
    ///
    /// ```
    /// use tabiya_nnue::chess::Board;
    /// use tabiya_nnue::features::Bitboards;
    /// let counts = Bitboards::of(&Board::INITIAL).counts();
    /// assert_eq!(counts, [[8, 2, 2, 2, 1, 1]; 2]);
    /// ```
    pub fn counts(&self) -> [[usize; 6]; 2] {
        self.0.map(|color| color.map(Bitboard::len))
    }

    /// The material of both sides, in pawns.
    pub fn material(&self) -> Material {
        let [black, white] = self
            .counts()
            .map(|color| color.into_iter().zip(Material::VALUES).map(|(n, v)| n as i32 * v).sum());
        Material { white, black }
    }

    /// The twelve bitboards.
    #[inline(always)]
    pub const fn sets(&self) -> &[[Bitboard; 6]; 2] {
        &self.0
    }
}

/// The bitboards of a color, by [`BLACK`] or [`WHITE`].
impl Index<usize> for Bitboards {
    type Output = [Bitboard; 6];

    fn index(&self, color: usize) -> &[Bitboard; 6] {
        &self.0[color]
    }
}

/// Material, in pawns.
///
/// ```
/// use tabiya_nnue::chess::Board;
/// use tabiya_nnue::features::{Bitboards, Material};
/// let material = Bitboards::of(&Board::INITIAL).material();
/// assert_eq!(material, Material { white: 39, black: 39 });
/// assert_eq!(material.balance(), 0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Material {
    /// White's material.
    pub white: i32,
    /// Black's material.
    pub black: i32,
}

impl Material {
    /// The values of pawn, knight, bishop, rook, queen and king.
    pub const VALUES: [i32; 6] = [1, 3, 3, 5, 9, 0];

    /// White's material minus Black's.
    pub const fn balance(self) -> i32 {
        self.white - self.black
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::{Position, Square};

    #[test]
    fn all_accessors_match_the_board() {
        let fen = "r3k2r/2p2pp1/p7/1p1nN3/3P4/1BQ5/PP3PPP/R4RK1 b kq - 3 19";
        let position = Position::from_fen(fen).unwrap();
        let bitboards = Bitboards::of(position.board());
        for square in Square::all() {
            for color in Color::ALL {
                for piece_type in PieceType::ALL {
                    let expected = position
                        .piece_at(square)
                        .is_some_and(|p| (p.color(), p.piece_type()) == (color, piece_type));
                    assert_eq!(bitboards.pieces(color, piece_type).has(square), expected);
                    let set = bitboards[color_index(color)][piece_type.index()];
                    assert_eq!(set.has(square), expected);
                }
            }
        }
        assert_eq!(bitboards.len(), 21);
        assert_eq!(bitboards.color(Color::White), position.board().color(Color::White));
        let rooks = position.board().piece_type(PieceType::Rook);
        assert_eq!(bitboards.piece_type(PieceType::Rook), rooks);
        assert_eq!(bitboards.material(), Material { white: 31, black: 18 });
        assert_eq!(bitboards.material().balance(), 13);
        assert!(Bitboards::of(&Board::EMPTY).is_empty());
    }
}
