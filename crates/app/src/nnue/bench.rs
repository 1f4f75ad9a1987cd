//! `tabiya nnue bench`: the speed of features, networks and training.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use ::nnue::{AnyNetwork, Network, Shape};
use anyhow::{Context, ensure};
use chess::Position;
use cpu_time::ProcessTime;
use layout::{count, width};
use serde_json::json;
use train::bench::{Bench, BenchGame};

use crate::threads::Threads;
use crate::{Outcome, input};

/// Measure features, networks and training in positions per second
#[derive(clap::Args)]
pub struct BenchArgs {
    /// Network file of any format [default: a random one of the engine's]
    #[arg(long, value_name = "FILE")]
    net: Vec<PathBuf>,
    /// File of positions, one FEN per line [default: positions of random games]
    #[arg(long, value_name = "FENS")]
    positions: Option<PathBuf>,
    /// Milliseconds per measurement
    #[arg(long, value_name = "MS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    time: u64,
    /// Rounds per measurement; the best counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    #[command(flatten)]
    threads: Threads,
    /// Measure features and the two-tower MLP only
    #[arg(long)]
    towers_only: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: BenchArgs, out: &mut dyn Write) -> Outcome {
    let mut networks = Vec::new();
    for name in &args.net {
        let evaluation = input::evaluation(name)?;
        networks.push(evaluation.with_context(|| format!("--net {}: no network", name.display()))?);
    }
    let games = match &args.positions {
        None => BenchGame::random_games(),
        Some(path) => read(path)?,
    };
    let mut bench = Bench {
        time: Duration::from_millis(args.time),
        rounds: args.rounds,
        threads: args.threads.count(),
        cpu_time: &|| ProcessTime::now().as_duration(),
        rates: Vec::new(),
    };
    let positions: Vec<Position> = games.iter().flat_map(|game| game.positions.clone()).collect();
    bench.features(&positions);
    bench.towers(&positions);
    if !args.towers_only {
        if !networks.iter().any(|network| matches!(network, AnyNetwork::Tabiya(_))) {
            networks.insert(0, Network::random(Shape::plain(256), 1)?.into());
        }
        for network in &networks {
            bench.network(network, &games);
        }
        bench.training()?;
    }
    let (positions, threads) = (positions.len(), bench.threads);
    if args.json {
        let rates = bench.to_json();
        let report = json!({ "positions": positions, "threads": threads, "rates": rates });
        writeln!(out, "{report}")?;
    } else {
        write!(out, "{}", bench.table().stacked(width()))?;
        writeln!(out, "{}, {}", count(positions, "position"), count(threads, "thread"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The positions of a file, as games without moves.
fn read(path: &Path) -> anyhow::Result<Vec<BenchGame>> {
    let mut games = Vec::new();
    input::each_line(input::open(path)?, |number, line| {
        let game = line.and_then(input::game).with_context(|| format!("line {number}"))?;
        games.push(BenchGame { positions: vec![*game.position()], moves: Vec::new() });
        Ok(())
    })?;
    ensure!(!games.is_empty(), "{} has no positions", path.display());
    Ok(games)
}
