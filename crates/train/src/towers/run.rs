//! A run: epochs over examples, with one file that is model and checkpoint.

use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use chess::rng::Rng;
use data::{DataError, FolderLock, write_whole};
use nnue::features::Features;
use nnue::towers::{Checkpoint, SCALE, Towers};
use serde_json::{Value, json};

use super::block::huber;
use super::examples::target;
use super::{Examples, Options, TowersError, Trainer};

/// No run takes more steps or goes through its examples more often.
const MAX_STEPS: u64 = 1 << 50;

/// What a run does.
#[derive(Clone, PartialEq, Debug)]
pub struct RunOptions {
    /// How the network learns.
    pub options: Options,
    /// Positions in a batch.
    pub batch: usize,
    /// How often all examples are gone through.
    pub epochs: u64,
    /// Random seed: the network at the beginning, and the order of examples.
    pub seed: u64,
    /// A checkpoint is written after so many steps, and in the end.
    pub checkpoint_steps: u64,
    /// Threads; they change nothing but the time.
    pub threads: NonZero<usize>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            options: Options::default(),
            batch: 512,
            epochs: 10,
            seed: 1,
            checkpoint_steps: 2000,
            threads: std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN),
        }
    }
}

/// What a run tells on its way.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Event {
    /// It goes on after so many steps of an earlier run.
    Resumed {
        /// Steps done before.
        step: u64,
    },
    /// About once a second.
    Progress {
        /// Which epoch, counted from 0.
        epoch: u64,
        /// How many positions of it have been seen, of how many.
        positions: (u64, u64),
        /// The mean loss since the last event.
        loss: f64,
        /// Positions a second since the last event.
        speed: f64,
    },
    /// An epoch is over.
    Epoch {
        /// Which, counted from 0.
        epoch: u64,
        /// The mean loss of what was seen of it by this process.
        loss: f64,
        /// The loss of the validation examples, if there are any.
        validation: Option<f64>,
    },
}

/// What a run has come to.
#[derive(Clone, PartialEq, Debug)]
pub struct Trained {
    /// The network.
    pub towers: Towers,
    /// All steps, those of earlier processes included.
    pub steps: u64,
    /// Positions that this process has learned from.
    pub positions: u64,
    /// How long it took.
    pub time: Duration,
}

/// Trains a network, or resumes from the checkpoint `out` of an earlier run of the same kind. If it is
/// told to stop, it saves a checkpoint, and the error is [`DataError::Interrupted`].
pub fn train(
    examples: &Examples,
    validation: Option<&Examples>,
    out: &Path,
    run: &RunOptions,
    stop: &AtomicBool,
    mut tell: impl FnMut(Event),
) -> Result<Trained, TowersError> {
    check(run, examples)?;
    let _lock = FolderLock::acquire_file(out)?;
    let rows = examples.rows();
    let identity = json!({
        "seed": run.seed,
        "batch": run.batch,
        "rate": run.options.rate,
        "clip": run.options.clip,
        "examples": rows.len(),
        "data": examples.fingerprint(),
    });
    let (mut trainer, mut epoch, mut row) = begin(out, run, &identity)?;
    if trainer.steps() > 0 {
        tell(Event::Resumed { step: trainer.steps() });
    }
    let start = Instant::now();
    let mut positions = 0;
    let mut batch = Vec::with_capacity(run.batch);
    let mut saved = trainer.steps();
    while epoch < run.epochs {
        let order = order(rows.len(), run.seed, epoch);
        let mut meter = Meter::new();
        for indices in order[row.min(order.len())..].chunks(run.batch) {
            batch.clear();
            batch.extend(indices.iter().map(|&index| rows[index as usize]));
            let loss = trainer.step(&batch);
            if !loss.is_finite() {
                return Err(TowersError::Diverged { step: trainer.steps() });
            }
            row += batch.len();
            positions += batch.len() as u64;
            if let Some((loss, speed)) = meter.add(loss, batch.len()) {
                let positions = (row as u64, rows.len() as u64);
                tell(Event::Progress { epoch, positions, loss, speed });
            }
            let is_stopped = stop.load(Ordering::Relaxed);
            let is_due = is_stopped || trainer.steps() - saved >= run.checkpoint_steps;
            if is_due && row < rows.len() {
                save(out, &trainer, &identity, epoch, row)?;
                saved = trainer.steps();
                if is_stopped {
                    return Err(DataError::Interrupted { resumes: true }.into());
                }
            }
        }
        (epoch, row) = (epoch + 1, 0);
        save(out, &trainer, &identity, epoch, row)?;
        saved = trainer.steps();
        let validation = validation.map(|examples| evaluate_loss(trainer.towers(), examples, run));
        tell(Event::Epoch { epoch: epoch - 1, loss: meter.mean(), validation });
    }
    let (towers, steps) = (trainer.towers().clone(), trainer.steps());
    Ok(Trained { towers, steps, positions, time: start.elapsed() })
}

