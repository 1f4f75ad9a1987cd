//! A training run: epochs over examples in memory, with one file that is model and checkpoint.

use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use chess::PackedRow;
use chess::rng::Rng;
use data::{DataError, FolderLock, write_atomic};
use learn::{Cadence, Observer, StepContext, Summary, Train, TrainError, checkpoint};
use nnue::features::Features;
use nnue::towers::{Checkpoint, CheckpointError, SCALE, Towers};
use serde_json::{Value, json};

use super::block::huber;
use super::examples::target;
use super::{Examples, Options, Trainer};

/// Upper limit of steps and epochs.
const MAX_STEPS: u64 = 1 << 50;

/// The hyperparameters of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct RunOptions {
    /// Those of a step.
    pub options: Options,
    /// Positions per step.
    pub batch_size: usize,
    /// Epochs.
    pub epochs: u64,
    /// Random seed of the initial parameters and the order of examples.
    pub seed: u64,
    /// Steps between two checkpoints; the end of an epoch has one too.
    pub save_every: u64,
    /// Threads; the result does not depend on them.
    pub threads: NonZero<usize>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            options: Options::default(),
            batch_size: 512,
            epochs: 10,
            seed: 1,
            save_every: 2000,
            threads: std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN),
        }
    }
}

/// The losses of an epoch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Epoch {
    /// The epoch, counted from 1.
    pub epoch: u64,
    /// The mean training loss of the steps of this process.
    pub loss: f64,
    /// The validation loss, if there are validation examples.
    pub validation: Option<f64>,
}

/// An event of a run.
pub type Event<'a> = learn::Event<'a, Epoch>;

/// The result of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Trained {
    /// The network.
    pub towers: Towers,
    /// Steps and speed.
    pub summary: Summary,
}

/// Trains a network, or resumes from the checkpoint `out`. An interrupt saves a checkpoint and is the error
/// [`DataError::Interrupted`].
pub fn train(
    examples: &Examples,
    validation: Option<&Examples>,
    out: &Path,
    options: &RunOptions,
    stop: &AtomicBool,
    observe: &mut Observer<'_, Epoch>,
) -> Result<Trained, TrainError> {
    check(options, examples)?;
    let _lock = FolderLock::acquire_file(out)?;
    let mut run = Run::new(examples, validation, out, options);
    let summary = learn::train(&mut run, stop, observe)?;
    if summary.was_stopped {
        return Err(DataError::Interrupted { resumes: true }.into());
    }
    Ok(Trained { towers: run.trainer.towers().clone(), summary })
}

fn check(run: &RunOptions, examples: &Examples) -> Result<(), TrainError> {
    let wrong = |problem: &str| Err(TrainError::Options(problem.to_owned()));
    let Options { lr, clip } = run.options;
    match () {
        () if run.batch_size == 0 || run.batch_size > 1 << 20 => {
            wrong("the batch size must be 1 to 1048576")
        }
        () if !(lr > 0.0 && lr <= 1.0) => wrong("the learning rate must be above 0 and at most 1"),
        () if !(clip > 0.0 && clip <= 32_000.0) => {
            wrong("evaluations are clipped to 1 to 32000 centipawns")
        }
        () if run.epochs > MAX_STEPS => wrong("there are at most 2^50 epochs"),
        () if run.save_every == 0 => wrong("a checkpoint needs at least one step"),
        () if examples.rows().is_empty() => wrong("there are no examples"),
        () if u32::try_from(examples.rows().len()).is_err() => {
            wrong("there are more than 4294967295 examples")
        }
        () => Ok(()),
    }
}

/// The state of a run.
struct Run<'a> {
    trainer: Trainer,
    examples: &'a Examples,
    validation: Option<&'a Examples>,
    out: &'a Path,
    options: &'a RunOptions,
    /// The options that must not change when it resumes.
    fixed_options: Value,
    /// Sum of losses and number of positions in this epoch.
    epoch_loss: (f64, u64),
}

impl<'a> Run<'a> {
    fn new(
        examples: &'a Examples,
        validation: Option<&'a Examples>,
        out: &'a Path,
        options: &'a RunOptions,
    ) -> Self {
        let fixed_options = json!({
            "seed": options.seed,
            "batch": options.batch_size,
            "rate": options.options.lr,
            "clip": options.options.clip,
            "examples": examples.rows().len(),
            "data": examples.fingerprint(),
        });
        let towers = Towers::random(options.seed);
        let trainer = Trainer::new(towers, None, 0, options.options, options.threads);
        let epoch_loss = (0.0, 0);
        Self { trainer, examples, validation, out, options, fixed_options, epoch_loss }
    }

