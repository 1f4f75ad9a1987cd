//! Above/Below bitboards, as Shawn Chidester's engine Bitfoot has them.
//!
//! Seen as bit numbers, all squares in one direction from a square lie either above it (north,
//! north-east, north-west, east) or below it. In a direction that goes up, the first blocker is the
//! lowest occupied bit of the ray; in one that goes down, the highest. The squares up to and with
//! a blocker `x` are then a matter of arithmetic: going up, `x ^ (x - 1)` (the bit and all below it);
//! going down, `-x` (the bit and all above it).
//!
//! With no blocker, `x = 0`. Going up that gives all bits, as it should. Going down it would give
//! none, so bit 0 is added as a blocker of last resort: nothing lies below it.

use crate::attacks::ray;
use crate::{Bitboard, Square};

/// The name in tables and reports.
pub const NAME: &str = "above/below";

const fn ray_table(files: i8, ranks: i8) -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = ray(square, files, ranks);
        square += 1;
    }
    table
}

static NORTH: [u64; 64] = ray_table(0, 1);
static EAST: [u64; 64] = ray_table(1, 0);
static SOUTH: [u64; 64] = ray_table(0, -1);
static WEST: [u64; 64] = ray_table(-1, 0);
static NORTH_EAST: [u64; 64] = ray_table(1, 1);
static NORTH_WEST: [u64; 64] = ray_table(-1, 1);
static SOUTH_EAST: [u64; 64] = ray_table(1, -1);
static SOUTH_WEST: [u64; 64] = ray_table(-1, -1);

/// A ray that goes up, as far as its lowest blocker.
#[inline(always)]
const fn up_to_lowest(ray: u64, occupied: u64) -> u64 {
    let blockers = ray & occupied;
    ray & (blockers ^ blockers.wrapping_sub(1))
}

/// A ray that goes down, as far as its highest blocker.
#[inline(always)]
const fn down_to_highest(ray: u64, occupied: u64) -> u64 {
    let blockers = (ray & occupied) | 1;
    ray & (!0 << (63 - blockers.leading_zeros()))
}

/// The squares a rook attacks.
#[inline(always)]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    let (from, occupied) = (square.index(), occupied.0);
    Bitboard(
        up_to_lowest(NORTH[from], occupied)
            | up_to_lowest(EAST[from], occupied)
            | down_to_highest(SOUTH[from], occupied)
            | down_to_highest(WEST[from], occupied),
    )
}

/// The squares a bishop attacks.
#[inline(always)]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    let (from, occupied) = (square.index(), occupied.0);
    Bitboard(
        up_to_lowest(NORTH_EAST[from], occupied)
            | up_to_lowest(NORTH_WEST[from], occupied)
            | down_to_highest(SOUTH_EAST[from], occupied)
            | down_to_highest(SOUTH_WEST[from], occupied),
    )
}
