//! A training from the first step to the network's file, in a folder of its own.
//!
//! | file | holds |
//! |---|---|
//! | `checkpoint.safetensors` | the whole state at the end of the last superbatch |
//! | `log.jsonl` | a line for each superbatch |
//! | `loss.svg` | the loss as a curve |
//! | `network.nnue` | the finished network, as the engine plays it |
//!
//! Whatever moment it is killed at, the same call goes on from the checkpoint, and the finished network is
//! the same to the byte.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Instant;

use chess::PackedRow;
use data::{DataError, FolderLock, write_whole};

use super::checkpoint::Plan;
use super::{
    Checkpoint, Learner, LogLine, Parameters, RowCounts, RowFiles, RowStream, Tally, TrainError,
    TrainOptions, log, loss_svg,
};

/// The name of the file a training goes on from.
pub const CHECKPOINT: &str = "checkpoint.safetensors";
/// The name of the finished network.
pub const NETWORK: &str = "network.nnue";
const LOG: &str = "log.jsonl";
const CURVE: &str = "loss.svg";
/// Batches that are read ahead.
const AHEAD: usize = 8;

/// A training that is to be done.
#[derive(Clone, Debug)]
pub struct Training {
    /// How.
    pub options: TrainOptions,
    /// From what.
    pub rows: RowFiles,
    /// What the loss is validated on, if anything.
    pub validation: RowFiles,
    /// Where the results go.
    pub out: PathBuf,
    /// What to begin with; random numbers unless given.
    pub from: Option<Parameters>,
    /// Whether it is an error that there is nothing to go on from.
    pub must_resume: bool,
    /// How many superbatches lie between two checkpoints.
    pub save_every: u64,
    /// How many older checkpoints are kept.
    pub keep: usize,
}

/// What is told on the way.
#[derive(Debug)]
pub enum Event<'a> {
    /// It goes on after so many steps.
    Resumed {
        /// Steps taken before.
        step: u64,
    },
    /// There are no rows to validate the loss on.
    NoValidation,
    /// A step was taken.
    Progress {
        /// Positions so far.
        positions: u64,
        /// The mean loss since the last measurement.
        loss: f64,
        /// Positions per second since this call began.
        rate: f64,
    },
    /// A superbatch is over.
    Measured(&'a LogLine),
}

/// What came of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Trained {
    /// Steps taken in all.
    pub steps: u64,
    /// Rows used and left out, in all.
    pub counts: RowCounts,
    /// The last line of the log.
    pub last: Option<LogLine>,
    /// Whether it was told to stop before the end.
    pub was_stopped: bool,
    /// Whether there was nothing left to do.
    pub was_complete: bool,
    /// How many steps were taken before this call.
    pub resumed_from: u64,
    /// Positions per second of this call, measurements not counted.
    pub positions_per_second: f64,
}

/// The state of a training that runs.
struct Run<'a> {
    training: &'a Training,
    learner: Learner,
    plan: Plan,
    step: u64,
    recent: Tally,
    total: RowCounts,
    lines: Vec<LogLine>,
    validation: Vec<PackedRow>,
    superbatches: u64,
}

/// Trains, or goes on training, until the end or until told to stop.
pub fn train(
    training: &Training,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<Trained, TrainError> {
    let options = &training.options;
    options.check()?;
    let out = &training.out;
    let rows = training.rows.rows();
    let plan = Plan::new(options, rows, training.rows.fingerprint(), training.from.as_ref());
    if training.must_resume && !out.is_dir() {
        return Err(TrainError::NothingToResume(out.clone()));
    }
    fs::create_dir_all(out).map_err(TrainError::io("create folder", out))?;
    let _lock = FolderLock::acquire(out)?;
    data::remove_temporary_files(out);
    let mut run = start(training, plan)?;
    let resumed_from = run.step;
    if resumed_from > 0 {
        tell(Event::Resumed { step: resumed_from });
    }
    let steps = options.steps();
    let was_complete = run.step >= steps && out.join(NETWORK).exists();
    let mut speed = 0.0;
    if !was_complete {
        let sample = training.validation.sample(options.validation_rows)?;
        if sample.is_empty() {
            tell(Event::NoValidation);
        }
        run.validation = sample;
        let done = run.step * options.batch_size as u64;
        let (files, seed) = (training.rows.clone(), options.seed);
        let mut stream = RowStream::new(files, seed, options.window_rows, done)?;
        let (sender, receiver) = sync_channel(AHEAD);
        speed = std::thread::scope(|scope| {
            let first = run.step;
            let read = move || {
                for step in first..steps {
                    let batch = stream.next_rows(batch_length(options, step));
                    // Nobody listens any more: it is over.
                    if sender.send(batch).is_err() {
                        break;
                    }
                }
            };
            data::threads::spawn(scope, read).map_err(DataError::from)?;
            run.steps(receiver, stop, tell)
        })?;
        if run.step >= steps {
            let network = run.learner.parameters().quantised();
            let network = network.map_err(|error| TrainError::Options(error.to_string()))?;
            write_whole(&out.join(NETWORK), &network.to_bytes())?;
        }
    }
    Ok(Trained {
        steps: run.step,
        counts: run.total,
        last: run.lines.last().cloned(),
        was_stopped: run.step < steps,
        was_complete,
        resumed_from,
        positions_per_second: speed,
    })
}

/// How many rows a step takes: the last may take fewer.
fn batch_length(options: &TrainOptions, step: u64) -> usize {
    let batch = options.batch_size as u64;
    batch.min(options.positions.saturating_sub(step * batch)) as usize
}

/// From a checkpoint, if there is one, or from the beginning.
fn start(training: &Training, plan: Plan) -> Result<Run<'_>, TrainError> {
    let (options, out) = (&training.options, &training.out);
    let path = out.join(CHECKPOINT);
    let mut run = Run {
        training,
        learner: Learner::new(options, initial(training))?,
        plan,
        step: 0,
        recent: Tally::default(),
        total: RowCounts::default(),
        lines: Vec::new(),
        validation: Vec::new(),
        superbatches: 0,
    };
    if path.exists() {
        let checkpoint = Checkpoint::load(&path)?;
        if let Some(difference) = run.plan.difference(&checkpoint.note.plan) {
            return Err(TrainError::Differs { path: out.clone(), difference });
        }
        run.recent = checkpoint.recent();
        run.step = checkpoint.step().min(options.steps());
        run.total = checkpoint.note.total;
        run.lines = log::read(&out.join(LOG), run.step);
        if *checkpoint.parameters.shape() != options.shape {
            return Err(TrainError::checkpoint(&path, "its shape is not that of its options"));
        }
        run.learner.parameters = checkpoint.parameters;
        run.learner.adam = checkpoint.adam;
    } else if training.must_resume {
        return Err(TrainError::NothingToResume(out.clone()));
    }
    Ok(run)
}