    fn steps_per_epoch(&self) -> u64 {
        self.examples.rows().len().div_ceil(self.options.batch_size) as u64
    }

    /// The epoch, counted from 0, and the examples of it that have been seen.
    fn cursor(&self) -> (u64, u64) {
        let (step, steps) = (self.trainer.steps(), self.steps_per_epoch());
        (step / steps, step % steps * self.options.batch_size as u64)
    }
}

impl<'a> Train for Run<'a> {
    type Batch = Vec<PackedRow>;
    type Batches = Batches<'a>;
    type LogLine = Epoch;
    const PREFETCH: usize = 2;

    fn cadence(&self) -> Cadence {
        let RunOptions { epochs, save_every, .. } = *self.options;
        let steps = self.steps_per_epoch();
        Cadence {
            steps: epochs.saturating_mul(steps),
            positions: epochs.saturating_mul(self.examples.rows().len() as u64),
            validate_every: steps,
            save_every,
            save_at_validation: true,
        }
    }

    fn step(&self) -> u64 {
        self.trainer.steps()
    }

    fn positions(&self) -> u64 {
        let (epoch, row) = self.cursor();
        epoch.saturating_mul(self.examples.rows().len() as u64) + row
    }

    fn load(&mut self, _: &mut Observer<'_, Epoch>) -> Result<(), TrainError> {
        if !self.out.exists() {
            return Ok(());
        }
        let fail = |reason: String| TrainError::checkpoint(self.out, reason);
        let Checkpoint { towers, averages, training } =
            Checkpoint::load(self.out).map_err(|error| checkpoint_error(self.out, error))?;
        if !training["run"].is_object() {
            return Err(fail("it is a model without the state of a training".into()));
        }
        if let Some(difference) = checkpoint::difference(&self.fixed_options, &training["run"]) {
            return Err(TrainError::Differs { path: self.out.to_owned(), difference });
        }
        let number = |name: &str, most: u64| {
            let value = training[name].as_u64().filter(|&value| value <= most);
            value.ok_or_else(|| fail(format!("its {name} is {}, not 0 to {most}", training[name])))
        };
        let step = number("step", MAX_STEPS)?;
        let cursor =
            (number("epoch", MAX_STEPS)?, number("row", self.examples.rows().len() as u64)?);
        let averages = averages.ok_or_else(|| fail("it has no optimizer state".into()))?;
        let RunOptions { options, threads, .. } = *self.options;
        self.trainer = Trainer::new(towers, Some(averages), step, options, threads);
        if self.cursor() != cursor {
            return Err(TrainError::checkpoint(
                self.out,
                "its step is not that of its epoch and row",
            ));
        }
        Ok(())
    }

