//! Whether a position gives both players about equal chances: a small search of our own.
//!
//! It must see that a piece hangs or a mate is near, no more: every opening is played with both
//! colors, so that what is left of an advantage evens out. It is part of the runner, so that the same
//! seed gives the same openings whatever the engines are.

use chess::{Color, MoveFilter, PieceType, Position, Square};

/// Scores within this of zero count as balanced, in hundredths of a pawn.
const BOUND: i32 = 40;
/// How many half-moves are looked at before captures alone.
const DEPTH: u32 = 4;
const MATE: i32 = 30_000;

/// Whether the search thinks so.
pub fn is_balanced(position: &Position) -> bool {
    !position.in_check() && search(position, DEPTH, -MATE, MATE).abs() <= BOUND
}

fn search(position: &Position, depth: u32, mut alpha: i32, beta: i32) -> i32 {
    if depth == 0 {
        return quiesce(position, alpha, beta);
    }
    let mut moves = position.legal_moves();
    if moves.is_empty() {
        return if position.in_check() { -MATE } else { 0 };
    }
    moves.sort_by_cached_key(|&m| -gain(position, m));
    for &m in &moves {
        let score = -search(&position.after(m), depth - 1, -beta, -alpha);
        if score >= beta {
            return score;
        }
        alpha = alpha.max(score);
    }
    alpha
}

/// Follows captures that do not lose material, until none is left.
fn quiesce(position: &Position, mut alpha: i32, beta: i32) -> i32 {
    let standing = evaluate(position);
    if standing >= beta {
        return standing;
    }
    alpha = alpha.max(standing);
    let mut moves = position.moves(MoveFilter::CAPTURES);
    moves.sort_by_cached_key(|&m| -gain(position, m));
    for &m in moves.iter().filter(|&&m| position.see_reaches(m, 0)) {
        let score = -quiesce(&position.after(m), -beta, -alpha);
        if score >= beta {
            return score;
        }
        alpha = alpha.max(score);
    }
    alpha
}

/// What a move promises: what it takes, less a little of what takes it.
fn gain(position: &Position, m: chess::Move) -> i32 {
    if !m.is_capture() {
        return m.promotion().map_or(0, value);
    }
    let at = |square| position.board().piece_type_at(square).map_or(100, value);
    at(m.to()) - at(m.from()) / 16
}

fn value(piece: PieceType) -> i32 {
    match piece {
        PieceType::Pawn => 100,
        PieceType::Knight => 310,
        PieceType::Bishop => 325,
        PieceType::Rook => 500,
        PieceType::Queen => 950,
        PieceType::King => 0,
    }
}

/// Material and where it stands, for the player to move.
fn evaluate(position: &Position) -> i32 {
    let mut score = 0;
    for (square, piece) in position.board().iter() {
        let worth = value(piece.piece_type()) + place(square, piece.color(), piece.piece_type());
        score += if piece.color() == position.turn() { worth } else { -worth };
    }
    // The move itself is worth something.
    score + 15
}

/// Pieces belong into the middle, pawns forward there, the king to the edge.
fn place(square: Square, color: Color, piece: PieceType) -> i32 {
    let (file, rank) =
        (square.file().index() as i32, square.rank().relative_to(color).index() as i32);
    // From 0 at the edge to 3 in the middle.
    let across = file.min(7 - file);
    let central = across + rank.min(7 - rank);
    match piece {
        PieceType::Pawn => (rank - 1) * across * 3,
        PieceType::Knight => central * 8 - 16,
        PieceType::Bishop => central * 4,
        PieceType::Rook => across * 2,
        PieceType::Queen => central,
        PieceType::King => -rank * 25 - across * 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_equal_positions_are_balanced_and_others_are_not() {
        for (fen, expected) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", true),
            ("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", true),
            // A queen hangs; a knight is missing; mate in one; in check.
            ("rnb1kbnr/pppp1ppp/8/4p1q1/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 3", false),
            ("rnbqkb1r/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1", false),
            ("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", false),
            ("rnb1kbnr/pppp1ppp/8/4p3/4P2q/5P2/PPPP2PP/RNBQKBNR w KQkq - 1 3", false),
        ] {
            let position: Position = fen.parse().unwrap();
            assert_eq!(is_balanced(&position), expected, "{fen}");
        }
    }
}
