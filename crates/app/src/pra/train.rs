//! `tabiya pra train`: a model from the rows of a data set.

use std::io::Write;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use pra::train::{
    Event, FINISHED, Progress, StepLine, TrainOptions, Trained, Training, ValidationLine,
};
use pra::{Config, LossWeights, OptimizerKind, OptimizerOptions, Weights};
use serde_json::json;

use crate::layout::prose;
use crate::progress::{self, clock};
use crate::words::count;
use crate::{Outcome, jobs, threads};

/// Trains a model; goes on where a run that was killed had come to
///
/// The folder gets log.jsonl, a line for each step and each validation; loss.svg, the curve;
/// checkpoints/; and at the end model/, the model itself.
///
/// Examples:
///   tabiya pra train --data positions --out runs/first --depth 4 --n-embd 96 --num-iterations 2000
///   tabiya pra train --data positions --out runs/card --device gpu
///   tabiya pra train --data positions --out runs/same --reference --total-batch-size 1024
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct TrainArgs {
    /// The data set
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// The folder for log, curve, checkpoints and model; a run that was killed goes on from there
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The same as --out checkpoints/TAG; pra_d8 for a model of 8 layers if neither is given
    #[arg(long, value_name = "TAG", conflicts_with = "out")]
    model_tag: Option<String>,
    /// Layers
    #[arg(long, value_name = "N", default_value_t = 8)]
    depth: usize,
    /// Numbers a square, a multiple of 12
    #[arg(long, value_name = "N", default_value_t = 192)]
    n_embd: usize,
    /// The model of the reference, without anything that we do differently
    #[arg(long)]
    reference: bool,
    /// Leave out one thing that we do differently; may be given several times
    #[arg(long, value_name = "WHAT", conflicts_with = "reference")]
    without: Vec<Part>,
    /// Begin with the model in this folder, whose shape is taken over, instead of random numbers
    #[arg(long, value_name = "DIR", conflicts_with_all = ["depth", "n_embd", "reference", "without"])]
    from: Option<PathBuf>,
    /// Steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    num_iterations: u64,
    /// Positions in a step
    #[arg(long, value_name = "N", default_value_t = 16_384)]
    total_batch_size: usize,
    /// Positions that are computed at a time
    #[arg(long, value_name = "N", default_value_t = 256)]
    device_batch_size: usize,
    /// What moves count in the loss
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    policy_weight: f32,
    /// What the value counts in the loss
    #[arg(long, value_name = "X", default_value_t = 0.1)]
    value_weight: f32,
    /// Muon for matrices and AdamW for the rest, or AdamW for all
    #[arg(long, value_name = "NAME", default_value = "muon")]
    optimizer: OptimizerArg,
    /// The learning rate of Muon, or of AdamW for all [default: 0.02, or 0.001]
    #[arg(long, value_name = "X", visible_alias = "matrix-lr")]
    learning_rate: Option<f64>,
    /// Beside Muon, the learning rate of embeddings, for a width of 768; narrower models learn faster
    #[arg(long, value_name = "X", default_value_t = 0.3)]
    embedding_lr: f64,
    /// Beside Muon, the learning rate of the free heads' patterns, for a width of 768
    #[arg(long, value_name = "X", default_value_t = 0.1)]
    free_lr: f64,
    /// Beside Muon, the learning rate of the light value head
    #[arg(long, value_name = "X", default_value_t = 0.01)]
    value_lr: f64,
    /// By how much matrices decay in a step at first, in terms of Muon's learning rate
    #[arg(long, value_name = "X", default_value_t = 0.1)]
    weight_decay: f64,
    /// Steps between two validations; 0 for none
    #[arg(long, value_name = "N", default_value_t = 250)]
    eval_every: u64,
    /// Positions of the validation split to validate on, at most
    #[arg(long, value_name = "N", default_value_t = 4_096)]
    eval_positions: usize,
    /// Steps between two checkpoints; 0 for one at the end alone
    #[arg(long, value_name = "N", default_value_t = 500)]
    save_every: u64,
    /// How many checkpoints are kept
    #[arg(long, value_name = "N", default_value_t = 3)]
    keep: usize,
    /// Take rows in the order of the files, time after time
    #[arg(long)]
    in_order: bool,
    /// Rows that are shuffled together
    #[arg(long, value_name = "N", default_value_t = 1 << 18)]
    window: u64,
    /// Random seed: the numbers to begin with, and the order of rows
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// What computes: cpu; gpu, the best graphics card, or gpu:N or integrated:N; software or flex, for
    /// tests. All but cpu need a program built with 'cargo build --release --features gpu'. A run that was
    /// killed may go on on another device; to the bit it is the same only where cpu computes all of it
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    device: String,
    /// Number of threads, 1 to 256; as many as there are cores unless given. The same number gives the
    /// same model to the bit
    #[arg(long, value_name = "N", value_parser = threads::parse)]
    threads: Option<NonZero<usize>>,
    /// Go on from a checkpoint in the folder: an error if there is none
    #[arg(long)]
    resume: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// An optimizer by its name.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OptimizerArg {
    /// Muon for matrices, AdamW for the rest.
    Muon,
    /// AdamW for all.
    Adamw,
}

