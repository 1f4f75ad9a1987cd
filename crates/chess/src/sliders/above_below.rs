//! Above/Below bitboards, after Shawn Chidester's engine Bitfoot.
//!
//! As bit indices, all squares in one direction from a square lie either above it (north, north-east,
//! north-west, east) or below it. On a ray above, the first blocker is the lowest occupied bit; on a ray
//! below, the highest. The attacked squares up to and including a blocker `x` are then a mask: above,
//! `x ^ (x - 1)` (the bit and all below it); below, `-x` (the bit and all above it).
//!
//! Without a blocker, `x = 0`. Above that gives all bits, as it should. Below it would give none, so bit 0 is
//! added as a blocker: nothing lies below it.

use crate::attacks::ray;
use crate::{Bitboard, Square};

/// The name of the backend.
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

/// A ray above its origin, up to and including its lowest blocker.
#[inline(always)]
const fn up_to_lowest(ray: u64, occupied: u64) -> u64 {
    let blockers = ray & occupied;
    ray & (blockers ^ blockers.wrapping_sub(1))
}

/// A ray below its origin, down to and including its highest blocker.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard;

    type Direction = (&'static [u64; 64], (i8, i8), fn(u64, u64) -> u64);

    const DIRECTIONS: [Direction; 8] = [
        (&NORTH, (0, 1), up_to_lowest),
        (&EAST, (1, 0), up_to_lowest),
        (&NORTH_EAST, (1, 1), up_to_lowest),
        (&NORTH_WEST, (-1, 1), up_to_lowest),
        (&SOUTH, (0, -1), down_to_highest),
        (&WEST, (-1, 0), down_to_highest),
        (&SOUTH_EAST, (1, -1), down_to_highest),
        (&SOUTH_WEST, (-1, -1), down_to_highest),
    ];

    /// The reference: a walk to the first piece or the edge.
    fn walk(square: Square, (files, ranks): (i8, i8), occupied: Bitboard) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        let mut next = square.offset(files, ranks);
        while let Some(to) = next {
            set |= to.bitboard();
            next = if occupied.has(to) { None } else { to.offset(files, ranks) };
        }
        set
    }

    #[test]
    fn each_direction_matches_a_ray_walk_for_every_occupancy_of_its_ray() {
        for (rays, step, attack) in DIRECTIONS {
            for square in Square::all() {
                let ray = Bitboard(rays[square.index()]);
                assert_eq!(ray, walk(square, step, Bitboard::EMPTY), "{step:?} {square}");
                for subset in ray.subsets() {
                    let expected = walk(square, step, subset);
                    for others in [Bitboard::EMPTY, !ray, square.bitboard()] {
                        let found = Bitboard(attack(ray.0, (subset | others).0));
                        assert_eq!(found, expected, "{step:?} {square} {subset:?} {others:?}");
                    }
                }
            }
        }
    }

    /// The board of Bitfoot's README for `_SOUTH_EAST[B7]`.
    #[test]
    fn south_east_of_b7_the_first_blocker_is_the_highest_bit() {
        let ray = bitboard! {
            . . . . . . . .
            . . . . . . . .
            . . X . . . . .
            . . . X . . . .
            . . . . X . . .
            . . . . . X . .
            . . . . . . X .
            . . . . . . . X
        };
        let occupied = bitboard! {
            X X . X X X X X
            X X X X X X X X
            . X . . . . . .
            . . . . . . . .
            . . . . X . . .
            . . X . . . . .
            X X X X . X X X
            X . X X X X X X
        };
        let intersects = bitboard! {
            . . . . . . . .
            . . . . . . . .
            . . . . . . . .
            . . . . . . . .
            . . . . X . . .
            . . . . . . . .
            . . . . . . X .
            . . . . . . . X
        };
        let unoccupied = bitboard! {
            . . . . . . . .
            . . . . . . . .
            . . X . . . . .
            . . . X . . . .
            . . . . . . . .
            . . . . . . . .
            . . . . . . . .
            . . . . . . . .
        };
        assert_eq!(Bitboard(SOUTH_EAST[Square::B7.index()]), ray);
        assert_eq!(ray & occupied, intersects);
        assert_eq!(intersects.last(), Some(Square::E4));
        let attacked = Bitboard(down_to_highest(ray.0, occupied.0));
        assert_eq!(attacked, unoccupied | Square::E4.bitboard());
    }

    /// The board of Bitfoot's README for `_NORTH_EAST[B2]`.
    #[test]
    fn north_east_of_b2_the_first_blocker_is_the_lowest_bit() {
        let ray = bitboard! {
            . . . . . . . X
            . . . . . . X .
            . . . . . X . .
            . . . . X . . .
            . . . X . . . .
            . . X . . . . .
            . . . . . . . .
            . . . . . . . .
        };
        let occupied = bitboard! {
            X X X X X X X X
            X X X X . X . X
            . . . . . . X .
            . . . . X . . .
            . . . . . . . .
            . X . . . . . .
            X X X X X X X X
            X X . X X X X X
        };
        let intersects = bitboard! {
            . . . . . . . X
            . . . . . . . .
            . . . . . . . .
            . . . . X . . .
            . . . . . . . .
            . . . . . . . .
            . . . . . . . .
            . . . . . . . .
        };
        let unoccupied = bitboard! {
            . . . . . . . .
            . . . . . . . .
            . . . . . . . .
            . . . . . . . .
            . . . X . . . .
            . . X . . . . .
            . . . . . . . .
            . . . . . . . .
        };
        assert_eq!(Bitboard(NORTH_EAST[Square::B2.index()]), ray);
        assert_eq!(ray & occupied, intersects);
        assert_eq!(intersects.first(), Some(Square::E5));
        let attacked = Bitboard(up_to_lowest(ray.0, occupied.0));
        assert_eq!(attacked, unoccupied | Square::E5.bitboard());
    }
}
