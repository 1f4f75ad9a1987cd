//! `tabiya pgn`: check, count and normalize games.

mod check;
mod normalize;
pub mod progress;
mod stats;

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::Outcome;
use crate::threads::Threads;

/// Check, count and normalize games in PGN files
///
/// Inputs are PGN files, plain, .zst, .gz or .bz2, directories of them, or - for standard input.
#[derive(Args)]
pub struct PgnArgs {
    #[command(subcommand)]
    command: PgnCommand,
}

#[derive(Subcommand)]
enum PgnCommand {
    /// Replay all games and list their errors; exit code 1 if there are any
    Check(check::CheckArgs),
    /// Count games, results, ratings, openings, lengths, evaluations and clocks
    Stats(stats::StatsArgs),
    /// Write all games in the export format of the PGN standard
    ///
    /// Errors are listed on standard error. The text of a broken game after the error becomes a comment.
    Normalize(normalize::NormalizeArgs),
}

/// Arguments of all commands.
#[derive(Args)]
pub struct FileArgs {
    /// PGN files, also compressed; `-` for standard input; a directory stands for all files in it that end in
    /// .pgn, .pgn.zst, .pgn.gz or .pgn.bz2, sorted by name
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    threads: Threads,
}

impl FileArgs {
    /// The files, with directories expanded.
    pub fn inputs(&self) -> Result<Vec<PathBuf>, data::DataError> {
        data::expand(&self.files)
    }

    pub fn options(&self) -> data::ReadOptions {
        data::ReadOptions { threads: self.threads.count(), ..data::ReadOptions::default() }
    }
}

/// Prints the errors of inputs that could not be read completely; returns the number of lines.
pub fn report_failure(result: Result<(), data::ReadError>) -> Vec<String> {
    let lines = result.err().map_or_else(Vec::new, |error| error.lines());
    lines.iter().for_each(|line| eprintln!("tabiya: {line}"));
    lines
}

pub fn run(args: PgnArgs, out: &mut dyn Write) -> Outcome {
    match args.command {
        PgnCommand::Check(args) => check::run(&args, out),
        PgnCommand::Stats(args) => stats::run(&args, out),
        PgnCommand::Normalize(args) => normalize::run(&args, out),
    }
}
