//! `tabiya nnue towers`: the network of two towers, trained and asked.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use ::data::{PointOfView, Split};
use ::nnue::features::Features;
use ::nnue::towers::Towers;
use anyhow::{Context, ensure};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use train::towers::{Event, Examples, Options, RunOptions, Source, train};

use crate::threads::Threads;
use crate::words::count;
use crate::{Outcome, input, output};

/// Train the network of two towers (384→512 twice, 64, 64, 1), and ask it
#[derive(Args)]
pub struct TowersArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Train(TrainArgs),
    Eval(EvalArgs),
}

/// Train a model on positions with evaluations; go on where a run that was killed had come to
///
/// Examples are JSON lines {"fen": "…", "eval": 31}, evaluations in centipawns or as "#3", compressed
/// or not; or a data set of tabiya. The model learns the view of the player to move, whatever the view
/// of the file.
///
/// Example: tabiya nnue towers train --data evals.jsonl --out model.safetensors
#[derive(Args)]
#[command(verbatim_doc_comment)]
struct TrainArgs {
    /// JSON lines, a file of rows, or the folder of a data set
    #[arg(long, value_name = "PATH")]
    data: PathBuf,
    /// The model; it is the checkpoint too, from which a run goes on
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// What to validate on; the validation rows of the data set unless given
    #[arg(long, value_name = "PATH")]
    val: Option<PathBuf>,
    /// Whose view the evaluations of JSON lines are; data sets say it themselves
    #[arg(long, default_value = "white")]
    pov: Pov,
    /// How many times to go through the examples
    #[arg(long, value_name = "N", default_value_t = 10)]
    epochs: u64,
    /// Positions in a step
    #[arg(long, value_name = "N", default_value_t = 512)]
    batch_size: usize,
    /// The learning rate
    #[arg(long, value_name = "RATE", default_value_t = 5e-4)]
    lr: f32,
    /// Evaluations are clipped to this, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 1500.0)]
    clip: f32,
    /// Random seed: the model to begin with, and the order of examples
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Steps between two checkpoints; there is one after each epoch anyway
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
    /// That of the player to move
    Mover,
}

/// What a model says of positions, in centipawns for the player to move
#[derive(Args)]
struct EvalArgs {
    /// The model
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// The position as FEN; 'FEN moves e2e4 …' and 'startpos moves …' play moves from it
    #[arg(long, default_value = "startpos", conflicts_with = "file")]
    fen: String,
    /// A file of positions, one a line, or - for standard input; prints one number a line
    #[arg(long, value_name = "FENS")]
    file: Option<PathBuf>,
    /// Print JSON, one object a position
    #[arg(long)]
    json: bool,
}

/// Runs it.
pub fn run(args: TowersArgs, out: &mut dyn Write) -> Outcome {
    match args.command {
        Command::Train(args) => run_train(&args, out),
        Command::Eval(args) => run_eval(&args, out),
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
    let run = RunOptions {
        options: Options { rate: args.lr, clip: args.clip },
        batch: args.batch_size,
        epochs: args.epochs,
        seed: args.seed,
        checkpoint_steps: args.save_every,
        threads: args.threads.count(),
    };
    eprintln!(
        "{}, {} without evaluation left out; {} to validate on",
        count(examples.rows().len(), "example"),
        examples.without_eval,
        validation.as_ref().map_or(0, |examples| examples.rows().len()),
    );
    let mut history = Vec::new();
    let stop = crate::interrupt::listen(|| {})?;
    let trained = train(&examples, validation.as_ref(), &args.out, &run, &stop, |event| {
        tell(event, args.epochs);
        if let Event::Epoch { epoch, loss, validation } = event {
            history.push(json!({ "epoch": epoch + 1, "loss": loss, "validation": validation }));
        }
    })?;
    let seconds = trained.time.as_secs_f64();
    let speed = trained.positions as f64 / seconds.max(1e-9);
    if args.json {
        let report = json!({
            "steps": trained.steps,
            "positions": trained.positions,
            "seconds": seconds,
            "positions_per_second": speed,
            "epochs": history,
            "model": args.out.display().to_string(),
        });
        writeln!(out, "{report}")?;
    } else {
        let path = args.out.display();
        let steps = count(trained.steps, "step");
        writeln!(out, "{path}: {steps}, {speed:.0} positions a second")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A line on standard error.
fn tell(event: Event, epochs: u64) {
    match event {
        Event::Resumed { step } => eprintln!("resumes after step {step}"),
        Event::Progress { epoch, positions: (seen, all), loss, speed } => {
            let left = ((epochs - epoch).saturating_mul(all).saturating_sub(seen)) as f64 / speed;
            let share = 100.0 * seen as f64 / all as f64;
            eprintln!(
                "epoch {}/{epochs} {share:3.0} %  loss {loss:.4}  {speed:.0}/s  {left:.0} s left",
                epoch + 1
            );
        }
        Event::Epoch { epoch, loss, validation } => {
            let validation = validation.map(|loss| format!("  validation {loss:.4}"));
            let validation = validation.unwrap_or_default();
            eprintln!("epoch {}/{epochs} done  loss {loss:.4}{validation}", epoch + 1);
        }
    }
}

fn run_eval(args: &EvalArgs, out: &mut dyn Write) -> Outcome {
    let model = Towers::load(&args.model).with_context(|| args.model.display().to_string())?;
    let mut code = ExitCode::SUCCESS;
    let mut say = |text: anyhow::Result<&str>| -> anyhow::Result<bool> {
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
            say(Ok(&args.fen))?;
        }
        Some(file) => input::each_line(input::open(file)?, |_, line| {
            if !say(line)? {
                code = ExitCode::FAILURE;
            }
            Ok(())
        })?,
    }
    Ok(code)
}
