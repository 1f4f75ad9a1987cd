//! Pext bitboards: the BMI2 instruction that extracts the bits under a mask.
//!
//! The extracted relevant occupancy is a perfect index into a table of attacks, in one instruction. On targets
//! without BMI2 a loop emulates the instruction, slowly.

use super::tables::{
    BISHOP_STEPS, ENTRIES, ROOK_STEPS, SLOTS, SliderLine, TABLE_SIZE, lines, relevant,
};
use crate::{Bitboard, Square};

/// The name of the backend.
pub const NAME: &str = "pext";

/// For each square of one kind of slider, the relevant mask and the offset of its attacks.
struct Index {
    masks: [u64; 64],
    offsets: [usize; 64],
}

struct Tables {
    rooks: Index,
    bishops: Index,
    attacks: [u64; TABLE_SIZE],
}

#[allow(long_running_const_eval, reason = "a hundred thousand entries take two seconds")]
static TABLES: Tables = {
    const EMPTY: Index = Index { masks: [0; 64], offsets: [0; 64] };
    let mut tables = Tables { rooks: EMPTY, bishops: EMPTY, attacks: [0; TABLE_SIZE] };
    let mut next = 0;
    let mut slot = 0;
    while slot != SLOTS {
        let (square, rook) = (Square::from_index_wrapping(slot), slot < 64);
        let mask = relevant(square, if rook { ROOK_STEPS } else { BISHOP_STEPS }).0;
        let index = if rook { &mut tables.rooks } else { &mut tables.bishops };
        index.masks[square.index()] = mask;
        index.offsets[square.index()] = next;
        let [first, second] = lines(rook, square);
        let (first_numbers, second_numbers) = (numbers(&first, mask), numbers(&second, mask));
        let mut a = 0;
        while a < first.len {
            let (begin, attacked) = (next + first_numbers[a], first.attacks[a]);
            let mut b = 0;
            while b < second.len {
                tables.attacks[begin + second_numbers[b]] = attacked | second.attacks[b];
                b += 1;
            }
            a += 1;
        }
        next += first.len * second.len;
        slot += 1;
    }
    assert!(next == ENTRIES || SLOTS == 0);
    tables
};

/// The numbers that pext gives to the subsets of a line.
const fn numbers(line: &SliderLine, mask: u64) -> [usize; 64] {
    let mut numbers = [0; 64];
    let mut n = 0;
    while n < line.len {
        numbers[n] = pack_bits(line.subsets[n], mask) as usize;
        n += 1;
    }
    numbers
}

#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
#[inline(always)]
fn pack(value: u64, mask: u64) -> u64 {
    // SAFETY: the instruction exists on every machine this was compiled for (see the cfg above).
    unsafe { core::arch::x86_64::_pext_u64(value, mask) }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
use pack_bits as pack;

/// What the instruction computes.
const fn pack_bits(value: u64, mask: u64) -> u64 {
    let mut packed = 0;
    let (mut rest, mut n) = (mask, 0);
    while rest != 0 {
        packed |= (value >> rest.trailing_zeros() & 1) << n;
        rest &= rest - 1;
        n += 1;
    }
    packed
}

#[inline(always)]
fn look_up(index: &Index, square: Square, occupied: Bitboard) -> Bitboard {
    let number = pack(occupied.0, index.masks[square.index()]) as usize;
    Bitboard(TABLES.attacks[(index.offsets[square.index()] + number) % TABLE_SIZE])
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
