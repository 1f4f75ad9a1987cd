//! The player to move as a type.
//!
//! Move generation is written once and compiled twice: `White` and `Black` are types, so that the
//! directions of pawns and the home ranks are constants, without branches on the side to move.

use crate::{Bitboard, Color, File, Rank};

/// A player known at compile time.
pub(crate) trait Side {
    type Opponent: Side<Opponent = Self>;
    const COLOR: Color;
    /// One step forward, as a difference of square numbers.
    const FORWARD: i8;
    const HOME_RANK: Bitboard = Rank::First.relative_to(Self::COLOR).bitboard();
    /// The rank of pawns after a single push from their start rank.
    const THIRD_RANK: Bitboard = Rank::Third.relative_to(Self::COLOR).bitboard();

    /// All squares one step ahead.
    fn forward(set: Bitboard) -> Bitboard;

    /// All squares one step ahead and one towards the a-file.
    fn forward_a(set: Bitboard) -> Bitboard;

    /// All squares one step ahead and one towards the h-file.
    fn forward_h(set: Bitboard) -> Bitboard;
}

pub(crate) struct White;
pub(crate) struct Black;

impl Side for White {
    type Opponent = Black;
    const COLOR: Color = Color::White;
    const FORWARD: i8 = 8;

    #[inline(always)]
    fn forward(set: Bitboard) -> Bitboard {
        Bitboard(set.0 << 8)
    }

    #[inline(always)]
    fn forward_a(set: Bitboard) -> Bitboard {
        Bitboard((set - File::A.bitboard()).0 << 7)
    }

    #[inline(always)]
    fn forward_h(set: Bitboard) -> Bitboard {
        Bitboard((set - File::H.bitboard()).0 << 9)
    }
}

impl Side for Black {
    type Opponent = White;
    const COLOR: Color = Color::Black;
    const FORWARD: i8 = -8;

    #[inline(always)]
    fn forward(set: Bitboard) -> Bitboard {
        Bitboard(set.0 >> 8)
    }

    #[inline(always)]
    fn forward_a(set: Bitboard) -> Bitboard {
        Bitboard((set - File::A.bitboard()).0 >> 9)
    }

    #[inline(always)]
    fn forward_h(set: Bitboard) -> Bitboard {
        Bitboard((set - File::H.bitboard()).0 >> 7)
    }
}
