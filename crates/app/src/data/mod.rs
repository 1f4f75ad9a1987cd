//! `tabiya data`: games made into data sets, and what is in these.

mod convert;
mod head;
mod info;
mod prepare;
mod verify;

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
    /// Tell what is in a data set: counts, columns, sizes, distributions.
    Info(info::InfoArgs),
    /// Check every file and every row of a data set. Exit code 1 if anything is wrong.
    Verify(verify::VerifyArgs),
    /// Print the first rows of a data set or of a file.
    Head(head::HeadArgs),
    /// Make packed rows of 32 bytes of a data set, for training NNUE.
    Pack(convert::ConvertArgs),
    /// Make Parquet of packed rows.
    Unpack(convert::ConvertArgs),
}

pub fn run(args: DataArgs, out: &mut dyn Write) -> Outcome {
    match args.command {
        DataCommand::Prepare(args) => prepare::run(&args, out),
        DataCommand::Info(args) => info::run(&args, out),
        DataCommand::Verify(args) => verify::run(&args, out),
        DataCommand::Head(args) => head::run(&args, out),
        DataCommand::Pack(args) => convert::run(&args, ::data::FileFormat::Packed, out),
        DataCommand::Unpack(args) => convert::run(&args, ::data::FileFormat::Parquet, out),
    }
}
