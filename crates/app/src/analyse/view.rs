//! Win, draw and loss chances, variations and large numbers as text of limited width.

use chess::{Move, Position};
use engine::analysis::numbered_san;
use engine::score::{Chances, Score};

/// White's chances to win, draw and lose: ` 31 %  52 %  17 %`.
pub fn chances(white: Score) -> String {
    let Chances { win, loss, .. } = Chances::of(white);
    let percent = |thousandths: u32| (thousandths + 5) / 10;
    let (win, loss) = (percent(win), percent(loss));
    format!("{win:3} % {:3} % {loss:3} %", 100u32.saturating_sub(win + loss))
}

/// A variation in SAN within `columns`, cut after a whole move and then with an ellipsis; at least its
/// first move.
pub fn san_within(position: &Position, moves: &[Move], columns: usize) -> String {
    let words = numbered_san(position, moves);
    let whole = words.join(" ");
    if whole.chars().count() <= columns {
        return whole;
    }
    let mut cut = String::new();
    for word in &words {
        // A space and an ellipsis or the next move follow.
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

/// A number with an SI suffix: `3.2 M`.
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

    #[test]
    fn variations_are_cut_after_whole_moves_to_fit_any_width() {
        let mut position = Position::INITIAL;
        let mut moves = Vec::new();
        for san in ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "O-O", "Qd6"] {
            let m = position.parse_san(san).unwrap();
            moves.push(m);
            position = position.after(m);
        }
        let whole = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O Qd6";
        for columns in 0..70 {
            let text = san_within(&Position::INITIAL, &moves, columns);
            if columns >= whole.len() {
                assert_eq!(text, whole);
                continue;
            }
            let cut = text.strip_suffix(" …").expect("an ellipsis");
            assert!(text.chars().count() <= columns.max("1. e4 …".chars().count()), "{text}");
            // It ends after a whole move, and the next one does not fit.
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
