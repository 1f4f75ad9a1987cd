//! A training run in its output directory.
//!
//! | file | contents |
//! |---|---|
//! | `log.jsonl` | a line per step and per validation |
//! | `loss.svg` | the loss curve |
//! | `checkpoints/step-…/` | the state after that step; the last few are kept |
//! | `model/` | the finished model |
//!
//! A run that is killed at any moment resumes from the last checkpoint, with bit-identical losses and model
//! if the CPU computes. It may resume on another device; there, as on GPUs, rounding differs.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use data::{DataSet, FolderLock, write_atomic};
use learn::checkpoint::{open_folder, remove_temporary_folders};
use learn::schedule::warmup_stable_decay;
use learn::{Cadence, Log, Observer, StepContext, Summary, Train, TrainError};

use super::batches::{Batches, StepBatch};
use super::checkpoint::{self, Cursor, FixedOptions};
use super::log::loss_svg;
use super::validate::{self, validate};
use super::{LogLine, StepLine, TrainOptions, ValidationLine};
use crate::compute::{Compute, compute_on};
use crate::loader::LoaderCounts;
use crate::model::{Batch, Losses};
use crate::optim::Optimizer;
use crate::weights::{CONFIG, Weights};

/// The name of the loss curve.
pub const CURVE: &str = "loss.svg";
/// The name of the directory of checkpoints.
pub const CHECKPOINTS: &str = "checkpoints";
/// The name of the directory of the finished model.
pub const FINISHED: &str = "model";

/// An event of a run.
pub type Event<'a> = learn::Event<'a, LogLine>;

/// A run: options, device, data, output.
#[derive(Clone, Debug)]
pub struct Training {
    /// Hyperparameters.
    pub options: TrainOptions,
    /// The device, a name for [`compute_on`]. Not among the options, because a run may resume on another.
    pub device: String,
    /// The data set.
    pub data: PathBuf,
    /// The output directory.
    pub out: PathBuf,
    /// Initial weights; random unless given.
    pub from: Option<Weights>,
    /// Whether a missing checkpoint is an error.
    pub must_resume: bool,
    /// Resumes from the checkpoint of this step, possibly with another number of iterations, to which the schedule
    /// is adapted. If the extended run has later checkpoints, resumes from the newest.
    pub resume_from: Option<u64>,
    /// The directory for an event file of TensorBoard.
    pub tensorboard: Option<PathBuf>,
}

/// The result of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Trained {
    /// Steps and speed.
    pub summary: Summary,
    /// Rows used and skipped, in all.
    pub counts: LoaderCounts,
    /// The last step of the log.
    pub last: Option<StepLine>,
    /// The last validation of the log.
    pub validation: Option<ValidationLine>,
}

/// The state of a run.
struct Run<'a> {
    training: &'a Training,
    fixed_options: FixedOptions,
    weights: Weights,
    optimizer: Optimizer,
    engine: Box<dyn Compute + Send>,
    gradient: Vec<f32>,
    cursor: Cursor,
    /// Rows of earlier processes.
    counts_before: LoaderCounts,
    log: Log<LogLine>,
    validation: Vec<Batch>,
    /// The step from which it extends a run whose later checkpoints and model are still there.
    extended_from: Option<u64>,
    _lock: FolderLock,
}

/// Trains, or resumes, until the last step or an interrupt.
pub fn train(
    training: &Training,
    stop: &AtomicBool,
    observe: &mut Observer<'_, LogLine>,
) -> Result<Trained, TrainError> {
    let mut run = Run::new(training)?;
    let summary = learn::train(&mut run, stop, observe)?;
    let mut trained = Trained { summary, counts: run.cursor.counts, last: None, validation: None };
    for line in run.log.lines() {
        match line {
            LogLine::Step(line) => trained.last = Some(line.clone()),
            LogLine::Validation(line) => trained.validation = Some(line.clone()),
        }
    }
    Ok(trained)
}

fn initial_weights(training: &Training) -> Result<Weights, TrainError> {
    let options = &training.options;
    let Some(from) = &training.from else {
        return Ok(Weights::random(&options.config, options.seed)?);
    };
    let weights = from.clone().with_legal_mask(options.config.legal_mask);
    if *weights.config() != options.config {
        let [found, wanted] = [weights.config(), &options.config]
            .map(|config| serde_json::to_string(config).unwrap_or_default());
        let reason = format!("the initial model is {found}, not {wanted}");
        return Err(TrainError::Options(reason));
    }
    Ok(weights)
}

