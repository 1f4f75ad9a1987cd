//! `tabiya eval`: static evaluation of positions.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use chess::Position;
use engine::eval::Evaluator;
use nnue::AnyNetwork;
use serde_json::json;

use crate::{Outcome, input};

/// Print the static evaluation of positions
///
/// Reads one position per line: a FEN, `FEN moves e2e4 e7e5 …` or `startpos moves …`. Prints one
/// integer for each, from the side to move, in the unit of the network: that of the search for our own,
/// Stockfish 16's centipawns for its network, or for a HalfKP network the value of nnue-probe, where a
/// pawn is about 208. Without --net it is scaled down as the fifty-move rule draws near.
/// Text after `;`, empty lines and lines that start with # are ignored. An invalid line yields
/// `error: …`, and exit code 1 at the end.
///
/// Examples:
///   tabiya eval startpos '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1'
///   tabiya eval --net nn-62ef826d1a6d.nnue --file positions.txt
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct EvalArgs {
    /// Positions
    #[arg(value_name = "FEN", required_unless_present = "file")]
    fens: Vec<String>,
    /// Network file, `embedded`, or `classic` for the classical evaluation (HCE) [default: the engine's own]
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// File with one position per line, or - for standard input
    #[arg(long, value_name = "FENS")]
    file: Option<PathBuf>,
    /// Print one JSON object per line: FEN and value, or error
    #[arg(long)]
    json: bool,
}

pub fn run(args: EvalArgs, out: &mut dyn Write) -> Outcome {
    let named = args.net.as_deref().map(input::evaluation).transpose()?;
    let mut evaluator =
        if let Some(None) = named { Evaluator::new(None) } else { Evaluator::default() };
    let network = named.flatten();
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
                let value = evaluate(network.as_ref(), &mut evaluator, &position);
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

/// The evaluation from the side to move by a network, or by the engine.
fn evaluate(network: Option<&AnyNetwork>, engine: &mut Evaluator, position: &Position) -> i32 {
    match network {
        None => {
            engine.reset(position);
            engine.evaluate(position)
        }
        // The raw value, not centipawns.
        Some(AnyNetwork::HalfKp(network)) => network.evaluate(position),
        Some(network) => network.evaluate(position),
    }
}
