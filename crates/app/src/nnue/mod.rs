//! `tabiya nnue`: training, testing, exporting and measuring networks. One file for each command.

mod bench;
mod towers;

use std::io::Write;

use crate::Outcome;

/// Train, test, export and measure networks
#[derive(clap::Args)]
pub struct NnueArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Bench(bench::BenchArgs),
    Towers(towers::TowersArgs),
}

/// Runs it.
pub fn run(args: NnueArgs, out: &mut dyn Write) -> Outcome {
    match args.command {
        Command::Bench(args) => bench::run(args, out),
        Command::Towers(args) => towers::run(args, out),
    }
}
