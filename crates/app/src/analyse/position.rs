//! Analysis of one position: a board, and principal variations updated in place.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use chess::picture::{Style, text_board};
use chess::svg::{Arrow, BoardPicture, MarkColor};
use chess::{CastlingStyle, Color, Game, Outcome as Ending, Position};
use engine::analysis::{PvLine, pawns, reading, san_line, san_within, white_score};
use engine::score::Chances;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::AnalyseArgs;
use super::view::{chances, short};
use crate::{Outcome, output};

const DEFAULT_TIME: Duration = Duration::from_secs(5);
/// Maximum length of the variation in an SVG title, in plies.
const TITLE_MOVES: usize = 14;

pub fn run(args: &AnalyseArgs, game: &Game, out: &mut dyn Write) -> Outcome {
    let position = *game.position();
    let mut engine = args.engine()?;
    if !args.json {
        let board = text_board(|square| position.piece_at(square), Color::White, Style::Unicode);
        write!(out, "{board}\n{}\n", situation(game))?;
        out.flush()?;
    }
    let live = Live::new(usize::from(args.multipv), args.json);
    let lines = engine
        .search_lines(game, &args.limits(DEFAULT_TIME), |found| live.show(&position, found))?;
    live.end();
    if args.json {
        writeln!(out, "{}", as_json(&position, &lines))?;
    } else {
        if let Some(best) = lines.first() {
            writeln!(out, "{}", heading(best).join("\n"))?;
        }
        let columns = layout::width();
        for found in &lines {
            writeln!(out, "{}", row(&position, found, columns))?;
        }
    }
    if let Some(path) = &args.svg {
        output::write(path, picture(game, &lines))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn situation(game: &Game) -> String {
    let name = |color| if color == Color::White { "White" } else { "Black" };
    match game.outcome() {
        Some(Ending::Checkmate(winner)) => format!("{} has mated.", name(winner)),
        Some(Ending::Draw(_)) => "The game is drawn.".to_owned(),
        None => format!("{} to move.", name(game.position().turn())),
    }
}

/// Search statistics, and the names of the columns.
fn heading(best: &PvLine) -> [String; 2] {
    let rate = best.nodes as f64 / best.seconds.max(1e-3);
    let (nodes, rate) = (short(best.nodes as f64), short(rate));
    let search = format!(
        "depth {}/{}, {nodes} nodes in {:.1} s, {rate}/s",
        best.depth, best.seldepth, best.seconds
    );
    let columns =
        format!("    {:>7}  {:>5} {:>5} {:>5}  for White", "pawns", "win", "draw", "loss");
    [search, columns]
}

/// A principal variation within `columns`.
fn row(position: &Position, found: &PvLine, columns: usize) -> String {
    let white = white_score(found.score, position.turn());
    let start = format!("{:2}. {:>7}  {}  ", found.multipv, pawns(white), chances(white));
    let room = columns.saturating_sub(start.len());
    start + &san_within(position, &found.moves, room)
}

/// The lines of a running search on the terminal; hidden if standard error is none.
struct Live {
    all: MultiProgress,
    heading: [ProgressBar; 2],
    rows: Vec<ProgressBar>,
}

impl Live {
    fn new(lines: usize, quiet: bool) -> Self {
        let all = MultiProgress::new();
        if quiet || !std::io::stderr().is_terminal() {
            all.set_draw_target(indicatif::ProgressDrawTarget::hidden());
        }
        let plain = ProgressStyle::with_template("{wide_msg}").unwrap_or_else(|_| {
            ProgressStyle::default_spinner() // unreachable: the template is valid
        });
        let bar = || all.add(ProgressBar::new_spinner().with_style(plain.clone()));
        let heading = [bar(), bar()];
        let rows = (0..lines.min(40)).map(|_| bar()).collect();
        Self { all, heading, rows }
    }

    fn show(&self, position: &Position, found: &PvLine) {
        if found.multipv == 1 {
            for (bar, text) in self.heading.iter().zip(heading(found)) {
                bar.set_message(text);
            }
        }
        if let Some(bar) = self.rows.get(found.multipv - 1) {
            bar.set_message(row(position, found, layout::width()));
        }
    }

    fn end(&self) {
        // The result is printed again at the end.
        let _ = self.all.clear();
    }
}

fn as_json(position: &Position, lines: &[PvLine]) -> Value {
    let lines: Vec<Value> = lines
        .iter()
        .map(|found| {
            let white = white_score(found.score, position.turn());
            let Chances { win, draw, loss } = Chances::of(white);
            let mut at = *position;
            let (mut san, mut uci) = (Vec::new(), Vec::new());
            for &m in &found.moves {
                san.push(at.san(m).as_str().to_owned());
                uci.push(at.uci(m, CastlingStyle::Standard).to_string());
                at = at.after(m);
            }
            json!({
                "depth": found.depth,
                "seldepth": found.seldepth,
                "nodes": found.nodes,
                "seconds": found.seconds,
                "score": score(white),
                "chances": { "win": win, "draw": draw, "loss": loss },
                "san": san,
                "uci": uci,
            })
        })
        .collect();
    json!({ "fen": position.fen(), "lines": lines })
}

/// `{"cp": 35}` or `{"mate": -3}`, from White's point of view.
pub fn score(white: engine::score::Score) -> Value {
    match reading(white) {
        chess::Score::Centipawns(cp) => json!({ "cp": cp }),
        chess::Score::Mate(moves) => json!({ "mate": moves }),
    }
}

/// The board with an arrow for the first move of each line, the best one green.
fn picture(game: &Game, lines: &[PvLine]) -> String {
    let position = game.position();
    let arrow = |found: &PvLine| {
        let m = *found.moves.first()?;
        let to = if m.is_castling() { m.castling_king_to() } else { m.to() };
        let color = if found.multipv == 1 { MarkColor::Green } else { MarkColor::Blue };
        Some(Arrow::new(m.from(), to, color))
    };
    let title = lines.first().map_or_else(
        || position.fen(),
        |best| {
            let white = white_score(best.score, position.turn());
            format!("{}  {}", pawns(white), san_line(position, &best.moves, TITLE_MOVES))
        },
    );
    let picture = BoardPicture {
        coordinates: true,
        last_move: game.moves().last().map(|m| (m.from(), m.to())),
        check: position.in_check().then(|| position.king(position.turn())),
        // The best last, on top.
        arrows: lines.iter().rev().filter_map(arrow).collect(),
        title,
        ..BoardPicture::of(|square| position.piece_at(square))
    };
    picture.to_svg()
}
