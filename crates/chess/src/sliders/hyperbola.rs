//! Hyperbola quintessence: subtraction finds the first blocker, no large tables.
//!
//! On one line `m` through the slider `s`, with `o` the occupied squares of that line,
//! `o - 2s` borrows from the first blocker above `s`, so `o ^ (o - 2s)` marks all squares from `s`
//! up to that blocker. With all bits in reverse order the same subtraction finds the blocker below.
//! Two kilobytes of line masks; the choice for small targets. All of it is `const`, so it also
//! fills the tables of the other backends.
//!
//! Reference: Gerd Isenberg and Aleks Peshkov, chessprogramming.org, "Hyperbola Quintessence".

use crate::attacks::ray;
use crate::{Bitboard, Square};

/// The name of the backend.
pub const NAME: &str = "hyperbola";

/// The two lines of one kind of slider through a square, without the square.
pub(super) const fn lines(square: usize, step: (i8, i8)) -> [u64; 2] {
    let (files, ranks) = step;
    [
        ray(square, files, ranks) | ray(square, -files, -ranks),
        // The perpendicular.
        ray(square, -ranks, files) | ray(square, ranks, -files),
    ]
}

const fn line_table(step: (i8, i8)) -> [[u64; 2]; 64] {
    let mut table = [[0; 2]; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = lines(square, step);
        square += 1;
    }
    table
}

const ROOK_LINES: [[u64; 2]; 64] = line_table((0, 1));
const BISHOP_LINES: [[u64; 2]; 64] = line_table((1, 1));

#[inline(always)]
pub(super) const fn along(line: u64, slider: u64, occupied: u64) -> u64 {
    let blockers = occupied & line;
    let up = blockers.wrapping_sub(slider << 1);
    let down = blockers.reverse_bits().wrapping_sub(slider.reverse_bits() << 1).reverse_bits();
    (up ^ down) & line
}

#[inline(always)]
const fn attacks(lines: [u64; 2], square: Square, occupied: Bitboard) -> Bitboard {
    let slider = square.bitboard().0;
    Bitboard(along(lines[0], slider, occupied.0) | along(lines[1], slider, occupied.0))
}

/// The squares a rook attacks.
#[inline(always)]
pub const fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    attacks(ROOK_LINES[square.index()], square, occupied)
}

/// The squares a bishop attacks.
#[inline(always)]
pub const fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    attacks(BISHOP_LINES[square.index()], square, occupied)
}