impl<'a> Run<'a> {
    fn new(training: &'a Training) -> Result<Self, TrainError> {
        let Training { options, out, .. } = training;
        options.check()?;
        data::ensure_apart(out, [training.data.as_path()])?;
        // The device first, so that nothing is written if it does not exist.
        let recorded = || checkpoint::precision(&out.join(CHECKPOINTS));
        let precision = options.precision.or_else(recorded);
        let precision = precision.unwrap_or_else(|| options.default_precision());
        let engine = compute_on(&training.device, &options.config, options.threads, precision)?;
        let data_set = DataSet::open(&training.data)?;
        let from = training.from.as_ref();
        let fixed_options = FixedOptions::new(options, precision, &data_set, from);
        let weights = initial_weights(training)?;
        let lock = open_folder(out, training.must_resume || training.resume_from.is_some())?;
        Ok(Self {
            training,
            fixed_options,
            engine,
            gradient: vec![0.0; weights.values().len()],
            weights,
            optimizer: Optimizer::new(&options.config, options.optimizer),
            cursor: Cursor::default(),
            counts_before: LoaderCounts::default(),
            log: Log::new(out).with_tensorboard(training.tensorboard.as_deref()),
            validation: Vec::new(),
            extended_from: None,
            _lock: lock,
        })
    }

    fn draw(&self) -> Result<(), TrainError> {
        let options = &self.training.options;
        let title = format!(
            "Loss of PRA, depth {}, width {}, {} positions a step",
            options.config.depth, options.config.n_embd, options.total_batch_size
        );
        let svg = loss_svg(&title, self.log.lines());
        Ok(write_atomic(&self.training.out.join(CURVE), svg.as_bytes())?)
    }

    /// Accumulates the gradient of a step; `None` if interrupted.
    fn accumulate(
        &mut self,
        batch: &StepBatch,
        context: &mut StepContext<'_, '_, LogLine>,
    ) -> Result<Option<Losses>, TrainError> {
        let options = &self.training.options;
        let of = (options.total_batch_size as u64, batch.valued);
        self.gradient.fill(0.0);
        let mut losses = Losses::default();
        for part in &batch.parts {
            if context.is_stopped() {
                return Ok(None);
            }
            let gradient = &mut self.gradient;
            let loss = self.engine.gradient(&self.weights, part, of, options.loss, gradient)?;
            losses.append(&loss);
            let accuracy = Some(losses.accuracy());
            context.progress(losses.positions, losses.total(options.loss), accuracy);
        }
        Ok(Some(losses))
    }
}

