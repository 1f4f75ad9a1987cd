//! The four-bit piece codes of a packed row.

use crate::{Board, Color, Piece, PieceType};

pub(super) const CASTLING_WHITE: u8 = 6;
pub(super) const CASTLING_BLACK: u8 = 14;
pub(super) const EN_PASSANT_PAWN: u8 = 7;
pub(super) const BLACK_KING_TO_MOVE: u8 = 15;

/// The code by plane bits; see [`Board`].
static NIBBLES: [u8; 16] = {
    let mut table = [0; 16];
    let mut i = 0;
    while i < 12 {
        let piece = Piece::ALL[i];
        let code = crate::board::code(piece.piece_type()) as usize;
        table[code | (piece.color() as usize) << 3] = piece.to_bits();
        i += 1;
    }
    table
};

/// The piece of each code. An en-passant pawn is White's here: its rank determines the color.
pub(super) static CODES: [Piece; 16] = {
    let mut table = [Piece::new(Color::White, PieceType::Pawn); 16];
    let mut code = 0;
    while code < 16 {
        let bits = match code as u8 {
            CASTLING_WHITE => PieceType::Rook as u8,
            CASTLING_BLACK => PieceType::Rook as u8 | 8,
            BLACK_KING_TO_MOVE => PieceType::King as u8 | 8,
            bits => bits,
        };
        if let Some(piece) = Piece::from_bits(bits) {
            table[code] = piece;
        }
        code += 1;
    }
    table
};

/// The plane bits of each code: leaps, diagonal, straight, black.
pub(super) static PLANES: [[u64; 4]; 16] = {
    let mut table = [[0; 4]; 16];
    let mut code = 0;
    while code < 16 {
        let bits = match code as u8 {
            CASTLING_WHITE => PieceType::Rook as u8,
            CASTLING_BLACK => PieceType::Rook as u8 | 8,
            // The rank determines the color.
            EN_PASSANT_PAWN => PieceType::Pawn as u8,
            BLACK_KING_TO_MOVE => PieceType::King as u8 | 8,
            bits => bits,
        };
        let plane = match Piece::from_bits(bits) {
            Some(piece) => crate::board::code(piece.piece_type()) | (piece.color() as u64) << 3,
            None => 0,
        };
        table[code] = [plane & 1, plane >> 1 & 1, plane >> 2 & 1, plane >> 3 & 1];
        code += 1;
    }
    table
};

/// The codes of all pieces in square order.
#[inline(always)]
pub(super) fn encode(board: &Board) -> u128 {
    let Board { leaps, diagonal, straight, black } = *board;
    let mut halves = [0u64; 2];
    let mut rest = board.occupied().0;
    for half in &mut halves {
        let mut at = 0;
        while rest != 0 && at < 64 {
            let n = rest.trailing_zeros();
            let bit = |plane: u64| (plane >> n & 1) as usize;
            let code = bit(leaps) | bit(diagonal) << 1 | bit(straight) << 2 | bit(black) << 3;
            *half |= u64::from(NIBBLES[code]) << at;
            at += 4;
            rest &= rest - 1;
        }
    }
    u128::from(halves[0]) | u128::from(halves[1]) << 64
}
