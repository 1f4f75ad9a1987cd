//! `tabiya data`: data sets of positions.

mod convert;
mod head;
mod info;
mod prepare;
mod verify;

use std::io::Write;

use clap::{Args, Subcommand};

use crate::Outcome;

/// Convert games to data sets for training; inspect and verify data sets
#[derive(Args)]
pub struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Subcommand)]
enum DataCommand {
    /// Convert games to a data set: Parquet files with a row for every position
    Prepare(Box<prepare::PrepareArgs>),
    /// Show counts, schema, sizes and distributions of a data set
    Info(info::InfoArgs),
    /// Verify every file and every row of a data set; exit code 1 if there are problems
    Verify(verify::VerifyArgs),
    /// Print the first rows of a data set or of a file
    Head(head::HeadArgs),
    /// Convert a data set to packed rows of 32 bytes, for NNUE training
    Pack(convert::ConvertArgs),
    /// Convert packed rows to Parquet
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
