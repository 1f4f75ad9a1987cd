//! `tabiya pra train`: trains a model on the rows of a data set.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use ::data::check_foreign;
use clap::{Args, ValueEnum};
use layout::prose;
use learn::schedule::describe_schedule;
use pra::train::{
    Event, FINISHED, LogLine, TrainOptions, Trained, Training, saved_options, tag_folder,
};
use pra::{Config, HEADS, LossWeights, OptimizerKind, OptimizerOptions, Precision, Weights};
use serde_json::json;

use super::data;
use crate::Outcome;
use crate::training::{self, Display, RunArgs};

/// Train a model; an interrupted run resumes from its last checkpoint
///
/// The output directory has log.jsonl, a line per step and per validation; loss.svg, the loss curve;
/// checkpoints/; and at the end model/, the finished model.
///
/// A run is extended by --resume-from-step: options that are not given are those of the checkpoint, and the
/// learning rates follow the schedule of the new number of steps (2 % warmup, constant, linear to 0 over the
/// last 30 %). Later checkpoints and the finished model are replaced by the first new checkpoint.
///
/// Examples:
///   tabiya pra train --data positions --out runs/first --depth 4 --n-embd 96 --num-iterations 2000
///   tabiya pra train --model-tag pra_d8 --resume-from-step 5000 --num-iterations 20000
///   tabiya pra train --data positions --out runs/card --device gpu
///   tabiya pra train --data positions --out runs/same --reference --total-batch-size 1024
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct TrainArgs {
    /// The data set, or Parquet files with the columns fen, best_move and, if there is one, eval: a
    /// directory or a file [default: $NANOCHAT_BASE_DIR/pra_data or ~/.cache/nanochess/pra_data]
    #[arg(long, value_name = "PATH")]
    data: Option<PathBuf>,
    /// Output directory: log, loss curve, checkpoints and model; an interrupted run resumes from it
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The same as --out checkpoints/TAG; pra_d8 for a model of 8 layers if neither is given
    #[arg(long, value_name = "TAG", conflicts_with = "out")]
    model_tag: Option<String>,
    /// Print the command that follows the training in Weights & Biases, under this name (dummy: none)
    #[arg(long = "run", value_name = "NAME")]
    watch: Option<String>,
    /// Layers [default: 8]
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// Embedding dimension, a multiple of 12 [default: 192]
    #[arg(long, value_name = "N")]
    n_embd: Option<usize>,
    /// Attention heads: 12, whose allocation to pieces is fixed
    #[arg(long, value_name = "N", value_parser = parse_heads)]
    n_head: Option<usize>,
    /// The model of the reference, without our changes
    #[arg(long)]
    reference: bool,
    /// Leave out one of our changes to the reference; repeatable
    #[arg(long, value_name = "WHAT", conflicts_with = "reference")]
    without: Vec<Change>,
    /// Initial model: the one in this directory, with its shape, instead of random weights
    #[arg(long, value_name = "DIR", conflicts_with_all = ["depth", "n_embd", "reference", "without"])]
    from: Option<PathBuf>,
    /// Steps [default: 10000]
    #[arg(long, value_name = "N")]
    num_iterations: Option<u64>,
    /// Resume from the checkpoint of this step, for a larger number of steps if need be; -1 for none
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    resume_from_step: Option<i64>,
    /// Positions per step [default: 16384]
    #[arg(long, value_name = "N")]
    total_batch_size: Option<usize>,
    /// Positions per micro-batch
    #[arg(long, value_name = "N", default_value_t = 256)]
    device_batch_size: usize,
    /// Weight of the policy loss [default: 1]
    #[arg(long, value_name = "X")]
    policy_weight: Option<f32>,
    /// Weight of the value loss [default: 0.1]
    #[arg(long, value_name = "X")]
    value_weight: Option<f32>,
    /// Muon for matrices and AdamW for the rest, or AdamW for all [default: muon]
    #[arg(long, value_name = "NAME")]
    optimizer: Option<OptimizerArg>,
    /// Learning rate of Muon, or of AdamW for all [default: 0.02, or 0.001]
    #[arg(long, value_name = "X", visible_alias = "matrix-lr")]
    learning_rate: Option<f64>,
    /// With Muon, the learning rate of embeddings at embedding dimension 768; smaller models scale it up
    /// [default: 0.3]
    #[arg(long, value_name = "X")]
    embedding_lr: Option<f64>,
    /// With Muon, the learning rate of the free heads' logits at embedding dimension 768 [default: 0.1]
    #[arg(long, value_name = "X")]
    free_lr: Option<f64>,
    /// With Muon, the learning rate of the light value head [default: 0.01]
    #[arg(long, value_name = "X")]
    value_lr: Option<f64>,
    /// Muon's weight decay in the first step [default: 0.1]
    #[arg(long, value_name = "X")]
    weight_decay: Option<f64>,
    /// Steps between two validations; 0 or -1 for none
    #[arg(long, value_name = "N", default_value_t = 250, allow_negative_numbers = true, value_parser = parse_every)]
    eval_every: u64,
    /// Validation positions, at most
    #[arg(long, value_name = "N", default_value_t = 4_096)]
    eval_positions: usize,
    /// Steps between two checkpoints; 0 or -1 for one at the end
    #[arg(long, value_name = "N", default_value_t = 500, allow_negative_numbers = true, value_parser = parse_every)]
    save_every: u64,
    /// Checkpoints to keep
    #[arg(long, value_name = "N", default_value_t = 3)]
    keep: usize,
    /// Read rows in file order instead of shuffling
    #[arg(long)]
    in_order: bool,
    /// Probability with which the history and each rating are left out, so that the model works without
    /// [default: 0.1]
    #[arg(long, value_name = "X")]
    input_dropout: Option<f64>,
    /// Rows in the shuffle buffer [default: 262144]
    #[arg(long, value_name = "N")]
    window: Option<u64>,
    /// Device: cpu; gpu, the best GPU, or gpu:N or integrated:N; software or flex, for tests. All but cpu
    /// need a build with 'cargo build --release --features gpu'. A run may resume on another device; it is
    /// bit-exact on cpu only
    #[arg(long, value_name = "NAME", default_value = "cpu", alias = "device-type")]
    device: String,
    /// Precision of matmuls on the CPU: f32, or bf16 with f32 accumulation [default: bf16 where the CPU has
    /// AVX-512 BF16, f32 elsewhere and with --reference; a run resumes in its own]
    #[arg(long, value_name = "NAME")]
    precision: Option<Precision>,
    #[command(flatten)]
    run: RunArgs,
}

