//! A training run in its output directory.
//!
//! | file | contents |
//! |---|---|
//! | `checkpoint.safetensors` | the state after the last superbatch |
//! | `log.jsonl` | one line per superbatch |
//! | `loss.svg` | the loss curve |
//! | `network.nnue` | the finished, quantized network |
//!
//! A run that is killed at any moment resumes from the checkpoint, and the finished network is the same
//! to the byte.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use chess::PackedRow;
use data::{FolderLock, write_atomic};
use learn::{Cadence, Log, Observer, StepContext, Summary, Train, TrainError, checkpoint};

use super::checkpoint::FixedOptions;
use super::log::loss_svg;
use super::{
    Checkpoint, Learner, LogLine, LossTotals, Parameters, RowCounts, RowFiles, RowStream,
    TrainOptions,
};

/// The name of the checkpoint.
pub const CHECKPOINT: &str = "checkpoint.safetensors";
/// The name of the finished network.
pub const NETWORK: &str = "network.nnue";
const CURVE: &str = "loss.svg";

/// An event of a run.
pub type Event<'a> = learn::Event<'a, LogLine>;

/// A run: options, data, output.
#[derive(Clone, Debug)]
pub struct Training {
    /// Hyperparameters.
    pub options: TrainOptions,
    /// Training rows.
    pub rows: RowFiles,
    /// Validation rows; may be empty.
    pub validation: RowFiles,
    /// The output directory.
    pub out: PathBuf,
    /// Initial parameters; random unless given.
    pub from: Option<Parameters>,
    /// Whether a missing checkpoint is an error.
    pub must_resume: bool,
    /// Superbatches between two checkpoints.
    pub save_every: u64,
    /// How many older checkpoints are kept.
    pub keep: usize,
    /// The directory for an event file of TensorBoard.
    pub tensorboard: Option<PathBuf>,
}

/// The result of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Trained {
    /// Steps and speed.
    pub summary: Summary,
    /// Rows used and skipped, in all.
    pub counts: RowCounts,
    /// The last line of the log.
    pub last: Option<LogLine>,
}

/// The state of a run.
struct Run<'a> {
    training: &'a Training,
    learner: Learner,
    fixed_options: FixedOptions,
    step: u64,
    /// Loss and rows of the current superbatch.
    recent: LossTotals,
    total: RowCounts,
    log: Log<LogLine>,
    validation: Vec<PackedRow>,
    _lock: FolderLock,
}

/// Trains, or resumes, until the last step or an interrupt.
pub fn train(
    training: &Training,
    stop: &AtomicBool,
    observe: &mut Observer<'_, LogLine>,
) -> Result<Trained, TrainError> {
    let Training { options, out, rows, from, .. } = training;
    options.check()?;
    let fixed_options = FixedOptions::new(options, rows.rows(), rows.fingerprint(), from.as_ref());
    let initial = || Parameters::random(&options.shape, options.seed);
    let learner = Learner::new(options, from.clone().unwrap_or_else(initial))?;
    let lock = checkpoint::open_folder(out, training.must_resume)?;
    let mut run = Run {
        training,
        learner,
        fixed_options,
        step: 0,
        recent: LossTotals::default(),
        total: RowCounts::default(),
        log: Log::new(out).with_tensorboard(training.tensorboard.as_deref()),
        validation: Vec::new(),
        _lock: lock,
    };
    let summary = learn::train(&mut run, stop, observe)?;
    Ok(Trained { summary, counts: run.total, last: run.log.lines().last().cloned() })
}

