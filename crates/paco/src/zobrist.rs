//! Zobrist hashing.
//!
//! The key is the XOR of a random number for each settled piece, lifted piece, the player, the en-passant
//! square, each castling right and the required action. The counters are not part of the key.

use chess::{Color, Square};

use crate::{PieceType, Required, Rng};

const SETTLED: usize = 0;
const LIFTED: usize = SETTLED + 2 * 6 * 64;
const EN_PASSANT: usize = LIFTED + 2 * 6 * 64;
const CASTLING: usize = EN_PASSANT + 64;
const REQUIRED: usize = CASTLING + 64;
const PLAYER: usize = REQUIRED + 5;
const COUNT: usize = PLAYER + 1;

static NUMBERS: [u64; COUNT] = {
    let mut rng = Rng::from_seed(0x7061_636f_7361_6b6f);
    let mut numbers = [0; COUNT];
    let mut i = 0;
    while i < COUNT {
        numbers[i] = rng.next_u64();
        i += 1;
    }
    numbers
};

#[inline(always)]
const fn piece_offset(color: Color, piece: PieceType, square: Square) -> usize {
    (color.index() * 6 + piece.index()) * 64 + square.index()
}

/// The number of a settled piece.
#[inline(always)]
pub(crate) fn settled(color: Color, piece: PieceType, square: Square) -> u64 {
    NUMBERS[SETTLED + piece_offset(color, piece, square)]
}

/// The number of a piece in the hand over a square.
#[inline(always)]
pub(crate) fn lifted(color: Color, piece: PieceType, square: Square) -> u64 {
    NUMBERS[LIFTED + piece_offset(color, piece, square)]
}

/// The number of an en-passant square.
#[inline(always)]
pub(crate) fn en_passant(square: Square) -> u64 {
    NUMBERS[EN_PASSANT + square.index()]
}

/// The number of a right to castle with the rook of this square.
#[inline(always)]
pub(crate) fn castling(rook: Square) -> u64 {
    NUMBERS[CASTLING + rook.index()]
}

/// The number of the required action; zero for the lift that opens most turns.
#[inline(always)]
pub(crate) fn required(required: Required) -> u64 {
    match required {
        Required::Lift => 0,
        _ => NUMBERS[REQUIRED + required as usize],
    }
}

/// The number of Black to move.
#[inline(always)]
pub(crate) fn black_to_move() -> u64 {
    NUMBERS[PLAYER]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_differ() {
        let distinct: std::collections::BTreeSet<u64> = NUMBERS.into_iter().collect();
        assert_eq!(distinct.len(), COUNT);
        assert!(!distinct.contains(&0));
    }
}