/// Layers, embedding dimension and steps, unless given.
const DEPTH: usize = 8;
const N_EMBD: usize = 192;
const STEPS: u64 = 10_000;

/// An optimizer by its name.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OptimizerArg {
    /// Muon for matrices, AdamW for the rest.
    Muon,
    /// AdamW for all.
    Adamw,
}

impl OptimizerArg {
    /// The kind.
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

/// A change to the reference.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Change {
    /// The policy has underpromotions.
    Promotions,
    /// Castling rights and en passant are inputs.
    StateInput,
    /// The board is flipped for Black.
    #[value(alias = "turned")]
    Flipped,
    /// Piece heads attend to their own square.
    SelfInMasks,
    /// Win, draw and loss from a small head.
    LightValue,
    /// The policy loss masks illegal moves.
    LegalMask,
    /// The last positions are inputs.
    History,
    /// The ratings of the players are inputs.
    Ratings,
    /// The kinds of pieces that attack each square are inputs.
    Attackers,
}

/// Accepts the number of attention heads that the model has.
fn parse_heads(text: &str) -> Result<usize, String> {
    let fixed = "the allocation of the 12 heads is fixed: 2 each for knight, bishop and rook, 1 each for \
                 queen, king and pawn, 3 free";
    text.parse().ok().filter(|&heads| heads == HEADS).ok_or_else(|| fixed.to_owned())
}

/// A number of steps, or -1 for never.
fn parse_every(text: &str) -> Result<u64, std::num::ParseIntError> {
    if text == "-1" { Ok(0) } else { text.parse() }
}

impl TrainArgs {
    /// The configuration: of the checkpoint, unless anything of it is given.
    fn config(&self, saved: &TrainOptions) -> Config {
        let is_given = self.depth.is_some() || self.n_embd.is_some() || self.reference;
        if self.resume_from().is_some() && !is_given && self.without.is_empty() {
            return saved.config;
        }
        let make = if self.reference { Config::reference } else { Config::new };
        let mut config = make(self.depth.unwrap_or(DEPTH), self.n_embd.unwrap_or(N_EMBD));
        for change in &self.without {
            match change {
                Change::Promotions => config.promotions = false,
                Change::StateInput => config.state_input = false,
                Change::Flipped => config.flipped = false,
                Change::SelfInMasks => config.self_in_masks = false,
                Change::LightValue => config.light_value = false,
                Change::LegalMask => config.legal_mask = false,
                Change::History => config.history = false,
                Change::Ratings => config.ratings = false,
                Change::Attackers => config.attackers = false,
            }
        }
        config
    }

    fn resume_from(&self) -> Option<u64> {
        self.resume_from_step.and_then(|step| u64::try_from(step).ok())
    }

    fn optimizer(&self, saved: OptimizerOptions) -> OptimizerOptions {
        let mut options = OptimizerOptions {
            kind: self.optimizer.map_or(saved.kind, OptimizerArg::kind),
            weight_decay: self.weight_decay.unwrap_or(saved.weight_decay),
            embedding_lr: self.embedding_lr.unwrap_or(saved.embedding_lr),
            free_lr: self.free_lr.unwrap_or(saved.free_lr),
            value_lr: self.value_lr.unwrap_or(saved.value_lr),
            ..saved
        };
        match (self.learning_rate, options.kind) {
            (Some(lr), OptimizerKind::Muon) => options.matrix_lr = lr,
            (Some(lr), OptimizerKind::AdamW) => options.adamw_lr = lr,
            (None, _) => {}
        }
        options
    }

