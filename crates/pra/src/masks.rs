//! What the heads of the pieces see: the squares that a piece reaches on the empty board.

use chess::{Bitboard, Color, PieceType, Square, attacks};

use crate::config::{Config, PIECE_HEADS, SQUARES};

/// The piece of each of the first nine heads.
pub const HEAD_PIECES: [PieceType; PIECE_HEADS] = [
    PieceType::Knight,
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Rook,
    PieceType::Queen,
    PieceType::King,
    PieceType::Pawn,
];

/// The name of a head.
pub fn head_name(head: usize) -> &'static str {
    const NAMES: [&str; 12] = [
        "knight 1", "knight 2", "bishop 1", "bishop 2", "rook 1", "rook 2", "queen", "king",
        "pawn", "free 1", "free 2", "free 3",
    ];
    NAMES.get(head).copied().unwrap_or("no head")
}

/// The squares that a piece on a square reaches on the empty board.
///
/// A pawn is White's and Black's at once: one step forward and back, the four diagonal neighbors, and
/// two steps from the second and the seventh rank into the board.
///
/// ```
/// use chess::{PieceType, Square};
/// let reach = |piece, square| pra::masks::reach(piece, square).len();
/// assert_eq!(reach(PieceType::Knight, Square::A1), 2);
/// assert_eq!(reach(PieceType::Queen, Square::E4), 27);
/// assert_eq!(reach(PieceType::Pawn, Square::E2), 7);
/// ```
pub fn reach(piece: PieceType, square: Square) -> Bitboard {
    if piece != PieceType::Pawn {
        return attacks::of(Color::White, piece, square, Bitboard::EMPTY);
    }
    let mut set = attacks::pawn(Color::White, square) | attacks::pawn(Color::Black, square);
    let jump = match square.rank().index() {
        1 => Some(2),
        6 => Some(-2),
        _ => None,
    };
    for ranks in [Some(1), Some(-1), jump].into_iter().flatten() {
        if let Some(to) = square.offset(0, ranks) {
            set |= to.bitboard();
        }
    }
    set
}

/// Which squares each square attends to, for each head of a piece.
pub fn piece_masks(config: &Config) -> [[Bitboard; SQUARES]; PIECE_HEADS] {
    HEAD_PIECES.map(|piece| {
        std::array::from_fn(|index| {
            let square = Square::from_index(index);
            let own = if config.self_in_masks { square.bitboard() } else { Bitboard::EMPTY };
            reach(piece, square) | own
        })
    })
}
