//! `tabiya pgn check`: every move of every game, variations included, played through.

use std::io::Write;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Instant;

use chess::pgn::{self, Next, PgnError, PgnProblem, Replay, Watcher};
use chess::{Move, Position};
use clap::Args;
use data::{Input, Order, Piece, read_games};
use serde_json::{Value, json};

use super::FileArgs;
use super::progress::Bar;
use crate::Outcome;
use crate::layout::prose;
use crate::words::count;

#[derive(Args)]
pub struct CheckArgs {
    #[command(flatten)]
    files: FileArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// How many errors are listed at most; all are counted.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    max_errors: usize,
}

/// What was found, in a piece of a file or in all of it.
#[derive(Default)]
pub struct Findings {
    pub games: u64,
    /// Moves of main lines.
    pub moves: u64,
    /// Moves of variations.
    pub variation_moves: u64,
    pub errors: u64,
    /// The errors, as far as they are kept.
    pub listed: Vec<PgnError>,
}

impl Findings {
    /// Adds what was found in the text that follows, which began at this byte.
    pub fn append(&mut self, mut part: Self, offset: u64, max_errors: usize) {
        part.listed.truncate(max_errors.saturating_sub(self.listed.len()));
        for error in &mut part.listed {
            error.game += self.games;
            error.offset += offset;
        }
        self.listed.append(&mut part.listed);
        self.games += part.games;
        self.moves += part.moves;
        self.variation_moves += part.variation_moves;
        self.errors += part.errors;
    }

    /// The finding that a game is too long to be read.
    pub fn too_long(limit: usize) -> Self {
        let problem = PgnProblem::TooLong(limit);
        let error = PgnError { game: 1, offset: 0, at: None, problem };
        Self { games: 1, errors: 1, listed: vec![error], ..Self::default() }
    }
}

struct Checker {
    found: Findings,
    depth: usize,
    max_errors: usize,
}

impl Checker {
    #[inline(always)]
    fn count(&mut self) -> Next {
        if self.depth == 0 {
            self.found.moves += 1;
        } else {
            self.found.variation_moves += 1;
        }
        Next::Go
    }
}

impl Watcher for Checker {
    fn begin_game(&mut self) -> Next {
        self.found.games += 1;
        self.depth = 0;
        Next::Go
    }

    fn played(&mut self, _: &Position, _: Move, _: &Position) -> Next {
        self.count()
    }

    fn passed(&mut self, _: &Position, _: &Position) -> Next {
        self.count()
    }

    fn begin_variation(&mut self, _: &Position) -> Next {
        self.depth += 1;
        Next::Go
    }

    fn end_variation(&mut self) -> Next {
        self.depth -= 1;
        Next::Go
    }

    fn result_conflict(&mut self, conflict: PgnError) {
        self.error(conflict);
    }

    fn error(&mut self, error: PgnError) {
        self.found.errors += 1;
        if self.found.listed.len() < self.max_errors {
            self.found.listed.push(error);
        }
    }
}

fn check(piece: Piece<'_>, max_errors: usize) -> Findings {
    match piece {
        Piece::TooLong { limit, .. } => Findings::too_long(limit),
        Piece::Games(text) => {
            let checker = Checker { found: Findings::default(), depth: 0, max_errors };
            let mut replay = Replay::new(checker);
            pgn::read(text, &mut replay);
            replay.into_watcher().found
        }
    }
}

pub fn run(args: &CheckArgs, out: &mut dyn Write) -> Outcome {
    let begin = Instant::now();
    let mut all = Findings::default();
    let mut list: Vec<Value> = Vec::new();
    let mut failures: Vec<String> = Vec::new();
    for file in &args.files.inputs()? {
        let mut found = Findings::default();
        let room = args.max_errors.saturating_sub(list.len());
        let mut offset = 0;
        let result = Input::open(file).and_then(|input| {
            let bar = Bar::new(&input);
            let options = args.files.options(Order::Small);
            read_games(
                input,
                &options,
                |piece| check(piece, room),
                |part, bytes| {
                    bar.add(part.games);
                    found.append(part, offset, room);
                    offset += bytes;
                    ControlFlow::Continue(())
                },
            )
        });
        let name = file.display().to_string();
        for error in &found.listed {
            if args.json {
                list.push(as_json(&name, error));
            } else {
                writeln!(out, "{name}: {error}")?;
                list.push(Value::Null);
            }
        }
        if let Err(error) = result {
            eprintln!("tabiya: {error}");
            failures.push(error.to_string());
        }
        all.games += found.games;
        all.moves += found.moves;
        all.variation_moves += found.variation_moves;
        all.errors += found.errors;
    }
    let seconds = begin.elapsed().as_secs_f64();
    if args.json {
        let report = json!({
            "games": all.games,
            "moves": all.moves,
            "variation_moves": all.variation_moves,
            "error_count": all.errors,
            "errors": list,
            "failures": failures,
            "seconds": seconds,
        });
        writeln!(out, "{report}")?;
    } else {
        let more = all.errors - list.len() as u64;
        if more > 0 {
            writeln!(out, "… and {more} more")?;
        }
        let mut summary = count(all.games, "game") + ", " + &count(all.moves, "move");
        if all.variation_moves > 0 {
            summary += &format!(" and {} in variations", all.variation_moves);
        }
        let rate = all.games as f64 / seconds.max(1e-9);
        let errors = count(all.errors, "error");
        summary += &format!(", {errors}, {seconds:.2} s, {rate:.0} games/s");
        prose(out, &summary)?;
    }
    let is_fine = all.errors == 0 && failures.is_empty();
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn as_json(file: &str, error: &PgnError) -> Value {
    json!({
        "file": file,
        "game": error.game,
        "offset": error.offset,
        "move": error.at,
        "reason": error.problem.to_string(),
    })
}
