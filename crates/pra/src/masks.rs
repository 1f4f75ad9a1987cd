//! Attention masks of the piece heads: the squares that a piece reaches on the empty board.

use chess::{Bitboard, Color, PieceType, Square, attacks};

use crate::config::{Config, HEADS, PIECE_HEADS, SQUARES};

/// The piece of each piece head.
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

/// Name of a head.
pub fn head_name(head: usize) -> &'static str {
    const NAMES: [&str; 12] = [
        "knight 1", "knight 2", "bishop 1", "bishop 2", "rook 1", "rook 2", "queen", "king",
        "pawn", "free 1", "free 2", "free 3",
    ];
    NAMES.get(head).copied().unwrap_or("no head")
}

/// The index of a head, from its name or its number counted from 1.
///
/// ```
/// use tabiya_pra::masks::parse_head;
/// assert_eq!((parse_head("knight2"), parse_head("2"), parse_head("duke")), (Some(1), Some(1), None));
/// ```
pub fn parse_head(text: &str) -> Option<usize> {
    let plain = |name: &str| name.to_lowercase().replace([' ', '-', '_'], "");
    let named = (0..HEADS).find(|&head| plain(head_name(head)) == plain(text));
    named.or_else(|| text.parse::<usize>().ok()?.checked_sub(1).filter(|&head| head < HEADS))
}

/// The squares that a piece on a square reaches on the empty board.
///
/// A pawn is of both colors: one step forward and back, the four diagonal neighbors, and the double
/// steps from the second and the seventh rank.
///
/// ```
/// use tabiya_pra::chess::{PieceType, Square};
/// let reach = |piece, square| tabiya_pra::masks::reach(piece, square).len();
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

/// The key squares that each query square attends to, for each piece head.
pub fn piece_masks(config: &Config) -> [[Bitboard; SQUARES]; PIECE_HEADS] {
    HEAD_PIECES.map(|piece| {
        std::array::from_fn(|index| {
            let square = Square::from_index_wrapping(index);
            let own = if config.self_in_masks { square.bitboard() } else { Bitboard::EMPTY };
            reach(piece, square) | own
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_have_numbers_and_names() {
        assert_eq!(parse_head("1"), Some(0));
        assert_eq!(parse_head("12"), Some(11));
        assert_eq!(parse_head("knight2"), Some(1));
        assert_eq!(parse_head("Knight 2"), Some(1));
        assert_eq!(parse_head("queen"), Some(6));
        assert_eq!(parse_head("free-3"), Some(11));
        for bad in ["0", "13", "-1", "duke", ""] {
            assert_eq!(parse_head(bad), None, "{bad}");
        }
    }
}
