//! The training loop.
//!
//! [`train`] resumes a run from its checkpoint, takes steps on batches that a thread reads ahead,
//! validates and saves at the [`Cadence`] of the run, and reports progress. An interrupt ends it after the
//! step at hand, or before it if the step itself can be abandoned, with a checkpoint: a run that was
//! interrupted or killed and resumed ends with the same bits as one that was not.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::TrainError;
use crate::prefetch::prefetch;

/// A model under training, with its data and its output directory.
pub trait Train {
    /// The input of one step.
    type Batch: Send;
    /// The batches of the remaining steps, read on a thread of their own.
    type Batches: Iterator<Item = Result<Self::Batch, TrainError>> + Send;
    /// A line of the log.
    type LogLine;
    /// How many batches are read ahead.
    const PREFETCH: usize;

    /// When to validate, to save and to end.
    fn cadence(&self) -> Cadence;

    /// Steps taken, those of earlier processes included.
    fn step(&self) -> u64;

    /// Positions seen in these steps.
    fn positions(&self) -> u64;

    /// Loads the newest checkpoint, if there is one.
    fn load(&mut self, observe: &mut Observer<'_, Self::LogLine>) -> Result<(), TrainError>;

    /// Reads the validation set and opens the batches from the current step on.
    fn start(
        &mut self,
        observe: &mut Observer<'_, Self::LogLine>,
    ) -> Result<Self::Batches, TrainError>;

    /// Takes a step of the optimizer and returns the number of positions in the batch; `None` if it was
    /// interrupted and changed nothing.
    fn train_step(
        &mut self,
        batch: Self::Batch,
        context: &mut StepContext<'_, '_, Self::LogLine>,
    ) -> Result<Option<u64>, TrainError>;

    /// Computes the validation loss and logs it, with the positions per second since the last validation.
    fn validate(
        &mut self,
        positions_per_second: f64,
        observe: &mut Observer<'_, Self::LogLine>,
    ) -> Result<(), TrainError>;

    /// Saves a checkpoint.
    fn save(&mut self, observe: &mut Observer<'_, Self::LogLine>) -> Result<(), TrainError>;

    /// Whether the finished model has been written.
    fn is_finished(&self) -> bool;

    /// Writes the finished model.
    fn finish(&mut self) -> Result<(), TrainError>;
}

/// When a run validates, saves and ends, in steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cadence {
    /// Steps of the whole run.
    pub steps: u64,
    /// Positions of the whole run.
    pub positions: u64,
    /// Steps between two validations; 0 for one at the end.
    pub validate_every: u64,
    /// Steps between two checkpoints; 0 for one at the end.
    pub save_every: u64,
    /// Whether each validation is followed by a checkpoint.
    pub save_at_validation: bool,
}

/// Receives the events of a run.
pub type Observer<'o, L> = dyn FnMut(Event<'_, L>) + 'o;

/// What happens during a run.
#[derive(Debug)]
pub enum Event<'a, L> {
    /// The run resumes.
    Resumed {
        /// Steps taken before.
        step: u64,
    },
    /// A checkpoint is damaged; an older one is loaded.
    Damaged(&'a TrainError),
    /// There are no validation data.
    NoValidation,
    /// Part of a step, or a step, has been computed.
    Progress(Progress),
    /// A line was logged.
    Logged(&'a L),
    /// A checkpoint was saved.
    Saved(&'a Path),
}

/// The progress of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// Steps taken.
    pub step: u64,
    /// Positions seen, those of the current step included.
    pub positions: u64,
    /// The current loss.
    pub loss: f64,
    /// The accuracy in the current step, if the model predicts moves.
    pub accuracy: Option<f64>,
    /// Positions per second in this process, without validation and checkpoints.
    pub positions_per_second: f64,
    /// Estimated time left at this speed.
    pub seconds_left: f64,
}

/// The result of [`train`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Summary {
    /// Steps taken, those of earlier processes included.
    pub steps: u64,
    /// Steps taken by earlier processes.
    pub resumed_from: u64,
    /// Whether it was interrupted before the end.
    pub was_stopped: bool,
    /// Whether the run was complete before.
    pub was_complete: bool,
    /// Positions seen by this process.
    pub positions: u64,
    /// Time of its steps, without validation and checkpoints.
    pub seconds: f64,
}

impl Summary {
    /// Positions per second of this process, without validation and checkpoints.
    pub fn positions_per_second(&self) -> f64 {
        rate(self.positions, self.seconds)
    }
}

