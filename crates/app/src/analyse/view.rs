//! Scores, chances and lines as people read them: in pawns, as White sees it, in algebraic notation.

use std::fmt::Write;

use chess::{Color, Move, Position};
use engine::score::{Chances, MATE, Reading, Score};

/// A score as White sees it.
pub fn for_white(score: Score, turn: Color) -> Score {
    if turn == Color::White { score } else { -score }
}

/// What a score of White's means. The player to move may be the other one, so that the mate of either is
/// an odd or an even number of plies away: what has begun of a move counts as one.
pub fn reading(white: Score) -> Reading {
    match Reading::of(white) {
        Reading::Mate(_) => {
            let moves = (MATE - white.abs() + 1) / 2;
            Reading::Mate(if white > 0 { moves } else { -moves })
        }
        other => other,
    }
}

/// `+0.35`, `-2.10`, `#4` (White mates), `#-3`; `#` when it is done.
pub fn pawns(white: Score) -> String {
    match reading(white) {
        Reading::Centipawns(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        Reading::Mate(0) => "#".to_owned(),
        Reading::Mate(n) => format!("#{n}"),
    }
}

/// White's chances: `31 % win, 52 % draw, 17 % loss`.
pub fn chances(white: Score) -> String {
    let Chances { win, loss, .. } = Chances::of(white);
    let percent = |thousandths: u32| (thousandths + 5) / 10;
    let (win, loss) = (percent(win), percent(loss));
    format!("{win:3} % win  {:3} % draw  {loss:3} % loss", 100u32.saturating_sub(win + loss))
}

/// A line in algebraic notation with move numbers, at most so many moves of it.
pub fn line(position: &Position, moves: &[Move], most: usize) -> String {
    let mut position = *position;
    let mut text = String::new();
    for (n, &m) in moves.iter().take(most).enumerate() {
        if !position.is_legal(m) {
            break;
        }
        if n > 0 {
            text.push(' ');
        }
        let _ = match (position.turn(), n) {
            (Color::White, _) => write!(text, "{}. ", position.fullmove_number()),
            (Color::Black, 0) => write!(text, "{}... ", position.fullmove_number()),
            _ => Ok(()),
        };
        text.push_str(position.san(m).as_str());
        position = position.after(m);
    }
    text
}

/// A large number, short: `3.2 M`.
pub fn short(n: f64) -> String {
    match n {
        n if n >= 1e9 => format!("{:.1} G", n / 1e9),
        n if n >= 1e6 => format!("{:.1} M", n / 1e6),
        n if n >= 1e3 => format!("{:.0} k", n / 1e3),
        n => format!("{n:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::score::{mate_in, mated_in};

    #[test]
    fn scores_are_read_in_pawns_and_mates_in_moves() {
        assert_eq!(pawns(35), "+0.35");
        assert_eq!(pawns(-210), "-2.10");
        assert_eq!(pawns(mate_in(7)), "#4");
        assert_eq!(pawns(mated_in(6)), "#-3");
        assert_eq!(pawns(-mate_in(1)), "#-1");
        assert_eq!(pawns(-mated_in(2)), "#1");
        assert_eq!(pawns(-mated_in(0)), "#");
        assert_eq!(for_white(35, Color::Black), -35);
    }

    #[test]
    fn lines_are_numbered_from_either_side() {
        let position = Position::INITIAL;
        let e4 = position.parse_san("e4").unwrap();
        let after = position.after(e4);
        let (e5, nf3) = (after.parse_san("e5").unwrap(), "Nf3");
        let nf3 = after.after(e5).parse_san(nf3).unwrap();
        assert_eq!(line(&position, &[e4, e5, nf3], 9), "1. e4 e5 2. Nf3");
        assert_eq!(line(&after, &[e5, nf3], 9), "1... e5 2. Nf3");
        assert_eq!(line(&after, &[e5, nf3], 1), "1... e5");
    }

    #[test]
    fn chances_add_up_to_a_hundred() {
        for score in (-900..900).step_by(13) {
            let text = chances(score);
            let numbers = text.split_whitespace().filter_map(|word| word.parse::<u32>().ok());
            assert_eq!(numbers.sum::<u32>(), 100, "{text}");
        }
    }
}
