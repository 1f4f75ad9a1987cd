//! `tabiya nnue train`: a network from the rows of data sets.

use std::io::Write;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ::data::Split;
use ::nnue::Shape;
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use serde_json::json;
use train::trainer::{
    Checkpoint, Event, LogLine, NETWORK, RowFiles, Schedule, TrainOptions, Trained, Training,
};

use crate::layout::prose;
use crate::words::count;
use crate::{Outcome, jobs, progress, threads};

/// Trains a network on the CPU; goes on where a run that was killed had come to
#[derive(Args)]
pub struct TrainArgs {
    /// Data sets (folders) or files of rows, Parquet or packed. May be given several times.
    #[arg(long, required = true, value_name = "PATH", num_args = 1..)]
    data: Vec<PathBuf>,
    /// The folder for checkpoint, log, loss curve and network. A run that was killed goes on from there.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Validate on these rows instead of the validation split of the data sets.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    val: Vec<PathBuf>,
    /// Neurons for each perspective: a multiple of 32.
    #[arg(long, value_name = "N", default_value_t = 256)]
    hidden: usize,
    /// See the board so that the king is on files a to d (the default).
    #[arg(long, overrides_with = "no_mirror")]
    mirrored: bool,
    /// See the board as it is.
    #[arg(long)]
    no_mirror: bool,
    /// Sets of feature weights, by the place of the king: 1, 2, 4, 8 or 16 (mirrored), 1 or 2 (not).
    #[arg(long, value_name = "N", default_value_t = 1)]
    king_buckets: usize,
    /// Output layers, by the number of pieces: 1 to 16.
    #[arg(long, value_name = "N", default_value_t = 8)]
    output_buckets: usize,
    /// How many positions to learn from, repeated ones counted again.
    #[arg(long, value_name = "N", conflicts_with = "epochs")]
    positions: Option<u64>,
    /// How many times to go through the rows.
    #[arg(long, value_name = "N", default_value_t = 10.0)]
    epochs: f64,
    /// Positions between two measurements of the loss.
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    superbatch: u64,
    /// Positions in a step of the optimiser.
    #[arg(long, value_name = "N", default_value_t = 16_384)]
    batch_size: usize,
    /// The learning rate after the warm-up.
    #[arg(long, value_name = "RATE", default_value_t = 0.001)]
    lr: f64,
    /// The learning rate at the end; a hundredth of the first unless given.
    #[arg(long, value_name = "RATE")]
    final_lr: Option<f64>,
    /// Positions during which the learning rate rises from nothing.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    warmup: u64,
    /// How the learning rate falls.
    #[arg(long, value_name = "CURVE", default_value = "cosine")]
    schedule: ScheduleArg,
    /// By how much weights decay in a step, in terms of the learning rate.
    #[arg(long, value_name = "X", default_value_t = 0.01)]
    weight_decay: f64,
    /// The share of the score in the target; the result of the game has the rest.
    #[arg(long, value_name = "X", default_value_t = 0.75)]
    lambda: f64,
    /// Centipawns at which the expectation is 0.73: the scale of the sigmoid.
    #[arg(long, value_name = "CP", default_value_t = 400.0)]
    scale: f64,
    /// The loss is the error to this power.
    #[arg(long, value_name = "X", default_value_t = 2.0)]
    power: f64,
    /// Leave out rows with a mate or a score beyond this, in centipawns.
    #[arg(long, value_name = "CP", default_value_t = 10_000)]
    max_score: i32,
    /// Random seed: the parameters to begin with, and the order of rows.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Number of threads, 1 to 256; as many as there are cores unless given. The same number gives the
    /// same network to the byte.
    #[arg(long, value_name = "N", value_parser = threads::parse)]
    threads: Option<NonZero<usize>>,
    /// Rows that are shuffled together.
    #[arg(long, value_name = "N", default_value_t = 1 << 20)]
    window: usize,
    /// Rows to validate on, at most.
    #[arg(long, value_name = "N", default_value_t = 500_000)]
    val_rows: u64,
    /// Superbatches between two checkpoints.
    #[arg(long, value_name = "N", default_value_t = 1)]
    save_every: u64,
    /// Keep the last N checkpoints too, under the numbers of their steps.
    #[arg(long, value_name = "N", default_value_t = 0)]
    keep: usize,
    /// Go on from the checkpoint in the folder: an error if there is none.
    #[arg(long)]
    resume: bool,
    /// Begin with the parameters of this checkpoint instead of random ones. Its shape is taken over.
    #[arg(long, value_name = "CHECKPOINT", conflicts_with_all = ["hidden", "mirrored", "no_mirror", "king_buckets", "output_buckets"])]
    from: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum ScheduleArg {
    /// Half a cosine.
    Cosine,
    /// A line.
    Linear,
    /// Four levels.
    Step,
}

impl TrainArgs {
    fn training(&self) -> anyhow::Result<Training> {
        ::data::ensure_apart(&self.out, self.data.iter().chain(&self.val).map(PathBuf::as_path))?;
        let from = self.from.as_ref().map(|path| Checkpoint::load(path)).transpose()?;
        let from = from.map(|checkpoint| checkpoint.parameters().clone());
        let shape = match &from {
            Some(parameters) => parameters.shape().clone(),
            None => Shape {
                hidden: self.hidden,
                mirrored: !self.no_mirror,
                king_buckets: ::nnue::network::king_buckets(self.king_buckets, !self.no_mirror)?,
                output_buckets: self.output_buckets,
            },
        };
        let rows = RowFiles::open(&self.data, Split::Train)?;
        let validation = match self.val.is_empty() {
            true => RowFiles::open(&self.data, Split::Validation)?,
            false => RowFiles::open_all(&self.val)?,
        };
        let all = (rows.rows() as f64 * self.epochs).round();
        anyhow::ensure!(self.epochs.is_finite() && self.epochs > 0.0, "no epochs, no training");
        let mut options = TrainOptions::new(shape, self.positions.unwrap_or(all as u64));
        if rows.rows() == 0 {
            let first = self.data.first().cloned().unwrap_or_default();
            return Err(train::trainer::TrainError::NoRows(first).into());
        }
        options.batch_size = self.batch_size;
        options.superbatch = self.superbatch;
        options.rate = self.lr;
        options.final_rate = self.final_lr.unwrap_or(self.lr / 100.0);
        options.warmup = self.warmup;
        options.schedule = match self.schedule {
            ScheduleArg::Cosine => Schedule::Cosine,
            ScheduleArg::Linear => Schedule::Linear,
            ScheduleArg::Step => Schedule::Step,
        };
        options.weight_decay = self.weight_decay;
        options.lambda = self.lambda;
        options.scale = self.scale;
        options.power = self.power;
        options.max_score = self.max_score;
        options.seed = self.seed;
        options.threads = threads::or_cores(self.threads).get();
        options.window_rows = self.window;
        options.validation_rows = self.val_rows;
        options.check()?;
        Ok(Training {
            options,
            rows,
            validation,
            out: self.out.clone(),
            from,
            must_resume: self.resume,
            save_every: self.save_every,
            keep: self.keep,
        })
    }
}

/// A bar on a terminal, a line for each superbatch anywhere.
struct Teller {
    bar: ProgressBar,
    total: u64,
    told: Instant,
}

impl Teller {
    fn new(total: u64) -> Self {
        let bar = progress::bar(total, "{wide_bar} {human_pos}/{human_len} {msg}");
        Self { bar, total, told: Instant::now() }
    }

