//! Shared by the two table-driven backends: relevant occupancy masks and table sizes.

use super::hyperbola;
use crate::{Bitboard, Square};

pub(super) const ROOK_STEPS: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
pub(super) const BISHOP_STEPS: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

/// One entry for each subset of each square's relevant squares: 102,400 for rooks, 5,248 for bishops.
pub(super) const ENTRIES: usize = 107_648;

/// A power of two, so that a mask instead of a bounds check keeps an index in range.
pub(super) const TABLE_SIZE: usize = 1 << 17;

/// The relevant occupancy mask: a slider's lines without their edge squares.
pub(super) const fn relevant(square: Square, steps: [(i8, i8); 4]) -> Bitboard {
    let mut set = 0;
    let mut direction = 0;
    while direction < 4 {
        let (files, ranks) = steps[direction];
        let mut next = square.offset(files, ranks);
        while let Some(to) = next {
            next = to.offset(files, ranks);
            if next.is_some() {
                set |= to.bitboard().0;
            }
        }
        direction += 1;
    }
    Bitboard(set)
}

/// The attacks of a table entry, computed without tables.
pub(super) const fn attacks(rook: bool, square: Square, occupied: u64) -> u64 {
    if rook {
        hyperbola::rook(square, Bitboard(occupied)).0
    } else {
        hyperbola::bishop(square, Bitboard(occupied)).0
    }
}
