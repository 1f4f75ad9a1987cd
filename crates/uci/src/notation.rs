//! Moves as the protocol writes them. Castling is the king's move, or king takes rook with
//! `UCI_Chess960` and where king or rook do not start on their standard squares.

use chess::{CastlingStyle, Color, File, Move, Position, Rank};

/// How to write castling in this position.
pub fn castling_style(position: &Position, chess960: bool) -> CastlingStyle {
    let corners = 0x8100_0000_0000_0081;
    let kings_at_home = Color::ALL.into_iter().all(|color| {
        let home = Rank::First.relative_to(color).bitboard();
        (position.castling_rooks() & home).is_empty() || position.king(color).file() == File::E
    });
    let is_standard = position.castling_rooks().0 & !corners == 0 && kings_at_home;
    if chess960 || !is_standard { CastlingStyle::Chess960 } else { CastlingStyle::Standard }
}

/// A move of this position.
pub fn move_text(position: &Position, m: Move, chess960: bool) -> String {
    position.uci(m, castling_style(position, chess960)).to_string()
}

/// A principal variation, up to its first illegal move.
pub fn pv(position: &Position, moves: &[Move], chess960: bool) -> Vec<String> {
    let mut position = *position;
    let mut texts = Vec::with_capacity(moves.len());
    for &m in moves {
        if !position.is_legal(m) {
            debug_assert!(false, "{m} in a principal variation from {position}");
            break;
        }
        texts.push(move_text(&position, m, chess960));
        position = position.after(m);
    }
    texts
}

/// The `bestmove` line, with the reply to ponder on if it is legal.
pub fn bestmove(
    position: &Position,
    best: Option<Move>,
    ponder: Option<Move>,
    chess960: bool,
) -> String {
    let Some(best) = best else { return "bestmove (none)".to_owned() };
    let line = format!("bestmove {}", move_text(position, best, chess960));
    let next = position.after(best);
    match ponder.filter(|&reply| next.is_legal(reply)) {
        Some(reply) => format!("{line} ponder {}", move_text(&next, reply, chess960)),
        None => line,
    }
}
