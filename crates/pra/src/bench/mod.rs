//! Throughput of training, inference and the data loader, in positions per second.
//!
//! Each measurement runs on positions of random games for some time, after one untimed iteration.

mod report;

use std::fs;
use std::hint::black_box;
use std::num::NonZero;
use std::path::Path;
use std::time::{Duration, Instant};

use chess::pgn::GameResult;
use chess::rng::Rng;
use chess::{PackedRow, Position, random};
use cpu_time::ProcessTime;
use data::{DataError, GenerateOptions, Partition, PrepareOptions, ReaderPosition, Row, Split};
use tempfile::TempDir;

pub use report::BenchReport;

use crate::{
    Batch, Config, Loader, LoaderError, LoaderOptions, LossWeights, Optimizer, OptimizerKind,
    OptimizerOptions, Transformer, Weights, encode,
};

/// Positions of a batch of the loader.
const LOADER_BATCH: usize = 256;

/// A benchmark of training or inference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Benchmark {
    /// Its name.
    pub name: &'static str,
    is_training: bool,
    batch: usize,
}

impl Benchmark {
    /// All benchmarks.
    pub const ALL: [Self; 4] = [
        Self { name: "train", is_training: true, batch: 64 },
        Self { name: "infer_1", is_training: false, batch: 1 },
        Self { name: "infer_64", is_training: false, batch: 64 },
        Self { name: "infer_256", is_training: false, batch: 256 },
    ];

    /// Runs it for some time; the result is in positions per second.
    pub fn run(
        &self,
        model: &mut Transformer,
        weights: &mut Weights,
        optimizer: OptimizerKind,
        time: Duration,
    ) -> f64 {
        if self.is_training {
            training(model, weights, optimizer, self.batch, time)
        } else {
            inference(model, weights, self.batch, time)
        }
    }
}

/// Training steps with batches of `size` positions: forward and backward pass, and optimizer.
fn training(
    model: &mut Transformer,
    weights: &mut Weights,
    kind: OptimizerKind,
    size: usize,
    time: Duration,
) -> f64 {
    let config = *weights.config();
    let batch = random_batch(&config, size);
    let mut optimizer =
        Optimizer::new(&config, OptimizerOptions { kind, ..OptimizerOptions::default() });
    let mut gradient = vec![0.0; weights.values().len()];
    let (of, mut step, threads) = ((batch.len() as u64, batch.valued()), 0, model.threads());
    measure(time, size, || {
        gradient.fill(0.0);
        model.gradient(weights, &batch, of, LossWeights::default(), &mut gradient);
        optimizer.step(weights, &gradient, step, 1_000_000, size, threads);
        step += 1;
    })
}

/// Inference with batches of `size` positions.
fn inference(model: &mut Transformer, weights: &Weights, size: usize, time: Duration) -> f64 {
    let config = weights.config();
    let positions = random_positions(&mut Rng::new(7, 7), size);
    let tokens: Vec<_> =
        positions.iter().map(|position| encode::tokens(config, position)).collect();
    measure(time, size, || {
        black_box(model.predict(weights, black_box(&tokens)));
    })
}

/// The data loader on the training split of a data set, or on random games, in positions per second of
/// CPU time. Nothing is decoded ahead, so this is the throughput of one core.
pub fn loader(
    config: &Config,
    data_set: Option<&Path>,
    time: Duration,
) -> Result<f64, LoaderError> {
    let random = if data_set.is_none() { Some(random_data_set()?) } else { None };
    let data_set = data_set.or(random.as_ref().map(TempDir::path)).unwrap_or(Path::new("."));
    let options = LoaderOptions { threads: 0, ..LoaderOptions::default() };
    let start = ReaderPosition::default();
    let mut loader = Loader::open(data_set, Split::Train, config, options, start)?;
    let mut batch = Batch::default();
    loader.next_batch(LOADER_BATCH, &mut batch)?;
    let (start, mut done) = (ProcessTime::now(), 0);
    while done == 0 || start.elapsed() < time {
        loader.next_batch(LOADER_BATCH, &mut batch)?;
        done += black_box(&batch).len();
    }
    Ok(done as f64 / start.elapsed().as_secs_f64().max(1e-9))
}

/// Peak resident memory of this process in MB, where the system reports it.
pub fn peak_memory_mb() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024.0 / 1e6)
}

/// Repeats `work`, which processes `count` positions; the result is in positions per second.
fn measure(time: Duration, count: usize, mut work: impl FnMut()) -> f64 {
    work();
    let start = Instant::now();
    let mut done = 0;
    while done == 0 || start.elapsed() < time {
        work();
        done += count;
    }
    done as f64 / start.elapsed().as_secs_f64().max(1e-9)
}

/// Positions of random games, each with at least one legal move.
fn random_positions(rng: &mut Rng, count: usize) -> Vec<Position> {
    let mut positions = Vec::with_capacity(count);
    while positions.len() < count {
        let game = random::game(Position::INITIAL, rng).take(160);
        positions.extend(game.map(|(before, _)| before));
    }
    positions.truncate(count);
    positions
}

/// Random positions with arbitrary targets.
fn random_batch(config: &Config, size: usize) -> Batch {
    let mut batch = Batch::default();
    for (n, position) in random_positions(&mut Rng::new(7, 7), size).iter().enumerate() {
        let legal: Vec<u16> = encode::legal_moves(config, position).map(|m| m.1).collect();
        let result = [GameResult::WhiteWins, GameResult::Draw, GameResult::BlackWins][n % 3];
        let Some(&target) = legal.get(n % legal.len().max(1)) else { continue };
        let outcome = encode::outcome(config, position.turn(), None, result);
        batch.push(encode::tokens(config, position), legal, target, outcome);
    }
    batch
}

/// A data set of random games in a temporary directory.
fn random_data_set() -> Result<TempDir, LoaderError> {
    let folder = TempDir::with_prefix("tabiya-bench-").map_err(|cause| {
        let path = std::env::temp_dir();
        DataError::Io { what: "create a directory in", path, cause }
    })?;
    let making = GenerateOptions {
        inputs: Vec::new(),
        options: PrepareOptions::default(),
        generator: serde_json::json!({ "by": "tabiya pra bench" }),
        partitions: 200,
    };
    let rows = |number| Ok(Partition { rows: random_rows(number), ..Partition::default() });
    data::generate(folder.path(), &making, NonZero::<usize>::MIN, rows, |_| {})?;
    Ok(folder)
}

/// A thousand positions, each with a random move and result.
fn random_rows(number: u64) -> Vec<Row> {
    let mut rng = Rng::new(11, number);
    let mut rows = Vec::new();
    for position in random_positions(&mut rng, 1_000) {
        let Some(packed) = PackedRow::new(&position) else { continue };
        let Some(played) = random::legal_move(&position, &mut rng) else { continue };
        let packed = packed.with_move(played);
        let packed = packed.with_result([GameResult::WhiteWins, GameResult::Draw][rng.below(2)]);
        rows.push(Row { game: number as i64, ..Row::of_packed(packed) });
    }
    rows
}
