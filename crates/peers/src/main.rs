//! Side-by-side benchmarks: our libraries and the field's, in one run, on one thread, per second of
//! CPU time. Ratios are what counts; absolute figures belong to the machine.

mod corpus;
mod fen;
mod perft;
mod sliders;
mod table;

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
    /// Slider attacks: our four backends and others.
    Sliders,
    /// FEN, read with validation and written.
    Fen,
}

fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    match cli.command {
        Command::Perft => perft::run(cli.rounds, cli.json),
        Command::Sliders => sliders::run(cli.rounds, cli.json),
        Command::Fen => fen::run(cli.rounds, cli.json),
    }
}