    fn start(&mut self, _: &mut Observer<'_, Epoch>) -> Result<Batches<'a>, TrainError> {
        let (epoch, row) = self.cursor();
        let (rows, &RunOptions { seed, batch_size, epochs, .. }) =
            (self.examples.rows(), self.options);
        let (order, at) = (order(rows.len(), seed, epoch), row as usize);
        Ok(Batches { rows, seed, batch_size, epochs, epoch, order, at })
    }

    fn train_step(
        &mut self,
        batch: Vec<PackedRow>,
        context: &mut StepContext<'_, '_, Epoch>,
    ) -> Result<Option<u64>, TrainError> {
        let (loss, positions) = (self.trainer.step(&batch), batch.len() as u64);
        if !loss.is_finite() {
            return Err(TrainError::NotFinite(self.trainer.steps()));
        }
        self.epoch_loss.0 += loss * positions as f64;
        self.epoch_loss.1 += positions;
        context.progress(positions, self.epoch_loss.0 / self.epoch_loss.1 as f64, None);
        Ok(Some(positions))
    }

    fn validate(&mut self, _: f64, observe: &mut Observer<'_, Epoch>) -> Result<(), TrainError> {
        let (loss, positions) = std::mem::take(&mut self.epoch_loss);
        let towers = self.trainer.towers();
        let validation =
            self.validation.map(|examples| evaluate_loss(towers, examples, self.options));
        let loss = loss / positions.max(1) as f64;
        observe(Event::Logged(&Epoch { epoch: self.cursor().0, loss, validation }));
        Ok(())
    }

    fn save(&mut self, observe: &mut Observer<'_, Epoch>) -> Result<(), TrainError> {
        let (epoch, row) = self.cursor();
        let (step, run) = (self.trainer.steps(), &self.fixed_options);
        let checkpoint = Checkpoint {
            towers: self.trainer.towers().clone(),
            averages: Some(self.trainer.averages().clone()),
            training: json!({ "run": run, "step": step, "epoch": epoch, "row": row }),
        };
        let bytes = checkpoint.to_bytes().map_err(|error| checkpoint_error(self.out, error))?;
        write_atomic(self.out, &bytes)?;
        observe(Event::Saved(self.out));
        Ok(())
    }

    /// The checkpoint is the model.
    fn is_finished(&self) -> bool {
        true
    }

    fn finish(&mut self) -> Result<(), TrainError> {
        Ok(())
    }
}

fn checkpoint_error(path: &Path, error: CheckpointError) -> TrainError {
    match error {
        CheckpointError::Io { what, path, cause } => TrainError::Io { what, path, cause },
        error => TrainError::checkpoint(path, error),
    }
}

/// The mean loss of a network on examples.
pub fn evaluate_loss(towers: &Towers, examples: &Examples, run: &RunOptions) -> f64 {
    let (mut features, mut values) = (Vec::new(), Vec::new());
    let mut total = 0.0;
    for rows in examples.rows().chunks(1 << 15) {
        features.clear();
        features.extend(rows.iter().map(|row| match row.setup() {
            Ok(setup) => Features::seen_by(&setup.board, setup.turn),
            Err(_) => Features::of(&chess::Board::EMPTY),
        }));
        values.resize(rows.len(), 0.0);
        towers.evaluate_parallel(&features, &mut values, run.threads);
        let losses = rows
            .iter()
            .zip(&values)
            .map(|(row, value)| huber(value / SCALE - target(row, run.options.clip)));
        total += losses.sum::<f64>();
    }
    total / examples.rows().len().max(1) as f64
}

/// The permutation of the examples in an epoch.
fn order(count: usize, seed: u64, epoch: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    Rng::new(seed, epoch).shuffle(&mut order);
    order
}

/// The batches of the remaining epochs.
struct Batches<'a> {
    rows: &'a [PackedRow],
    seed: u64,
    batch_size: usize,
    epochs: u64,
    epoch: u64,
    order: Vec<u32>,
    at: usize,
}

