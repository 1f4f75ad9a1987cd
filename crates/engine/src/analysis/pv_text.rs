//! The principal variations of a position as rows of text, as JSON and as a picture, all from White's
//! point of view.

use chess::svg::{Arrow, BoardPicture, ShapeColor};
use chess::{CastlingStyle, Game, Position};
use serde_json::json;

use super::notation::{pawns, san_line, san_within, score_json};
use super::worker::PvLine;
use crate::value::white_pov;
use crate::wdl::Chances;

/// Maximum length of the variation in the title of a picture, in plies.
const TITLE_MOVES: usize = 14;

impl PvLine {
    /// Two lines above the rows: depth, nodes and speed of the search; the names of the columns.
    pub fn heading(&self) -> [String; 2] {
        let rate = self.nodes as f64 / self.seconds.max(1e-3);
        let (nodes, rate) = (si(self.nodes as f64), si(rate));
        let search = format!(
            "depth {}/{}, {nodes} nodes in {:.1} s, {rate}/s",
            self.depth, self.seldepth, self.seconds
        );
        let columns =
            format!("    {:>7}  {:>5} {:>5} {:>5}  for White", "pawns", "win", "draw", "loss");
        [search, columns]
    }

    /// Score, chances and as many moves as fit into `columns`.
    pub fn row(&self, position: &Position, columns: usize) -> String {
        let white = white_pov(self.score, position.turn());
        let start = format!(
            "{:2}. {:>7}  {}  ",
            self.multipv,
            pawns(white),
            chances(Chances::of(white, position))
        );
        let room = columns.saturating_sub(start.len());
        start + &san_within(position, &self.moves, room)
    }

    fn to_json(&self, position: &Position) -> serde_json::Value {
        let white = white_pov(self.score, position.turn());
        let Chances { win, draw, loss } = Chances::of(white, position);
        let mut at = *position;
        let (mut san, mut uci) = (Vec::new(), Vec::new());
        for &m in &self.moves {
            san.push(at.san(m).as_str().to_owned());
            uci.push(at.uci(m, CastlingStyle::Standard).to_string());
            at = at.after(m);
        }
        json!({
            "depth": self.depth,
            "seldepth": self.seldepth,
            "nodes": self.nodes,
            "seconds": self.seconds,
            "score": score_json(white),
            "chances": { "win": win, "draw": draw, "loss": loss },
            "san": san,
            "uci": uci,
        })
    }

    /// The first move, green for the best line.
    fn arrow(&self) -> Option<Arrow> {
        let m = *self.moves.first()?;
        let to = if m.is_castling() { m.castling_king_to() } else { m.to() };
        let color = if self.multipv == 1 { ShapeColor::Green } else { ShapeColor::Blue };
        Some(Arrow::new(m.from(), to, color))
    }
}

/// A position with its principal variations as JSON.
pub fn lines_json(position: &Position, lines: &[PvLine]) -> serde_json::Value {
    let lines: Vec<serde_json::Value> = lines.iter().map(|line| line.to_json(position)).collect();
    json!({ "fen": position.fen(), "lines": lines })
}

/// The board with an arrow for the first move of each line; the best line is the title.
pub fn lines_picture(game: &Game, lines: &[PvLine]) -> BoardPicture {
    let position = game.position();
    let title = lines.first().map_or_else(
        || position.fen(),
        |best| {
            let white = white_pov(best.score, position.turn());
            format!("{}  {}", pawns(white), san_line(position, &best.moves, TITLE_MOVES))
        },
    );
    // The best last, on top.
    let arrows = lines.iter().rev().filter_map(PvLine::arrow).collect();
    BoardPicture { arrows, title, ..BoardPicture::of_game(game) }
}

/// White's chances to win, draw and lose: ` 31 %  52 %  17 %`.
fn chances(Chances { win, loss, .. }: Chances) -> String {
    let percent = |thousandths: u32| (thousandths + 5) / 10;
    let (win, loss) = (percent(win), percent(loss));
    format!("{win:3} % {:3} % {loss:3} %", 100u32.saturating_sub(win + loss))
}

/// A number with an SI suffix: `3.2 M`.
fn si(n: f64) -> String {
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
    fn chances_add_up_to_a_hundred() {
        for score in (-900..900).step_by(13) {
            let text = chances(Chances::of(score, &Position::INITIAL));
            let numbers = text.split_whitespace().filter_map(|word| word.parse::<u32>().ok());
            assert_eq!(text.len(), 17);
            assert_eq!(numbers.sum::<u32>(), 100, "{text}");
        }
    }

    #[test]
    fn the_best_line_is_the_title_and_its_arrow_lies_on_top() {
        let game = Game::default();
        let line = |multipv, score, san| PvLine {
            depth: 9,
            seldepth: 12,
            multipv,
            score,
            nodes: 3_200_000,
            seconds: 2.0,
            moves: vec![game.position().parse_san(san).unwrap()],
        };
        let lines = [line(1, 35, "e4"), line(2, 20, "Nf3")];
        let picture = lines_picture(&game, &lines);
        assert_eq!(picture.title, "+0.35  1. e4");
        let colors: Vec<ShapeColor> = picture.arrows.iter().map(|arrow| arrow.color).collect();
        assert_eq!(colors, [ShapeColor::Blue, ShapeColor::Green]);
        assert_eq!(lines[0].heading()[0], "depth 9/12, 3.2 M nodes in 2.0 s, 1.6 M/s");
        assert!(lines[1].row(game.position(), 80).ends_with("%  1. Nf3"));
    }
}
