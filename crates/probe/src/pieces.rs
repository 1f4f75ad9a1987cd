//! Piece lists of nnue-probe: two arrays, kings first, terminated by 0.

use std::ffi::c_int;

use chess::{Board, Color, Piece, PieceType, Square};

use crate::ProbeError;

/// The longest piece list.
const MAX_PIECES: usize = 32;

/// Piece types in the order of nnue-probe's codes.
const ORDER: [PieceType; 6] = [
    PieceType::King,
    PieceType::Queen,
    PieceType::Rook,
    PieceType::Bishop,
    PieceType::Knight,
    PieceType::Pawn,
];

/// The piece of a code from 1 (white king) to 12 (black pawn).
pub fn piece(code: c_int) -> Option<Piece> {
    let n = usize::try_from(code).ok()?.checked_sub(1)?;
    let color = *Color::ALL.get(n / 6)?;
    Some(Piece::new(color, ORDER[n % 6]))
}

/// The square of a number from 0 (a1) to 63 (h8).
pub fn square(number: c_int) -> Option<Square> {
    let n = usize::try_from(number).ok()?;
    (n < 64).then(|| Square::from_index_wrapping(n))
}

/// The board of a piece list.
///
/// # Safety
/// Both pointers are null or point to arrays as long as the list, its terminating 0 included. Reading stops
/// at a 0, after 33 pieces, or at an invalid piece.
pub unsafe fn board(pieces: *const c_int, squares: *const c_int) -> Result<Board, ProbeError> {
    if pieces.is_null() {
        return Err(ProbeError::Null("the list of pieces"));
    }
    if squares.is_null() {
        return Err(ProbeError::Null("the list of squares"));
    }
    let mut board = Board::EMPTY;
    for n in 0..=MAX_PIECES {
        // SAFETY: there was no 0 yet, so the list continues. Arrays may be in packed structures: no
        // alignment is assumed.
        let code = unsafe { pieces.add(n).read_unaligned() };
        match (n, code) {
            (0, 1) | (1, 7) => {}
            (0 | 1, _) => return Err(ProbeError::KingsFirst),
            (_, 0) => return Ok(board),
            (MAX_PIECES, _) => return Err(ProbeError::Endless),
            (_, 1 | 7) => return Err(ProbeError::Kings),
            _ => {}
        }
        let piece = piece(code).ok_or(ProbeError::Piece { n, code })?;
        // SAFETY: every piece has a square.
        let number = unsafe { squares.add(n).read_unaligned() };
        let square = square(number).ok_or(ProbeError::Square { n, number })?;
        if board.occupied().has(square) {
            return Err(ProbeError::SharedSquare(square));
        }
        board.put(square, piece);
    }
    Err(ProbeError::Endless)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_nnue_probe() {
        let letters: String = (-1..15).filter_map(piece).map(Piece::letter).collect();
        assert_eq!(letters, "KQRBNPkqrbnp");
        assert_eq!((-2..70).filter_map(square).count(), 64);
    }
}
