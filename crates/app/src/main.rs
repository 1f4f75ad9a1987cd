//! The `tabiya` program: one file per command, each a thin layer over the libraries.
//!
//! This is the only crate that knows the command line and prints. Exit codes: 0 done, 1 it failed
//! or a check did not hold, 2 the call was wrong (clap's own). A broken pipe is no error.

mod board;
mod data;
mod input;
mod legal;
mod paco;
mod perft;
mod pgn;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// What a command ends with: whether all it checked held, or why it could not go on.
type Outcome = anyhow::Result<ExitCode>;

#[derive(Parser)]
#[command(version, about, long_about = None, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Perft(perft::PerftArgs),
    Legal(legal::LegalArgs),
    Board(board::BoardArgs),
    Pgn(pgn::PgnArgs),
    Data(data::DataArgs),
    Paco(paco::PacoArgs),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let outcome = run(cli.command, &mut out);
    let flushed = out.flush().map_err(anyhow::Error::from);
    match outcome.and_then(|code| flushed.map(|()| code)) {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tabiya: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command, out: &mut dyn Write) -> Outcome {
    match command {
        Command::Perft(args) => perft::run(args, out),
        Command::Legal(args) => legal::run(args, out),
        Command::Board(args) => board::run(args, out),
        Command::Pgn(args) => pgn::run(args, out),
        Command::Data(args) => data::run(args, out),
        Command::Paco(args) => paco::run(args, out),
    }
}

/// Whoever read our output has seen enough: that is no failure.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
