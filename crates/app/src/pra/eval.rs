//! `tabiya pra eval`: how good a model is on a data set.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use ::data::Split;
use clap::ValueEnum;
use pra::evaluate::{Accuracy, EvaluateOptions, Evaluation, Value, evaluate};

use super::model::model_folder_or_shipped;
use crate::Outcome;
use crate::layout::{Table, prose, width};
use crate::progress::JobProgress;
use crate::threads::Threads;
use crate::words::count;

/// Measures a model: how often it foresees the move played, and how far its value is off
///
/// Moves: top-1 and top-5 are shares of positions in which the move played is the likeliest, or among
/// the five likeliest, of the legal moves; all-1 and all-5 the same among all 4096 pairs of squares,
/// legal or not, which a model trained on legal moves alone knows nothing of. Phases go by material (a minor piece counts 1, a rook 2, a queen 4, of 24 at the
/// start): opening from 22, endgame up to 8.
///
/// Value: seen by the player to move, 1 for a win, ½ for a draw. A centipawn c is worth
/// ½ + ½ c/(|c|+1000); beyond 2000 centipawns all count as 2000.
#[derive(clap::Args)]
pub struct EvalArgs {
    /// The folder of a model; the one in this program unless given
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// The data set
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Which part of it
    #[arg(long, default_value = "validation")]
    split: SplitArg,
    /// No more than so many positions: the first, in the order of the files
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_positions: Option<u64>,
    /// Only positions of so many games: those with the lowest numbers in the column 'game'
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_games: Option<u64>,
    #[command(flatten)]
    threads: Threads,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum SplitArg {
    Train,
    Validation,
}

pub fn run(args: &EvalArgs, out: &mut dyn Write) -> Outcome {
    let weights = model_folder_or_shipped(args.model.as_deref())?;
    let options = EvaluateOptions {
        split: match args.split {
            SplitArg::Train => Split::Train,
            SplitArg::Validation => Split::Validation,
        },
        max_positions: args.max_positions,
        max_games: args.max_games,
        threads: args.threads.count().get(),
    };
    let start = Instant::now();
    let mut progress: Option<JobProgress> = None;
    let found = evaluate(&weights, &args.data, &options, &mut |done, total| {
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
        write_text(&found, out)?;
        writeln!(out, "\n{rate:.0} positions/s")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write_text(found: &Evaluation, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut summary = count(found.positions, "position");
    if let Some(games) = found.games {
        summary += &format!(" of {}", count(games, "game"));
    }
    let left = found.left_out;
    if left.without_move + left.damaged > 0 {
        let (without_move, damaged) = (left.without_move, left.damaged);
        summary += &format!(", {without_move} left out without a move, {damaged} damaged");
    }
    prose(out, summary + "\n")?;
    let report = &found.report;
    let heading = ["moves", "positions", "top-1", "top-5", "all-1", "all-5", "entropy"];
    let mut table = Table::new(heading, &[0], 1);
    table.row(cells("all", &report.moves));
    for (name, parts) in
        [("piece", &report.pieces), ("phase", &report.phases), ("rating", &report.ratings)]
    {
        if !parts.is_empty() {
            table.row([name]);
        }
        for part in parts {
            table.row(cells(&format!("  {}", part.name), &part.accuracy));
        }
    }
    // Accuracy among all moves, illegal ones included, is of less interest.
    write!(out, "{}", table.without(&[5, 4], width()))?;
    write_value(&report.value, out)
}

fn cells(name: &str, accuracy: &Accuracy) -> Vec<String> {
    let mut cells = vec![name.to_owned(), accuracy.positions.to_string()];
    if accuracy.positions > 0 {
        let shares = [accuracy.top1, accuracy.top5, accuracy.all_top1, accuracy.all_top5];
        cells.extend(shares.map(|share| format!("{:.2}%", 100.0 * share)));
        cells.push(format!("{:.4}", accuracy.cross_entropy));
    }
    cells
}

fn write_value(value: &Value, out: &mut dyn Write) -> anyhow::Result<()> {
    if let Some(result) = &value.result {
        writeln!(out, "\nvalue against the results of games, {} positions", result.positions)?;
        writeln!(out, "  mean absolute error    {:.4}", result.mean_absolute)?;
        writeln!(out, "  root of mean square    {:.4}", result.root_mean_square)?;
        writeln!(out, "  cross entropy          {:.4}", result.cross_entropy)?;
        if let Some(entropy) = result.wdl_cross_entropy {
            writeln!(out, "  … of win, draw, loss   {entropy:.4}")?;
        }
    }
    if let Some(eval) = &value.eval {
        writeln!(out, "\nvalue against evaluations, {} positions", eval.positions)?;
        writeln!(out, "  mean absolute error    {:.4}", eval.mean_absolute)?;
        if let Some(centipawns) = eval.centipawns {
            writeln!(
                out,
                "  … in centipawns        {centipawns:.0} ({} positions)",
                eval.centipawn_positions
            )?;
        }
    }
    if !value.calibration.is_empty() {
        writeln!(out, "\n{:12} {:>9} {:>9} {:>7}", "expected", "positions", "predicted", "came")?;
    }
    for bin in &value.calibration {
        let name = format!("{:.1} to {:.1}", bin.from, bin.to);
        writeln!(out, "{name:12} {:>9} {:>9.3} {:>7.3}", bin.positions, bin.predicted, bin.came)?;
    }
    if let Some(error) = value.calibration_error {
        writeln!(out, "mean difference of the two: {error:.4}")?;
    }
    Ok(())
}
