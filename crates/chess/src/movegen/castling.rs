//! Castling paths, for chess and Chess960 alike.

use crate::{Bitboard, File, Square};

/// The castling rights whose path is clear.
#[inline(always)]
pub(super) fn clear(king: Square, rooks: Bitboard, occupied: Bitboard) -> Bitboard {
    let mut clear = Bitboard::EMPTY;
    for rook in rooks {
        let others = occupied - king.bitboard() - rook.bitboard();
        if CastlingPath::of(king, rook).empty.is_disjoint(others) {
            clear |= rook.bitboard();
        }
    }
    clear
}

/// The conditions of castling on the home rank.
pub(crate) struct CastlingPath {
    /// Squares that must be empty but for king and rook: both paths.
    pub empty: Bitboard,
    /// Squares that must not be attacked: the king's path and target. (Being in check is tested elsewhere.)
    pub safe: Bitboard,
}

impl CastlingPath {
    /// The path of a king and a rook on the home rank.
    #[inline(always)]
    pub(crate) fn of(king: Square, rook: Square) -> Self {
        let [empty, safe] = CASTLING_PATHS[king.index() & 7][rook.index() & 7];
        let shift = king.index() & 56;
        Self { empty: Bitboard((empty as u64) << shift), safe: Bitboard((safe as u64) << shift) }
    }
}

/// `[must be empty, must be safe]` on the home rank, by the files of king and rook.
static CASTLING_PATHS: [[[u8; 2]; 8]; 8] = {
    /// All files from one to another, both included.
    const fn span(a: usize, b: usize) -> u8 {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        (0xff << low) & (0xff >> (7 - high))
    }
    let mut table = [[[0; 2]; 8]; 8];
    let mut king = 0;
    while king < 8 {
        let mut rook = 0;
        while rook < 8 {
            let (king_to, rook_to) = if rook > king {
                (File::G as usize, File::F as usize)
            } else {
                (File::C as usize, File::D as usize)
            };
            let safe = span(king, king_to);
            table[king][rook] = [safe | span(rook, rook_to), safe];
            rook += 1;
        }
        king += 1;
    }
    table
};