    fn training(&self) -> anyhow::Result<Training> {
        let from = self.from.as_ref().map(|folder| Weights::load(folder)).transpose()?;
        let depth = from.as_ref().map(|weights| weights.config().depth).or(self.depth);
        let tag = self.model_tag.clone();
        let tag = tag.unwrap_or_else(|| format!("pra_d{}", depth.unwrap_or(DEPTH)));
        let out = self.out.clone().unwrap_or_else(|| tag_folder(&tag));
        let defaults = TrainOptions::new(Config::new(DEPTH, N_EMBD), STEPS);
        let resume_from = self.resume_from();
        // What is not given is as it was.
        let saved = match resume_from {
            Some(step) => saved_options(&out, step, defaults)?,
            None => defaults,
        };
        let config = from.as_ref().map_or_else(|| self.config(&saved), |weights| *weights.config());
        let options = TrainOptions {
            config,
            num_iterations: self.num_iterations.unwrap_or(saved.num_iterations),
            total_batch_size: self.total_batch_size.unwrap_or(saved.total_batch_size),
            input_dropout: self.input_dropout.unwrap_or(saved.input_dropout),
            precision: self.precision.or(saved.precision),
            device_batch_size: self.device_batch_size,
            loss: LossWeights {
                policy: self.policy_weight.unwrap_or(saved.loss.policy),
                value: self.value_weight.unwrap_or(saved.loss.value),
            },
            optimizer: self.optimizer(saved.optimizer),
            in_order: self.in_order || saved.in_order,
            window_rows: self.window.unwrap_or(saved.window_rows),
            seed: self.run.seed.unwrap_or(saved.seed),
            threads: self.run.threads(),
            eval_every: self.eval_every,
            eval_positions: self.eval_positions,
            save_every: self.save_every,
            keep: self.keep,
        };
        options.check()?;
        Ok(Training {
            options,
            device: self.device.clone(),
            data: data::path_or_default(self.data.as_deref())?,
            out,
            from,
            must_resume: self.run.resume,
            resume_from,
            tensorboard: self.run.tensorboard.clone(),
        })
    }
}

/// The interval of lines about steps where there is no progress bar.
const STEP_LINES: Duration = Duration::from_secs(30);

pub fn run(args: &TrainArgs, out: &mut dyn Write) -> Outcome {
    let training = args.training()?;
    let options = &training.options;
    let positions = options.num_iterations.saturating_mul(options.total_batch_size as u64);
    let trained = training::run(positions, |stop, display| {
        check_foreign(&training.data, options.threads, |line| display.line(line))?;
        if let Some(name) = args.watch.as_ref().filter(|name| *name != "dummy") {
            let folder = training.out.display();
            display.line(&format!(
                "to follow it in Weights & Biases: python -m tabiya.watch '{folder}' --wandb --name '{name}'"
            ));
        }
        pra::train::train(&training, stop, &mut |event| {
            show(display, &event);
            if let (Event::Resumed { .. }, Some(_)) = (&event, training.resume_from) {
                display.line(&describe_schedule(options.num_iterations));
            }
        })
    })?;
    report(&trained, &training, args.run.json, out)
}

fn show(display: &mut Display, event: &Event<'_>) {
    display.show(event);
    match event {
        Event::Logged(LogLine::Step(line)) => {
            display.line_every(STEP_LINES, line.step == 1, || line.to_string());
        }
        Event::Logged(LogLine::Validation(line)) => display.line(&line.to_string()),
        Event::Saved(path) => display.line(&format!("saved {}", path.display())),
        _ => {}
    }
}

fn report(trained: &Trained, training: &Training, json: bool, out: &mut dyn Write) -> Outcome {
    let Trained { summary, counts, last, validation } = trained;
    let model = training.out.join(FINISHED);
    let json = json.then(|| {
        json!({
            "rows": counts,
            "last": last,
            "validation": validation,
            "model": (!summary.was_stopped).then_some(&model),
        })
    });
    let text = |out: &mut dyn Write| {
        let skipped = [
            (counts.without_move, "without a move"),
            (counts.damaged, "damaged"),
            (counts.illegal, "with an illegal move"),
        ];
        prose(out, training::steps_and_rows(summary, counts.used, &skipped))?;
        if let Some(line) = last {
            prose(out, line)?;
        }
        if let Some(line) = validation {
            prose(out, line)?;
        }
        writeln!(out, "{}", model.display())
    };
    training::report(summary, &training.out, json, text, out)
}
