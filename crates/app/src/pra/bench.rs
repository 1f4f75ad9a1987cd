//! `tabiya pra bench`: positions a second, in training and in prediction, and the memory it takes.
//!
//! Each measurement works on random games for some seconds, after a first round that does not count.

use std::hint::black_box;
use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ::data::{GenerateOptions, Partition, PrepareOptions, ReaderPosition, Row, Split};
use chess::pgn::GameResult;
use chess::rng::Rng;
use chess::{PackedRow, Position};
use clap::ValueEnum;
use cpu_time::ProcessTime;
use pra::{
    Batch, Config, Engine, Loader, LoaderOptions, LossWeights, Optimizer, OptimizerOptions, Weights,
};
use serde_json::json;

use super::train::OptimizerArg;
use crate::Outcome;
use crate::layout::{Table, prose, width};
use crate::threads::Threads;

/// Measures how fast a model of some shape learns and predicts
#[derive(clap::Args)]
pub struct BenchArgs {
    /// Layers
    #[arg(long, value_name = "N", default_value_t = 8)]
    depth: usize,
    /// Numbers a square, a multiple of 12
    #[arg(long, value_name = "N", default_value_t = 192)]
    n_embd: usize,
    /// The model of the reference
    #[arg(long)]
    reference: bool,
    /// The optimizer of the training step
    #[arg(long, value_name = "NAME", default_value = "adamw")]
    optimizer: OptimizerArg,
    #[command(flatten)]
    threads: Threads,
    /// How long each measurement takes, in seconds
    #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = seconds)]
    seconds: f64,
    /// Measure only this; may be given several times
    #[arg(long, value_name = "WHAT")]
    only: Vec<What>,
    /// Measure only how fast rows become batches, on one core
    #[arg(long, conflicts_with = "only")]
    loader: bool,
    /// The data set to load; rows of random games unless given
    #[arg(long, value_name = "DIR", requires = "loader")]
    data: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// A training step with 64 positions.
    Train,
    /// Predictions, one position at a time.
    #[value(name = "infer-1")]
    Infer1,
    /// … 64 at a time.
    #[value(name = "infer-64")]
    Infer64,
    /// … 256 at a time.
    #[value(name = "infer-256")]
    Infer256,
}

impl What {
    const fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Infer1 => "infer_1",
            Self::Infer64 => "infer_64",
            Self::Infer256 => "infer_256",
        }
    }

    const fn batch(self) -> usize {
        match self {
            Self::Infer1 => 1,
            Self::Train | Self::Infer64 => 64,
            Self::Infer256 => 256,
        }
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "it is no number of seconds".to_owned())?;
    if !(0.01..=3600.0).contains(&seconds) {
        return Err("it must be from 0.01 to 3600".to_owned());
    }
    Ok(seconds)
}

