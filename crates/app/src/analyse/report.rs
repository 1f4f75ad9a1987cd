//! The move table of an analyzed game, and its JSON.

use std::io::{self, IsTerminal, Write};

use chess::{CastlingStyle, Color};
use engine::analysis::{GameAnalysis, Mark, MoveAnalysis, pawns, san_line, san_within};
use serde_json::{Value, json};

use super::position;

/// Maximum length of a better variation, in plies.
const MAX_VARIATION: usize = 8;
/// Indentation of notes below a move.
const INDENT: &str = "     ";

/// A row for each move number, and below it a note for each marked move.
pub fn write(analysis: &GameAnalysis, out: &mut dyn Write) -> io::Result<()> {
    let paint = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let columns = layout::width();
    let result = analysis.tree.result.as_str();
    let title = layout::shorten(&analysis.title(), columns.saturating_sub(2 + result.len()));
    writeln!(out, "{title}  {result}")?;
    writeln!(out)?;
    writeln!(out, "       {:12}{:>8}     {:12}{:>8}", "White", "eval", "Black", "eval")?;
    let mut notes = Vec::new();
    let mut moves = analysis.moves.iter().peekable();
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
    if analysis.stopped {
        writeln!(out, "{INDENT}Analysis stopped here.")?;
    }
    if let Some(problem) = &analysis.problem {
        writeln!(out, "{INDENT}What follows could not be read:")?;
        writeln!(
            out,
            "{INDENT}{}",
            layout::shorten(problem, columns.saturating_sub(INDENT.len()))
        )?;
    }
    writeln!(out)?;
    for color in Color::ALL {
        let (counts, loss) = analysis.tally(color);
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

/// A move with its mark, and the evaluation after it. Escape codes come after padding.
fn cell(judged: Option<&MoveAnalysis>, paint: bool) -> String {
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

/// The ANSI color of a mark.
const fn code(mark: Mark) -> &'static str {
    match mark {
        Mark::Dubious => "33",
        Mark::Mistake => "35",
        Mark::Blunder => "1;31",
    }
}

/// The better variation of a marked move, in one line of at most `columns`.
fn note(judged: &MoveAnalysis, columns: usize) -> Option<String> {
    let mark = judged.mark?;
    let (moves, white) = judged.better.as_ref()?;
    let start = format!(
        "{INDENT}{} {} gives away {:.2}: better ",
        san_line(&judged.before, &[judged.m], 1),
        mark.symbol(),
        // Truncated, not rounded: 0.097 is below the 0.10 of the next mark.
        (judged.loss * 100.0).floor() / 100.0,
    );
    let end = format!(" ({})", pawns(*white));
    let moves = &moves[..moves.len().min(MAX_VARIATION)];
    let room = columns.saturating_sub(start.chars().count());
    let better = san_within(&judged.before, moves, room.saturating_sub(end.len()));
    // On a narrow terminal the moves have priority over their score.
    if better.chars().count() + end.len() <= room {
        return Some(start + &better + &end);
    }
    Some(start + &san_within(&judged.before, moves, room))
}

/// Scores from White's point of view, losses in expected points.
pub fn as_json(analysis: &GameAnalysis) -> Value {
    let moves: Vec<Value> = analysis.moves.iter().map(move_as_json).collect();
    let tally = |color| {
        let ([dubious, mistakes, blunders], loss) = analysis.tally(color);
        json!({ "dubious": dubious, "mistakes": mistakes, "blunders": blunders, "loss": loss })
    };
    json!({
        "white": analysis.tree.tag("White"),
        "black": analysis.tree.tag("Black"),
        "result": analysis.tree.result.to_string(),
        "start": position::score(analysis.start),
        "moves": moves,
        "complete": !analysis.stopped && analysis.problem.is_none(),
        "problem": analysis.problem,
        "tally": { "white": tally(Color::White), "black": tally(Color::Black) },
    })
}

fn move_as_json(judged: &MoveAnalysis) -> Value {
    let before = &judged.before;
    let better = judged.better.as_ref().map(|(moves, white)| {
        json!({ "line": san_line(before, moves, MAX_VARIATION), "score": position::score(*white) })
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
    fn notes_fit_sixty_columns_and_are_complete_in_eighty() {
        let before = Position::from_fen("r2rk3/8/8/8/8/8/8/3RK3 b q - 0 16").unwrap();
        let (m, best) = (before.parse_san("Rdc8").unwrap(), before.parse_san("Rxd1+").unwrap());
        let reply = before.after(best).parse_san("Kxd1").unwrap();
        let castles = before.after(best).after(reply).parse_san("O-O-O+").unwrap();
        let better = Some((vec![best, reply, castles], -1137));
        let mark = Some(Mark::Dubious);
        let judged = MoveAnalysis {
            id: NodeId::ROOT,
            before,
            m,
            white: 0,
            loss: 0.097,
            mark,
            reply: Vec::new(),
            better,
        };
        let start = "     16... Rdc8 ?! gives away 0.09: better 16... Rxd1+";
        assert_eq!(note(&judged, 60).unwrap(), format!("{start} …"));
        assert_eq!(note(&judged, 76).unwrap(), format!("{start} 17. Kxd1 … (-11.37)"));
        assert_eq!(note(&judged, 80).unwrap(), format!("{start} 17. Kxd1 O-O-O+ (-11.37)"));
    }
}
