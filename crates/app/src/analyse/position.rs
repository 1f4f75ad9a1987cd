//! Analysis of one position: a board, and principal variations updated in place.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use chess::picture::{Style, text_board};
use chess::{Color, Game, Outcome as Ending, Position};
use engine::analysis::{PvLine, lines_json, lines_picture};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::AnalyseArgs;
use crate::{Outcome, output};

const DEFAULT_TIME: Duration = Duration::from_secs(5);

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
        writeln!(out, "{}", lines_json(&position, &lines))?;
    } else {
        if let Some(best) = lines.first() {
            writeln!(out, "{}", best.heading().join("\n"))?;
        }
        let columns = layout::width();
        for found in &lines {
            writeln!(out, "{}", found.row(&position, columns))?;
        }
    }
    if let Some(path) = &args.svg {
        output::write(path, lines_picture(game, &lines).to_svg())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn situation(game: &Game) -> String {
    match game.outcome() {
        Some(Ending::Checkmate(winner)) => format!("{winner} has mated."),
        Some(Ending::Draw(_)) => "The game is drawn.".to_owned(),
        None => format!("{} to move.", game.position().turn()),
    }
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
            for (bar, text) in self.heading.iter().zip(found.heading()) {
                bar.set_message(text);
            }
        }
        if let Some(bar) = self.rows.get(found.multipv - 1) {
            bar.set_message(found.row(position, layout::width()));
        }
    }

    fn end(&self) {
        // The result is printed again at the end.
        let _ = self.all.clear();
    }
}
