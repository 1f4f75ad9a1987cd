//! Scores and variations as text: pawns from White's point of view, moves in SAN.

use chess::{Color, Move, Position};

use crate::score::{MATE, Score, to_uci};

/// The score from White's point of view of a score for the side to move.
pub fn white_score(score: Score, turn: Color) -> Score {
    if turn == Color::White { score } else { -score }
}

/// Centipawns or moves to mate of a score from White's point of view. The side to move may be either, so
/// the mate is an odd or an even number of plies away; plies are rounded up to moves.
pub fn reading(white: Score) -> chess::Score {
    match to_uci(white) {
        chess::Score::Mate(_) => {
            let moves = (MATE - white.abs() + 1) / 2;
            chess::Score::Mate(if white > 0 { moves } else { -moves })
        }
        other => other,
    }
}

/// `+0.35`, `-2.10`, `#4` (White mates), `#-3`; `#` for a checkmate on the board.
pub fn pawns(white: Score) -> String {
    match reading(white) {
        chess::Score::Centipawns(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        chess::Score::Mate(0) => "#".to_owned(),
        chess::Score::Mate(n) => format!("#{n}"),
    }
}

/// The moves of a variation in SAN, up to the first illegal one. White's moves and the first one carry
/// their move number: `["1. e4", "e5", "2. Nf3"]`.
pub fn numbered_san(position: &Position, moves: &[Move]) -> Vec<String> {
    let mut position = *position;
    let mut words = Vec::new();
    for (n, &m) in moves.iter().enumerate() {
        if !position.is_legal(m) {
            break;
        }
        let (number, san) = (position.fullmove_number(), position.san(m));
        words.push(match (position.turn(), n) {
            (Color::White, _) => format!("{number}. {san}"),
            (Color::Black, 0) => format!("{number}... {san}"),
            _ => san.to_string(),
        });
        position = position.after(m);
    }
    words
}

/// A variation in SAN with move numbers, at most `max_moves` moves of it.
pub fn san_line(position: &Position, moves: &[Move], max_moves: usize) -> String {
    numbered_san(position, &moves[..moves.len().min(max_moves)]).join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{mate_in, mated_in};

    #[test]
    fn scores_read_in_pawns_and_mates_in_moves() {
        assert_eq!(pawns(35), "+0.35");
        assert_eq!(pawns(-210), "-2.10");
        assert_eq!(pawns(mate_in(7)), "#4");
        assert_eq!(pawns(mated_in(6)), "#-3");
        assert_eq!(pawns(-mate_in(1)), "#-1");
        assert_eq!(pawns(-mated_in(2)), "#1");
        assert_eq!(pawns(-mated_in(0)), "#");
        assert_eq!(white_score(35, Color::Black), -35);
    }

    #[test]
    fn variations_are_numbered_from_either_side() {
        let position = Position::INITIAL;
        let e4 = position.parse_san("e4").unwrap();
        let after = position.after(e4);
        let (e5, nf3) = (after.parse_san("e5").unwrap(), "Nf3");
        let nf3 = after.after(e5).parse_san(nf3).unwrap();
        assert_eq!(san_line(&position, &[e4, e5, nf3], 9), "1. e4 e5 2. Nf3");
        assert_eq!(san_line(&after, &[e5, nf3], 9), "1... e5 2. Nf3");
        assert_eq!(san_line(&after, &[e5, nf3], 1), "1... e5");
    }
}
