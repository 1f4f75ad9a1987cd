//! Endgame knowledge: mop-up, drawish-material scaling.
//!
//! Against a bare king the score is a win plus a mop-up: drive the king to the edge (with bishop and knight to a
//! corner of the bishop's color) and approach with one's own. Elsewhere a score is scaled down where the side it
//! favors cannot, or can hardly, win: two knights, a minor piece, rook against minor piece, a rook pawn whose
//! corner the bishop does not control, opposite-colored bishops.
//!
//! Positions with more than [`MAX_PIECES`] pieces besides kings and pawns cost one comparison.

use chess::{Bitboard, Color, File, PieceType, Position, Rank, Square};

use super::classic::{self, FULL_SCALE};
use crate::value::Value;

/// Positions with more pieces than this, kings and pawns not counted, are never known endings.
const MAX_PIECES: u32 = 5;
/// A won ending, above every evaluation of an open one.
pub(super) const WON: Value = 5000;

/// The score of a network with what is known about the ending; both from the side to move's view. `Err` is a
/// score that is final: the fifty-move rule does not scale it down, so that every step of a mop-up counts.
#[inline]
pub(super) fn adjust(position: &Position, score: Value) -> Result<Value, Value> {
    let board = position.board();
    let others = board.piece_type(PieceType::Pawn) | board.piece_type(PieceType::King);
    if (position.occupied() - others).len() as u32 > MAX_PIECES {
        return Ok(score);
    }
    known(position, score)
}

#[inline(never)]
fn known(position: &Position, score: Value) -> Result<Value, Value> {
    let board = position.board();
    for strong in Color::ALL {
        if !board.color(!strong).many() && can_force_mate(position, strong) {
            let won = WON + material(position, strong) + mop_up(position, strong);
            return Err(if strong == position.turn() { won } else { -won });
        }
    }
    let favored = if score > 0 { position.turn() } else { !position.turn() };
    Ok(score * scale(position, favored) / FULL_SCALE)
}

/// Whether the pieces suffice to mate a bare king: a rook or queen, bishops of both colors, bishop and knight.
fn can_force_mate(position: &Position, strong: Color) -> bool {
    let pieces = |piece_type| position.pieces(strong, piece_type);
    let bishops = pieces(PieceType::Bishop);
    let light = bishops & Bitboard::LIGHT_SQUARES;
    !(pieces(PieceType::Queen) | pieces(PieceType::Rook)).is_empty()
        || !light.is_empty() && light != bishops
        || !bishops.is_empty() && !pieces(PieceType::Knight).is_empty()
}

/// The pieces of a color in centipawns.
pub(super) fn material(position: &Position, color: Color) -> Value {
    const VALUES: [Value; 6] = [100, 320, 330, 500, 900, 0];
    let pieces = PieceType::ALL.into_iter().zip(VALUES);
    pieces
        .map(|(piece_type, value)| value * position.pieces(color, piece_type).len() as Value)
        .sum()
}

/// The nearer to mate, the more.
fn mop_up(position: &Position, strong: Color) -> Value {
    let (own, enemy) = (position.king(strong), position.king(!strong));
    let (file, rank) = (enemy.file().index() as Value, enemy.rank().index() as Value);
    let near = 7 - i32::from(own.distance(enemy));
    let off_center = |n: Value| (7 - 2 * n).abs() / 2;
    let edge = off_center(file) + off_center(rank);
    let pieces = |piece_type| position.pieces(strong, piece_type);
    let majors = pieces(PieceType::Queen) | pieces(PieceType::Rook);
    let (bishops, knights) = (pieces(PieceType::Bishop), pieces(PieceType::Knight));
    let light = !(bishops & Bitboard::LIGHT_SQUARES).is_empty();
    if majors.is_empty()
        && !knights.is_empty()
        && light == (bishops - Bitboard::LIGHT_SQUARES).is_empty()
    {
        // 7 in both corners of the bishop's color, 0 on the diagonal between the others.
        let corner = if light { (file - rank).abs() } else { (7 - file - rank).abs() };
        return 210 * corner + 10 * near;
    }
    20 * edge + 10 * near
}

/// By how much a score for this color counts, of [`FULL_SCALE`].
fn scale(position: &Position, favored: Color) -> i32 {
    let board = position.board();
    let pawns = position.pieces(favored, PieceType::Pawn);
    if pawns.is_empty() {
        return classic::scale(position, favored);
    }
    let bishops = board.piece_type(PieceType::Bishop);
    let pieces =
        position.occupied() - board.piece_type(PieceType::Pawn) - board.piece_type(PieceType::King);
    let own_bishops = position.pieces(favored, PieceType::Bishop);
    // Pawns and bishops alone, against a bare king.
    if pieces == own_bishops && !board.color(!favored).many() {
        return wrong_corner(position, favored, pawns, own_bishops);
    }
    let is_opposite = pieces == bishops
        && Color::ALL.iter().all(|&color| position.pieces(color, PieceType::Bishop).len() == 1)
        && (bishops & Bitboard::LIGHT_SQUARES).len() == 1;
    if is_opposite {
        let more = pawns.len() as i32 - position.pieces(!favored, PieceType::Pawn).len() as i32;
        return match more {
            ..=1 => 12,
            2 => 28,
            _ => 44,
        };
    }
    FULL_SCALE
}