fn rate(positions: u64, seconds: f64) -> f64 {
    positions as f64 / seconds.max(1e-9)
}

/// What a step needs of the loop.
pub struct StepContext<'a, 'o, L> {
    stop: &'a AtomicBool,
    start: Instant,
    step: u64,
    /// Positions seen before the step, by the whole run.
    seen: u64,
    total: u64,
    summary: Summary,
    observe: &'a mut Observer<'o, L>,
}

impl<'o, L> StepContext<'_, 'o, L> {
    /// Whether the run is interrupted.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Seconds since the step began, the wait for its batch included.
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Reports loss and accuracy after this many positions of the step.
    pub fn progress(&mut self, positions: u64, loss: f64, accuracy: Option<f64>) {
        let seconds = self.summary.seconds + self.seconds();
        let speed = rate(self.summary.positions + positions, seconds);
        let seen = self.seen + positions;
        (self.observe)(Event::Progress(Progress {
            step: self.step,
            positions: seen,
            loss,
            accuracy,
            positions_per_second: speed,
            seconds_left: self.total.saturating_sub(seen) as f64 / speed.max(1e-9),
        }));
    }

    /// The observer, for lines logged in every step.
    pub fn observer(&mut self) -> &mut Observer<'o, L> {
        self.observe
    }
}

/// Trains, or resumes, until the last step or an interrupt.
pub fn train<T: Train>(
    run: &mut T,
    stop: &AtomicBool,
    observe: &mut Observer<'_, T::LogLine>,
) -> Result<Summary, TrainError> {
    run.load(observe)?;
    let resumed_from = run.step();
    if resumed_from > 0 {
        observe(Event::Resumed { step: resumed_from });
    }
    let steps = run.cadence().steps;
    let mut summary = Summary {
        steps: resumed_from,
        resumed_from,
        was_stopped: false,
        was_complete: resumed_from >= steps && run.is_finished(),
        positions: 0,
        seconds: 0.0,
    };
    if summary.was_complete {
        return Ok(summary);
    }
    if resumed_from < steps {
        let batches = run.start(observe)?;
        prefetch(T::PREFETCH, batches, |batches| {
            take_steps(run, batches, &mut summary, stop, observe)
        })?;
    }
    summary.steps = run.step();
    summary.was_stopped = summary.steps < steps;
    if !summary.was_stopped {
        run.finish()?;
    }
    Ok(summary)
}