impl OptimizerArg {
    /// Which it is.
    pub const fn kind(self) -> OptimizerKind {
        match self {
            Self::Muon => OptimizerKind::Muon,
            Self::Adamw => OptimizerKind::AdamW,
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Muon => "muon",
            Self::Adamw => "adamw",
        }
    }
}

/// Something that we do differently from the reference.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Moves know what a pawn becomes.
    Promotions,
    /// Castling rights and en passant are seen.
    StateInput,
    /// The board is seen by the player to move.
    Turned,
    /// Piece heads see their own square.
    SelfInMasks,
    /// Win, draw and loss from a small head.
    LightValue,
    /// The loss compares legal moves only.
    LegalMask,
}

impl TrainArgs {
    fn config(&self) -> Config {
        let make = if self.reference { Config::reference } else { Config::new };
        let mut config = make(self.depth, self.n_embd);
        for part in &self.without {
            match part {
                Part::Promotions => config.promotions = false,
                Part::StateInput => config.state_input = false,
                Part::Turned => config.flipped = false,
                Part::SelfInMasks => config.self_in_masks = false,
                Part::LightValue => config.light_value = false,
                Part::LegalMask => config.legal_mask = false,
            }
        }
        config
    }

    fn optimizer(&self) -> OptimizerOptions {
        let mut options = OptimizerOptions {
            kind: self.optimizer.kind(),
            weight_decay: self.weight_decay,
            embedding_rate: self.embedding_lr,
            free_rate: self.free_lr,
            value_rate: self.value_lr,
            ..OptimizerOptions::default()
        };
        match (self.learning_rate, options.kind) {
            (Some(rate), OptimizerKind::Muon) => options.matrix_rate = rate,
            (Some(rate), OptimizerKind::AdamW) => options.adamw_rate = rate,
            (None, _) => {}
        }
        options
    }

    fn training(&self) -> anyhow::Result<Training> {
        let from = self.from.as_ref().map(|folder| Weights::load(folder)).transpose()?;
        let config = from.as_ref().map_or_else(|| self.config(), |weights| *weights.config());
        let options = TrainOptions {
            total_batch_size: self.total_batch_size,
            device_batch_size: self.device_batch_size,
            loss: LossWeights { policy: self.policy_weight, value: self.value_weight },
            optimizer: self.optimizer(),
            in_order: self.in_order,
            window_rows: self.window,
            seed: self.seed,
            threads: threads::or_cores(self.threads).get(),
            eval_every: self.eval_every,
            eval_positions: self.eval_positions,
            save_every: self.save_every,
            keep: self.keep,
            ..TrainOptions::new(config, self.num_iterations)
        };
        options.check()?;
        let tag = self.model_tag.clone().unwrap_or_else(|| format!("pra_d{}", config.depth));
        let out = self.out.clone().unwrap_or_else(|| PathBuf::from("checkpoints").join(tag));
        Ok(Training {
            options,
            device: self.device.clone(),
            data: self.data.clone(),
            out,
            from,
            must_resume: self.resume,
        })
    }
}

/// A bar on a terminal; lines now and then anywhere.
struct Teller {
    bar: ProgressBar,
    told: Instant,
    last_step: Instant,
}

/// How often a step is told of in a line of its own.
const BETWEEN_LINES: Duration = Duration::from_secs(30);

