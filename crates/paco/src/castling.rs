//! Castling: where the lifted king can be placed to castle, and what moves then.
//!
//! A castling right is identified by the start square of its rook. With the king on the e file and the rook on
//! the a or h file the king is placed on the c or g file, as in chess; in any other setup (Fischer
//! random chess) it is placed onto the rook's square. Either way the king ends on the c or g file
//! and the rook beside it, on the d or f file.

use chess::{Bitboard, Color, File, Square, attacks};

use crate::position::home_square;
use crate::{Position, Rules, chain};

/// A castling move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Castle {
    /// The square on which the king is placed.
    pub target: Square,
    /// The king's target.
    pub king_to: Square,
    /// The rook's origin.
    pub rook_from: Square,
    /// The rook's target.
    pub rook_to: Square,
}

impl Castle {
    /// Castling of the king on `king` with the rook on `rook`.
    pub fn new(color: Color, king: Square, rook: Square) -> Self {
        let queen_side = rook.file() < king.file();
        let (king_file, rook_file) =
            if queen_side { (File::C, File::D) } else { (File::G, File::F) };
        let king_to = home_square(color, king_file);
        let standard =
            king.file() == File::E && rook.file() == if queen_side { File::A } else { File::H };
        Self {
            target: if standard { king_to } else { rook },
            king_to,
            rook_from: rook,
            rook_to: home_square(color, rook_file),
        }
    }
}

/// The squares from one square of a rank to another, both included.
fn span(a: Square, b: Square) -> Bitboard {
    attacks::between(a, b) | a.bitboard() | b.bitboard()
}

/// The castling moves for which the player has the right.
pub(crate) fn castles(position: &Position, king: Square) -> impl Iterator<Item = Castle> + use<> {
    let color = position.player;
    position.castling_rooks(color).into_iter().map(move |rook| Castle::new(color, king, rook))
}

/// Where the king, lifted from or still standing on `king`, can be placed to castle.
#[inline(never)]
pub(crate) fn targets(position: &Position, king: Square) -> Bitboard {
    let occupied = position.occupied() - king.bitboard();
    let mut targets = Bitboard::EMPTY;
    for castle in castles(position, king) {
        let king_path = span(king, castle.king_to);
        let path = (king_path | span(castle.rook_from, castle.rook_to))
            - castle.rook_from.bitboard()
            - king.bitboard();
        if path.is_disjoint(occupied) && !is_threatened(position, king, king_path) {
            targets |= castle.target.bitboard();
        }
    }
    targets
}

/// Whether the opponent, were it his turn, could capture on one of these squares through any chain.
fn is_threatened(position: &Position, king: Square, squares: Bitboard) -> bool {
    // His own en-passant square is stale: only the reference counts it.
    let en_passant = match position.rules {
        Rules::Exact => None,
        Rules::Compat => position.en_passant,
    };
    let board = chain::Board::new(position, !position.player, en_passant);
    // Where the search gives up, the squares count as threatened: castling is refused rather than
    // allowed against the rules.
    board.without(king).reaches(squares, chain::THREAT_NODES) != chain::Answer::No
}
