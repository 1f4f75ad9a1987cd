//! `tabiya nnue towers eval`: evaluations of the two-tower MLP.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use ::nnue::features::Features;
use ::nnue::towers::Towers;
use anyhow::{Context, ensure};
use clap::Args;
use serde_json::json;

use crate::{Outcome, input};

/// Evaluate positions, in centipawns from the side to move
#[derive(Args)]
pub struct EvalArgs {
    /// Model file
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// Position as FEN; 'FEN moves e2e4 …' and 'startpos moves …' play moves from it
    #[arg(long, default_value = "startpos", conflicts_with = "file")]
    fen: String,
    /// File of positions, one per line, or - for standard input; prints one number per line
    #[arg(long, value_name = "FENS")]
    file: Option<PathBuf>,
    /// Print JSON, one object per position
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &EvalArgs, out: &mut dyn Write) -> Outcome {
    let model = Towers::load(&args.model).with_context(|| args.model.display().to_string())?;
    let mut code = ExitCode::SUCCESS;
    let mut print = |text: anyhow::Result<&str>| -> anyhow::Result<bool> {
        let evaluated = text.and_then(input::game).and_then(|game| {
            let value = model.evaluate_features(&Features::for_mover(game.position()));
            ensure!(value.is_finite(), "the output of the network is not a finite number");
            Ok((game, value))
        });
        match evaluated {
            Ok((game, value)) => {
                let position = game.position();
                if args.json {
                    writeln!(out, "{}", json!({ "fen": position.fen(), "value": value }))?;
                } else {
                    writeln!(out, "{value:.2}")?;
                }
                Ok(true)
            }
            Err(error) if args.file.is_none() => Err(error),
            Err(error) => {
                let error = format!("{error:#}");
                if args.json {
                    writeln!(out, "{}", json!({ "error": error }))?;
                } else {
                    writeln!(out, "error: {error}")?;
                }
                Ok(false)
            }
        }
    };
    match &args.file {
        None => {
            print(Ok(&args.fen))?;
        }
        Some(file) => input::each_line(input::open(file)?, |_, line| {
            if !print(line)? {
                code = ExitCode::FAILURE;
            }
            Ok(())
        })?,
    }
    Ok(code)
}
