//! Slider attacks: four backends behind one interface.
//!
//! Every backend is a module with the same two functions, `rook` and `bishop`, from a square and
//! the set of occupied squares to the set of attacked ones (up to and including the first piece in each
//! direction).
//!
//! | module          | idea                                                      | tables      |
//! |-----------------|-----------------------------------------------------------|-------------|
//! | [`pext`]        | one instruction packs the relevant occupancy to an index  | 1 MiB       |
//! | [`magic`]       | a multiplication does the same                            | 1 MiB       |
//! | [`above_below`] | first blocker above or below the square in each direction | 4 KiB       |
//! | [`hyperbola`]   | `o ^ (o - 2s)` along each line, and the same in reverse   | 2 KiB       |
//!
//! All of them are always compiled, and each can be called by its own name. The functions of this module use
//! `pext` where the compiler targets BMI2 (`target-cpu=native` on nearly all x86-64 machines) and `magic`
//! elsewhere. The environment variable `TABIYA_SLIDERS`, set to the name of a backend while this crate is
//! compiled, selects another one: on AMD before Zen 3, where pext is slow, `magic` is faster. `make native` sets
//! it there.

use crate::{Bitboard, Square};

pub mod above_below;
pub mod hyperbola;
pub mod magic;
pub mod pext;
mod tables;

#[derive(Clone, Copy)]
enum Backend {
    Pext,
    Magic,
    AboveBelow,
    Hyperbola,
}

/// A constant, so that only the chosen branch of every `match` remains.
const CHOSEN: Backend = match option_env!("TABIYA_SLIDERS") {
    None if cfg!(target_feature = "bmi2") => Backend::Pext,
    None => Backend::Magic,
    Some(name) => match name.as_bytes() {
        b"pext" => Backend::Pext,
        b"magic" => Backend::Magic,
        b"above-below" => Backend::AboveBelow,
        b"hyperbola" => Backend::Hyperbola,
        _ => panic!("TABIYA_SLIDERS is pext, magic, above-below or hyperbola"),
    },
};

/// The name of the backend this build uses.
pub const BACKEND: &str = match CHOSEN {
    Backend::Pext => pext::NAME,
    Backend::Magic => magic::NAME,
    Backend::AboveBelow => above_below::NAME,
    Backend::Hyperbola => hyperbola::NAME,
};

/// The squares a rook attacks.
///
/// ```
/// use tabiya_chess::{bitboard, sliders, Square};
/// let occupied = Square::E6.bitboard() | Square::B4.bitboard();
/// assert_eq!(sliders::rook(Square::E4, occupied), bitboard! {
///     . . . . . . . .
///     . . . . . . . .
///     . . . . X . . .
///     . . . . X . . .
///     . X X X . X X X
///     . . . . X . . .
///     . . . . X . . .
///     . . . . X . . .
/// });
/// ```
#[inline(always)]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    match CHOSEN {
        Backend::Pext => pext::rook(square, occupied),
        Backend::Magic => magic::rook(square, occupied),
        Backend::AboveBelow => above_below::rook(square, occupied),
        Backend::Hyperbola => hyperbola::rook(square, occupied),
    }
}

/// The squares a bishop attacks.
#[inline(always)]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    match CHOSEN {
        Backend::Pext => pext::bishop(square, occupied),
        Backend::Magic => magic::bishop(square, occupied),
        Backend::AboveBelow => above_below::bishop(square, occupied),
        Backend::Hyperbola => hyperbola::bishop(square, occupied),
    }
}

/// The squares a queen attacks.
#[inline(always)]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    rook(square, occupied) | bishop(square, occupied)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    type Attack = fn(Square, Bitboard) -> Bitboard;

    const ROOKS: [(&str, Attack); 4] = [
        (above_below::NAME, above_below::rook),
        (hyperbola::NAME, hyperbola::rook),
        (magic::NAME, magic::rook),
        (pext::NAME, pext::rook),
    ];
    const BISHOPS: [(&str, Attack); 4] = [
        (above_below::NAME, above_below::bishop),
        (hyperbola::NAME, hyperbola::bishop),
        (magic::NAME, magic::bishop),
        (pext::NAME, pext::bishop),
    ];

    /// The reference: a walk to the first piece or the edge.
    fn walk(square: Square, occupied: Bitboard, steps: [(i8, i8); 4]) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        for (files, ranks) in steps {
            let mut next = square.offset(files, ranks);
            while let Some(to) = next {
                set |= to.bitboard();
                next = if occupied.has(to) { None } else { to.offset(files, ranks) };
            }
        }
        set
    }

    fn check(square: Square, occupied: Bitboard) {
        let rook = walk(square, occupied, [(0, 1), (1, 0), (0, -1), (-1, 0)]);
        let bishop = walk(square, occupied, [(1, 1), (1, -1), (-1, -1), (-1, 1)]);
        for (name, attack) in ROOKS {
            assert_eq!(attack(square, occupied), rook, "{name} rook {square} {occupied:?}");
        }
        for (name, attack) in BISHOPS {
            assert_eq!(attack(square, occupied), bishop, "{name} bishop {square} {occupied:?}");
        }
        assert_eq!(queen(square, occupied), rook | bishop);
    }

    #[test]
    fn all_backends_equal_a_ray_walk_on_every_relevant_occupancy() {
        for square in Square::all() {
            let lines = walk(square, Bitboard::EMPTY, [(0, 1), (1, 0), (0, -1), (-1, 0)]);
            let diagonals = walk(square, Bitboard::EMPTY, [(1, 1), (1, -1), (-1, -1), (-1, 1)]);
            // Edge squares never block anything behind them, but they must not disturb either.
            for subset in tables::relevant(square, tables::ROOK_STEPS).subsets() {
                check(square, subset);
            }
            for subset in diagonals.subsets().step_by(7) {
                check(square, subset | (lines & Bitboard(subset.0.rotate_left(17))));
            }
        }
    }

    #[test]
    fn all_backends_equal_a_ray_walk_on_random_boards() {
        let mut rng = Rng::from_seed(0);
        for round in 0..2_000u64 {
            let mut random = || rng.next_u64();
            let occupied = match round % 3 {
                0 => random(),
                1 => random() & random(),
                _ => random() & random() & random(),
            };
            for square in Square::all() {
                check(square, Bitboard(occupied));
            }
        }
    }
}
