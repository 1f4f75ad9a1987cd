//! `tabiya pra eval`: metrics of a model on a data set.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use ::data::{Split, check_foreign};
use pra::evaluate::{EvaluateOptions, EvaluationText, evaluate};
use pra::train::tagged_model;

use super::data;
use super::model::model_folder_or_shipped;
use crate::Outcome;
use crate::progress::JobProgress;
use crate::threads::Threads;

/// Evaluate a model on a data set: accuracy of the policy, errors and calibration of the value
///
/// Policy: top-1 and top-5 are accuracies among the legal moves; all-1 and all-5 those among all 4096
/// from-to pairs, legal or not, for which a model with a legal-move mask is not trained. Phases depend on
/// material (a minor piece counts 1, a rook 2, a queen 4; 24 in the initial position): the opening has at
/// least 22, the endgame at most 8.
///
/// Entropy: the mean negative log-likelihood of the moves played; fit: the temperature that minimizes the negative
/// log-likelihood; 1 if calibrated.
///
/// Value: the expected score of the side to move, 1 for a win, ½ for a draw. An evaluation of c centipawns
/// has the expected score ½ + ½ c/(|c|+1000); centipawns are clamped to 2000.
#[derive(clap::Args)]
pub struct EvalArgs {
    /// Model directory [default: the embedded model]
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// The model of the training in checkpoints/TAG: the finished one, or else its newest checkpoint
    #[arg(long, value_name = "TAG", conflicts_with = "model")]
    model_tag: Option<String>,
    /// The checkpoint of this step instead; -1 for the newest
    #[arg(long, value_name = "N", requires = "model_tag", allow_negative_numbers = true)]
    step: Option<i64>,
    /// Data set, or Parquet files with the columns fen, best_move and, if there is one, eval: a directory
    /// or a file [default: $NANOCHAT_BASE_DIR/pra_data or ~/.cache/nanochess/pra_data]
    #[arg(long, value_name = "PATH")]
    data: Option<PathBuf>,
    /// Split of the data set
    #[arg(long, default_value = "validation", value_parser = ["train", "validation"])]
    split: String,
    /// Maximum number of positions: the first, in file order
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_positions: Option<u64>,
    /// Maximum number of games: those with the lowest ids in the column 'game'
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_games: Option<u64>,
    /// Leave out an input of the model; repeatable
    #[arg(long, value_name = "WHAT")]
    without: Vec<Input>,
    #[command(flatten)]
    threads: Threads,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// An optional input of a model besides the position.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Input {
    /// The last positions.
    History,
    /// The ratings of the players.
    Ratings,
}

pub fn run(args: &EvalArgs, out: &mut dyn Write) -> Outcome {
    let step = args.step.and_then(|step| u64::try_from(step).ok());
    let tagged = args.model_tag.as_ref().map(|tag| tagged_model(tag, step)).transpose()?;
    let weights = model_folder_or_shipped(args.model.as_deref().or(tagged.as_deref()))?;
    let path = data::path_or_default(args.data.as_deref())?;
    check_foreign(&path, args.threads.count().get(), |line| eprintln!("{line}"))?;
    let options = EvaluateOptions {
        split: if args.split == "train" { Split::Train } else { Split::Validation },
        max_positions: args.max_positions,
        max_games: args.max_games,
        threads: args.threads.count().get(),
        history: !args.without.contains(&Input::History),
        ratings: !args.without.contains(&Input::Ratings),
    };
    let start = Instant::now();
    let mut progress: Option<JobProgress> = None;
    let found = evaluate(&weights, &path, &options, &mut |done, total| {
        let progress = progress.get_or_insert_with(|| JobProgress::new(total));
        progress.update(done, done, "");
    });
    drop(progress);
    let found = found?;
    let rate = found.positions as f64 / start.elapsed().as_secs_f64().max(1e-9);
    if args.json {
        let mut report = serde_json::to_value(&found)?;
        report["positions_per_second"] = rate.into();
        writeln!(out, "{report}")?;
    } else {
        let text = EvaluationText { evaluation: &found, columns: layout::width() };
        writeln!(out, "{text}\n{rate:.0} positions/s")?;
    }
    Ok(ExitCode::SUCCESS)
}
