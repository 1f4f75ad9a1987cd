//! `tabiya data`: games made into data sets, and what is in these.

mod prepare;

use std::io::Write;

use clap::{Args, Subcommand};

use crate::Outcome;

/// Makes data sets of games, for training; shows and checks what is in them.
#[derive(Args)]
pub struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Subcommand)]
enum DataCommand {
    /// Make a data set of games: Parquet files with a row for every position.
    Prepare(Box<prepare::PrepareArgs>),
}

pub fn run(args: DataArgs, out: &mut dyn Write) -> Outcome {
    match args.command {
        DataCommand::Prepare(args) => prepare::run(&args, out),
    }
}
