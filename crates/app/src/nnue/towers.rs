//! `tabiya nnue towers train`: trains the two-tower MLP.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use ::data::{PointOfView, Split};
use clap::{Args, Subcommand, ValueEnum};
use layout::{clock, count};
use serde_json::json;
use train::towers::{Epoch, Event, Examples, Options, RunOptions, Source, train};

use super::towers_eval;
use crate::threads::Threads;
use crate::training::{self, Display};
use crate::{Outcome, output};

/// Train and evaluate the two-tower MLP (384→512 twice, 64, 64, 1)
#[derive(Args)]
pub struct TowersArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Train(TrainArgs),
    Eval(towers_eval::EvalArgs),
}

/// Train a model on positions with evaluations; an interrupted run resumes from its checkpoint
///
/// Examples are JSON lines {"fen": "…", "eval": 31}, evaluations in centipawns or as "#3", compressed
/// or not; or a data set of tabiya. The model predicts from the side to move, whatever the point of
/// view of the file.
///
/// Example: tabiya nnue towers train --data evals.jsonl --out model.safetensors
#[derive(Args)]
#[command(verbatim_doc_comment)]
struct TrainArgs {
    /// JSON lines, a file of rows, or the directory of a data set
    #[arg(long, value_name = "PATH")]
    data: PathBuf,
    /// The model, which is also the checkpoint that a run resumes from
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Validation examples [default: the validation rows of the data set]
    #[arg(long, value_name = "PATH")]
    val: Option<PathBuf>,
    /// Point of view of the evaluations in JSON lines; data sets record theirs
    #[arg(long, default_value = "white")]
    pov: Pov,
    /// Epochs
    #[arg(long, value_name = "N", default_value_t = 10)]
    epochs: u64,
    /// Positions per step
    #[arg(long, value_name = "N", default_value_t = 512)]
    batch_size: usize,
    /// Learning rate
    #[arg(long, value_name = "RATE", default_value_t = 5e-4)]
    lr: f32,
    /// Clip evaluations to this, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 1500.0)]
    clip: f32,
    /// Random seed of the initial model and the order of examples
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Steps between two checkpoints; each epoch ends with one too
    #[arg(long, value_name = "N", default_value_t = 2000)]
    save_every: u64,
    /// Examples, at most; each takes 32 bytes of memory
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    max_examples: usize,
    #[command(flatten)]
    threads: Threads,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Pov {
    /// White's
    White,
    /// The side to move's
    Mover,
}

/// Runs the command.
pub fn run(args: TowersArgs, out: &mut dyn Write) -> Outcome {
    match args.command {
        Command::Train(args) => run_train(&args, out),
        Command::Eval(args) => towers_eval::run(&args, out),
    }
}

fn run_train(args: &TrainArgs, out: &mut dyn Write) -> Outcome {
    let pov = match args.pov {
        Pov::White => PointOfView::White,
        Pov::Mover => PointOfView::Mover,
    };
    let inputs = [&args.data].into_iter().chain(&args.val);
    output::ensure_not_inputs([args.out.as_path()], inputs.map(PathBuf::as_path))?;
    let source =
        Source { path: args.data.clone(), pov, split: Split::Train, limit: args.max_examples };
    let examples = Examples::load(&source)?;
    let validation = match &args.val {
        Some(path) => Some(Examples::load(&Source { path: path.clone(), ..source.clone() })?),
        None => source.validation()?,
    };
    let options = RunOptions {
        options: Options { lr: args.lr, clip: args.clip },
        batch_size: args.batch_size,
        epochs: args.epochs,
        seed: args.seed,
        save_every: args.save_every,
        threads: args.threads.count(),
    };
    eprintln!(
        "{}, {} without evaluation left out; {} to validate on",
        count(examples.rows().len(), "example"),
        examples.without_eval,
        validation.as_ref().map_or(0, |examples| examples.rows().len()),
    );
    let mut history = Vec::new();
    let rows = examples.rows().len() as u64;
    let trained = training::run(args.epochs.saturating_mul(rows), |stop, display| {
        let observe = &mut |event: Event<'_>| {
            show(display, &event, args.epochs, rows);
            if let Event::Logged(Epoch { epoch, loss, validation }) = event {
                history.push(json!({ "epoch": epoch, "loss": loss, "validation": validation }));
            }
        };
        train(&examples, validation.as_ref(), &args.out, &options, stop, observe)
    })?;
    let summary = trained.summary;
    let speed = summary.positions_per_second();
    if args.json {
        let report = json!({
            "steps": summary.steps,
            "positions": summary.positions,
            "seconds": summary.seconds,
            "positions_per_second": speed,
            "epochs": history,
            "model": args.out.display().to_string(),
        });
        writeln!(out, "{report}")?;
    } else {
        let (path, steps) = (args.out.display(), count(summary.steps, "step"));
        writeln!(out, "{path}: {steps}, {speed:.0} positions a second")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(display: &mut Display, event: &Event<'_>, epochs: u64, rows: u64) {
    display.show(event);
    match event {
        Event::Progress(progress) => display.line_every(Duration::from_secs(1), false, || {
            let (epoch, row) = (progress.positions / rows + 1, progress.positions % rows);
            format!(
                "epoch {}/{epochs} {:3.0} %  loss {:.4}  {:.0}/s  {} left",
                epoch.min(epochs),
                100.0 * row as f64 / rows as f64,
                progress.loss,
                progress.positions_per_second,
                clock(progress.seconds_left)
            )
        }),
        Event::Logged(Epoch { epoch, loss, validation }) => {
            let validation = validation.map(|loss| format!("  validation {loss:.4}"));
            let validation = validation.unwrap_or_default();
            display.line(&format!("epoch {epoch}/{epochs} done  loss {loss:.4}{validation}"));
        }
        _ => {}
    }
}
