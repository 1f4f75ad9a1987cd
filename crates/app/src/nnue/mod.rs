//! `tabiya nnue`: training, testing, exporting and measuring networks. One file for each command.

mod rescore;

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
    Rescore(Box<rescore::RescoreArgs>),
}

/// Runs it.
pub fn run(args: NnueArgs, out: &mut dyn Write) -> Outcome {
    match args.command {
        Command::Rescore(args) => rescore::run(&args, out),
    }
}
