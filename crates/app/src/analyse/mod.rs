//! `tabiya analyse`: engine analysis of positions and games.
//!
//! | file | holds |
//! |---|---|
//! | `position` | one position: a board, and principal variations updated in place |
//! | `game` | the games of a PGN file |

mod game;
mod position;

use std::ffi::OsString;
use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use chess::Game;
use engine::analysis::AnalysisEngine;
use engine::search::{Engine, Limits};

use crate::search_limits::SearchLimits;
use crate::{Outcome, input, interrupt, threads};

/// Analyze a position, or every move of a game
///
/// For a position, prints the board and the principal variations, with the score in pawns and the
/// win, draw and loss chances from White's point of view. On a terminal the lines are updated while
/// the engine searches; Ctrl-C stops it and keeps the result.
///
/// For a game, prints its moves with evaluations. A move that loses expected points (1 for a win, ½
/// for a draw) is marked: ?! from 0.05 points, ? from 0.10, ?? from 0.20, with a better variation. A
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
    /// A PGN file, as for --pgn, or a position, as for --fen [default: startpos]
    #[arg(value_name = "FILE|FEN", group = "subject")]
    input: Vec<OsString>,
    /// Position: a FEN, 'FEN moves e2e4 …' or 'startpos moves …'
    #[arg(long, group = "subject")]
    fen: Option<String>,
    /// PGN file, plain or compressed; '-' for standard input
    #[arg(long, value_name = "FILE", group = "subject")]
    pgn: Option<PathBuf>,
    /// Analyze only game N of the file, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    game: Option<u32>,
    /// Seconds for the position [default: 5], or for each move of a game [default: 0.3]
    #[arg(long, value_name = "S", group = "limit", value_parser = seconds)]
    time: Option<Duration>,
    #[command(flatten)]
    limits: SearchLimits,
    /// Number of principal variations of a position
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=218))]
    multipv: u16,
    /// Number of threads, 1 to 256
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads::parse)]
    threads: NonZero<usize>,
    /// Size of the hash table in MiB
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash: u32,
    /// Write the evaluation graph of the game, or the board with the best moves, as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the games as PGN with evaluations, marks and better variations
    #[arg(long, value_name = "FILE")]
    annotate: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    if !(0.001..=1e7).contains(&seconds) {
        return Err("must be from 0.001 to 10000000".to_owned());
    }
    Ok(Duration::from_secs_f64(seconds))
}

impl AnalyseArgs {
    /// The limits of a search; `default` is its time without any option.
    fn limits(&self, default: Duration) -> Limits {
        self.limits.or_time(self.time.unwrap_or(default))
    }

    /// The engine; Ctrl-C stops its search, not the program.
    fn engine(&self) -> anyhow::Result<AnalysisEngine> {
        let mut engine = Engine::new(self.hash as usize).context("--hash")?;
        engine.set_threads(self.threads.get()).context("--threads")?;
        let mut engine = AnalysisEngine::new(engine);
        engine.multi_pv = self.multipv.into();
        let stop = engine.stop_handle();
        interrupt::listen(move || stop.stop())?;
        Ok(engine)
    }
}

/// The input.
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
            // An unquoted FEN is several arguments.
            words => {
                let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
                let text = words.join(" ");
                let game = input::game(&text)
                    .with_context(|| format!("'{text}' is neither a file nor a position"))?;
                Ok(Subject::Position(game))
            }
        }
    }

    /// Why an option does not apply to the subject.
    fn misplaced(&self, subject: &Subject) -> Option<&'static str> {
        match subject {
            Subject::Games(_) if self.multipv > 1 => Some("--multipv applies to a position only"),
            Subject::Position(_) if self.game.is_some() => {
                Some("--game applies to a PGN file only")
            }
            Subject::Position(_) if self.annotate.is_some() => {
                Some("--annotate applies to a PGN file only")
            }
            _ => None,
        }
    }
}

pub fn run(args: &AnalyseArgs, out: &mut dyn Write) -> Outcome {
    for path in [&args.svg, &args.annotate].into_iter().flatten() {
        ensure!(!path.is_dir(), "{} is a directory", path.display());
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
