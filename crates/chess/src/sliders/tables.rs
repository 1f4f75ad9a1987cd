//! Shared by the two table-driven backends: relevant occupancy masks, and the tables of attacks.

use super::hyperbola;
use crate::{Bitboard, Square};

pub(super) const ROOK_STEPS: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
pub(super) const BISHOP_STEPS: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

/// One entry for each subset of each square's relevant squares: 102,400 for rooks, 5,248 for bishops.
pub(super) const ENTRIES: usize = 107_648;

/// Rooks and bishops on all squares. Clippy needs no entries, and computing them takes as long as all its lints.
pub(super) const SLOTS: usize = if cfg!(clippy) { 0 } else { 128 };

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

/// The subsets of the relevant squares on one line of a slider, and the squares it attacks along that line.
pub(super) struct SliderLine {
    /// How many there are.
    pub len: usize,
    pub subsets: [u64; 64],
    pub attacks: [u64; 64],
}

/// Both lines of a slider. A subset of all relevant squares is one of each line, and attacks are the union
/// of both: few are computed for many entries, which keeps compile times low.
pub(super) const fn lines(rook: bool, square: Square) -> [SliderLine; 2] {
    let mask = relevant(square, if rook { ROOK_STEPS } else { BISHOP_STEPS }).0;
    let lines = hyperbola::lines(square.index(), if rook { (0, 1) } else { (1, 1) });
    [line(lines[0], mask, square), line(lines[1], mask, square)]
}

const fn line(line: u64, mask: u64, square: Square) -> SliderLine {
    let mask = mask & line;
    let mut found = SliderLine { len: 0, subsets: [0; 64], attacks: [0; 64] };
    let mut subset = 0u64;
    loop {
        found.subsets[found.len] = subset;
        found.attacks[found.len] = hyperbola::along(line, square.bitboard().0, subset);
        found.len += 1;
        subset = subset.wrapping_sub(mask) & mask;
        if subset == 0 {
            return found;
        }
    }
}
