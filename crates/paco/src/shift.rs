//! Set-wise shifts of bitboards, to find all movable pieces without a loop.

use chess::{Bitboard, Color};

const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
const NOT_AB: u64 = 0xfcfc_fcfc_fcfc_fcfc;
const NOT_GH: u64 = 0x3f3f_3f3f_3f3f_3f3f;

/// The squares one step left or right of a square of the set.
#[inline(always)]
const fn beside(set: u64) -> u64 {
    (set << 1 & NOT_A) | (set >> 1 & NOT_H)
}

/// The squares next to a square of the set along a file or a rank.
#[inline(always)]
pub(crate) const fn orthogonal(set: Bitboard) -> Bitboard {
    Bitboard(set.0 << 8 | set.0 >> 8 | beside(set.0))
}

/// The squares next to a square of the set along a diagonal.
#[inline(always)]
pub(crate) const fn diagonal(set: Bitboard) -> Bitboard {
    let beside = beside(set.0);
    Bitboard(beside << 8 | beside >> 8)
}

/// The squares a knight's leap away from a square of the set.
#[inline(always)]
pub(crate) const fn leap(set: Bitboard) -> Bitboard {
    let one = beside(set.0);
    let two = (set.0 << 2 & NOT_AB) | (set.0 >> 2 & NOT_GH);
    Bitboard(one << 16 | one >> 16 | two << 8 | two >> 8)
}

/// The squares one step ahead of a square of the set, as this player's pawns go.
#[inline(always)]
pub(crate) const fn ahead(color: Color, set: Bitboard) -> Bitboard {
    match color {
        Color::White => Bitboard(set.0 << 8),
        Color::Black => Bitboard(set.0 >> 8),
    }
}

/// The squares one step behind a square of the set, as this player's pawns go.
#[inline(always)]
pub(crate) const fn behind(color: Color, set: Bitboard) -> Bitboard {
    match color {
        Color::White => Bitboard(set.0 >> 8),
        Color::Black => Bitboard(set.0 << 8),
    }
}

/// The squares from which a pawn of this player attacks a square of the set.
#[inline(always)]
pub(crate) const fn pawns_attacking(color: Color, set: Bitboard) -> Bitboard {
    behind(color, Bitboard(beside(set.0)))
}

#[cfg(test)]
mod tests {
    use chess::{Square, attacks, sliders};

    use super::*;

    #[test]
    fn shifted_sets_are_unions_of_single_steps() {
        for square in Square::all() {
            let set = square.bitboard();
            assert_eq!(leap(set), attacks::knight(square));
            assert_eq!(orthogonal(set) | diagonal(set), attacks::king(square));
            assert_eq!(
                orthogonal(set),
                attacks::king(square) & sliders::rook(square, Bitboard::FULL)
            );
            for color in Color::ALL {
                for pawn in Square::all() {
                    let attacking = attacks::pawn(color, pawn).has(square);
                    assert_eq!(pawns_attacking(color, set).has(pawn), attacking);
                    assert_eq!(
                        ahead(color, pawn.bitboard()).has(square),
                        behind(color, set).has(pawn)
                    );
                }
            }
        }
        let a = Bitboard(0x8100_0000_1008_0081);
        let b = Bitboard(0x00ff_0240_0000_1c00);
        assert_eq!(leap(a | b), leap(a) | leap(b));
        assert_eq!(diagonal(a | b), diagonal(a) | diagonal(b));
        assert_eq!(orthogonal(a | b), orthogonal(a) | orthogonal(b));
    }
}