fn check(run: &RunOptions, examples: &Examples) -> Result<(), TowersError> {
    let wrong = |problem: &str| Err(TowersError::Options(problem.to_owned()));
    let Options { rate, clip } = run.options;
    match () {
        () if run.batch == 0 || run.batch > 1 << 20 => wrong("a batch has 1 to 1048576 positions"),
        () if !(rate > 0.0 && rate <= 1.0) => wrong("the rate is above 0 and at most 1"),
        () if !(clip > 0.0 && clip <= 32_000.0) => wrong("evaluations are clipped to 1…32000"),
        () if run.epochs > MAX_STEPS => wrong("there are at most 2^50 epochs"),
        () if run.checkpoint_steps == 0 => wrong("a checkpoint needs at least one step"),
        () if examples.rows().is_empty() => wrong("there are no examples"),
        () if u32::try_from(examples.rows().len()).is_err() => {
            wrong("there are more than 4294967295 examples")
        }
        () => Ok(()),
    }
}

/// A trainer, the epoch and how much of it is done.
fn begin(
    out: &Path,
    run: &RunOptions,
    identity: &Value,
) -> Result<(Trainer, u64, usize), TowersError> {
    let path = || out.to_owned();
    if !out.exists() {
        let towers = Towers::random(run.seed);
        return Ok((Trainer::new(towers, None, 0, run.options, run.threads), 0, 0));
    }
    let checkpoint =
        Checkpoint::load(out).map_err(|cause| TowersError::Checkpoint { path: path(), cause })?;
    let Checkpoint { towers, averages, training } = checkpoint;
    let other = |difference: String| TowersError::OtherRun { path: path(), difference };
    let run_of_file = training["run"].as_object();
    let run_of_file =
        run_of_file.ok_or_else(|| other("it is a model without the state of training".into()))?;
    for (name, value) in identity.as_object().into_iter().flatten() {
        let found = run_of_file.get(name).unwrap_or(&Value::Null);
        if found != value {
            return Err(other(format!("{name} is {found} there and {value} here")));
        }
    }
    let number = |name: &str, most: u64| {
        let value = training[name].as_u64().filter(|&value| value <= most);
        value.ok_or_else(|| other(format!("its {name} is {}, not 0 to {most}", training[name])))
    };
    let averages = averages.ok_or_else(|| other("it has no averages of the optimizer".into()))?;
    let rows = identity["examples"].as_u64().unwrap_or(0);
    let (steps, epoch) = (number("step", MAX_STEPS)?, number("epoch", MAX_STEPS)?);
    let row = number("row", rows)?;
    let trainer = Trainer::new(towers, Some(averages), steps, run.options, run.threads);
    Ok((trainer, epoch, usize::try_from(row).unwrap_or(usize::MAX)))
}

