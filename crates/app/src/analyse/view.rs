//! Scores, chances and lines as people read them: in pawns, as White sees it, in algebraic notation.

use chess::{Color, Move, Position};
use engine::score::{Chances, MATE, Score, to_uci};

/// A score as White sees it.
pub fn for_white(score: Score, turn: Color) -> Score {
    if turn == Color::White { score } else { -score }
}

/// What a score of White's means. The player to move may be the other one, so that the mate of either is
/// an odd or an even number of plies away: what has begun of a move counts as one.
pub fn reading(white: Score) -> chess::Score {
    match to_uci(white) {
        chess::Score::Mate(_) => {
            let moves = (MATE - white.abs() + 1) / 2;
            chess::Score::Mate(if white > 0 { moves } else { -moves })
        }
        other => other,
    }
}

/// `+0.35`, `-2.10`, `#4` (White mates), `#-3`; `#` when it is done.
pub fn pawns(white: Score) -> String {
    match reading(white) {
        chess::Score::Centipawns(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        chess::Score::Mate(0) => "#".to_owned(),
        chess::Score::Mate(n) => format!("#{n}"),
    }
}

/// White's chances to win, draw and lose: ` 31 %  52 %  17 %`.
pub fn chances(white: Score) -> String {
    let Chances { win, loss, .. } = Chances::of(white);
    let percent = |thousandths: u32| (thousandths + 5) / 10;
    let (win, loss) = (percent(win), percent(loss));
    format!("{win:3} % {:3} % {loss:3} %", 100u32.saturating_sub(win + loss))
}

/// The moves of a line in algebraic notation, those with a number together with it.
fn words(position: &Position, moves: &[Move]) -> Vec<String> {
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

/// A line in algebraic notation with move numbers, at most so many moves of it.
pub fn line(position: &Position, moves: &[Move], most: usize) -> String {
    words(position, &moves[..moves.len().min(most)]).join(" ")
}

/// As much of a line as fits into so many columns, cut behind a whole move and then with an ellipsis;
/// never less than its first move.
pub fn line_within(position: &Position, moves: &[Move], columns: usize) -> String {
    let words = words(position, moves);
    let whole = words.join(" ");
    if whole.chars().count() <= columns {
        return whole;
    }
    let mut cut = String::new();
    for word in &words {
        // Behind it comes another blank, with the ellipsis or the next move.
        let length = cut.chars().count() + word.chars().count();
        if !cut.is_empty() && length + 3 > columns {
            break;
        }
        if !cut.is_empty() {
            cut.push(' ');
        }
        cut.push_str(word);
    }
    cut + " …"
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
    fn lines_are_cut_behind_whole_moves_to_fit_any_width() {
        let mut position = Position::INITIAL;
        let mut moves = Vec::new();
        for san in ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "O-O", "Qd6"] {
            let m = position.parse_san(san).unwrap();
            moves.push(m);
            position = position.after(m);
        }
        let whole = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O Qd6";
        for columns in 0..70 {
            let text = line_within(&Position::INITIAL, &moves, columns);
            if columns >= whole.len() {
                assert_eq!(text, whole);
                continue;
            }
            let cut = text.strip_suffix(" …").expect("an ellipsis");
            assert!(text.chars().count() <= columns.max("1. e4 …".chars().count()), "{text}");
            // It ends where a move does, and another one would have been too long.
            let rest = whole.strip_prefix(cut).expect("the beginning").strip_prefix(' ');
            let rest = rest.expect("a whole move");
            let next = if rest.as_bytes()[0].is_ascii_digit() {
                rest.splitn(3, ' ').take(2).map(str::len).sum::<usize>() + 1
            } else {
                rest.split(' ').next().map_or(0, str::len)
            };
            let longer = cut.len() + 1 + next;
            assert!(longer + 2 > columns, "{columns}: {text}");
        }
    }

    #[test]
    fn chances_add_up_to_a_hundred() {
        for score in (-900..900).step_by(13) {
            let text = chances(score);
            let numbers = text.split_whitespace().filter_map(|word| word.parse::<u32>().ok());
            assert_eq!(text.len(), 17);
            assert_eq!(numbers.sum::<u32>(), 100, "{text}");
        }
    }
}