impl Teller {
    fn new(training: &Training) -> Self {
        let options = &training.options;
        let total = options.num_iterations.saturating_mul(options.total_batch_size as u64);
        let bar = progress::bar(total, "{wide_bar} {human_pos}/{human_len} {msg}");
        Self { bar, told: Instant::now(), last_step: Instant::now() }
    }

    fn line(&self, line: &str) {
        progress::log_line(&self.bar, line);
    }

    fn tell(&mut self, event: Event<'_>) {
        match event {
            Event::Resumed { step } => self.line(&format!("resumes after {}", count(step, "step"))),
            Event::Damaged(error) => self.line(&format!("{error}; an earlier one is taken")),
            Event::NoValidation => self.line("there are no rows to validate on"),
            Event::Progress(progress) => self.progress(&progress),
            Event::Step(line) => {
                let is_due = self.last_step.elapsed() > BETWEEN_LINES || line.step == 1;
                if self.bar.is_hidden() && is_due {
                    self.last_step = Instant::now();
                    self.line(&step_words(line));
                }
            }
            Event::Validated(line) => self.line(&validation_words(line)),
            Event::Saved(path) => self.line(&format!("saved {}", path.display())),
        }
    }

    fn progress(&mut self, progress: &Progress) {
        if self.told.elapsed() > Duration::from_millis(100) {
            self.told = Instant::now();
            self.bar.set_position(progress.positions);
            self.bar.set_message(format!(
                "step {} loss {:.4} {:.1} % {:.0}/s {} left",
                progress.step + 1,
                progress.loss,
                100.0 * progress.accuracy,
                progress.positions_per_second,
                left(progress.seconds_left)
            ));
        }
    }
}

fn step_words(line: &StepLine) -> String {
    format!(
        "step {} loss {:.4} (moves {:.4}, value {:.4}) accuracy {:.1} % {:.0} positions/s",
        line.step,
        line.loss,
        line.policy_loss,
        line.value_loss,
        100.0 * line.accuracy,
        line.positions_per_second
    )
}

fn validation_words(line: &ValidationLine) -> String {
    format!(
        "step {} val loss {:.4} (moves {:.4}, value {:.4}) top-1 {:.2} % top-5 {:.2} %",
        line.step,
        line.validation_loss,
        line.validation_policy_loss,
        line.validation_value_loss,
        100.0 * line.top1,
        100.0 * line.top5
    )
}

/// Time left; 0 if it is unknown.
fn left(seconds: f64) -> String {
    let seconds = if seconds.is_finite() { seconds.clamp(0.0, 1e9) } else { 0.0 };
    clock(Duration::from_secs_f64(seconds.round()))
}

pub fn run(args: &TrainArgs, out: &mut dyn Write) -> Outcome {
    let training = args.training()?;
    let stop = crate::interrupt::listen(|| {})?;
    let mut teller = Teller::new(&training);
    let trained = pra::train::train(&training, &stop, &mut |event| teller.tell(event));
    drop(teller);
    report(&trained?, &training, args.json, out)
}

fn report(trained: &Trained, training: &Training, json: bool, out: &mut dyn Write) -> Outcome {
    let model = training.out.join(FINISHED);
    if json {
        let report = json!({
            "steps": trained.steps,
            "rows": serde_json::to_value(trained.counts)?,
            "last": serde_json::to_value(&trained.last)?,
            "validation": serde_json::to_value(&trained.validation)?,
            "positions_per_second": trained.positions_per_second,
            "resumed_from": trained.resumed_from,
            "stopped": trained.was_stopped,
            "complete_before": trained.was_complete,
            "model": (!trained.was_stopped).then_some(&model),
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
                " ({} left out: {} without a move, {} damaged, {} with an illegal move)",
                counts.left_out(),
                counts.without_move,
                counts.damaged,
                counts.illegal
            );
        }
        if !trained.was_complete {
            summary += &format!(", {:.0} positions/s", trained.positions_per_second);
        }
        prose(out, summary)?;
        if let Some(line) = &trained.last {
            prose(out, step_words(line))?;
        }
        if let Some(line) = &trained.validation {
            prose(out, validation_words(line))?;
        }
        writeln!(out, "{}", model.display())?;
    }
    Ok(jobs::exit_code(trained.was_stopped))
}
