//! `tabiya pra`: the transformer with piece-routed attention. One file for each command.

mod attention;
mod bench;
mod data;
mod eval;
mod export;
mod info;
mod model;
mod predict;
mod train;
mod uci;

use std::io::Write;
use std::path::PathBuf;

use crate::Outcome;

/// Train, evaluate, inspect and play the transformer with piece-routed attention
#[derive(clap::Args)]
pub struct PraArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Info(info::InfoArgs),
    Predict(predict::PredictArgs),
    Eval(eval::EvalArgs),
    Attention(attention::AttentionArgs),
    Train(Box<train::TrainArgs>),
    Export(export::ExportArgs),
    Bench(bench::BenchArgs),
    Uci(uci::UciArgs),
}

impl PraArgs {
    /// The UCI player with the model in a directory.
    pub fn uci(folder: PathBuf) -> Self {
        Self { command: Command::Uci(uci::UciArgs::of(folder)) }
    }
}

/// Runs the command.
pub fn run(args: PraArgs, out: &mut dyn Write) -> Outcome {
    match args.command {
        Command::Info(args) => info::run(&args, out),
        Command::Predict(args) => predict::run(&args, out),
        Command::Eval(args) => eval::run(&args, out),
        Command::Attention(args) => attention::run(&args, out),
        Command::Train(args) => train::run(&args, out),
        Command::Export(args) => export::run(&args, out),
        Command::Bench(args) => bench::run(&args, out),
        Command::Uci(args) => uci::run(&args),
    }
}