impl Train for Run<'_> {
    type Batch = Vec<PackedRow>;
    type Batches = Box<dyn Iterator<Item = Result<Vec<PackedRow>, TrainError>> + Send>;
    type LogLine = LogLine;
    const PREFETCH: usize = 8;

    fn cadence(&self) -> Cadence {
        let options = &self.training.options;
        let superbatch = options.superbatch_steps();
        Cadence {
            steps: options.steps(),
            positions: options.positions,
            validate_every: superbatch,
            save_every: superbatch.saturating_mul(self.training.save_every.max(1)),
            save_at_validation: false,
        }
    }

    fn step(&self) -> u64 {
        self.step
    }

    fn positions(&self) -> u64 {
        let options = &self.training.options;
        (self.step * options.batch_size as u64).min(options.positions)
    }

    fn load(&mut self, _: &mut Observer<'_, LogLine>) -> Result<(), TrainError> {
        let Training { options, out, must_resume, .. } = self.training;
        let path = out.join(CHECKPOINT);
        if path.exists() {
            let checkpoint = Checkpoint::load(&path)?;
            if let Some(difference) = self.fixed_options.difference(&checkpoint.metadata.options) {
                return Err(TrainError::Differs { path: out.clone(), difference });
            }
            if *checkpoint.parameters.shape() != options.shape {
                return Err(TrainError::checkpoint(&path, "its shape is not that of its options"));
            }
            self.recent = checkpoint.recent();
            self.step = checkpoint.step().min(options.steps());
            self.total = checkpoint.metadata.total;
            self.learner.parameters = checkpoint.parameters;
            self.learner.optimizer = checkpoint.optimizer;
        } else if *must_resume {
            return Err(TrainError::NothingToResume(out.clone()));
        }
        self.log.resume(self.step)
    }

    fn start(&mut self, observe: &mut Observer<'_, LogLine>) -> Result<Self::Batches, TrainError> {
        let Training { options, rows, validation, .. } = self.training;
        self.validation = validation.sample(options.validation_rows)?;
        if self.validation.is_empty() {
            observe(Event::NoValidation);
        }
        let (batch, positions) = (options.batch_size as u64, options.positions);
        let first = self.step * batch;
        let mut stream = RowStream::new(rows.clone(), options.seed, options.window_rows, first)?;
        // The last batch may be smaller.
        let sizes = (self.step..options.steps()).map(move |n| batch.min(positions - n * batch));
        Ok(Box::new(sizes.map(move |size| stream.next_rows(size as usize))))
    }

    fn train_step(
        &mut self,
        batch: Vec<PackedRow>,
        context: &mut StepContext<'_, '_, LogLine>,
    ) -> Result<Option<u64>, TrainError> {
        let lr = self.training.options.lr_at(self.step);
        let tally = self.learner.train_step(&batch, lr)?;
        if !tally.loss.is_finite() {
            return Err(TrainError::NotFinite(self.step));
        }
        self.step += 1;
        self.recent.append(&tally);
        self.total.append(&tally.counts);
        let positions = batch.len() as u64;
        context.progress(positions, self.recent.mean().unwrap_or(f64::NAN), None);
        Ok(Some(positions))
    }

    fn validate(
        &mut self,
        positions_per_second: f64,
        observe: &mut Observer<'_, LogLine>,
    ) -> Result<(), TrainError> {
        let RowCounts { used, damaged, without_target, beyond_limit } = self.recent.counts;
        let left_out = self.recent.counts.left_out();
        if used == 0 {
            return Err(TrainError::Examples(format!(
                "none of {left_out} rows is usable: {damaged} damaged, {without_target} without score \
                 and result, {beyond_limit} beyond the score limit"
            )));
        }
        if !self.learner.parameters().is_finite() {
            return Err(TrainError::NotFinite(self.step));
        }
        let Training { options, rows, out, .. } = self.training;
        let positions = self.positions();
        let line = LogLine {
            step: self.step,
            positions,
            epochs: positions as f64 / rows.rows().max(1) as f64,
            lr: options.lr_at(self.step.saturating_sub(1)),
            loss: self.recent.mean().unwrap_or(f64::NAN),
            validation: self.learner.validate(&self.validation)?.mean(),
            left_out,
            positions_per_second,
        };
        observe(Event::Logged(&line));
        self.recent = LossTotals::default();
        self.log.append(line)?;
        Ok(write_atomic(&out.join(CURVE), loss_svg(&self.title(), self.log.lines()).as_bytes())?)
    }

    fn save(&mut self, observe: &mut Observer<'_, LogLine>) -> Result<(), TrainError> {
        let Training { out, keep, .. } = self.training;
        let checkpoint = Checkpoint::new(
            self.learner.parameters.clone(),
            self.learner.optimizer.clone(),
            self.step,
            self.fixed_options.clone(),
            &self.recent,
            self.total,
        );
        let path = out.join(CHECKPOINT);
        self.log.sync()?;
        checkpoint.save(&path)?;
        Checkpoint::keep(out, &path, self.step, *keep)?;
        observe(Event::Saved(&path));
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.training.out.join(NETWORK).exists()
    }

    fn finish(&mut self) -> Result<(), TrainError> {
        let network = self.learner.parameters().quantized();
        let network = network.map_err(|error| TrainError::Options(error.to_string()))?;
        Ok(write_atomic(&self.training.out.join(NETWORK), &network.to_bytes())?)
    }
}

impl Run<'_> {
    fn title(&self) -> String {
        let shape = &self.training.options.shape;
        format!(
            "Loss of ({} → {})×2 → {}{}, {} rows",
            shape.inputs(),
            shape.hidden,
            shape.output_buckets,
            if shape.mirrored { ", mirrored" } else { "" },
            self.training.rows.rows()
        )
    }
}
