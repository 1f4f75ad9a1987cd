//! `tabiya nnue`: one file per command.

mod bench;
mod export;
mod rescore;
mod test;
mod towers;
mod towers_eval;
mod train;

use std::io::Write;

use crate::Outcome;

/// Train, test, export and benchmark NNUE networks
#[derive(clap::Args)]
pub struct NnueArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Bench(bench::BenchArgs),
    Towers(towers::TowersArgs),
    Train(Box<train::TrainArgs>),
    Test(Box<test::TestArgs>),
    Export(export::ExportArgs),
    Rescore(Box<rescore::RescoreArgs>),
}

pub fn run(args: NnueArgs, out: &mut dyn Write) -> Outcome {
    match args.command {
        Command::Bench(args) => bench::run(args, out),
        Command::Towers(args) => towers::run(args, out),
        Command::Train(args) => train::run(&args, out),
        Command::Test(args) => test::run(&args, out),
        Command::Export(args) => export::run(&args, out),
        Command::Rescore(args) => rescore::run(&args, out),
    }
}
