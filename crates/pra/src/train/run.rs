//! A training from the first step to the finished model, in a folder of its own.
//!
//! | file | holds |
//! |---|---|
//! | `log.jsonl` | a line for each step and each validation |
//! | `loss.svg` | the loss as a curve |
//! | `checkpoints/step-…/` | the whole state at that step; the last few are kept |
//! | `model/` | the finished model |
//!
//! Whatever moment it is killed at, the same call goes on from the last checkpoint: losses and finished
//! model are the same to the bit, if it is the processor that computes. A call with another device goes
//! on too; there, as on graphics cards, which may choose another kernel, rounding differs. While a step
//! is computed, a thread prepares the positions of the next.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Instant;

use data::{DataError, FolderLock, Manifest, ReaderPosition, Split, write_whole};

use super::checkpoint::{self, Place, Plan};
use super::log::Log;
use super::{LogLine, StepLine, TrainError, TrainOptions, ValidationLine, loss_svg, validate};
use crate::compute::{Compute, compute_on};
use crate::loader::{Loader, LoaderCounts, LoaderError, LoaderOptions};
use crate::model::{Batch, Losses};
use crate::optim::{Optimizer, multiplier};
use crate::weights::{CONFIG, Weights};

/// The name of the log.
pub const LOG: &str = "log.jsonl";
/// The name of the curve.
pub const CURVE: &str = "loss.svg";
/// The name of the folder of checkpoints.
pub const CHECKPOINTS: &str = "checkpoints";
/// The name of the folder of the finished model.
pub const FINISHED: &str = "model";

/// A training that is to be done.
#[derive(Clone, Debug)]
pub struct Training {
    /// How.
    pub options: TrainOptions,
    /// What computes: a name that [`compute_on`] knows. It is no option, since a training may go on on
    /// another device.
    pub device: String,
    /// From which data set.
    pub data: PathBuf,
    /// Where the results go.
    pub out: PathBuf,
    /// What to begin with; random numbers unless given.
    pub from: Option<Weights>,
    /// Whether it is an error that there is nothing to go on from.
    pub must_resume: bool,
}

/// What is told on the way.
#[derive(Debug)]
pub enum Event<'a> {
    /// It goes on after so many steps.
    Resumed {
        /// Steps taken before.
        step: u64,
    },
    /// A checkpoint cannot be read; it goes on from one before.
    Damaged(&'a TrainError),
    /// There are no rows to validate on.
    NoValidation,
    /// A part of a step has been computed.
    Progress(Progress),
    /// A step was taken.
    Step(&'a StepLine),
    /// The model was validated.
    Validated(&'a ValidationLine),
    /// A checkpoint was written here.
    Saved(&'a Path),
}

/// How it is going.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// Steps taken.
    pub step: u64,
    /// Steps in all.
    pub steps: u64,
    /// Positions seen, those of the step that is being computed included.
    pub positions: u64,
    /// Positions in all.
    pub total_positions: u64,
    /// The loss of the step that is being computed, so far.
    pub loss: f64,
    /// Its accuracy so far.
    pub accuracy: f64,
    /// The speed of this call; validations are not counted.
    pub positions_per_second: f64,
    /// Time left at this speed.
    pub seconds_left: f64,
}

/// What came of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Trained {
    /// Steps taken in all.
    pub steps: u64,
    /// Rows used and left out, in all.
    pub counts: LoaderCounts,
    /// The last step of the log.
    pub last: Option<StepLine>,
    /// The last validation of the log.
    pub validation: Option<ValidationLine>,
    /// Whether it was told to stop before the end.
    pub was_stopped: bool,
    /// Whether there was nothing left to do.
    pub was_complete: bool,
    /// How many steps were taken before this call.
    pub resumed_from: u64,
    /// Positions per second of this call; validations are not counted.
    pub positions_per_second: f64,
}

/// The positions of a step.
struct Rows {
    parts: Vec<Batch>,
    valued: u64,
    /// Where the rows of the next step begin.
    position: ReaderPosition,
    counts: LoaderCounts,
}

/// The state of a training that runs.
struct Run<'a> {
    training: &'a Training,
    plan: Plan,
    weights: Weights,
    optimizer: Optimizer,
    engine: Box<dyn Compute + Send>,
    gradient: Vec<f32>,
    place: Place,
    log: Log,
    validation: Vec<Batch>,
    clock: Clock,
    _lock: FolderLock,
}

