//! What the two table-driven backends share: which squares matter, and where a square's part of the
//! table begins.

use super::hyperbola;
use crate::{Bitboard, Square};

pub(super) const ROOK_STEPS: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
pub(super) const BISHOP_STEPS: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

/// One entry for each subset of each square's relevant squares: 102,400 for rooks, 5,248 for bishops.
pub(super) const ENTRIES: usize = 107_648;

/// A power of two, so that a mask and no branch keeps an index inside the table.
pub(super) const TABLE_SIZE: usize = 1 << 17;

/// The squares whose occupancy changes a slider's attacks: its lines without their last squares,
/// for nothing stands behind the edge.
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

/// The attacks that a table entry holds, worked out without tables.
pub(super) const fn attacks(rook: bool, square: Square, occupied: u64) -> u64 {
    if rook {
        hyperbola::rook(square, Bitboard(occupied)).0
    } else {
        hyperbola::bishop(square, Bitboard(occupied)).0
    }
}
