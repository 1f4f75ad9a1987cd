//! Magic bitboards.
//!
//! Multiplied by a magic number, the relevant occupancy of a slider yields an index in the top bits of the
//! product, different wherever the attacks differ. `cargo run --release -p xtask --example find_magics` finds magic
//! numbers by trying sparse random ones. The table is filled at compile time, and a collision of different
//! attacks is a compile error.

use super::tables::{BISHOP_STEPS, ENTRIES, ROOK_STEPS, SLOTS, TABLE_SIZE, lines, relevant};
use crate::{Bitboard, Square};

/// The name of the backend.
pub const NAME: &str = "magic";

#[derive(Clone, Copy)]
struct Entry {
    mask: u64,
    magic: u64,
    shift: u32,
    offset: u32,
}

struct Tables {
    rooks: [Entry; 64],
    bishops: [Entry; 64],
    attacks: [u64; TABLE_SIZE],
}

#[allow(long_running_const_eval, reason = "a hundred thousand entries take two seconds")]
static TABLES: Tables = {
    let none = Entry { mask: 0, magic: 0, shift: 0, offset: 0 };
    let mut tables = Tables { rooks: [none; 64], bishops: [none; 64], attacks: [0; TABLE_SIZE] };
    let mut offset = 0;
    let mut slot = 0;
    while slot != SLOTS {
        let (square, rook) = (Square::from_index_wrapping(slot), slot < 64);
        let mask = relevant(square, if rook { ROOK_STEPS } else { BISHOP_STEPS }).0;
        let magic = if rook { ROOK_MAGICS[slot] } else { BISHOP_MAGICS[slot - 64] };
        let shift = 64 - mask.count_ones();
        let entry = Entry { mask, magic, shift, offset: offset as u32 };
        if rook {
            tables.rooks[square.index()] = entry;
        } else {
            tables.bishops[square.index()] = entry;
        }
        let [first, second] = lines(rook, square);
        let mut a = 0;
        while a < first.len {
            let (subset, attacked) = (first.subsets[a], first.attacks[a]);
            let mut b = 0;
            while b < second.len {
                let product = (subset | second.subsets[b]).wrapping_mul(magic);
                let (index, attacked) =
                    (offset + (product >> shift) as usize, attacked | second.attacks[b]);
                // A slider attacks something on every board: zero marks a free entry.
                let found = tables.attacks[index];
                assert!(found == 0 || found == attacked, "not a magic number");
                tables.attacks[index] = attacked;
                b += 1;
            }
            a += 1;
        }
        offset += 1 << mask.count_ones();
        slot += 1;
    }
    assert!(offset == ENTRIES || SLOTS == 0);
    tables
};

#[inline(always)]
fn look_up(entry: &Entry, occupied: Bitboard) -> Bitboard {
    let product = (occupied.0 & entry.mask).wrapping_mul(entry.magic);
    let index = entry.offset as usize + (product >> (entry.shift & 63)) as usize;
    Bitboard(TABLES.attacks[index % TABLE_SIZE])
}

/// The squares a rook attacks.
#[inline(always)]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    look_up(&TABLES.rooks[square.index()], occupied)
}

/// The squares a bishop attacks.
#[inline(always)]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    look_up(&TABLES.bishops[square.index()], occupied)
}

#[rustfmt::skip]
const ROOK_MAGICS: [u64; 64] = [
    0x0080088020104000, 0x0440009001a00040, 0x1100200040110208, 0x2080041001800802,
    0x028002801c001800, 0x0200100200040801, 0x4080020000800100, 0x008000c300003880,
    0x2520802040008001, 0x0940400020100040, 0x0081802000900080, 0x0002802802801000,
    0x1004808024002800, 0x2902001002000804, 0x0000800200010080, 0x0051000200806100,
    0x4000808000400023, 0x4418810021004000, 0x0000888020001000, 0x04100a0020120040,
    0x1206020010040820, 0x1008808004000200, 0x210004000ab80110, 0xe00012000040a104,
    0x0280004440002000, 0x8010004040002000, 0x4012110300402000, 0x4002002200084010,
    0xc000110100080004, 0x0419008900040002, 0x0001000100020004, 0x0040010200005094,
    0x600240088a800020, 0xa600200080804004, 0x0000802000801000, 0x0020220212000840,
    0x8129080111000500, 0x000a000802001005, 0x0202000802008104, 0x0043104902002084,
    0x0040400080248005, 0x0080500520054000, 0x0030004020010100, 0x0009011000890020,
    0x0080100801010004, 0x0400040002008080, 0x0104014248040050, 0x1100008100420004,
    0x3010450204208200, 0x8800401000200040, 0x0108200440110900, 0x0070000821001100,
    0x0004011800048180, 0x4014010002004040, 0x0820481150124400, 0x0500040080410200,
    0x0200190020800045, 0x3000201080400101, 0x40400a2001001241, 0x4120b00104182101,
    0x4842001005204882, 0x8815000204000801, 0x2200009008020104, 0x2001000028821041,
];

#[rustfmt::skip]
const BISHOP_MAGICS: [u64; 64] = [
    0x0004200800410049, 0x80d01000a0a08420, 0x0008088438802380, 0x8004040090000040,
    0x8104042020820200, 0x2400886088001001, 0x2006010ca2404008, 0x0008240404040200,
    0x1000408408208115, 0x09084c100400429a, 0x000008020c002601, 0x00c3082040400211,
    0x8400020210000110, 0x0000284110100010, 0xc6207c0101901042, 0x1001005c02080200,
    0x0008000408285806, 0x0890040401180110, 0x0122030102040900, 0x1008002082004030,
    0x0405000820085800, 0x000300180c020200, 0x002840aa02022000, 0x4204200104020280,
    0x0160a00809080100, 0x0810284104410400, 0x1600880340404100, 0x1008080120202020,
    0x2001010010104004, 0x2244822082021000, 0x100a0a080c110140, 0xb240810200842090,
    0x0004a00800a00200, 0x4004022000080108, 0x0005080208010404, 0x0940280801220a00,
    0x0088004240ac0100, 0x8490810100c61000, 0x4084042084240080, 0x3608008e80410840,
    0x0420886008201180, 0x0040480290060802, 0x0002220130080200, 0x4042c24010400600,
    0x00000c0094000a02, 0x8008010820200202, 0x4850900090808100, 0x0010010101000028,
    0x80104a0211400008, 0x0001040082080210, 0x4010010061100000, 0x4011099084042040,
    0x20010440b0248009, 0x0008224202420010, 0x080a021828011000, 0x4121040108510240,
    0x8001002101084000, 0x0804004128903001, 0x8001480500411000, 0x0022000c29084804,
    0x8028010012020201, 0x2120204090421088, 0x0008a20204080884, 0x40a0044400404200,
];
