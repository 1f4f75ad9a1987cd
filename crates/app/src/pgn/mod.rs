//! `tabiya pgn`: files of games, checked, counted, written anew.

mod check;
mod normalize;
mod progress;
mod stats;

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::Outcome;
use crate::threads::Threads;

/// Reads games from PGN files: plain, .zst, .gz, .bz2, folders of them, or - for standard input.
#[derive(Args)]
pub struct PgnArgs {
    #[command(subcommand)]
    command: PgnCommand,
}

#[derive(Subcommand)]
enum PgnCommand {
    /// Play through all games; list what is wrong with them. Exit code 1 if anything is.
    Check(check::CheckArgs),
    /// Count games, results, ratings, first moves, lengths, evaluations and clocks.
    Stats(stats::StatsArgs),
    /// Write all games in the export format of the standard; list errors on standard error. Of a broken
    /// game, what follows the error is written as a comment.
    Normalize(normalize::NormalizeArgs),
}

/// What all commands on files of games take.
#[derive(Args)]
struct FileArgs {
    /// The files; what is in them says how they are compressed. `-` is standard input. A folder stands
    /// for all files in it that end in .pgn, .pgn.zst, .pgn.gz or .pgn.bz2, sorted by name.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    threads: Threads,
}

impl FileArgs {
    /// The files, with those of folders.
    fn inputs(&self) -> Result<Vec<PathBuf>, data::DataError> {
        data::expand(&self.files)
    }

    fn options(&self, order: data::Order) -> data::Options {
        let options = data::Options { order, ..data::Options::default() };
        data::Options { threads: self.threads.count(), ..options }
    }
}

pub fn run(args: PgnArgs, out: &mut dyn Write) -> Outcome {
    match args.command {
        PgnCommand::Check(args) => check::run(&args, out),
        PgnCommand::Stats(args) => stats::run(&args, out),
        PgnCommand::Normalize(args) => normalize::run(&args, out),
    }
}