impl Train for Run<'_> {
    type Batch = StepBatch;
    type Batches = Batches;
    type LogLine = LogLine;
    const PREFETCH: usize = 1;

    fn cadence(&self) -> Cadence {
        let options = &self.training.options;
        let steps = options.num_iterations;
        Cadence {
            steps,
            positions: steps.saturating_mul(options.total_batch_size as u64),
            validate_every: options.eval_every,
            save_every: options.save_every,
            save_at_validation: false,
        }
    }

    fn step(&self) -> u64 {
        self.cursor.step
    }

    fn positions(&self) -> u64 {
        self.cursor.step * self.training.options.total_batch_size as u64
    }

    fn load(&mut self, observe: &mut Observer<'_, LogLine>) -> Result<(), TrainError> {
        let Training { options, out, must_resume, resume_from, .. } = self.training;
        data::remove_temporary_files(&out.join(FINISHED));
        let folder = out.join(CHECKPOINTS);
        remove_temporary_folders(&folder)?;
        let damaged = |error: &TrainError| observe(Event::Damaged(error));
        let (fixed, rates) = (&mut self.fixed_options, &options.optimizer);
        let found = match *resume_from {
            None => checkpoint::load_newest(&folder, fixed, rates, damaged)?,
            Some(step) => {
                let found = checkpoint::load_step(&folder, step, fixed, rates, damaged)?;
                self.extended_from = found.is_extended.then_some(step);
                Some(found.state)
            }
        };
        if let Some((weights, optimizer, cursor)) = found {
            (self.weights, self.optimizer, self.cursor) = (weights, optimizer, cursor);
        } else if *must_resume {
            return Err(TrainError::NothingToResume(out.clone()));
        }
        self.counts_before = self.cursor.counts;
        fs::create_dir_all(&folder).map_err(TrainError::io("create directory", &folder))?;
        self.log.resume(self.cursor.step)
    }

    fn start(&mut self, observe: &mut Observer<'_, LogLine>) -> Result<Batches, TrainError> {
        self.validation = validate::positions(self.training, observe)?;
        let steps = self.training.options.num_iterations - self.cursor.step;
        Ok(Batches::open(self.training, self.cursor.position, steps)?)
    }

    fn train_step(
        &mut self,
        batch: StepBatch,
        context: &mut StepContext<'_, '_, LogLine>,
    ) -> Result<Option<u64>, TrainError> {
        let Some(losses) = self.accumulate(&batch, context)? else { return Ok(None) };
        let TrainOptions { num_iterations, total_batch_size, threads, loss, .. } =
            self.training.options;
        let step = self.cursor.step;
        if !losses.total(loss).is_finite() {
            return Err(TrainError::NotFinite(step));
        }
        let Self { optimizer, weights, gradient, .. } = self;
        optimizer.step(weights, gradient, step, num_iterations, total_batch_size, threads);
        let counts = self.counts_before.plus(&batch.counts);
        self.cursor = Cursor { step: step + 1, position: batch.position, counts };
        let line = LogLine::Step(StepLine {
            step: step + 1,
            positions: self.positions(),
            loss: losses.total(loss),
            policy_loss: losses.policy_mean(),
            value_loss: losses.value_mean(),
            accuracy: losses.accuracy(),
            lr_multiplier: warmup_stable_decay(step, num_iterations),
            positions_per_second: total_batch_size as f64 / context.seconds().max(1e-9),
        });
        context.observer()(Event::Logged(&line));
        self.log.append(line)?;
        Ok(Some(total_batch_size as u64))
    }

    fn validate(&mut self, _: f64, observe: &mut Observer<'_, LogLine>) -> Result<(), TrainError> {
        if self.validation.is_empty() {
            return Ok(());
        }
        let loss = self.training.options.loss;
        let found = validate(&mut *self.engine, &self.weights, &self.validation)?;
        let line = ValidationLine {
            step: self.cursor.step,
            positions: self.positions(),
            validation_loss: found.losses.total(loss),
            validation_policy_loss: found.losses.policy_mean(),
            validation_value_loss: found.losses.value_mean(),
            validation_positions: found.losses.positions,
            top1: found.top1(),
            top5: found.top5(),
        };
        if !line.validation_loss.is_finite() {
            return Err(TrainError::NotFinite(line.step));
        }
        let line = LogLine::Validation(line);
        observe(Event::Logged(&line));
        self.log.append(line)?;
        self.draw()
    }

    fn save(&mut self, observe: &mut Observer<'_, LogLine>) -> Result<(), TrainError> {
        if self.weights.values().iter().any(|value| !value.is_finite()) {
            return Err(TrainError::NotFinite(self.cursor.step));
        }
        self.log.sync()?;
        self.draw()?;
        let Training { options, out, .. } = self.training;
        if let Some(step) = self.extended_from.take() {
            // From now on this is the directory of the longer run.
            checkpoint::remove_after(&out.join(CHECKPOINTS), step)?;
            let model = out.join(FINISHED);
            if model.exists() {
                fs::remove_dir_all(&model).map_err(TrainError::io("remove", &model))?;
            }
        }
        let path = checkpoint::save(
            &out.join(CHECKPOINTS),
            &self.weights,
            &self.optimizer,
            &self.cursor,
            &self.fixed_options,
            options.keep,
        )?;
        observe(Event::Saved(&path));
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.training.out.join(FINISHED).join(CONFIG).is_file()
    }

    fn finish(&mut self) -> Result<(), TrainError> {
        Ok(self.weights.save(&self.training.out.join(FINISHED), false)?)
    }
}