fn initial(training: &Training) -> Parameters {
    let options = &training.options;
    match &training.from {
        Some(parameters) => parameters.clone(),
        None => Parameters::random(&options.shape, options.seed),
    }
}

impl Run<'_> {
    /// Takes batches until there are none or it is told to stop; gives the positions per second.
    fn steps(
        &mut self,
        batches: Receiver<Result<Vec<PackedRow>, TrainError>>,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<f64, TrainError> {
        let options = &self.training.options;
        let batch_size = options.batch_size as u64;
        // Positions and seconds, since the beginning and since the last measurement.
        let (mut whole, mut part) = ((0u64, 0.0), (0u64, 0.0));
        let mut begin = Instant::now();
        let rate = |(count, seconds): (u64, f64)| count as f64 / f64::max(seconds, 1e-9);
        for batch in batches {
            let batch = batch?;
            let tally = self.learner.learn(&batch, options.rate_at(self.step))?;
            if !tally.loss.is_finite() {
                return Err(TrainError::NotFinite(self.step));
            }
            self.step += 1;
            self.recent.append(&tally);
            self.total.append(&tally.counts);
            let seconds = begin.elapsed().as_secs_f64();
            begin = Instant::now();
            for sum in [&mut whole, &mut part] {
                *sum = (sum.0 + batch.len() as u64, sum.1 + seconds);
            }
            let positions = (self.step * batch_size).min(options.positions);
            let loss = self.recent.mean().unwrap_or(f64::NAN);
            tell(Event::Progress { positions, loss, rate: rate(whole) });
            let is_last = self.step == options.steps();
            let is_stopped = stop.load(Ordering::Relaxed);
            if self.step.is_multiple_of(options.superbatch_steps()) || is_last {
                self.measure(positions, rate(part), tell)?;
                self.superbatches += 1;
                if is_last || self.superbatches.is_multiple_of(self.training.save_every.max(1)) {
                    self.save()?;
                }
                part = (0, 0.0);
                begin = Instant::now();
            } else if is_stopped {
                self.save()?;
            }
            if is_stopped {
                break;
            }
        }
        Ok(rate(whole))
    }

    /// The end of a superbatch: a line for the log, and the curve drawn anew.
    fn measure(
        &mut self,
        positions: u64,
        speed: f64,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), TrainError> {
        let RowCounts { used, damaged, without_target, beyond_limit } = self.recent.counts;
        if used == 0 {
            let rows = self.recent.counts.left_out();
            return Err(TrainError::NothingUsed { rows, damaged, without_target, beyond_limit });
        }
        if !self.learner.parameters().is_finite() {
            return Err(TrainError::NotFinite(self.step));
        }
        let options = &self.training.options;
        let validation = self.learner.measure(&self.validation)?.mean();
        let line = LogLine {
            step: self.step,
            positions,
            epochs: positions as f64 / self.training.rows.rows().max(1) as f64,
            rate: options.rate_at(self.step.saturating_sub(1)),
            loss: self.recent.mean().unwrap_or(f64::NAN),
            validation,
            left_out: self.recent.counts.left_out(),
            positions_per_second: speed,
        };
        tell(Event::Measured(&line));
        self.recent = Tally::default();
        self.lines.push(line);
        let out = &self.training.out;
        log::write(&out.join(LOG), &self.lines)?;
        let title = self.title();
        Ok(write_whole(&out.join(CURVE), loss_svg(&title, &self.lines).as_bytes())?)
    }

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

    fn save(&self) -> Result<(), TrainError> {
        let out: &Path = &self.training.out;
        let checkpoint = Checkpoint::new(
            self.learner.parameters.clone(),
            self.learner.adam.clone(),
            self.step,
            self.plan.clone(),
            &self.recent,
            self.total,
        );
        let path = out.join(CHECKPOINT);
        checkpoint.save(&path)?;
        Checkpoint::keep(out, &path, self.step, self.training.keep)
    }
}
