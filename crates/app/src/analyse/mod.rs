//! `tabiya analyse`: what the engine thinks, for people.
//!
//! | file | holds |
//! |---|---|
//! | `thinker` | an engine on a thread of its own, and Ctrl-C |
//! | `view` | scores, chances and lines as people read them |
//! | `position` | one position: a board and lines that refine in place |
//! | `judge` | what a move has cost, and the mark it gets for it |
//! | `study` | a whole game, move by move, suspects twice |
//! | `game` | the games of a file, one after the other |
//! | `report` | the table of a game's moves, and as JSON |
//! | `graph` | the evaluation through a game as a picture |
//! | `annotate` | the game with evaluations, marks and better lines |

mod annotate;
mod game;
mod graph;
mod judge;
mod position;
mod report;
mod study;
mod thinker;
mod view;

use std::ffi::OsString;
use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use chess::Game;
use engine::search::Limits;

use crate::{Outcome, input, threads};

/// Show what the engine thinks of a position, or of every move of a game
///
/// A position gets a board and the best lines, evaluated in pawns as White sees it, with White's
/// chances to win, draw and lose. On a terminal the lines refine while it thinks; Ctrl-C ends it and
/// keeps what is known.
///
/// A game gets a table of its moves with evaluations. A move that gives away expected points (1 for a
/// win, ½ for a draw) is marked: ?! from 0.05 points, ? from 0.10, ?? from 0.20, with a better one. A
/// suspect is searched a second time, longer, before it is marked.
///
/// Examples:
///   tabiya analyse game.pgn
///   tabiya analyse games.pgn --game 2 --depth 16 --svg graph.svg
///   tabiya analyse games.pgn --time 0.2 --annotate annotated.pgn
///   tabiya analyse 'r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq -'
///   tabiya analyse --fen 'startpos moves e2e4 c7c5' --time 10 --multipv 3
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct AnalyseArgs {
    /// A file of games, as for --pgn, or a position, as for --fen [default: startpos]
    #[arg(value_name = "FILE|FEN", group = "subject")]
    input: Vec<OsString>,
    /// The position as FEN; 'FEN moves e2e4 …' and 'startpos moves …' play moves from it
    #[arg(long, group = "subject")]
    fen: Option<String>,
    /// A file of games, plain or compressed; '-' for standard input
    #[arg(long, value_name = "FILE", group = "subject")]
    pgn: Option<PathBuf>,
    /// Only this game of the file, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    game: Option<u32>,
    /// Seconds for the position (5), or for each move of a game (0.3)
    #[arg(long, value_name = "S", group = "limit", value_parser = seconds)]
    time: Option<Duration>,
    /// Look so many plies ahead
    #[arg(long, value_name = "N", group = "limit", value_parser = clap::value_parser!(u32).range(1..=127))]
    depth: Option<u32>,
    /// Look at so many positions
    #[arg(long, value_name = "N", group = "limit", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Show so many lines of a position
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=218))]
    multipv: u16,
    /// Number of threads, 1 to 256
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads::parse)]
    threads: NonZero<usize>,
    /// The size of the transposition table in MiB
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash: u32,
    /// Draw the evaluation through the game, or the position with its best moves, as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the games with evaluations, marks and better lines
    #[arg(long, value_name = "FILE")]
    annotate: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "it is no number of seconds".to_owned())?;
    if !(0.001..=1e7).contains(&seconds) {
        return Err("it must be from 0.001 to 10000000".to_owned());
    }
    Ok(Duration::from_secs_f64(seconds))
}

impl AnalyseArgs {
    /// When a search ends, if it is to take this long unless something is said.
    fn limits(&self, usual: Duration) -> Limits {
        let mut limits = Limits { depth: self.depth, nodes: self.nodes, ..Limits::default() };
        if limits == Limits::default() {
            limits.move_time = Some(self.time.unwrap_or(usual));
        }
        limits
    }
}

/// What is to be analysed.
enum Subject {
    Games(PathBuf),
    Position(Game),
}

impl AnalyseArgs {
    fn subject(&self) -> anyhow::Result<Subject> {
        if let Some(path) = &self.pgn {
            return Ok(Subject::Games(path.clone()));
        }
        if let Some(fen) = &self.fen {
            return Ok(Subject::Position(input::game(fen)?));
        }
        match &self.input[..] {
            [] => Ok(Subject::Position(Game::default())),
            [one] if one == "-" || Path::new(one).exists() => Ok(Subject::Games(one.into())),
            // A FEN without quotes is several arguments.
            words => {
                let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
                let text = words.join(" ");
                let game = input::game(&text)
                    .with_context(|| format!("'{text}' is neither a file nor a position"))?;
                Ok(Subject::Position(game))
            }
        }
    }

    /// An option that is given and is not for such a subject.
    fn misplaced(&self, subject: &Subject) -> Option<&'static str> {
        match subject {
            Subject::Games(_) if self.multipv > 1 => Some("--multipv is for a position"),
            Subject::Position(_) if self.game.is_some() => Some("--game is for a file of games"),
            Subject::Position(_) if self.annotate.is_some() => {
                Some("--annotate is for a file of games")
            }
            _ => None,
        }
    }
}

/// Runs it.
pub fn run(args: &AnalyseArgs, out: &mut dyn Write) -> Outcome {
    for path in [&args.svg, &args.annotate].into_iter().flatten() {
        ensure!(!path.is_dir(), "{} is a folder", path.display());
    }
    ensure!(
        args.svg.is_none() || args.svg != args.annotate,
        "--svg and --annotate name the same file"
    );
    let subject = args.subject()?;
    if let Some(complaint) = args.misplaced(&subject) {
        eprintln!("tabiya: {complaint}");
        return Ok(ExitCode::from(2));
    }
    match &subject {
        Subject::Games(path) => game::run(args, path, out),
        Subject::Position(game) => position::run(args, game, out),
    }
}
