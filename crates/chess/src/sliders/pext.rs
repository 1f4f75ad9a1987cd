//! Attacks by `pext`: the instruction that packs the bits under a mask.
//!
//! The occupancy of a slider's relevant squares, packed to the right, is the number of that
//! occupancy among all possible ones: a perfect index into a table of attacks, in one instruction.
//! What is attacked lies on at most 14 squares, so the attacks are kept packed too and spread by
//! `pdep`, the reverse: the table is a quarter of the size, and leaves the cache to others.
//! On targets without BMI2 loops stand in for the instructions: right, but slow.

use super::tables::{BISHOP_STEPS, ENTRIES, ROOK_STEPS, TABLE_SIZE, attacks, relevant};
use crate::attacks::ray;
use crate::{Bitboard, Square};

/// The name in tables and reports.
pub const NAME: &str = "pext";

/// For a square of one kind of slider: whose occupancy matters, what can be attacked at all, and
/// where in the table its attacks begin.
#[derive(Clone, Copy)]
struct Index {
    relevant: u64,
    reach: u64,
    offset: usize,
}

struct Tables {
    rooks: [Index; 64],
    bishops: [Index; 64],
    attacks: [u16; TABLE_SIZE],
}

static TABLES: Tables = {
    const EMPTY: [Index; 64] = [Index { relevant: 0, reach: 0, offset: 0 }; 64];
    let mut tables = Tables { rooks: EMPTY, bishops: EMPTY, attacks: [0; TABLE_SIZE] };
    let mut next = 0;
    let mut slot = 0;
    while slot < 128 {
        let (square, rook) = (Square::from_index(slot), slot < 64);
        let steps = if rook { ROOK_STEPS } else { BISHOP_STEPS };
        let (relevant, reach) = (relevant(square, steps).0, attacks(rook, square, 0));
        let index = Index { relevant, reach, offset: next };
        // What stands on one line changes nothing on the other: each is worked out alone.
        let first = Line::new(rook, square, steps[0], index);
        let second = Line::new(rook, square, steps[1], index);
        let mut n = 0;
        while n < first.count * second.count {
            let (i, j) = (n / second.count, n % second.count);
            let number = first.numbers[i] | second.numbers[j];
            tables.attacks[next + number as usize] = first.attacks[i] | second.attacks[j];
            n += 1;
        }
        let indices = if rook { &mut tables.rooks } else { &mut tables.bishops };
        indices[square.index()] = index;
        next += n;
        slot += 1;
    }
    assert!(next == ENTRIES);
    tables
};

/// One of the two lines through a square: the number of each occupancy of it, and what a slider then
/// attacks on it, packed.
struct Line {
    count: usize,
    numbers: [u16; 64],
    attacks: [u16; 64],
}

impl Line {
    const fn new(rook: bool, square: Square, (files, ranks): (i8, i8), index: Index) -> Self {
        let n = square.index();
        let line = ray(n, files, ranks) | ray(n, -files, -ranks);
        let relevant = index.relevant & line;
        let mut found = Self { count: 0, numbers: [0; 64], attacks: [0; 64] };
        let mut occupied = 0u64;
        loop {
            let attacked = attacks(rook, square, occupied) & line;
            found.numbers[found.count] = packed(occupied, index.relevant) as u16;
            found.attacks[found.count] = packed(attacked, index.reach) as u16;
            found.count += 1;
            // The next subset of the relevant squares.
            occupied = occupied.wrapping_sub(relevant) & relevant;
            if occupied == 0 {
                return found;
            }
        }
    }
}

/// The bits of a value under a mask, packed to the right.
const fn packed(value: u64, mut mask: u64) -> u64 {
    let (mut packed, mut n) = (0, 0);
    while mask != 0 {
        packed |= (value >> mask.trailing_zeros() & 1) << n;
        mask &= mask - 1;
        n += 1;
    }
    packed
}

#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
mod instructions {
    #[inline(always)]
    pub fn pack(value: u64, mask: u64) -> u64 {
        // SAFETY: the instruction exists on every machine this is compiled for (see the cfg above).
        unsafe { std::arch::x86_64::_pext_u64(value, mask) }
    }

    #[inline(always)]
    pub fn spread(value: u64, mask: u64) -> u64 {
        // SAFETY: as above.
        unsafe { std::arch::x86_64::_pdep_u64(value, mask) }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
mod instructions {
    pub fn pack(value: u64, mask: u64) -> u64 {
        super::packed(value, mask)
    }

    pub fn spread(value: u64, mut mask: u64) -> u64 {
        let (mut spread, mut n) = (0, 0);
        while mask != 0 {
            let lowest = mask & mask.wrapping_neg();
            if value >> n & 1 != 0 {
                spread |= lowest;
            }
            mask ^= lowest;
            n += 1;
        }
        spread
    }
}

#[inline(always)]
fn look_up(index: &[Index; 64], square: Square, occupied: Bitboard) -> Bitboard {
    let Index { relevant, reach, offset } = index[square.index()];
    let number = instructions::pack(occupied.0, relevant) as usize;
    let attacks = TABLES.attacks[(offset + number) % TABLE_SIZE];
    Bitboard(instructions::spread(u64::from(attacks), reach))
}

/// The squares a rook attacks.
#[inline(always)]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    look_up(&TABLES.rooks, square, occupied)
}

/// The squares a bishop attacks.
#[inline(always)]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    look_up(&TABLES.bishops, square, occupied)
}