fn take_steps<T: Train>(
    run: &mut T,
    batches: impl IntoIterator<Item = Result<T::Batch, TrainError>>,
    summary: &mut Summary,
    stop: &AtomicBool,
    observe: &mut Observer<'_, T::LogLine>,
) -> Result<(), TrainError> {
    let cadence = run.cadence();
    let mut saved = run.step();
    // Positions and seconds since the last validation.
    let mut interval = (0, 0.0);
    let mut start = Instant::now();
    for batch in batches {
        let batch = batch?;
        let mut context = StepContext {
            stop,
            start,
            step: run.step(),
            seen: run.positions(),
            total: cadence.positions,
            summary: *summary,
            observe: &mut *observe,
        };
        let Some(positions) = run.train_step(batch, &mut context)? else { break };
        let seconds = start.elapsed().as_secs_f64();
        summary.positions += positions;
        summary.seconds += seconds;
        interval = (interval.0 + positions, interval.1 + seconds);
        let step = run.step();
        let is_last = step >= cadence.steps;
        let is_due = |every: u64| is_last || every > 0 && step.is_multiple_of(every);
        let is_validated = is_due(cadence.validate_every);
        if is_validated {
            run.validate(rate(interval.0, interval.1), observe)?;
            interval = (0, 0.0);
        }
        let is_stopped = stop.load(Ordering::Relaxed);
        if is_due(cadence.save_every) || is_validated && cadence.save_at_validation || is_stopped {
            run.save(observe)?;
            saved = step;
        }
        if is_stopped {
            break;
        }
        start = Instant::now();
    }
    if run.step() > saved {
        run.save(observe)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten steps over a running hash; the "disk" outlives the process.
    #[derive(Clone, Default)]
    struct Toy {
        step: u64,
        state: u64,
        disk: Option<(u64, u64)>,
        finished: Option<u64>,
        /// Steps after which it was validated and saved.
        validated: Vec<u64>,
        saved: Vec<u64>,
    }

    impl Train for Toy {
        type Batch = u64;
        type Batches = std::iter::Map<std::ops::Range<u64>, fn(u64) -> Result<u64, TrainError>>;
        type LogLine = u64;
        const PREFETCH: usize = 2;

        fn cadence(&self) -> Cadence {
            let (validate_every, save_every) = (4, 3);
            let save_at_validation = false;
            Cadence { steps: 10, positions: 20, validate_every, save_every, save_at_validation }
        }

        fn step(&self) -> u64 {
            self.step
        }

        fn positions(&self) -> u64 {
            2 * self.step
        }

        fn load(&mut self, _: &mut Observer<'_, u64>) -> Result<(), TrainError> {
            (self.step, self.state) = self.disk.unwrap_or_default();
            Ok(())
        }

        fn start(&mut self, _: &mut Observer<'_, u64>) -> Result<Self::Batches, TrainError> {
            Ok((self.step..10).map(Ok))
        }

        fn train_step(
            &mut self,
            batch: u64,
            context: &mut StepContext<'_, '_, u64>,
        ) -> Result<Option<u64>, TrainError> {
            assert_eq!(batch, self.step);
            context.progress(1, 0.5, None);
            if context.is_stopped() {
                return Ok(None);
            }
            context.progress(2, 0.5, None);
            self.state = self.state.wrapping_mul(31).wrapping_add(batch + 1);
            self.step += 1;
            Ok(Some(2))
        }

        fn validate(&mut self, speed: f64, _: &mut Observer<'_, u64>) -> Result<(), TrainError> {
            assert!(speed > 0.0);
            self.validated.push(self.step);
            Ok(())
        }

        fn save(&mut self, observe: &mut Observer<'_, u64>) -> Result<(), TrainError> {
            self.disk = Some((self.step, self.state));
            self.saved.push(self.step);
            observe(Event::Saved(Path::new("disk")));
            Ok(())
        }

        fn is_finished(&self) -> bool {
            self.finished.is_some()
        }

        fn finish(&mut self) -> Result<(), TrainError> {
            self.finished = Some(self.state);
            Ok(())
        }
    }

    #[test]
    fn validation_and_checkpoints_keep_their_cadence() {
        let mut toy = Toy::default();
        let mut seen = Vec::new();
        let summary = train(&mut toy, &AtomicBool::new(false), &mut |event| {
            if let Event::Progress(progress) = event {
                seen.push(progress.positions);
            }
        });
        let summary = summary.unwrap();
        assert_eq!((summary.steps, summary.positions, summary.was_stopped), (10, 20, false));
        assert_eq!(toy.validated, [4, 8, 10]);
        assert_eq!(toy.saved, [3, 6, 9, 10]);
        assert_eq!(seen, (1..=20).collect::<Vec<_>>());
        let again = train(&mut toy, &AtomicBool::new(false), &mut |_| ()).unwrap();
        assert!(again.was_complete && again.positions == 0 && toy.saved.len() == 4);
    }

    #[test]
    fn an_interrupted_run_resumes_and_ends_like_one_that_was_not() {
        let mut whole = Toy::default();
        train(&mut whole, &AtomicBool::new(false), &mut |_| ()).unwrap();
        let mut toy = Toy::default();
        for round in 1.. {
            // In the middle of a step, where it is abandoned, and at its end.
            let (stop, mut calls, mut resumed) = (AtomicBool::new(false), 0, None);
            let before = toy.step;
            let summary = train(&mut toy, &stop, &mut |event| match event {
                Event::Progress(_) => {
                    calls += 1;
                    stop.store(calls == 2 + round % 2, Ordering::Relaxed);
                }
                Event::Resumed { step } => resumed = Some(step),
                _ => {}
            });
            let summary = summary.unwrap();
            assert_eq!(resumed.unwrap_or(0), before);
            assert_eq!(summary.resumed_from, before);
            if !summary.was_stopped {
                assert!(round > 5);
                break;
            }
            assert_eq!(toy.disk, Some((toy.step, toy.state)));
            // The process ends: what is not on disk is lost.
            (toy.state, toy.validated) = (0, Vec::new());
        }
        assert_eq!(toy.finished, whole.finished);
    }

    #[test]
    fn an_error_of_the_reader_ends_the_run() {
        let failed =
            prefetch(1, [Ok(1), Err(TrainError::Panicked), Ok(3)].into_iter(), |batches| {
                let read: Vec<_> = batches.into_iter().collect();
                assert_eq!(read.len(), 2);
                read.into_iter().collect::<Result<Vec<i32>, _>>()
            });
        assert!(matches!(failed, Err(TrainError::Panicked)));
    }
}
