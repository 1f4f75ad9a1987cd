//! Zobrist hashing: a random number for each feature of a position; the key is the XOR of all present.
//!
//! Positions that are equal under the repetition rule have equal keys: pieces, side to move, castling rights
//! (by rook square, so that Chess960 needs no special case) and the en-passant file, only if such a capture
//! is legal. Clocks are not part of the key.

use crate::board;
use crate::rng::{INCREMENT, mix};
use crate::{Bitboard, Board, Color, Piece, PieceType, Position, Square};

/// The `n`th number of SplitMix64's sequence of seed 0.
const fn random(n: u64) -> u64 {
    mix(n.wrapping_mul(INCREMENT))
}

const fn random_table<const N: usize>(seed: u64) -> [u64; N] {
    let mut table = [0; N];
    let mut i = 0;
    while i < N {
        table[i] = random(seed * 4096 + i as u64);
        i += 1;
    }
    table
}

#[inline(always)]
const fn code(piece: Piece) -> usize {
    board::code(piece.piece_type()) as usize | (piece.color() as usize) << 3
}

/// The number of the `n`th of [`Piece::ALL`] on a square.
const fn piece_number(n: usize, square: usize) -> u64 {
    random((1 + n as u64) * 4096 + square as u64)
}

/// By plane code (see [`Board`]) and square.
static PIECES: [[u64; 64]; 16] = {
    let mut table = [[0; 64]; 16];
    let mut i = 0;
    while i < 12 {
        let mut square = 0;
        while square < 64 {
            table[code(Piece::ALL[i])][square] = piece_number(i, square);
            square += 1;
        }
        i += 1;
    }
    table
};
static CASTLING: [u64; 64] = random_table(13);
/// By file; eight zeros follow for no en passant, so that no branch is needed.
static EN_PASSANT: [u64; 16] = {
    let files: [u64; 8] = random_table(14);
    let mut table = [0; 16];
    let mut i = 0;
    while i < 8 {
        table[i] = files[i];
        i += 1;
    }
    table
};

/// Black is to move.
pub const BLACK_TO_MOVE: u64 = random(15 * 4096);

/// The key of a piece on a square.
#[inline(always)]
pub fn piece(piece: Piece, square: Square) -> u64 {
    PIECES[code(piece)][square.index()]
}

/// The key of the piece on a square; 0 if it is empty.
#[inline(always)]
pub(crate) fn on_board(board: &Board, square: Square) -> u64 {
    PIECES[board.code_at(square)][square.index()]
}

/// The key of the piece on `from` if it stood on `to`.
#[inline(always)]
pub(crate) fn moved(board: &Board, from: Square, to: Square) -> u64 {
    PIECES[board.code_at(from)][to.index()]
}

/// The key of a set of castling rights, given as the squares of their rooks.
#[inline(always)]
pub(crate) fn castling(rooks: Bitboard) -> u64 {
    rooks.into_iter().fold(0, |key, rook| key ^ CASTLING[rook.index()])
}

/// The key of an en-passant file; 8 and above stand for none.
#[inline(always)]
pub(crate) fn en_passant(file: u8) -> u64 {
    EN_PASSANT[(file & 15) as usize]
}

/// The keys of a position from scratch: (position, pawns only).
pub(crate) fn keys(position: &Position) -> (u64, u64) {
    let (mut key, pawn_key) = board_keys(&position.board);
    key ^= castling(position.castling) ^ en_passant(position.en_passant_file);
    if position.turn == Color::Black {
        key ^= BLACK_TO_MOVE;
    }
    (key, pawn_key)
}

/// The keys of the initial position at compile time.
pub(crate) const fn initial_keys() -> (u64, u64) {
    const HOME: [usize; 8] = [3, 1, 2, 4, 5, 2, 1, 3];
    let (mut key, mut pawn_key) = (0, 0);
    let mut file = 0;
    while file < 8 {
        key ^= piece_number(HOME[file], file) ^ piece_number(6 + HOME[file], 56 + file);
        pawn_key ^= piece_number(0, 8 + file) ^ piece_number(6, 48 + file);
        file += 1;
    }
    let rights: [u64; 64] = random_table(13);
    (key ^ pawn_key ^ rights[0] ^ rights[7] ^ rights[56] ^ rights[63], pawn_key)
}

fn board_keys(board: &Board) -> (u64, u64) {
    let key_of = |squares: Bitboard| {
        squares
            .into_iter()
            .fold(0, |key, square| key ^ PIECES[board.code_at(square)][square.index()])
    };
    let pawns = board.piece_type(PieceType::Pawn);
    let pawn_key = key_of(pawns);
    (pawn_key ^ key_of(board.occupied() - pawns), pawn_key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_constant_keys_of_the_initial_position_are_right() {
        let initial = Position::INITIAL;
        assert_eq!((initial.key, initial.pawn_key), keys(&initial));
    }

    #[test]
    fn all_numbers_are_different() {
        let pieces =
            Piece::ALL.into_iter().flat_map(|p| Square::all().map(move |square| piece(p, square)));
        let others = CASTLING.into_iter().chain(EN_PASSANT[..8].iter().copied());
        let all: BTreeSet<u64> = pieces.chain(others).chain([BLACK_TO_MOVE]).collect();
        assert_eq!(all.len(), 12 * 64 + 64 + 8 + 1);
        assert!(!all.contains(&0));
    }
}
