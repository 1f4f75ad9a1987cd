//! Side-by-side benchmarks: our libraries and the field's, in one run, on one thread, per second of
//! CPU time. Ratios are what counts; absolute figures belong to the machine.

mod corpus;
mod data;
mod fen;
mod hostile;
mod perft;
mod pgn;
mod san;
mod sliders;
mod table;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Compares Tabiya with other chess libraries, side by side in one run")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print JSON instead of a table.
    #[arg(long, global = true)]
    json: bool,
    /// How often each measurement is repeated, in turn with the others; the best of each counts.
    #[arg(long, global = true, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

#[derive(Subcommand)]
enum Command {
    /// Move generation: perft with counted and with made leaves.
    Perft,
    /// Reading PGN: tokens, moves played, moves played with FEN and UCI text.
    Pgn {
        /// The file; only whole games within the limit are read.
        file: PathBuf,
        /// How many million bytes of it.
        #[arg(long, default_value_t = 100)]
        limit_mb: usize,
    },
    /// Reading hostile PGN: time per size for shapes of text that make careless readers slow. Fails if
    /// twice the text takes more than three times as long.
    Hostile {
        /// The largest size, in bytes.
        #[arg(long, default_value_t = 1_000_000)]
        bytes: usize,
    },
    /// Games to Parquet, compared with python-chess and pyarrow.
    Data {
        /// The file; only whole games within the limits are read.
        file: PathBuf,
        /// A Python that has both.
        #[arg(long, default_value = ".venv/bin/python")]
        python: PathBuf,
        /// How many million bytes of it we read.
        #[arg(long, default_value_t = 40)]
        limit_mb: usize,
        /// How many million bytes of it Python reads.
        #[arg(long, default_value_t = 1)]
        python_mb: usize,
    },
    /// Moves in algebraic notation: read and played.
    San,
    /// Slider attacks: our four backends and others.
    Sliders,
    /// FEN, read with validation and written.
    Fen,
}

fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    match cli.command {
        Command::Perft => perft::run(cli.rounds, cli.json),
        Command::Pgn { file, limit_mb } => pgn::run(&file, limit_mb, cli.rounds, cli.json),
        Command::Hostile { bytes } => hostile::run(bytes, cli.rounds, cli.json),
        Command::Data { file, python, limit_mb, python_mb } => {
            data::run(&file, &python, [limit_mb, python_mb], cli.rounds, cli.json)
        }
        Command::San => san::run(cli.rounds, cli.json),
        Command::Sliders => sliders::run(cli.rounds, cli.json),
        Command::Fen => fen::run(cli.rounds, cli.json),
    }
}
