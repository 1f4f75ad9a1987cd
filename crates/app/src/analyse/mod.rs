//! `tabiya analyse`: what the engine thinks, for people.
//!
//! | file | holds |
//! |---|---|
//! | `thinker` | an engine on a thread of its own, and Ctrl-C |
//! | `view` | scores, chances and lines as people read them |
//! | `position` | one position: a board and lines that refine in place |
//! | `judge` | what a move has cost, and the mark it gets for it |
//! | `game` | a whole game, move by move |
//! | `report` | the table of a game's moves, and as JSON |
//! | `graph` | the evaluation through a game as a picture |
//! | `annotate` | the game with evaluations, marks and better lines |

mod annotate;
mod game;
mod graph;
mod judge;
mod position;
mod report;
mod thinker;
mod view;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use engine::search::Limits;

use crate::Outcome;

/// Show what the engine thinks of a position, or of every move of a game
///
/// A position gets a board and the best lines, evaluated in pawns as White sees it, with White's
/// chances to win, draw and lose. On a terminal the lines refine while it thinks; Ctrl-C ends it and
/// keeps what is known.
///
/// A game gets a table of its moves with evaluations. A move that gives away expected points (1 for a
/// win, ½ for a draw) is marked: ?! from 0.05 points, ? from 0.10, ?? from 0.20, with a better one.
///
/// Examples:
///   tabiya analyse --fen 'startpos moves e2e4 c7c5' --time 10 --multipv 3
///   tabiya analyse --fen 'r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 2 4'
///   tabiya analyse --pgn games.pgn --game 2 --depth 16 --svg graph.svg
///   tabiya analyse --pgn games.pgn --time 0.2 --annotate annotated.pgn
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct AnalyseArgs {
    /// The position as FEN; 'FEN moves e2e4 …' and 'startpos moves …' play moves from it
    #[arg(long, default_value = "startpos", conflicts_with = "pgn")]
    fen: String,
    /// A file of games, plain or compressed; '-' for standard input
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Only this game of the file, counted from 1
    #[arg(long, value_name = "N", requires = "pgn", value_parser = clap::value_parser!(u32).range(1..))]
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
    /// Show so many lines
    #[arg(long, value_name = "K", default_value_t = 1, conflicts_with = "pgn", value_parser = clap::value_parser!(u16).range(1..=218))]
    multipv: u16,
    /// Threads
    #[arg(long, value_name = "N", default_value = "1", value_parser = crate::threads::parse)]
    threads: std::num::NonZero<usize>,
    /// The size of the transposition table in MiB
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash: u32,
    /// Draw the evaluation through the game, or the position with its best moves, as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the games with evaluations, marks and better lines
    #[arg(long, value_name = "FILE", requires = "pgn")]
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

/// Runs it.
pub fn run(args: &AnalyseArgs, out: &mut dyn Write) -> Outcome {
    for path in [&args.svg, &args.annotate].into_iter().flatten() {
        ensure!(!path.is_dir(), "{} is a folder", path.display());
    }
    match &args.pgn {
        Some(path) => game::run(args, path, out),
        None => position::run(args, out),
    }
}