    fn line(&self, line: &str) {
        progress::log_line(&self.bar, line);
    }

    fn tell(&mut self, event: Event<'_>) {
        match event {
            Event::Resumed { step } => self.line(&format!("resumes after {}", count(step, "step"))),
            Event::NoValidation => self.line(
                "no rows to validate on: the data sets have no validation split and there is no --val",
            ),
            Event::Progress { positions, loss, rate } => {
                if self.told.elapsed() > Duration::from_millis(100) {
                    self.told = Instant::now();
                    let left = self.left(positions, rate);
                    self.bar.set_position(positions);
                    self.bar.set_message(format!("loss {loss:.6} {rate:.0}/s {left} left"));
                }
            }
            Event::Measured(line) => {
                let LogLine { positions, loss, positions_per_second: rate, .. } = *line;
                let validation =
                    line.validation.map_or(String::new(), |loss| format!(" val {loss:.6}"));
                let left = self.left(positions, rate);
                self.line(&format!(
                    "{positions} (epoch {:.2}) lr {:.1e} loss {loss:.6}{validation} {rate:.0}/s {left} left",
                    line.epochs, line.rate
                ));
            }
        }
    }

    /// The time left, in words.
    fn left(&self, positions: u64, rate: f64) -> String {
        let seconds = self.total.saturating_sub(positions) as f64 / rate.max(1.0);
        progress::clock(Duration::from_secs_f64(seconds.round().min(1e9)))
    }
}

pub fn run(args: &TrainArgs, out: &mut dyn Write) -> Outcome {
    let training = args.training()?;
    let stop = crate::interrupt::listen(|| {})?;
    let mut teller = Teller::new(training.options.positions);
    let trained = train::trainer::train(&training, &stop, &mut |event| teller.tell(event));
    drop(teller);
    report(&trained?, &training, args.json, out)
}

fn report(trained: &Trained, training: &Training, json: bool, out: &mut dyn Write) -> Outcome {
    let network = training.out.join(NETWORK);
    let last = trained.last.as_ref();
    if json {
        let report = json!({
            "steps": trained.steps,
            "positions": last.map(|line| line.positions),
            "used": trained.counts.used,
            "left_out": serde_json::to_value(trained.counts)?,
            "loss": last.map(|line| line.loss),
            "validation": last.and_then(|line| line.validation),
            "positions_per_second": trained.positions_per_second,
            "resumed_from": trained.resumed_from,
            "stopped": trained.was_stopped,
            "complete_before": trained.was_complete,
            "network": network,
        });
        writeln!(out, "{report}")?;
    } else if trained.was_stopped {
        jobs::print_interrupted(out, trained.steps)?;
    } else {
        if trained.was_complete {
            writeln!(out, "{} is complete already", training.out.display())?;
        }
        let counts = &trained.counts;
        let mut summary = count(trained.steps, "step") + ", " + &count(counts.used, "position");
        if counts.left_out() > 0 {
            summary += &format!(
                " ({} left out: {} damaged, {} without score and result, {} beyond the limit)",
                counts.left_out(),
                counts.damaged,
                counts.without_target,
                counts.beyond_limit
            );
        }
        if let Some(line) = last {
            summary += &format!(", loss {:.6}", line.loss);
            if let Some(validation) = line.validation {
                summary += &format!(", validation {validation:.6}");
            }
        }
        if !trained.was_complete {
            summary += &format!(", {:.0} positions/s", trained.positions_per_second);
        }
        prose(out, summary)?;
        writeln!(out, "{}", network.display())?;
    }
    Ok(jobs::exit_code(trained.was_stopped))
}
