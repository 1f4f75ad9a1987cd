//! The table of a game's moves, and the same as JSON.

use std::io::{self, IsTerminal, Write};

use chess::{CastlingStyle, Color};
use serde_json::{Value, json};

use super::judge::Mark;
use super::position;
use super::study::{Judged, Study};
use super::view::{line, line_within, pawns};
use crate::layout;

/// Moves of a better line that are shown.
const SHOWN_MOVES: usize = 8;
/// What stands before a line about a move.
const INDENT: &str = "     ";

/// A game as a table: a row for each move number, a line below it for each move that is marked.
pub fn write(study: &Study, out: &mut dyn Write) -> io::Result<()> {
    let paint = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let columns = layout::width();
    let result = study.tree.result.as_str();
    let title = layout::shorten(&study.title(), columns.saturating_sub(2 + result.len()));
    writeln!(out, "{title}  {result}")?;
    writeln!(out)?;
    writeln!(out, "       {:12}{:>8}     {:12}{:>8}", "White", "eval", "Black", "eval")?;
    let mut notes = Vec::new();
    let mut moves = study.moves.iter().peekable();
    while let Some(first) = moves.next() {
        let white = first.before.turn() == Color::White;
        let number = first.before.fullmove_number();
        let second = moves.next_if(|next| white && next.before.turn() == Color::Black);
        let (left, right) = if white { (Some(first), second) } else { (None, Some(first)) };
        write!(out, " {number:3}.  {}", cell(left, paint))?;
        match right {
            Some(right) => writeln!(out, "     {}", cell(Some(right), paint))?,
            None => writeln!(out)?,
        }
        notes.clear();
        notes
            .extend([left, right].into_iter().flatten().filter_map(|judged| note(judged, columns)));
        for note in &notes {
            writeln!(out, "{note}")?;
        }
    }
    if study.stopped {
        writeln!(out, "{INDENT}Analysis stopped here.")?;
    }
    if let Some(problem) = &study.problem {
        writeln!(out, "{INDENT}What follows could not be read:")?;
        writeln!(
            out,
            "{INDENT}{}",
            layout::shorten(problem, columns.saturating_sub(INDENT.len()))
        )?;
    }
    writeln!(out)?;
    for color in Color::ALL {
        let (counts, loss) = study.tally(color);
        let name = if color == Color::White { "White" } else { "Black" };
        let marks: Vec<String> = Mark::ALL
            .iter()
            .zip(counts)
            .map(|(mark, n)| format!("{n} {}", mark.symbol()))
            .collect();
        writeln!(out, "{name}: {}; {loss:.3} points given away a move", marks.join(", "))?;
    }
    Ok(())
}

/// A move with its mark, and the evaluation after it. Colors come after counting the letters.
fn cell(judged: Option<&Judged>, paint: bool) -> String {
    let Some(judged) = judged else { return format!("{:20}", "…") };
    let san = judged.before.san(judged.m);
    let mark = judged.mark.map_or("", Mark::symbol);
    let text = format!("{:12}", format!("{san} {mark}"));
    let eval = format!("{:>8}", pawns(judged.white));
    match judged.mark {
        Some(mark) if paint => format!("\x1b[{}m{text}\x1b[0m{eval}", code(mark)),
        _ => text + &eval,
    }
}

/// The color of a mark on a terminal.
const fn code(mark: Mark) -> &'static str {
    match mark {
        Mark::Dubious => "33",
        Mark::Mistake => "35",
        Mark::Blunder => "1;31",
    }
}

/// What would have been better than a move that is marked, in one line of so many columns.
fn note(judged: &Judged, columns: usize) -> Option<String> {
    let mark = judged.mark?;
    let (moves, white) = judged.better.as_ref()?;
    let start = format!(
        "{INDENT}{} {} gives away {:.2}: better ",
        line(&judged.before, &[judged.m], 1),
        mark.symbol(),
        // Cut, not rounded: 0.097 is not yet the 0.10 of the next mark.
        (judged.loss * 100.0).floor() / 100.0,
    );
    let end = format!(" ({})", pawns(*white));
    let moves = &moves[..moves.len().min(SHOWN_MOVES)];
    let room = columns.saturating_sub(start.chars().count());
    let better = line_within(&judged.before, moves, room.saturating_sub(end.len()));
    // On a narrow terminal the moves come before their score, which stands a row above anyway.
    if better.chars().count() + end.len() <= room {
        return Some(start + &better + &end);
    }
    Some(start + &line_within(&judged.before, moves, room))
}

/// A game as JSON; scores are White's, losses the player's in expected points.
pub fn as_json(study: &Study) -> Value {
    let moves: Vec<Value> = study.moves.iter().map(move_as_json).collect();
    let tally = |color| {
        let ([dubious, mistakes, blunders], loss) = study.tally(color);
        json!({ "dubious": dubious, "mistakes": mistakes, "blunders": blunders, "loss": loss })
    };
    json!({
        "white": study.tree.tag("White"),
        "black": study.tree.tag("Black"),
        "result": study.tree.result.to_string(),
        "start": position::score(study.start),
        "moves": moves,
        "complete": !study.stopped && study.problem.is_none(),
        "problem": study.problem,
        "tally": { "white": tally(Color::White), "black": tally(Color::Black) },
    })
}

fn move_as_json(judged: &Judged) -> Value {
    let before = &judged.before;
    let better = judged.better.as_ref().map(|(moves, white)| {
        json!({ "line": line(before, moves, SHOWN_MOVES), "score": position::score(*white) })
    });
    json!({
        "fen": before.fen(),
        "number": before.fullmove_number(),
        "color": if before.turn() == Color::White { "white" } else { "black" },
        "san": before.san(judged.m).as_str(),
        "uci": before.uci(judged.m, CastlingStyle::Standard).as_str(),
        "score": position::score(judged.white),
        "loss": judged.loss,
        "mark": judged.mark.map(Mark::symbol),
        "better": better,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;
    use chess::pgn::NodeId;

    #[test]
    fn notes_fit_sixty_columns_and_say_all_in_eighty() {
        let before = Position::from_fen("r2rk3/8/8/8/8/8/8/3RK3 b q - 0 16").unwrap();
        let (m, best) = (before.parse_san("Rdc8").unwrap(), before.parse_san("Rxd1+").unwrap());
        let reply = before.after(best).parse_san("Kxd1").unwrap();
        let castles = before.after(best).after(reply).parse_san("O-O-O+").unwrap();
        let better = Some((vec![best, reply, castles], -1137));
        let mark = Some(Mark::Dubious);
        let judged = Judged { id: NodeId::ROOT, before, m, white: 0, loss: 0.097, mark, better };
        let start = "     16... Rdc8 ?! gives away 0.09: better 16... Rxd1+";
        assert_eq!(note(&judged, 60).unwrap(), format!("{start} …"));
        assert_eq!(note(&judged, 76).unwrap(), format!("{start} 17. Kxd1 … (-11.37)"));
        assert_eq!(note(&judged, 80).unwrap(), format!("{start} 17. Kxd1 O-O-O+ (-11.37)"));
    }
}
