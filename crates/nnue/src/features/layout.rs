//! The index of a piece on a square among the 768 features.

use chess::{Color, PieceType, Square};

/// The first index of Black's bitboards.
pub const BLACK: usize = 0;
/// The first index of White's bitboards.
pub const WHITE: usize = 1;
/// The second index of pawns.
pub const PAWN: usize = 0;
/// The second index of knights.
pub const KNIGHT: usize = 1;
/// The second index of bishops.
pub const BISHOP: usize = 2;
/// The second index of rooks.
pub const ROOK: usize = 3;
/// The second index of queens.
pub const QUEEN: usize = 4;
/// The second index of kings.
pub const KING: usize = 5;

/// Features in all.
pub const COUNT: usize = 768;
/// Features of one color.
pub const PER_COLOR: usize = COUNT / 2;

/// [`BLACK`] or [`WHITE`]: not the order of [`Color::index`].
///
/// ```
/// use tabiya_nnue::chess::Color;
/// use tabiya_nnue::features;
/// assert_eq!(features::color_index(Color::Black), features::BLACK);
/// assert_eq!(features::color_index(Color::White), features::WHITE);
/// ```
#[inline(always)]
pub const fn color_index(color: Color) -> usize {
    match color {
        Color::Black => BLACK,
        Color::White => WHITE,
    }
}

/// The first of the 64 features of a color and piece type.
///
/// ```
/// use tabiya_nnue::chess::{Color, PieceType};
/// use tabiya_nnue::features::offset;
/// assert_eq!(offset(Color::Black, PieceType::King), 320);
/// assert_eq!(offset(Color::White, PieceType::Pawn), 384);
/// ```
#[inline(always)]
pub const fn offset(color: Color, piece_type: PieceType) -> usize {
    PER_COLOR * color_index(color) + 64 * piece_type.index()
}

/// The feature of a piece on a square.
///
/// ```
/// use tabiya_nnue::chess::{Color, PieceType, Square};
/// use tabiya_nnue::features::index;
/// assert_eq!(index(Color::Black, PieceType::Pawn, Square::A1), 0);
/// assert_eq!(index(Color::White, PieceType::King, Square::E1), 708);
/// ```
#[inline(always)]
pub const fn index(color: Color, piece_type: PieceType, square: Square) -> usize {
    offset(color, piece_type) + square.index()
}

/// The piece and square of a feature, if it exists.
///
/// ```
/// use tabiya_nnue::chess::{Color, PieceType, Square};
/// use tabiya_nnue::features::decode;
/// assert_eq!(decode(708), Some((Color::White, PieceType::King, Square::E1)));
/// assert_eq!(decode(768), None);
/// ```
pub fn decode(feature: usize) -> Option<(Color, PieceType, Square)> {
    let color = match feature / PER_COLOR {
        BLACK => Color::Black,
        WHITE => Color::White,
        _ => return None,
    };
    let piece_type = PieceType::ALL[feature % PER_COLOR / 64];
    Some((color, piece_type, Square::from_index_wrapping(feature % 64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decode_inverts_index() {
        for feature in 0..COUNT {
            let (color, piece_type, square) = decode(feature).unwrap();
            assert_eq!(index(color, piece_type, square), feature);
        }
        assert_eq!([decode(COUNT), decode(usize::MAX)], [None, None]);
        let types = PieceType::ALL.map(PieceType::index);
        assert_eq!(types, [PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING]);
    }
}
