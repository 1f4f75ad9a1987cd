//! The HalfKP feature set: for each perspective, one feature for each piece but the kings.
//!
//! Black's perspective rotates the board by 180 degrees (a1 becomes h8; later architectures flip the ranks
//! instead). Each king square has a block of 641 features: one that is never used, then 64 for each piece
//! type from pawn to queen, own pieces and the enemy's in turn.

use chess::{Board, Color, Piece, PieceType, Square};

use crate::accumulators::List;

/// Features of one king square.
const BLOCK: usize = 641;
/// Features of one perspective.
pub const COUNT: usize = 64 * BLOCK;

/// A square in a perspective.
const fn orient(perspective: Color, square: Square) -> usize {
    match perspective {
        Color::White => square.index(),
        Color::Black => square.index() ^ 63,
    }
}

/// The first feature of a color and piece type in a perspective with the king on this square.
const fn base(perspective: Color, king: Square, color: Color, piece_type: PieceType) -> usize {
    let enemy = (color as usize != perspective as usize) as usize;
    BLOCK * orient(perspective, king) + 1 + 128 * piece_type.index() + 64 * enemy
}

/// The feature of a piece on a square, in a perspective with its king on `king`. Kings have none.
///
/// ```
/// use tabiya_nnue::chess::{Color, Piece, Square};
/// use tabiya_nnue::halfkp::features::feature;
/// let pawn = Piece::from_letter('P').unwrap();
/// assert_eq!(feature(Color::White, Square::A1, pawn, Square::A2), Some(1 + 8));
/// assert_eq!(feature(Color::Black, Square::H8, pawn, Square::A2), Some(1 + 64 + 55));
/// assert_eq!(feature(Color::White, Square::A1, Piece::from_letter('k').unwrap(), Square::H8), None);
/// ```
pub const fn feature(
    perspective: Color,
    king: Square,
    piece: Piece,
    square: Square,
) -> Option<u16> {
    match piece.piece_type() {
        PieceType::King => None,
        kind => Some(
            (base(perspective, king, piece.color(), kind) + orient(perspective, square)) as u16,
        ),
    }
}

/// Feature indices: at most one for each square.
pub(super) type Features = List<u16, 64>;

/// The active features of White and Black, whose kings are on these squares.
#[inline]
pub(super) fn active(board: &Board, kings: [Square; 2]) -> [Features; 2] {
    let mut features = [Features::new(0); 2];
    for color in Color::ALL {
        for &piece_type in &PieceType::ALL[..5] {
            let [white, black] =
                Color::ALL.map(|side| base(side, kings[side.index()], color, piece_type));
            for square in board.pieces(color, piece_type) {
                features[0].push((white + square.index()) as u16);
                features[1].push((black + (square.index() ^ 63)) as u16);
            }
        }
    }
    features
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn features_are_distinct_and_the_first_of_each_block_is_unused() {
        for perspective in Color::ALL {
            let mut seen = HashSet::new();
            for king in Square::all() {
                for piece in Piece::ALL {
                    for square in Square::all() {
                        if let Some(feature) = feature(perspective, king, piece, square) {
                            assert!(usize::from(feature) < COUNT);
                            assert_ne!(usize::from(feature) % BLOCK, 0);
                            assert!(seen.insert(feature));
                        }
                    }
                }
            }
            assert_eq!(seen.len(), 64 * 640);
        }
    }

    #[test]
    fn the_active_features_are_those_of_all_pieces_but_the_kings() {
        let kings = [Square::E1, Square::E8];
        let active = active(&Board::INITIAL, kings);
        for color in Color::ALL {
            let (king, active) = (kings[color.index()], active[color.index()].as_slice());
            let one_by_one: Vec<u16> = Board::INITIAL
                .iter()
                .filter_map(|(square, piece)| feature(color, king, piece, square))
                .collect();
            assert_eq!((one_by_one.len(), active.len()), (30, 30));
            assert!(one_by_one.iter().all(|feature| active.contains(feature)));
        }
    }
}
