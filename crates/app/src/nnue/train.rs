//! `tabiya nnue train`: trains a network on the rows of data sets.

use std::io::Write;
use std::path::{Path, PathBuf};

use ::data::{Split, check_foreign};
use ::nnue::Shape;
use ::nnue::network::Head;
use anyhow::Context;
use clap::{Args, ValueEnum};
use layout::{clock, prose};
use learn::TrainError;
use learn::schedule::Decay;
use serde_json::json;
use train::LoadedNetwork;
use train::trainer::{
    Event, LogLine, NETWORK, Parameters, RowFiles, TrainOptions, Trained, Training,
};

use crate::Outcome;
use crate::training::{self, Display, RunArgs};

/// Train a network on the CPU; an interrupted run resumes from its checkpoint
#[derive(Args)]
pub struct TrainArgs {
    /// Data sets (directories) or files of rows, Parquet or packed; repeatable
    #[arg(long, required = true, value_name = "PATH", num_args = 1..)]
    data: Vec<PathBuf>,
    /// Output directory: checkpoint, log, loss curve and network; an interrupted run resumes from it
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Validation rows, instead of the validation split of the data sets
    #[arg(long, value_name = "PATH", num_args = 1..)]
    val: Vec<PathBuf>,
    /// Hidden neurons per perspective, a multiple of 32
    #[arg(long, value_name = "N", default_value_t = 256)]
    hidden: usize,
    /// Mirror the board so that the king is on files a to d (the default)
    #[arg(long, overrides_with = "no_mirror")]
    mirrored: bool,
    /// Do not mirror the board
    #[arg(long)]
    no_mirror: bool,
    /// King buckets: 1, 2, 4, 8 or 16 (mirrored), 1 or 2 (not mirrored)
    #[arg(long, value_name = "N", default_value_t = 1)]
    king_buckets: usize,
    /// Output buckets, by piece count: 1 to 16
    #[arg(long, value_name = "N", default_value_t = 8)]
    output_buckets: usize,
    /// Dense layers after pairwise multiplication, → 16 → 32 → 1; --hidden is a multiple of 128
    #[arg(long)]
    dense: bool,
    /// Positions to train on, over all epochs
    #[arg(long, value_name = "N", conflicts_with = "epochs")]
    positions: Option<u64>,
    /// Epochs
    #[arg(long, value_name = "N", default_value_t = 10.0)]
    epochs: f64,
    /// Positions between two validations
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    superbatch: u64,
    /// Positions per step
    #[arg(long, value_name = "N", default_value_t = 16_384)]
    batch_size: usize,
    /// Learning rate after the warmup
    #[arg(long, value_name = "RATE", default_value_t = 0.001)]
    lr: f64,
    /// Learning rate of the last step [default: a hundredth of --lr]
    #[arg(long, value_name = "RATE")]
    final_lr: Option<f64>,
    /// Positions of linear warmup
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    warmup: u64,
    /// Decay of the learning rate after the warmup
    #[arg(long, value_name = "CURVE", default_value = "cosine")]
    schedule: ScheduleArg,
    /// AdamW's weight decay
    #[arg(long, value_name = "X", default_value_t = 0.01)]
    weight_decay: f64,
    /// Weight of the score in the target; the game result has the rest
    #[arg(long, value_name = "X", default_value_t = 0.75)]
    lambda: f64,
    /// Sigmoid scale: centipawns with an expected score of 0.73
    #[arg(long, value_name = "CP", default_value_t = 400.0)]
    scale: f64,
    /// Sigmoid scale of the rows' scores, if it differs from the network's [default: --scale]
    #[arg(long, value_name = "CP")]
    score_scale: Option<f64>,
    /// Exponent of the loss
    #[arg(long, value_name = "X", default_value_t = 2.0)]
    power: f64,
    /// Skip rows with a mate score or a score beyond this
    #[arg(long, value_name = "CP", default_value_t = 10_000)]
    max_score: i32,
    /// Rows in the shuffle buffer
    #[arg(long, value_name = "N", default_value_t = 1 << 20)]
    window: usize,
    /// Validation rows, at most
    #[arg(long, value_name = "N", default_value_t = 500_000)]
    val_rows: u64,
    /// Superbatches between two checkpoints
    #[arg(long, value_name = "N", default_value_t = 1)]
    save_every: u64,
    /// Keep copies of the last N checkpoints, named by step
    #[arg(long, value_name = "N", default_value_t = 0)]
    keep: usize,
    /// Initial parameters: those of this checkpoint or network, with its architecture, instead of random ones
    #[arg(long, value_name = "FILE", conflicts_with_all = ["hidden", "mirrored", "no_mirror", "king_buckets", "output_buckets", "dense"])]
    from: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum ScheduleArg {
    /// Half a cosine
    Cosine,
    /// Linear
    Linear,
    /// Four levels
    Step,
}

/// The parameters of a checkpoint or of a network.
fn initial_parameters(path: &Path) -> anyhow::Result<Parameters> {
    let parameters = LoadedNetwork::open(path)?.into_parameters();
    parameters.with_context(|| {
        format!("{}: a network of this kind cannot be trained, only evaluated", path.display())
    })
}

impl TrainArgs {
    fn training(&self) -> anyhow::Result<Training> {
        ::data::ensure_apart(&self.out, self.data.iter().chain(&self.val).map(PathBuf::as_path))?;
        let from = self.from.as_deref().map(initial_parameters).transpose()?;
        let shape = match &from {
            Some(parameters) => parameters.shape().clone(),
            None => Shape {
                hidden: self.hidden,
                mirrored: !self.no_mirror,
                king_buckets: ::nnue::network::king_buckets(self.king_buckets, !self.no_mirror)?,
                output_buckets: self.output_buckets,
                head: if self.dense { Head::Dense } else { Head::Linear },
            },
        };
        let rows = RowFiles::open(&self.data, Split::Train)?;
        let validation = match self.val.is_empty() {
            true => RowFiles::open(&self.data, Split::Validation)?,
            false => RowFiles::open_all(&self.val)?,
        };
        let all = (rows.rows() as f64 * self.epochs).round();
        anyhow::ensure!(self.epochs.is_finite() && self.epochs > 0.0, "--epochs must be above 0");
        let mut options = TrainOptions::new(shape, self.positions.unwrap_or(all as u64));
        if rows.rows() == 0 {
            let first = self.data.first().cloned().unwrap_or_default();
            let reason = format!("there are no rows to train on in {}", first.display());
            return Err(TrainError::Examples(reason).into());
        }
        options.batch_size = self.batch_size;
        options.superbatch = self.superbatch;
        options.lr = self.lr;
        options.final_lr = self.final_lr.unwrap_or(self.lr / 100.0);
        options.warmup = self.warmup;
        options.decay = match self.schedule {
            ScheduleArg::Cosine => Decay::Cosine,
            ScheduleArg::Linear => Decay::Linear,
            ScheduleArg::Step => Decay::Step,
        };
        options.weight_decay = self.weight_decay;
        options.lambda = self.lambda;
        options.scale = self.scale;
        options.score_scale = self.score_scale;
        options.power = self.power;
        options.max_score = self.max_score;
        options.seed = self.run.seed();
        options.threads = self.run.threads();
        options.window_rows = self.window;
        options.validation_rows = self.val_rows;
        options.check()?;
        Ok(Training {
            options,
            rows,
            validation,
            out: self.out.clone(),
            from,
            must_resume: self.run.resume,
            save_every: self.save_every,
            keep: self.keep,
            tensorboard: self.run.tensorboard.clone(),
        })
    }
}

pub fn run(args: &TrainArgs, out: &mut dyn Write) -> Outcome {
    let training = args.training()?;
    let positions = training.options.positions;
    let trained = training::run(positions, |stop, display| {
        for path in args.data.iter().chain(&args.val) {
            check_foreign(path, training.options.threads, |line| display.line(line))?;
        }
        train::trainer::train(&training, stop, &mut |event| show(display, &event, positions))
    })?;
    report(&trained, &training, args.run.json, out)
}

fn show(display: &mut Display, event: &Event<'_>, total: u64) {
    display.show(event);
    if let Event::Logged(line) = event {
        let LogLine { positions, epochs, lr, loss, positions_per_second: speed, .. } = **line;
        let validation = line.validation.map_or(String::new(), |loss| format!(" val {loss:.6}"));
        let left = clock(total.saturating_sub(positions) as f64 / speed.max(1.0));
        display.line(&format!(
            "{positions} (epoch {epochs:.2}) lr {lr:.1e} loss {loss:.6}{validation} {speed:.0}/s {left} left"
        ));
    }
}

fn report(trained: &Trained, training: &Training, json: bool, out: &mut dyn Write) -> Outcome {
    let Trained { summary, counts, last } = trained;
    let (network, last) = (training.out.join(NETWORK), last.as_ref());
    let json = json.then(|| {
        json!({
            "positions": last.map(|line| line.positions),
            "used": counts.used,
            "left_out": counts,
            "loss": last.map(|line| line.loss),
            "validation": last.and_then(|line| line.validation),
            "network": network,
        })
    });
    let text = |out: &mut dyn Write| {
        let skipped = [
            (counts.damaged, "damaged"),
            (counts.without_target, "without score and result"),
            (counts.beyond_limit, "beyond the limit"),
        ];
        let mut text = training::steps_and_rows(summary, counts.used, &skipped);
        if let Some(line) = last {
            text += &format!(", loss {:.6}", line.loss);
            if let Some(validation) = line.validation {
                text += &format!(", validation {validation:.6}");
            }
        }
        prose(out, text)?;
        writeln!(out, "{}", network.display())
    };
    training::report(summary, &training.out, json, text, out)
}
