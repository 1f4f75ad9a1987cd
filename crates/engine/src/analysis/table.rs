//! An analyzed game as text, the table of its moves, and as JSON.

use std::fmt;

use chess::{CastlingStyle, Color};
use layout::shorten;
use serde_json::json;

use super::game::{GameAnalysis, MoveAnalysis};
use super::judge::Judgement;
use super::notation::{pawns, san_line, san_within, score_json};

/// Maximum length of a better variation, in plies.
const MAX_VARIATION: usize = 8;
/// Indentation of notes below a move.
const INDENT: &str = "     ";

/// The table of a game: a row for each move number, and below it a note for each marked move.
#[derive(Clone, Copy, Debug)]
pub struct GameTable<'a> {
    /// The game.
    pub analysis: &'a GameAnalysis,
    /// The width of the text.
    pub columns: usize,
    /// Whether marked moves are colored by ANSI escape codes.
    pub color: bool,
}

impl fmt::Display for GameTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { analysis, columns, color } = *self;
        let result = analysis.tree.result.as_str();
        let title = shorten(&analysis.title(), columns.saturating_sub(2 + result.len()));
        writeln!(f, "{title}  {result}\n")?;
        writeln!(f, "       {:12}{:>8}     {:12}{:>8}", "White", "eval", "Black", "eval")?;
        let mut moves = analysis.moves.iter().peekable();
        while let Some(first) = moves.next() {
            let white = first.before.turn() == Color::White;
            let number = first.before.fullmove_number();
            let second = moves.next_if(|next| white && next.before.turn() == Color::Black);
            let (left, right) = if white { (Some(first), second) } else { (None, Some(first)) };
            write!(f, " {number:3}.  {}", cell(left, color))?;
            match right {
                Some(right) => writeln!(f, "     {}", cell(Some(right), color))?,
                None => writeln!(f)?,
            }
            for note in [left, right].into_iter().flatten().filter_map(|m| note(m, columns)) {
                writeln!(f, "{note}")?;
            }
        }
        if analysis.stopped {
            writeln!(f, "{INDENT}Analysis stopped here.")?;
        }
        if let Some(problem) = &analysis.problem {
            let problem = shorten(problem, columns.saturating_sub(INDENT.len()));
            writeln!(f, "{INDENT}What follows could not be read:\n{INDENT}{problem}")?;
        }
        writeln!(f)?;
        for color in Color::ALL {
            let (counts, loss) = analysis.tally(color);
            let counts = Judgement::ALL.iter().zip(counts);
            let judgements: Vec<String> =
                counts.map(|(judgement, n)| format!("{n} {}", judgement.symbol())).collect();
            writeln!(f, "{color}: {}; {loss:.3} points given away a move", judgements.join(", "))?;
        }
        Ok(())
    }
}

/// A move with its judgement, and the evaluation after it. Escape codes come after padding.
fn cell(judged: Option<&MoveAnalysis>, color: bool) -> String {
    let Some(judged) = judged else { return format!("{:20}", "…") };
    let san = judged.before.san(judged.m);
    let judgement = judged.judgement.map_or("", Judgement::symbol);
    let text = format!("{:12}", format!("{san} {judgement}"));
    let eval = format!("{:>8}", pawns(judged.white));
    match judged.judgement {
        Some(judgement) if color => format!("\x1b[{}m{text}\x1b[0m{eval}", code(judgement)),
        _ => text + &eval,
    }
}

/// The ANSI color of a judgement.
const fn code(judgement: Judgement) -> &'static str {
    match judgement {
        Judgement::Dubious => "33",
        Judgement::Mistake => "35",
        Judgement::Blunder => "1;31",
    }
}

/// The better variation of a marked move, in one line of at most `columns`.
fn note(judged: &MoveAnalysis, columns: usize) -> Option<String> {
    let judgement = judged.judgement?;
    let (moves, white) = judged.better.as_ref()?;
    let start = format!(
        "{INDENT}{} {} gives away {:.2}: better ",
        san_line(&judged.before, &[judged.m], 1),
        judgement.symbol(),
        // Truncated, not rounded: 0.097 is below the 0.10 of the next judgement.
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

impl GameAnalysis {
    /// Scores from White's point of view, losses in expected points.
    pub fn to_json(&self) -> serde_json::Value {
        let tally = |color| {
            let ([dubious, mistakes, blunders], loss) = self.tally(color);
            json!({ "dubious": dubious, "mistakes": mistakes, "blunders": blunders, "loss": loss })
        };
        json!({
            "white": self.tree.tag("White"),
            "black": self.tree.tag("Black"),
            "result": self.tree.result.to_string(),
            "start": score_json(self.start),
            "moves": self.moves.iter().map(MoveAnalysis::to_json).collect::<Vec<serde_json::Value>>(),
            "complete": !self.stopped && self.problem.is_none(),
            "problem": self.problem,
            "tally": { "white": tally(Color::White), "black": tally(Color::Black) },
        })
    }
}

impl MoveAnalysis {
    fn to_json(&self) -> serde_json::Value {
        let before = &self.before;
        let better = self.better.as_ref().map(|(moves, white)| {
            json!({ "line": san_line(before, moves, MAX_VARIATION), "score": score_json(*white) })
        });
        json!({
            "fen": before.fen(),
            "number": before.fullmove_number(),
            "color": if before.turn() == Color::White { "white" } else { "black" },
            "san": before.san(self.m).as_str(),
            "uci": before.uci(self.m, CastlingStyle::Standard).as_str(),
            "score": score_json(self.white),
            "loss": self.loss,
            "mark": self.judgement.map(Judgement::symbol),
            "better": better,
        })
    }
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
        let judgement = Some(Judgement::Dubious);
        let judged = MoveAnalysis {
            id: NodeId::ROOT,
            before,
            m,
            white: 0,
            loss: 0.097,
            judgement,
            reply: Vec::new(),
            better,
        };
        let start = "     16... Rdc8 ?! gives away 0.09: better 16... Rxd1+";
        assert_eq!(note(&judged, 60).unwrap(), format!("{start} …"));
        assert_eq!(note(&judged, 76).unwrap(), format!("{start} 17. Kxd1 … (-11.37)"));
        assert_eq!(note(&judged, 80).unwrap(), format!("{start} 17. Kxd1 O-O-O+ (-11.37)"));
    }
}
