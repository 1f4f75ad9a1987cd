//! The 960 start positions of Chess960, by Scharnagl number.

use crate::{Bitboard, Board, Color, File, Piece, PieceType, Position, Setup, Square};

/// The number of start positions.
pub const STARTS: u16 = 960;

/// The home rank from a to h of a Scharnagl number, or `None` if it is not below 960.
///
/// The number is in mixed radix: the light-squared bishop (4 squares), the dark-squared bishop (4), the queen
/// among the free squares (6), the two knights among the free squares (10); rook, king and rook fill the
/// rest.
///
/// ```
/// use tabiya_chess::{PieceType::*, chess960};
/// let usual = [Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook];
/// assert_eq!(chess960::home_rank(518), Some(usual));
/// assert_eq!(chess960::home_rank(960), None);
/// ```
pub fn home_rank(number: u16) -> Option<[PieceType; 8]> {
    if number >= STARTS {
        return None;
    }
    let number = number as usize;
    let mut rank = [None; 8];
    rank[number % 4 * 2 + 1] = Some(PieceType::Bishop);
    rank[number / 4 % 4 * 2] = Some(PieceType::Bishop);
    place(&mut rank, number / 16 % 6, PieceType::Queen);
    /// The pairs of free squares.
    const KNIGHTS: [(usize, usize); 10] =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    let (first, second) = KNIGHTS[number / 96];
    place(&mut rank, second, PieceType::Knight);
    place(&mut rank, first, PieceType::Knight);
    for piece in [PieceType::Rook, PieceType::King, PieceType::Rook] {
        place(&mut rank, 0, piece);
    }
    Some(rank.map(|piece| piece.unwrap_or(PieceType::Rook)))
}

/// Puts a piece onto the `n`th free square.
fn place(rank: &mut [Option<PieceType>; 8], n: usize, piece: PieceType) {
    if let Some(free) = rank.iter_mut().filter(|square| square.is_none()).nth(n) {
        *free = Some(piece);
    }
}

/// The start position of a Scharnagl number, or `None` if it is not below 960.
///
/// ```
/// use tabiya_chess::{Position, chess960};
/// assert!(chess960::start(0).unwrap().has_chess960_castling_rights());
/// assert!(!Position::INITIAL.has_chess960_castling_rights());
/// ```
pub fn start(number: u16) -> Option<Position> {
    let rank = home_rank(number)?;
    double_start(rank, rank)
}

/// A start position with different home ranks for the two players ("double Fischer random").
pub fn double_start(white: [PieceType; 8], black: [PieceType; 8]) -> Option<Position> {
    let mut board = Board::EMPTY;
    let mut castling_rooks = Bitboard::EMPTY;
    for (color, rank) in [(Color::White, white), (Color::Black, black)] {
        for (file, piece_type) in rank.into_iter().enumerate() {
            let at =
                |square: Square| if color == Color::White { square } else { square.flip_rank() };
            let (home, pawn) =
                (at(Square::from_index_wrapping(file)), at(Square::from_index_wrapping(8 + file)));
            board.put(home, Piece::new(color, piece_type));
            board.put(pawn, Piece::new(color, PieceType::Pawn));
            if piece_type == PieceType::Rook {
                castling_rooks |= home.bitboard();
            }
        }
    }
    Setup { board, castling_rooks, ..Setup::EMPTY }.position().ok()
}

impl Position {
    /// Whether a castling right has its king off the e-file or its rook off the a- and h-files, as
    /// python-chess defines it: standard notation of castling would be ambiguous.
    pub fn has_chess960_castling_rights(&self) -> bool {
        self.castling_rooks().into_iter().any(|rook| {
            let color = if rook.rank() == crate::Rank::First { Color::White } else { Color::Black };
            self.king(color).file() != File::E || !matches!(rook.file(), File::A | File::H)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn all_starts_are_different_and_obey_the_rules_of_fischer() {
        let mut seen = HashSet::new();
        for number in 0..STARTS {
            let rank = home_rank(number).unwrap();
            let at = |piece| (0..8).filter(|&file| rank[file] == piece).collect::<Vec<usize>>();
            let (bishops, rooks, king) =
                (at(PieceType::Bishop), at(PieceType::Rook), at(PieceType::King));
            assert_ne!(bishops[0] % 2, bishops[1] % 2);
            assert!(rooks[0] < king[0] && king[0] < rooks[1]);
            assert_eq!(at(PieceType::Knight).len(), 2);
            assert!(seen.insert(rank));
            let position = start(number).unwrap();
            assert_eq!(position.castling_rooks().len(), 4);
            assert_eq!(Position::from_fen(&position.fen()), Ok(position));
        }
        assert_eq!(start(518), Some(Position::INITIAL));
    }
}
