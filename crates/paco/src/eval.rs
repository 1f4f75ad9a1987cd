//! Static evaluation from the view of the player to move.
//!
//! The terms, for each side: squares attacked by lone pieces directly and through simple chains (a flood fill
//! over unions with their current pieces), weighted most beside the enemy king and otherwise as mobility;
//! unattacked free squares of the own king; lone pieces, which can start a chain; pieces in unions; advanced
//! pawns. The weights are set by hand; a hundred is about a lone pawn.

use chess::{Bitboard, Color, attacks};

use crate::chain::Board;
use crate::{PieceType, Position};

/// The score of an immediate win; one less for each turn of distance.
pub const WIN: i32 = 1_000_000;

/// A lone piece by type.
const LONE: [i32; 6] = [100, 300, 280, 290, 600, 0];
/// A piece in a union by type.
const IN_UNION: [i32; 6] = [50, 190, 180, 180, 380, 0];
/// A pawn by its row, seen from its side.
const PAWN_ROW: [i32; 8] = [0, 0, 4, 10, 22, 45, 80, 0];
/// A square attacked.
const MOBILITY: i32 = 4;
/// A square attacked beside the enemy king.
const KING_ZONE: i32 = 28;
/// The enemy king's own square attacked.
const ON_KING: i32 = 70;
/// A free square beside the own king that the enemy does not attack.
const ESCAPE: i32 = 14;
/// Being to move.
const TEMPO: i32 = 25;

/// The value of the position for the player to move.
///
/// ```
/// use tabiya_paco::{Position, evaluate};
/// let start = Position::default();
/// assert!(evaluate(&start) > 0, "it is good to be to move");
/// ```
pub fn evaluate(position: &Position) -> i32 {
    let me = position.player();
    let attacked = Color::ALL.map(|color| reach(position, color));
    let score = |color: Color| {
        let own = position.of_color(color);
        let unions = position.unions();
        let reach = attacked[color.index()];
        let mut score = MOBILITY * (reach - (own - unions)).len() as i32;
        for piece in PieceType::ALL {
            let set = position.of(color, piece);
            score += LONE[piece.index()] * (set - unions).len() as i32;
            score += IN_UNION[piece.index()] * (set & unions).len() as i32;
        }
        for pawn in position.of(color, PieceType::Pawn) {
            score += PAWN_ROW[pawn.rank().relative_to(color).index()];
        }
        if let Some(king) = position.king_square(!color) {
            let zone = attacks::king(king);
            score += KING_ZONE * (reach & zone).len() as i32;
            score += ON_KING * i32::from(reach.has(king));
        }
        if let Some(king) = position.king_square(color) {
            let free = attacks::king(king) - position.occupied() - attacked[(!color).index()];
            score += ESCAPE * free.len() as i32;
        }
        score
    };
    score(me) - score(!me) + TEMPO
}

/// What a color's lone pieces attack, directly and through simple chains.
fn reach(position: &Position, color: Color) -> Bitboard {
    let board = Board::new(position, color, None);
    let mut reach = Bitboard::EMPTY;
    let mut done = Bitboard::EMPTY;
    let mut waiting = board.lone;
    while let Some(square) = waiting.first() {
        waiting -= square.bitboard();
        done |= square.bitboard();
        let attacked = board.attack(board.kind(square), square, board.occupied);
        reach |= attacked;
        waiting |= (attacked & board.unions) - done;
    }
    reach
}