fn save(
    out: &Path,
    trainer: &Trainer,
    identity: &Value,
    epoch: u64,
    row: usize,
) -> Result<(), TowersError> {
    let checkpoint = Checkpoint {
        towers: trainer.towers().clone(),
        averages: Some(trainer.averages().clone()),
        training: json!({ "run": identity, "step": trainer.steps(), "epoch": epoch, "row": row }),
    };
    let bytes = checkpoint.to_bytes();
    let bytes = bytes.map_err(|cause| TowersError::Checkpoint { path: out.to_owned(), cause })?;
    Ok(write_whole(out, &bytes)?)
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

/// The order of examples in an epoch: it follows from seed and epoch.
fn order(count: usize, seed: u64, epoch: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    Rng::new(seed, epoch).shuffle(&mut order);
    order
}

/// Losses and speed, of an epoch and since the last time somebody was told.
struct Meter {
    total: (f64, usize),
    recent: (f64, usize),
    since: Instant,
}

impl Meter {
    fn new() -> Self {
        Self { total: (0.0, 0), recent: (0.0, 0), since: Instant::now() }
    }

    fn add(&mut self, loss: f64, count: usize) -> Option<(f64, f64)> {
        for (sum, positions) in [&mut self.total, &mut self.recent].map(|(a, b)| (a, b)) {
            *sum += loss * count as f64;
            *positions += count;
        }
        let seconds = self.since.elapsed().as_secs_f64();
        if seconds < 1.0 {
            return None;
        }
        let (sum, positions) = std::mem::take(&mut self.recent);
        self.since = Instant::now();
        Some((sum / positions as f64, positions as f64 / seconds))
    }

    fn mean(&self) -> f64 {
        self.total.0 / self.total.1.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::pgn::Score;
    use chess::{PackedRow, Position};

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

    #[test]
    fn a_run_that_was_stopped_anywhere_ends_with_the_bytes_of_one_that_was_not() {
        let folder = std::env::temp_dir().join(format!("tabiya-run-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let examples = examples(200);
        let threads = NonZero::<usize>::MIN;
        let run = RunOptions {
            batch: 64,
            epochs: 2,
            checkpoint_steps: 1,
            threads,
            ..RunOptions::default()
        };
        let whole = folder.join("whole");
        let mut kept = Vec::new();
        let result = train(&examples, Some(&examples), &whole, &run, &NEVER, |_| {}).unwrap();
        assert_eq!((result.steps, result.positions), (8, 400));
        let bytes = std::fs::read(&whole).unwrap();
        // Every checkpoint on the way, as a process that was killed then would leave it.
        let path = folder.join("parts");
        for epochs in [1, 2] {
            train(&examples, None, &path, &RunOptions { epochs, ..run.clone() }, &NEVER, |_| {})
                .unwrap();
            kept.push(std::fs::read(&path).unwrap());
        }
        assert!(kept.pop().unwrap() == bytes);
        let mut events = Vec::new();
        train(&examples, None, &path, &run, &NEVER, |event| events.push(event)).unwrap();
        assert_eq!(events, [Event::Resumed { step: 8 }]);
        assert!(std::fs::read(&path).unwrap() == bytes);
        // In the middle of an epoch.
        let middle = folder.join("middle");
        std::fs::write(&middle, &kept[0]).unwrap();
        let checkpoint = Checkpoint::load(&middle).unwrap();
        let identity = checkpoint.training["run"].clone();
        let (mut trainer, epoch, row) = begin(&middle, &run, &identity).unwrap();
        assert_eq!((epoch, row), (1, 0));
        let order = order(200, run.seed, epoch);
        let batch: Vec<_> = order[..64].iter().map(|&n| examples.rows()[n as usize]).collect();
        trainer.step(&batch);
        save(&middle, &trainer, &identity, epoch, 64).unwrap();
        train(&examples, None, &middle, &run, &NEVER, |_| {}).unwrap();
        assert!(std::fs::read(&middle).unwrap() == bytes);
        // What it tells of its progress is bounded.
        for (name, value) in [("step", u64::MAX), ("epoch", u64::MAX), ("row", 201)] {
            let mut forged = Checkpoint::load(&whole).unwrap();
            forged.training[name] = value.into();
            std::fs::write(&path, forged.to_bytes().unwrap()).unwrap();
            let error =
                train(&examples, None, &path, &run, &NEVER, |_| {}).unwrap_err().to_string();
            assert!(error.contains(&format!("its {name} is {value}, not 0 to ")), "{error}");
        }
        // Told to stop after each step, it has saved it; only one process at a time may.
        let stopped = folder.join("stopped");
        let stop = AtomicBool::new(true);
        let lock = FolderLock::acquire_file(&stopped).unwrap();
        let error = train(&examples, None, &stopped, &run, &NEVER, |_| {}).unwrap_err();
        assert!(error.to_string().contains("another process"), "{error}");
        drop(lock);
        let mut stops = 0;
        while let Err(error) = train(&examples, None, &stopped, &run, &stop, |_| {}) {
            assert_eq!(error.to_string(), "interrupted; the same command resumes");
            stops += 1;
        }
        // The end of the first epoch has a checkpoint anyway, and the last step nothing to resume.
        assert_eq!(stops, 6);
        assert!(std::fs::read(&stopped).unwrap() == bytes);
        // Another run is not continued, and nothing is written over.
        let other = RunOptions { seed: 2, ..run.clone() };
        let error = train(&examples, None, &whole, &other, &NEVER, |_| {}).unwrap_err();
        assert!(error.to_string().ends_with("another run: seed is 1 there and 2 here"), "{error}");
        let model = result.towers;
        let model = Checkpoint { towers: model, averages: None, training: Value::Null };
        std::fs::write(&middle, model.to_bytes().unwrap()).unwrap();
        let error = train(&examples, None, &middle, &run, &NEVER, |_| {}).unwrap_err();
        assert!(matches!(error, TowersError::OtherRun { .. }));
        std::fs::write(&middle, b"something else").unwrap();
        let error = train(&examples, None, &middle, &run, &NEVER, |_| {}).unwrap_err();
        assert!(matches!(error, TowersError::Checkpoint { .. }));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn each_epoch_has_an_order_of_its_own_with_every_example_once() {
        let orders = [order(100, 1, 0), order(100, 1, 1), order(100, 2, 0)];
        assert!(orders[0] != orders[1] && orders[0] != orders[2]);
        for mut order in orders {
            order.sort_unstable();
            assert_eq!(order, (0..100).collect::<Vec<_>>());
        }
        assert!(order(0, 1, 0).is_empty());
    }

    #[test]
    fn options_without_sense_are_refused() {
        let run = RunOptions { batch: 0, ..RunOptions::default() };
        let path = std::env::temp_dir().join("never written");
        assert!(train(&examples(3), None, &path, &run, &NEVER, |_| {}).is_err());
        let none = Examples::default();
        assert!(train(&none, None, &path, &RunOptions::default(), &NEVER, |_| {}).is_err());
    }
}
