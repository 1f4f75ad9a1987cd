//! `tabiya pra train`: trains a model on the rows of a data set.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use layout::prose;
use pra::train::{Event, FINISHED, LogLine, TrainOptions, Trained, Training};
use pra::{Config, LossWeights, OptimizerKind, OptimizerOptions, Precision, Weights};
use serde_json::json;

use crate::Outcome;
use crate::training::{self, Display, RunArgs};

/// Train a model; an interrupted run resumes from its last checkpoint
///
/// The output folder has log.jsonl, a line per step and per validation; loss.svg, the loss curve;
/// checkpoints/; and at the end model/, the finished model.
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
    /// Output folder: log, loss curve, checkpoints and model; an interrupted run resumes from it
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The same as --out checkpoints/TAG; pra_d8 for a model of 8 layers if neither is given
    #[arg(long, value_name = "TAG", conflicts_with = "out")]
    model_tag: Option<String>,
    /// Print the command that follows the training in Weights & Biases, under this name
    #[arg(long = "run", value_name = "NAME")]
    watch: Option<String>,
    /// Layers
    #[arg(long, value_name = "N", default_value_t = 8)]
    depth: usize,
    /// Embedding dimension, a multiple of 12
    #[arg(long, value_name = "N", default_value_t = 192)]
    n_embd: usize,
    /// The model of the reference, without our changes
    #[arg(long)]
    reference: bool,
    /// Leave out one of our changes to the reference; repeatable
    #[arg(long, value_name = "WHAT", conflicts_with = "reference")]
    without: Vec<Change>,
    /// Initial model: the one in this folder, with its shape, instead of random weights
    #[arg(long, value_name = "DIR", conflicts_with_all = ["depth", "n_embd", "reference", "without"])]
    from: Option<PathBuf>,
    /// Steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    num_iterations: u64,
    /// Positions per step
    #[arg(long, value_name = "N", default_value_t = 16_384)]
    total_batch_size: usize,
    /// Positions per micro-batch
    #[arg(long, value_name = "N", default_value_t = 256)]
    device_batch_size: usize,
    /// Weight of the policy loss
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    policy_weight: f32,
    /// Weight of the value loss
    #[arg(long, value_name = "X", default_value_t = 0.1)]
    value_weight: f32,
    /// Muon for matrices and AdamW for the rest, or AdamW for all
    #[arg(long, value_name = "NAME", default_value = "muon")]
    optimizer: OptimizerArg,
    /// Learning rate of Muon, or of AdamW for all [default: 0.02, or 0.001]
    #[arg(long, value_name = "X", visible_alias = "matrix-lr")]
    learning_rate: Option<f64>,
    /// With Muon, the learning rate of embeddings at embedding dimension 768; smaller models scale it up
    #[arg(long, value_name = "X", default_value_t = 0.3)]
    embedding_lr: f64,
    /// With Muon, the learning rate of the free heads' logits at embedding dimension 768
    #[arg(long, value_name = "X", default_value_t = 0.1)]
    free_lr: f64,
    /// With Muon, the learning rate of the light value head
    #[arg(long, value_name = "X", default_value_t = 0.01)]
    value_lr: f64,
    /// Muon's weight decay in the first step
    #[arg(long, value_name = "X", default_value_t = 0.1)]
    weight_decay: f64,
    /// Steps between two validations; 0 for none
    #[arg(long, value_name = "N", default_value_t = 250)]
    eval_every: u64,
    /// Validation positions, at most
    #[arg(long, value_name = "N", default_value_t = 4_096)]
    eval_positions: usize,
    /// Steps between two checkpoints; 0 for one at the end
    #[arg(long, value_name = "N", default_value_t = 500)]
    save_every: u64,
    /// Checkpoints to keep
    #[arg(long, value_name = "N", default_value_t = 3)]
    keep: usize,
    /// Read rows in file order instead of shuffling
    #[arg(long)]
    in_order: bool,
    /// Probability with which the history and each rating are left out, so that the model works without
    #[arg(long, value_name = "X", default_value_t = 0.1)]
    input_dropout: f64,
    /// Rows in the shuffle buffer
    #[arg(long, value_name = "N", default_value_t = 1 << 18)]
    window: u64,
    /// Device: cpu; gpu, the best GPU, or gpu:N or integrated:N; software or flex, for tests. All but cpu
    /// need a build with 'cargo build --release --features gpu'. A run may resume on another device; it is
    /// bit-exact on cpu only
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    device: String,
    /// Precision of matrix products on the CPU: f32 or bf16, with f32 sums [default: bf16 where the CPU has
    /// AVX-512 BF16, f32 elsewhere and with --reference; a run resumes in its own]
    #[arg(long, value_name = "NAME")]
    precision: Option<Precision>,
    #[command(flatten)]
    run: RunArgs,
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

/// A change of ours to the reference.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Change {
    /// The policy has underpromotions.
    Promotions,
    /// Castling rights and en passant are inputs.
    StateInput,
    /// The board is flipped for Black.
    Turned,
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
}

impl TrainArgs {
    fn config(&self) -> Config {
        let make = if self.reference { Config::reference } else { Config::new };
        let mut config = make(self.depth, self.n_embd);
        for change in &self.without {
            match change {
                Change::Promotions => config.promotions = false,
                Change::StateInput => config.state_input = false,
                Change::Turned => config.flipped = false,
                Change::SelfInMasks => config.self_in_masks = false,
                Change::LightValue => config.light_value = false,
                Change::LegalMask => config.legal_mask = false,
                Change::History => config.history = false,
                Change::Ratings => config.ratings = false,
            }
        }
        config
    }

    fn optimizer(&self) -> OptimizerOptions {
        let mut options = OptimizerOptions {
            kind: self.optimizer.kind(),
            weight_decay: self.weight_decay,
            embedding_lr: self.embedding_lr,
            free_lr: self.free_lr,
            value_lr: self.value_lr,
            ..OptimizerOptions::default()
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
        let config = from.as_ref().map_or_else(|| self.config(), |weights| *weights.config());
        let options = TrainOptions {
            total_batch_size: self.total_batch_size,
            input_dropout: self.input_dropout,
            precision: self.precision,
            device_batch_size: self.device_batch_size,
            loss: LossWeights { policy: self.policy_weight, value: self.value_weight },
            optimizer: self.optimizer(),
            in_order: self.in_order,
            window_rows: self.window,
            seed: self.run.seed,
            threads: self.run.threads(),
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
            must_resume: self.run.resume,
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
        if let Some(name) = &args.watch {
            let folder = training.out.display();
            display.line(&format!(
                "to follow it in Weights & Biases: python -m tabiya.watch '{folder}' --wandb --name '{name}'"
            ));
        }
        pra::train::train(&training, stop, &mut |event| show(display, &event))
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