/// The scale of pawns on one rook file whose corner no bishop controls: a draw if the enemy's king holds the
/// corner, nearly one if it gets there before the pawns and the king.
fn wrong_corner(position: &Position, favored: Color, pawns: Bitboard, bishops: Bitboard) -> i32 {
    let on_file = |file: &File| (pawns - file.bitboard()).is_empty();
    let Some(file) = [File::A, File::H].into_iter().find(on_file) else { return FULL_SCALE };
    let rank = if favored == Color::White { Rank::Eighth } else { Rank::First };
    let corner = Square::new(file, rank);
    let guards = match Bitboard::LIGHT_SQUARES.contains(corner) {
        true => bishops & Bitboard::LIGHT_SQUARES,
        false => bishops - Bitboard::LIGHT_SQUARES,
    };
    if !guards.is_empty() {
        return FULL_SCALE;
    }
    let distance = position.king(!favored).distance(corner);
    let steps = pawns.into_iter().map(|pawn| pawn.distance(corner)).min().unwrap_or(0);
    match distance {
        ..=1 => 0,
        _ if bishops.is_empty() => FULL_SCALE,
        _ if distance <= steps && distance < position.king(favored).distance(corner) => 4,
        _ => FULL_SCALE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adjusted(fen: &str, score: Value) -> Result<Value, Value> {
        adjust(&fen.parse().unwrap(), score)
    }

    #[test]
    fn won_endings_are_won_for_either_side() {
        for (fen, least) in [
            ("8/8/6R1/6K1/8/8/8/2k5 w - - 0 1", WON + 500),
            ("8/8/8/4k3/8/8/8/1Q2K3 w - - 0 1", WON + 900),
            ("8/8/8/4k3/8/8/8/1BN1K3 w - - 0 1", WON + 650),
            ("8/8/8/4k3/8/8/8/1BB1K3 w - - 0 1", WON + 660),
        ] {
            let score = adjusted(fen, 0).unwrap_err();
            assert!(score >= least, "{fen}: {score}");
            let other = fen.replace(" w ", " b ");
            assert_eq!(adjusted(&other, 0).unwrap_err(), -score, "{other}");
        }
    }

    #[test]
    fn a_king_in_the_corner_of_the_bishop_s_color_is_nearer_to_mate() {
        let at = |king: &str| adjusted(&format!("{king} w - - 0 1"), 0).unwrap_err();
        // A light-squared bishop: a8 and h1 are light.
        let [light, dark, center] =
            ["k7/8/1K6/8/8/8/8/1N3B2", "7k/8/6K1/8/8/8/8/1N3B2", "8/8/3K4/8/3k4/8/8/1N3B2"].map(at);
        assert!(light > dark.max(center) + 1000, "{light} {dark} {center}");
    }

    #[test]
    fn endings_that_cannot_be_won_are_drawn_and_those_that_hardly_can_are_nearly() {
        for fen in [
            // Two knights, one minor piece.
            "8/8/8/4k3/8/8/8/1NN1K3 w - - 0 1",
            "8/8/8/4k3/8/5p2/8/2B1K3 w - - 0 1",
            // The wrong rook pawn, and a rook pawn alone.
            "k7/8/8/8/P7/8/1B4K1/8 w - - 0 1",
            "6k1/8/8/8/7P/7P/2B3K1/8 w - - 0 1",
            "k7/8/8/8/P7/P7/6K1/8 w - - 0 1",
        ] {
            assert_eq!(adjusted(fen, 450), Ok(0), "{fen}");
            // The other side's advantage is none of this.
            let black_to_move = fen.replace(" w ", " b ");
            assert_eq!(adjusted(&black_to_move, -450), Ok(0), "{black_to_move}");
        }
        for fen in [
            "8/8/8/4k3/8/3b4/8/R3K3 w - - 0 1",
            "8/8/8/4k3/8/3n4/8/R3K3 w - - 0 1",
            "4B3/p7/5p2/1P2k1p1/4P1K1/8/8/b7 b - - 0 1",
            // The king gets to the corner in time.
            "8/2k5/8/8/P7/8/1B4K1/8 w - - 0 1",
        ] {
            let score = adjusted(fen, 180).unwrap();
            assert!((0..50).contains(&score), "{fen}: {score}");
        }
    }

    #[test]
    fn other_positions_keep_their_score() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            // The right bishop; a king that is too far away; another pawn; rooks beside opposite bishops.
            "k7/8/8/8/P7/8/2B3K1/8 w - - 0 1",
            "8/8/P7/4k3/8/8/3B4/1K6 w - - 0 1",
            "k7/8/8/8/P7/1P6/1B4K1/8 w - - 0 1",
            "4B3/p7/5p2/1P2k1p1/4P1K1/8/7R/b6r b - - 0 1",
            "8/8/4k3/8/4P3/4K3/8/8 w - - 0 1",
        ] {
            assert_eq!(adjusted(fen, 180), Ok(180), "{fen}");
        }
    }
}