pub fn run(args: &BenchArgs, out: &mut dyn Write) -> Outcome {
    let make = if args.reference { Config::reference } else { Config::new };
    let config = make(args.depth, args.n_embd);
    let mut weights = Weights::random(&config, 1)?;
    let threads = args.threads.count().get();
    let mut engine = Engine::new(&config, threads);
    let time = Duration::from_secs_f64(args.seconds);
    let all = [What::Train, What::Infer1, What::Infer64, What::Infer256];
    let positions = random_positions(&mut Rng::new(7, 7), 256);
    let mut rates: Vec<(&str, f64)> = Vec::new();
    let is_wanted = |what: &What| args.only.is_empty() || args.only.contains(what);
    for what in all.into_iter().filter(|what| !args.loader && is_wanted(what)) {
        let some = &positions[..what.batch()];
        let rate = if what == What::Train {
            let batch = batch(&config, some);
            let options =
                OptimizerOptions { kind: args.optimizer.kind(), ..OptimizerOptions::default() };
            let mut optimizer = Optimizer::new(&config, options);
            let mut gradient = vec![0.0; weights.values().len()];
            let count = (batch.len() as u64, batch.valued());
            let mut step = 0;
            measure(time, some.len(), || {
                gradient.fill(0.0);
                let loss = LossWeights::default();
                engine.gradient(&weights, &batch, count, loss, &mut gradient);
                optimizer.step(&mut weights, &gradient, step, 1_000_000, some.len(), threads);
                step += 1;
            })
        } else {
            let tokens: Vec<_> = some.iter().map(|position| config.tokens(position)).collect();
            measure(time, some.len(), || {
                black_box(engine.predict(&weights, black_box(&tokens)));
            })
        };
        rates.push((what.name(), rate));
    }
    if args.loader {
        rates.push(("loader", loader_rate(&config, args.data.as_deref(), time)?));
    }
    let memory = peak_memory();
    if args.json {
        let mut report = json!({
            "config": serde_json::to_value(config)?,
            "parameters": config.parameters(),
            "threads": threads,
            "optimizer": args.optimizer.name(),
            "peak_memory_mb": memory,
        });
        for (name, rate) in rates {
            report[name] = rate.into();
        }
        writeln!(out, "{report}")?;
    } else {
        let (depth, n_embd, parameters) = (config.depth, config.n_embd, config.parameters());
        prose(
            out,
            format_args!(
                "{depth} layers, embedding dimension {n_embd}, {parameters} parameters, {threads} threads"
            ),
        )?;
        let mut table = Table::new(["", "positions/s", "GFLOP/s"], &[0], 1);
        for (name, rate) in rates {
            let what = match name {
                "train" => format!("training, batches of 64, {}", args.optimizer.name()),
                "loader" => "rows to batches, on one core".to_owned(),
                _ => format!("prediction, batches of {}", &name["infer_".len()..]),
            };
            // The backward pass takes two matrix products for each of the forward pass.
            let passes = if name == "train" { 3.0 } else { 1.0 };
            let gflops = rate * passes * config.forward_flops() as f64 / 1e9;
            let gflops = if name == "loader" { String::new() } else { format!("{gflops:.1}") };
            table.row([what, format!("{rate:.1}"), gflops]);
        }
        write!(out, "{}", table.stacked(width()))?;
        if let Some(memory) = memory {
            writeln!(out, "peak memory {memory:.1} MB")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Positions a second of some work that goes through so many of them.
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

/// How fast rows of the training split become batches, in positions per second of CPU time. Nothing is
/// decoded ahead, so that all of it is the work of one core.
fn loader_rate(config: &Config, folder: Option<&Path>, time: Duration) -> anyhow::Result<f64> {
    let made = if folder.is_none() { Some(MadeRows::new()?) } else { None };
    let folder = folder.or(made.as_ref().map(|made| made.0.as_path())).unwrap_or(Path::new("."));
    let options = LoaderOptions { threads: 0, ..LoaderOptions::default() };
    let start = ReaderPosition::default();
    let mut loader = Loader::open(folder, Split::Train, config, options, start)?;
    let mut batch = Batch::default();
    loader.next_batch(256, &mut batch)?;
    let (start, mut done) = (ProcessTime::now(), 0);
    while done == 0 || start.elapsed() < time {
        loader.next_batch(256, &mut batch)?;
        done += black_box(&batch).len();
    }
    Ok(done as f64 / start.elapsed().as_secs_f64().max(1e-9))
}

/// A data set of random games, which vanishes when it is no longer needed.
struct MadeRows(PathBuf);

impl MadeRows {
    fn new() -> anyhow::Result<Self> {
        let folder = std::env::temp_dir().join(format!("tabiya-bench-{}", std::process::id()));
        let making = GenerateOptions {
            inputs: Vec::new(),
            options: PrepareOptions::default(),
            generator: json!({ "by": "tabiya pra bench" }),
            partitions: 200,
        };
        let rows = |number| Ok(Partition { rows: random_rows(number), ..Partition::default() });
        let made = Self(folder);
        ::data::generate(&made.0, &making, NonZero::<usize>::MIN, rows, |_| {})?;
        Ok(made)
    }
}

impl Drop for MadeRows {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A thousand positions with a random move and result each.
fn random_rows(number: u64) -> Vec<Row> {
    let mut rng = Rng::new(11, number);
    let mut rows = Vec::new();
    for position in random_positions(&mut rng, 1_000) {
        let moves = position.legal_moves();
        let Some(packed) = PackedRow::new(&position) else { continue };
        let packed = packed.with_move(moves[rng.below(moves.len())]);
        let packed = packed.with_result([GameResult::WhiteWins, GameResult::Draw][rng.below(2)]);
        rows.push(Row { game: number as i64, ..Row::of_packed(packed) });
    }
    rows
}

/// Positions of random games, none of them without a move.
fn random_positions(rng: &mut Rng, count: usize) -> Vec<Position> {
    let mut positions = Vec::with_capacity(count);
    let mut position = Position::INITIAL;
    while positions.len() < count {
        let moves = position.legal_moves();
        if moves.is_empty() || rng.below(80) == 0 {
            position = Position::INITIAL;
            continue;
        }
        positions.push(position);
        position = position.after(moves[rng.below(moves.len())]);
    }
    positions
}

/// The positions with their first moves and results made up, to be learned.
fn batch(config: &Config, positions: &[Position]) -> Batch {
    let mut batch = Batch::default();
    for (n, position) in positions.iter().enumerate() {
        let legal: Vec<u16> = config.legal_moves(position).map(|(_, number)| number).collect();
        let result = [GameResult::WhiteWins, GameResult::Draw, GameResult::BlackWins][n % 3];
        let Some(&target) = legal.get(n % legal.len().max(1)) else { continue };
        let outcome = config.outcome(position.turn(), None, result);
        batch.push(config.tokens(position), legal, target, outcome);
    }
    batch
}

/// The most memory that this process has had, in MB, where the system tells.
fn peak_memory() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024.0 / 1e6)
}
