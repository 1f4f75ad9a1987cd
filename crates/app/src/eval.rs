//! `tabiya eval`: what an evaluation says of positions, without searching.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use chess::Position;
use engine::eval::{self, Evaluator};
use nnue::AnyNetwork;
use serde_json::json;

use crate::{Outcome, input};

/// Evaluate positions without searching, one a line
///
/// Reads one position a line, as FEN, `FEN moves e2e4 e7e5 …` or `startpos moves …`, and writes one
/// integer for each, from the side to move: centipawns, or for a HalfKP network the value that
/// nnue-probe returns, of which a pawn is about 208. Without a network it is the evaluation the engine
/// plays with, which comes down towards a draw as the fifty-move rule comes near. What follows a `;` is not read; empty lines and lines with # in front are
/// passed over. A bad line gives `error: …` in its place, and the exit code is 1 in the end.
///
/// Examples:
///   tabiya eval startpos '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1'
///   tabiya eval --net nn-62ef826d1a6d.nnue --file positions.txt
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct EvalArgs {
    /// The positions
    #[arg(value_name = "FEN", required_unless_present = "file")]
    fens: Vec<String>,
    /// The network to evaluate with; without it, what the engine uses
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// A file with one position a line, or - for standard input
    #[arg(long, value_name = "FENS")]
    file: Option<PathBuf>,
    /// Write one JSON object a line: FEN and value, or error
    #[arg(long)]
    json: bool,
}

pub fn run(args: EvalArgs, out: &mut dyn Write) -> Outcome {
    let mut evaluation = Evaluation::load(args.net.as_deref())?;
    let mut all_good = true;
    let mut answer = |line: anyhow::Result<&str>| -> anyhow::Result<()> {
        let position = line.and_then(|line| Ok(*input::game(line)?.position()));
        all_good &= position.is_ok();
        match position {
            Err(error) if args.json => {
                writeln!(out, "{}", json!({ "error": format!("{error:#}") }))?;
            }
            Err(error) => writeln!(out, "error: {error:#}")?,
            Ok(position) => {
                let value = evaluation.of(&position);
                if args.json {
                    writeln!(out, "{}", json!({ "fen": position.fen(), "value": value }))?;
                } else {
                    writeln!(out, "{value}")?;
                }
            }
        }
        Ok(())
    };
    for fen in &args.fens {
        answer(Ok(fen))?;
    }
    if let Some(file) = &args.file {
        input::each_line(input::open(file)?, |_, line| match line {
            Ok(line) if line.is_empty() || line.starts_with('#') => Ok(()),
            line => answer(line.map(|line| line.split(';').next().unwrap_or(line))),
        })?;
    }
    Ok(if all_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whatever can be asked for the value of a position.
enum Evaluation {
    /// What the engine uses, as the search sees it.
    Engine(Box<Evaluator>),
    /// A network of Tabiya's own kind or of Stockfish's first, as it is.
    Network(AnyNetwork),
}

impl Evaluation {
    fn load(file: Option<&Path>) -> anyhow::Result<Self> {
        let Some(file) = file else { return Ok(Self::Engine(Box::default())) };
        let network = eval::file::load(file).with_context(|| file.display().to_string())?;
        Ok(Self::Network(network))
    }

    /// For the side to move.
    fn of(&mut self, position: &Position) -> i32 {
        match self {
            Self::Engine(evaluator) => {
                evaluator.reset(position);
                evaluator.evaluate(position)
            }
            Self::Network(AnyNetwork::HalfKp(network)) => network.evaluate(position),
            Self::Network(network) => network.evaluate(position),
        }
    }
}