impl Iterator for Batches<'_> {
    type Item = Result<Vec<PackedRow>, TrainError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.order.len() {
            (self.epoch, self.at) = (self.epoch + 1, 0);
            self.order = order(self.rows.len(), self.seed, self.epoch);
        }
        if self.epoch >= self.epochs {
            return None;
        }
        let rest = &self.order[self.at..];
        let batch = &rest[..rest.len().min(self.batch_size)];
        self.at += batch.len();
        Some(Ok(batch.iter().map(|&index| self.rows[index as usize]).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;
    use chess::pgn::Score;

    static NEVER: AtomicBool = AtomicBool::new(false);

    fn examples(count: usize) -> Examples {
        let mut position = Position::INITIAL;
        let mut rows = Vec::new();
        while rows.len() < count {
            let moves = position.legal_moves();
            if moves.is_empty() || position.fullmove_number() > 50 {
                position = Position::INITIAL;
            } else {
                position = position.after(moves[rows.len() * 7 % moves.len()]);
            }
            let score = Score::Centipawns(rows.len() as i32 % 300 - 150);
            rows.push(PackedRow::new(&position).unwrap().with_score(Some(score)));
        }
        Examples::from_rows(rows)
    }

    fn options() -> RunOptions {
        let threads = NonZero::<usize>::MIN;
        RunOptions { batch_size: 64, epochs: 2, save_every: 1, threads, ..RunOptions::default() }
    }

    fn finish(
        examples: &Examples,
        out: &Path,
        options: &RunOptions,
    ) -> Result<Trained, TrainError> {
        train(examples, None, out, options, &NEVER, &mut |_| {})
    }

    #[test]
    fn a_run_interrupted_anywhere_ends_with_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let (examples, run) = (examples(200), options());
        let whole = folder.path().join("whole");
        let mut epochs = Vec::new();
        let result = train(&examples, Some(&examples), &whole, &run, &NEVER, &mut |event| {
            if let Event::Logged(epoch) = event {
                epochs.push(*epoch);
            }
        });
        let result = result.unwrap();
        assert_eq!((result.summary.steps, result.summary.positions), (8, 400));
        assert_eq!(epochs.iter().map(|epoch| epoch.epoch).collect::<Vec<_>>(), [1, 2]);
        assert!(epochs[1].validation < epochs[0].validation);
        let bytes = std::fs::read(&whole).unwrap();
        // One epoch after the other.
        let path = folder.path().join("parts");
        finish(&examples, &path, &RunOptions { epochs: 1, ..run.clone() }).unwrap();
        let first = std::fs::read(&path).unwrap();
        finish(&examples, &path, &run).unwrap();
        assert!(std::fs::read(&path).unwrap() == bytes);
        // A complete run does nothing.
        let mut resumed = Vec::new();
        train(&examples, None, &path, &run, &NEVER, &mut |event| match event {
            Event::Resumed { step } => resumed.push(step),
            event => panic!("{event:?}"),
        })
        .unwrap();
        assert_eq!(resumed, [8]);
        assert!(std::fs::read(&path).unwrap() == bytes);
        // In the middle of an epoch.
        let middle = folder.path().join("middle");
        std::fs::write(&middle, &first).unwrap();
        let mut state = Run::new(&examples, None, &middle, &run);
        state.load(&mut |_| {}).unwrap();
        assert_eq!(state.cursor(), (1, 0));
        let order = order(200, run.seed, 1);
        let batch: Vec<_> = order[..64].iter().map(|&n| examples.rows()[n as usize]).collect();
        state.trainer.step(&batch);
        state.save(&mut |_| {}).unwrap();
        finish(&examples, &middle, &run).unwrap();
        assert!(std::fs::read(&middle).unwrap() == bytes);
        // Interrupted after each step, with a checkpoint; the last step completes the run.
        let stopped = folder.path().join("stopped");
        let stop = AtomicBool::new(true);
        let mut stops = 0;
        while let Err(error) = train(&examples, None, &stopped, &run, &stop, &mut |_| {}) {
            assert_eq!(error.to_string(), "interrupted; the same command resumes");
            stops += 1;
        }
        assert_eq!(stops, 7);
        assert!(std::fs::read(&stopped).unwrap() == bytes);
    }

    #[test]
    fn only_a_checkpoint_of_the_same_run_is_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let (examples, run) = (examples(200), options());
        let [whole, path] = ["whole", "path"].map(|name| folder.path().join(name));
        // One process at a time.
        let lock = FolderLock::acquire_file(&whole).unwrap();
        let error = finish(&examples, &whole, &run).unwrap_err();
        assert!(error.to_string().contains("another process"), "{error}");
        drop(lock);
        let model = finish(&examples, &whole, &run).unwrap().towers;
        let refused = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            finish(&examples, &path, &run).unwrap_err().to_string()
        };
        // Steps, epochs and rows are bounded, and agree.
        for (name, value) in [("step", u64::MAX), ("epoch", u64::MAX), ("row", 201)] {
            let mut forged = Checkpoint::load(&whole).unwrap();
            forged.training[name] = value.into();
            let error = refused(&forged.to_bytes().unwrap());
            assert!(error.contains(&format!("its {name} is {value}, not 0 to ")), "{error}");
            forged.training[name] = 1.into();
            let error = refused(&forged.to_bytes().unwrap());
            assert!(error.ends_with("its step is not that of its epoch and row"), "{error}");
        }
        // Another run is not resumed, and its file is not overwritten.
        let bytes = std::fs::read(&whole).unwrap();
        let other = RunOptions { seed: 2, ..run.clone() };
        let error = finish(&examples, &whole, &other).unwrap_err().to_string();
        assert!(error.ends_with("holds another training: seed was 1 and is now 2"), "{error}");
        assert!(std::fs::read(&whole).unwrap() == bytes);
        let model = Checkpoint { towers: model, averages: None, training: Value::Null };
        let error = refused(&model.to_bytes().unwrap());
        assert!(error.ends_with("it is a model without the state of a training"), "{error}");
        assert!(refused(b"something else").contains("is no checkpoint"));
    }

    #[test]
    fn each_epoch_has_its_own_permutation() {
        let orders = [order(100, 1, 0), order(100, 1, 1), order(100, 2, 0)];
        assert!(orders[0] != orders[1] && orders[0] != orders[2]);
        for mut order in orders {
            order.sort_unstable();
            assert_eq!(order, (0..100).collect::<Vec<_>>());
        }
        assert!(order(0, 1, 0).is_empty());
    }

    #[test]
    fn options_out_of_range_are_refused() {
        let path = Path::new("never written");
        let none = RunOptions { batch_size: 0, ..RunOptions::default() };
        assert!(finish(&examples(3), path, &none).is_err());
        assert!(finish(&Examples::default(), path, &RunOptions::default()).is_err());
    }
}
