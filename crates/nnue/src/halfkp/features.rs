//! The inputs of HalfKP: for each player, one feature for each piece but the kings.
//!
//! A player sees the board from his side: Black turns it by half a turn (a1 becomes h8; later
//! networks mirror it instead). Each square of his king has a block of 641 features: one that is never
//! used, then 64 for each kind of piece, his own and the enemy's in turn, from pawns to queens.

use chess::{Board, Color, Piece, PieceType, Square};

/// The features of one king square.
const BLOCK: usize = 641;
/// How many features a player has in all.
pub const COUNT: usize = 64 * BLOCK;

/// A square as a player sees it.
const fn seen(perspective: Color, square: Square) -> usize {
    match perspective {
        Color::White => square.index(),
        Color::Black => square.index() ^ 63,
    }
}

/// Where the features of a kind of piece begin, for a player with his king on this square.
const fn base(perspective: Color, king: Square, color: Color, piece_type: PieceType) -> usize {
    let enemy = (color as usize != perspective as usize) as usize;
    BLOCK * seen(perspective, king) + 1 + 128 * piece_type.index() + 64 * enemy
}

/// The feature of a piece on a square, for a player whose king is on `king`. Kings have none.
///
/// ```
/// use chess::{Color, Piece, Square};
/// use nnue::halfkp::features::feature;
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
        kind => {
            Some((base(perspective, king, piece.color(), kind) + seen(perspective, square)) as u16)
        }
    }
}

/// Features that are, or that come, or that go: at most one for each square.
#[derive(Clone, Copy)]
pub(super) struct List {
    features: [u16; 64],
    len: usize,
}

impl List {
    pub(super) const EMPTY: Self = Self { features: [0; 64], len: 0 };

    /// Adds one; no caller has more than the board has squares.
    #[inline(always)]
    pub(super) fn push(&mut self, feature: u16) {
        self.features[self.len & 63] = feature;
        self.len += 1;
    }

    #[inline(always)]
    pub(super) fn as_slice(&self) -> &[u16] {
        &self.features[..self.len.min(64)]
    }
}

/// The features of a board for both players.
pub(super) struct Features([List; 2]);

impl Features {
    /// The features of all pieces but the kings, which are on these squares, White's first.
    #[inline]
    pub(super) fn of(board: &Board, kings: [Square; 2]) -> Self {
        let mut lists = [List::EMPTY; 2];
        for color in Color::ALL {
            for &piece_type in &PieceType::ALL[..5] {
                let [white, black] =
                    Color::ALL.map(|player| base(player, kings[player.index()], color, piece_type));
                for square in board.pieces(color, piece_type) {
                    lists[0].push((white + square.index()) as u16);
                    lists[1].push((black + (square.index() ^ 63)) as u16);
                }
            }
        }
        Self(lists)
    }

    pub(super) fn of_player(&self, player: Color) -> &[u16] {
        self.0[player.index()].as_slice()
    }
}

/// What one player's features lose and gain from one board to another, his king on the same square.
pub(super) fn difference(
    perspective: Color,
    king: Square,
    from: &Board,
    to: &Board,
) -> (List, List) {
    let (mut removed, mut added) = (List::EMPTY, List::EMPTY);
    for color in Color::ALL {
        for &piece_type in &PieceType::ALL[..5] {
            let base = base(perspective, king, color, piece_type);
            let (before, after) = (from.pieces(color, piece_type), to.pieces(color, piece_type));
            for square in before - after {
                removed.push((base + seen(perspective, square)) as u16);
            }
            for square in after - before {
                added.push((base + seen(perspective, square)) as u16);
            }
        }
    }
    (removed, added)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_feature_but_the_first_of_each_block_has_one_piece_on_one_square() {
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
    fn the_difference_from_an_empty_board_is_every_feature() {
        let kings = [Square::E1, Square::E8];
        let all = Features::of(&Board::INITIAL, kings);
        for player in Color::ALL {
            let king = kings[player.index()];
            let (removed, added) = difference(player, king, &Board::EMPTY, &Board::INITIAL);
            assert!(removed.as_slice().is_empty());
            assert_eq!(added.as_slice(), all.of_player(player));
            let one_by_one: Vec<u16> = Board::INITIAL
                .iter()
                .filter_map(|(square, piece)| feature(player, king, piece, square))
                .collect();
            assert_eq!(one_by_one.len(), 30);
            assert!(one_by_one.iter().all(|feature| added.as_slice().contains(feature)));
        }
    }
}
