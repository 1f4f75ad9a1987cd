//! Scores, variations and the title of a game as text: pawns from White's point of view, moves in SAN.

use chess::pgn::GameTree;
use chess::{Color, Move, Position, Score};
use serde_json::json;

use crate::value::{Value, to_score};

/// A score in centipawns: `+0.35`, `-2.10`, `#4` (White mates), `#-3`; `#` for a checkmate on the board.
pub fn pawns(white: Value) -> String {
    match to_score(white) {
        Score::Centipawns(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        Score::Mate(0) => "#".to_owned(),
        Score::Mate(n) => format!("#{n}"),
    }
}

/// A score in centipawns: `{"cp": 35}` or `{"mate": -3}`, from White's point of view.
pub fn score_json(white: Value) -> serde_json::Value {
    match to_score(white) {
        Score::Centipawns(cp) => json!({ "cp": cp }),
        Score::Mate(moves) => json!({ "mate": moves }),
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

/// `White – Black, Event, Date`, without unknown tags.
pub fn game_title(tree: &GameTree) -> String {
    let tag = |name| tree.tag(name).filter(|v| !v.is_empty() && !v.starts_with('?'));
    let player = |name| tag(name).unwrap_or(name);
    let mut title = format!("{} – {}", player("White"), player("Black"));
    for name in ["Event", "Date"] {
        if let Some(value) = tag(name) {
            title.push_str(", ");
            title.push_str(value.trim_end_matches(".??"));
        }
    }
    title
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{mate_in, mated_in, white_pov};

    #[test]
    fn scores_read_in_pawns_and_mates_in_moves() {
        assert_eq!(pawns(35), "+0.35");
        assert_eq!(pawns(-210), "-2.10");
        assert_eq!(pawns(mate_in(7)), "#4");
        assert_eq!(pawns(mated_in(6)), "#-3");
        assert_eq!(pawns(-mate_in(1)), "#-1");
        assert_eq!(pawns(-mated_in(2)), "#1");
        assert_eq!(pawns(-mated_in(0)), "#");
        assert_eq!(pawns(white_pov(35, Color::Black)), "-0.35");
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
}