/// Positions and seconds, without validations and checkpoints.
#[derive(Default)]
struct Clock {
    positions: u64,
    seconds: f64,
}

impl Clock {
    fn rate(&self) -> f64 {
        self.positions as f64 / self.seconds.max(1e-9)
    }
}

/// Trains, or goes on training, until the end or until told to stop.
pub fn train(
    training: &Training,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<Trained, TrainError> {
    let options = &training.options;
    options.check()?;
    let mut run = start(training, tell)?;
    let resumed_from = run.place.step;
    let is_done = |run: &Run<'_>| run.place.step >= options.num_iterations;
    let finished = training.out.join(FINISHED);
    let was_complete = is_done(&run) && finished.join(CONFIG).is_file();
    if !was_complete {
        if !is_done(&run) {
            run.validation = validate::positions(training, tell)?;
            in_steps(&mut run, stop, tell)?;
        }
        if is_done(&run) {
            run.weights.save(&finished, false)?;
        }
    }
    let mut trained = Trained {
        steps: run.place.step,
        counts: run.place.counts,
        last: None,
        validation: None,
        was_stopped: !is_done(&run),
        was_complete,
        resumed_from,
        positions_per_second: run.clock.rate(),
    };
    for line in run.log.lines() {
        match line {
            LogLine::Step(line) => trained.last = Some(line.clone()),
            LogLine::Validation(line) => trained.validation = Some(line.clone()),
        }
    }
    Ok(trained)
}

/// From a checkpoint, if there is one, or from the beginning.
fn start<'a>(
    training: &'a Training,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<Run<'a>, TrainError> {
    let Training { options, out, .. } = training;
    data::ensure_apart(out, [training.data.as_path()])?;
    // First, so that nothing is written for a device that is not there.
    let engine = compute_on(&training.device, &options.config, options.threads)?;
    let plan = Plan::new(options, &Manifest::open(&training.data)?, training.from.as_ref());
    if training.must_resume && !out.is_dir() {
        return Err(TrainError::NothingToResume(out.clone()));
    }
    fs::create_dir_all(out).map_err(TrainError::io("create folder", out))?;
    let lock = FolderLock::acquire(out)?;
    for folder in [out, &out.join(FINISHED)] {
        data::remove_temporary_files(folder);
    }
    let checkpoints = out.join(CHECKPOINTS);
    checkpoint::clear_up(&checkpoints)?;
    let found = checkpoint::load_newest(&checkpoints, &plan, &options.optimizer, |error| {
        tell(Event::Damaged(error));
    })?;
    let (weights, optimizer, place) = match found {
        Some(state) => {
            tell(Event::Resumed { step: state.2.step });
            state
        }
        None if training.must_resume => return Err(TrainError::NothingToResume(out.clone())),
        None => {
            let optimizer = Optimizer::new(&options.config, options.optimizer);
            (initial(training)?, optimizer, Place::default())
        }
    };
    fs::create_dir_all(&checkpoints).map_err(TrainError::io("create folder", &checkpoints))?;
    let log = Log::open(&out.join(LOG), place.step)?;
    Ok(Run {
        training,
        plan,
        engine,
        gradient: vec![0.0; weights.values().len()],
        weights,
        optimizer,
        place,
        log,
        validation: Vec::new(),
        clock: Clock::default(),
        _lock: lock,
    })
}

fn initial(training: &Training) -> Result<Weights, TrainError> {
    let options = &training.options;
    let Some(from) = &training.from else {
        return Ok(Weights::random(&options.config, options.seed)?);
    };
    let weights = from.clone().with_legal_mask(options.config.legal_mask);
    if *weights.config() != options.config {
        let shapes = [weights.config(), &options.config]
            .map(|config| serde_json::to_string(config).unwrap_or_default());
        let [found, wanted] = shapes;
        let reason = format!("the model to begin with is {found}, not {wanted}");
        return Err(TrainError::Options(reason));
    }
    Ok(weights)
}

/// Takes steps with rows that another thread reads ahead.
fn in_steps(
    run: &mut Run<'_>,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<(), TrainError> {
    let Training { options, data, .. } = run.training;
    let loader_options = LoaderOptions {
        seed: (!options.in_order).then_some(options.seed),
        window_rows: options.window_rows,
        // The thread that reads ahead decodes as well.
        threads: 0,
    };
    let start = run.place.position;
    let mut loader = Loader::open(data, Split::Train, &options.config, loader_options, start)?;
    let (sender, receiver) = sync_channel(1);
    let left = options.num_iterations - run.place.step;
    std::thread::scope(|scope| {
        let read = move || read_ahead(&mut loader, options, left, &sender);
        let reading = data::threads::spawn(scope, read).map_err(DataError::from)?;
        let result = run.steps(receiver, stop, tell);
        reading.join().map_err(|_| TrainError::Panicked)?;
        result
    })
}

fn read_ahead(
    loader: &mut Loader,
    options: &TrainOptions,
    steps: u64,
    sender: &SyncSender<Result<Rows, LoaderError>>,
) {
    for _ in 0..steps {
        let parts = options.parts().map(|count| {
            let mut batch = Batch::default();
            loader.next_batch(count, &mut batch).map(|()| batch)
        });
        let parts = parts.collect::<Result<Vec<_>, _>>();
        let rows = parts.map(|parts| Rows {
            valued: parts.iter().map(Batch::valued).sum(),
            parts,
            position: loader.position(),
            counts: *loader.counts(),
        });
        let is_over = rows.is_err();
        // If nobody listens any more, it is over too.
        if sender.send(rows).is_err() || is_over {
            break;
        }
    }
}

impl Run<'_> {
    /// Takes steps until there are none left or it is told to stop.
    fn steps(
        &mut self,
        all: Receiver<Result<Rows, LoaderError>>,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), TrainError> {
        let options = &self.training.options;
        let (first, before) = (self.place.step, self.place.counts);
        let mut saved = first;
        let mut begin = Instant::now();
        for rows in all {
            let rows = rows?;
            let Some(losses) = self.gradient(&rows, begin, stop, tell)? else { break };
            let step = self.place.step;
            if !losses.total(options.loss).is_finite() {
                return Err(TrainError::NotFinite(step));
            }
            let (steps, batch) = (options.num_iterations, options.total_batch_size);
            let Self { optimizer, weights, gradient, .. } = self;
            optimizer.step(weights, gradient, step, steps, batch, options.threads);
            let counts = before.plus(&rows.counts);
            self.place = Place { step: step + 1, position: rows.position, counts };
            let seconds = begin.elapsed().as_secs_f64();
            self.clock.positions += batch as u64;
            self.clock.seconds += seconds;
            self.note(&losses, batch as f64 / seconds.max(1e-9), tell)?;
            let is_last = self.place.step == steps;
            let is_due = |every: u64| is_last || every > 0 && self.place.step.is_multiple_of(every);
            let (is_eval, is_save) = (is_due(options.eval_every), is_due(options.save_every));
            if is_eval && !self.validation.is_empty() {
                self.validate(tell)?;
            }
            if is_save {
                self.save(tell)?;
                saved = self.place.step;
            }
            begin = Instant::now();
        }
        if self.place.step > saved {
            self.save(tell)?;
        }
        Ok(())
    }

    /// Computes the gradient of a step; nothing if it is told to stop meanwhile.
    fn gradient(
        &mut self,
        rows: &Rows,
        begin: Instant,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<Option<Losses>, TrainError> {
        let options = &self.training.options;
        let of = (options.total_batch_size as u64, rows.valued);
        self.gradient.fill(0.0);
        let mut losses = Losses::default();
        for batch in &rows.parts {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let gradient = &mut self.gradient;
            let part = self.engine.gradient(&self.weights, batch, of, options.loss, gradient)?;
            losses.append(&part);
            tell(Event::Progress(self.progress(&losses, begin.elapsed().as_secs_f64())));
        }
        Ok(Some(losses))
    }

    fn progress(&self, losses: &Losses, seconds: f64) -> Progress {
        let options = &self.training.options;
        let clock = Clock {
            positions: self.clock.positions + losses.positions,
            seconds: self.clock.seconds + seconds,
        };
        let batch = options.total_batch_size as u64;
        let positions = self.place.step * batch + losses.positions;
        let total_positions = options.num_iterations * batch;
        Progress {
            step: self.place.step,
            steps: options.num_iterations,
            positions,
            total_positions,
            loss: losses.total(options.loss),
            accuracy: losses.accuracy(),
            positions_per_second: clock.rate(),
            seconds_left: total_positions.saturating_sub(positions) as f64 / clock.rate().max(1e-9),
        }
    }

    /// A line for the log.
    fn note(
        &mut self,
        losses: &Losses,
        positions_per_second: f64,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), TrainError> {
        let options = &self.training.options;
        let step = self.place.step;
        let line = StepLine {
            step,
            positions: step * options.total_batch_size as u64,
            loss: losses.total(options.loss),
            policy_loss: losses.policy_mean(),
            value_loss: losses.value_mean(),
            accuracy: losses.accuracy(),
            multiplier: multiplier(step - 1, options.num_iterations),
            positions_per_second,
        };
        tell(Event::Step(&line));
        self.log.add(LogLine::Step(line))
    }

    fn validate(&mut self, tell: &mut dyn FnMut(Event<'_>)) -> Result<(), TrainError> {
        let options = &self.training.options;
        let found = validate(&mut *self.engine, &self.weights, &self.validation)?;
        let step = self.place.step;
        let line = ValidationLine {
            step,
            positions: step * options.total_batch_size as u64,
            validation_loss: found.losses.total(options.loss),
            validation_policy_loss: found.losses.policy_mean(),
            validation_value_loss: found.losses.value_mean(),
            validation_positions: found.losses.positions,
            top1: found.top1(),
            top5: found.top5(),
        };
        if !line.validation_loss.is_finite() {
            return Err(TrainError::NotFinite(step));
        }
        tell(Event::Validated(&line));
        self.log.add(LogLine::Validation(line))?;
        self.draw()
    }

    fn draw(&self) -> Result<(), TrainError> {
        let options = &self.training.options;
        let title = format!(
            "Loss of PRA, depth {}, width {}, {} positions a step",
            options.config.depth, options.config.n_embd, options.total_batch_size
        );
        let svg = loss_svg(&title, self.log.lines());
        Ok(write_whole(&self.training.out.join(CURVE), svg.as_bytes())?)
    }

    fn save(&self, tell: &mut dyn FnMut(Event<'_>)) -> Result<(), TrainError> {
        if self.weights.values().iter().any(|value| !value.is_finite()) {
            return Err(TrainError::NotFinite(self.place.step));
        }
        self.log.sync()?;
        self.draw()?;
        let Training { options, out, .. } = self.training;
        let path = checkpoint::save(
            &out.join(CHECKPOINTS),
            &self.weights,
            &self.optimizer,
            &self.place,
            &self.plan,
            options.keep,
        )?;
        tell(Event::Saved(&path));
        Ok(())
    }
}
