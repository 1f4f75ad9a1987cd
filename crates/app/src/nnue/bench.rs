//! `tabiya nnue bench`: how fast features, networks and their training are.
//!
//! Each kind of work is repeated on the same positions until enough time has passed, a few times over;
//! the best counts. Rates are told by the clock on the wall and by the CPU time of all threads together:
//! on a machine that has other things to do only the second means something.

use std::hint::black_box;
use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::nnue::features::{Features, MAX_ACTIVE};
use ::nnue::towers::Towers;
use ::nnue::{AnyNetwork, Network, Shape, halfkp};
use anyhow::{Context, ensure};
use chess::pgn::Score;
use chess::{Move, PackedRow, Position, Setup};
use cpu_time::ProcessTime;
use serde_json::{Value, json};
use train::towers::{Options, Trainer};

use crate::layout::{Table, width};
use crate::threads::Threads;
use crate::words::count;
use crate::{Outcome, input};

/// Measure features, networks and training: positions a second
#[derive(clap::Args)]
pub struct BenchArgs {
    /// A network file: HalfKP, or the engine's own kind (a random one of that unless given)
    #[arg(long, value_name = "FILE")]
    net: Vec<PathBuf>,
    /// Positions to measure on, one FEN a line; those of random games unless given
    #[arg(long, value_name = "FENS")]
    positions: Option<PathBuf>,
    /// How long each measurement takes, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    time: u64,
    /// How often each measurement is repeated; the best counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    #[command(flatten)]
    threads: Threads,
    /// Measure features and the network of two towers only
    #[arg(long)]
    towers_only: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A rate, by the wall clock and by the CPU time of all threads.
struct Measured {
    name: &'static str,
    what: &'static str,
    wall: f64,
    cpu: Option<f64>,
}

struct Bench {
    time: Duration,
    rounds: u32,
    results: Vec<Measured>,
}

impl Bench {
    /// Measures some work that goes through so many positions.
    fn measure(
        &mut self,
        name: &'static str,
        what: &'static str,
        count: usize,
        mut work: impl FnMut(),
    ) {
        let (mut wall, mut cpu) = (0f64, 0f64);
        for _ in 0..self.rounds {
            let (start, cpu_start) = (Instant::now(), ProcessTime::now());
            let mut done = 0;
            while done == 0 || start.elapsed() < self.time {
                work();
                done += count;
            }
            let rate = |time: Duration| done as f64 / time.as_secs_f64().max(1e-9);
            wall = wall.max(rate(start.elapsed()));
            cpu = cpu.max(rate(cpu_start.elapsed()));
        }
        self.results.push(Measured { name, what, wall, cpu: Some(cpu) });
    }
}

/// Runs it.
pub fn run(args: BenchArgs, out: &mut dyn Write) -> Outcome {
    let networks = args.net.iter().map(|path| load(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let games = match &args.positions {
        None => random_games(),
        Some(path) => read(path)?,
    };
    let threads = args.threads.count();
    let time = Duration::from_millis(args.time);
    let mut bench = Bench { time, rounds: args.rounds, results: Vec::new() };
    let positions: Vec<Position> = games.iter().flat_map(|game| game.positions.clone()).collect();
    features(&mut bench, &positions);
    towers(&mut bench, &positions, threads);
    if !args.towers_only {
        let is_own = |network: &AnyNetwork| matches!(network, AnyNetwork::Tabiya(_));
        if !networks.iter().any(is_own) {
            own_network(&mut bench, &games, &Arc::new(Network::random(Shape::plain(256), 1)?));
        }
        for network in &networks {
            match network {
                AnyNetwork::Tabiya(network) => own_network(&mut bench, &games, network),
                AnyNetwork::HalfKp(network) => halfkp_network(&mut bench, &games, network),
            }
        }
        training(&mut bench, threads)?;
    }
    report(&bench.results, positions.len(), threads, args.json, out)?;
    Ok(ExitCode::SUCCESS)
}

fn load(path: &Path) -> anyhow::Result<AnyNetwork> {
    let bytes = regular::read(path, nnue::MAX_FILE_LEN as u64)
        .with_context(|| format!("cannot read {}", path.display()))?;
    AnyNetwork::from_bytes(&bytes).with_context(|| path.display().to_string())
}

/// A game: positions, and the moves between them.
struct Game {
    positions: Vec<Position>,
    moves: Vec<Move>,
}

/// Random games from the start, the same every time.
fn random_games() -> Vec<Game> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let game = |_| {
        let mut position = Position::INITIAL;
        let mut game = Game { positions: vec![position], moves: Vec::new() };
        for _ in 0..120 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let m = moves[(state >> 33) as usize % moves.len()];
            position = position.after(m);
            game.moves.push(m);
            game.positions.push(position);
        }
        game
    };
    (0..140).map(game).collect()
}

/// Positions of a file: games without moves.
fn read(path: &Path) -> anyhow::Result<Vec<Game>> {
    let mut games = Vec::new();
    input::each_line(input::open(path)?, |number, line| {
        let game = line.and_then(input::game).with_context(|| format!("line {number}"))?;
        games.push(Game { positions: vec![*game.position()], moves: Vec::new() });
        Ok(())
    })?;
    ensure!(!games.is_empty(), "{} has no positions", path.display());
    Ok(games)
}

fn features(bench: &mut Bench, positions: &[Position]) {
    let fens: Vec<String> = positions.iter().map(Position::fen).collect();
    let mut row = [0f32; 768];
    let mut list = [0; MAX_ACTIVE];
    let count = positions.len();
    // As python-chess and others read a FEN: without asking whether the position is legal.
    bench.measure("features_fen", "features from FEN, dense f32", count, || {
        for fen in &fens {
            if let Ok(setup) = Setup::from_fen(black_box(fen)) {
                Features::of(&setup.board).write(&mut row);
                black_box(&row);
            }
        }
    });
    bench.measure("features_fen_legal", "the same, and the position is checked", count, || {
        for fen in &fens {
            if let Ok(features) = Features::from_fen(black_box(fen)) {
                features.write(&mut row);
                black_box(&row);
            }
        }
    });
    bench.measure("features_fen_active", "features from FEN, active ones", count, || {
        for fen in &fens {
            if let Ok(features) = Features::from_fen_for_mover(black_box(fen)) {
                black_box(features.active(&mut list));
            }
        }
    });
    bench.measure("features", "features of a position, dense f32", count, || {
        for position in positions {
            Features::of(black_box(position).board()).write(&mut row);
            black_box(&row);
        }
    });
    bench.measure("features_active", "features of a position, active ones", count, || {
        for position in positions {
            black_box(Features::for_mover(black_box(position)).active(&mut list));
        }
    });
}

fn towers(bench: &mut Bench, positions: &[Position], threads: NonZero<usize>) {
    let model = Towers::random(1);
    let inputs: Vec<Features> = positions.iter().map(Features::for_mover).collect();
    bench.measure("towers_single", "towers, one position at a time", positions.len(), || {
        for features in &inputs {
            black_box(model.evaluate_features(black_box(features)));
        }
    });
    bench.measure(
        "towers_board",
        "the same, with the features of the position",
        positions.len(),
        || {
            for position in positions {
                black_box(model.evaluate(black_box(position)));
            }
        },
    );
    let mut batches = |name, what, size: usize| {
        // Whole batches only.
        let all = positions.iter().cycle().take(positions.len().next_multiple_of(size));
        let features: Vec<Features> = all.map(Features::for_mover).collect();
        let mut values = vec![0.0; size];
        bench.measure(name, what, features.len(), || {
            for batch in features.chunks_exact(size) {
                model.evaluate_parallel(black_box(batch), &mut values, threads);
                black_box(&values);
            }
        });
    };
    batches("towers_batch_256", "towers, batches of 256, all threads", 256);
    batches("towers_batch_4096", "towers, batches of 4096, all threads", 4096);
    let score = |n: usize| Some(Score::Centipawns(n as i32 * 37 % 1000 - 500));
    let packed = positions
        .iter()
        .enumerate()
        .filter_map(|(n, position)| PackedRow::new(position).map(|row| row.with_score(score(n))));
    let rows: Vec<PackedRow> = packed.cycle().take(positions.len().next_multiple_of(512)).collect();
    let mut trainer = Trainer::new(model.clone(), None, 0, Options::default(), threads);
    bench.measure(
        "towers_training",
        "towers, training in batches of 512, all threads",
        rows.len(),
        || {
            for batch in rows.chunks_exact(512) {
                black_box(trainer.step(batch));
            }
        },
    );
}

/// All evaluations from scratch.
fn from_scratch(
    bench: &mut Bench,
    (name, what): (&'static str, &'static str),
    games: &[Game],
    evaluate: impl Fn(&Position) -> i32,
) {
    let count = games.iter().map(|game| game.positions.len()).sum();
    bench.measure(name, what, count, || {
        for position in games.iter().flat_map(|game| &game.positions) {
            black_box(evaluate(black_box(position)));
        }
    });
}

/// Moves, each with the evaluation after it, by accumulators that keep in step. Positions of a file have
/// no moves: there is nothing to measure then.
fn in_step<A>(
    bench: &mut Bench,
    (name, what): (&'static str, &'static str),
    games: &[Game],
    mut accumulators: A,
    reset: impl Fn(&mut A, &Position),
    play: impl Fn(&mut A, &Position, Move) -> Position,
    evaluate: impl Fn(&mut A, &Position) -> i32,
) {
    let count: usize = games.iter().map(|game| game.moves.len()).sum();
    if count == 0 {
        return;
    }
    bench.measure(name, what, count, || {
        for game in games {
            let mut position = game.positions[0];
            reset(&mut accumulators, &position);
            for &m in &game.moves {
                position = play(&mut accumulators, &position, m);
                black_box(evaluate(&mut accumulators, &position));
            }
        }
    });
}

fn own_network(bench: &mut Bench, games: &[Game], network: &Arc<Network>) {
    use ::nnue::network::AccumulatorStack;
    let label = ("network", "the engine's network, from scratch");
    from_scratch(bench, label, games, |position| network.evaluate(position));
    let label = ("network_updates", "the engine's network, a move and its evaluation");
    let accumulators = AccumulatorStack::new(Arc::clone(network));
    let (reset, play) = (AccumulatorStack::reset, AccumulatorStack::make_move);
    in_step(bench, label, games, accumulators, reset, play, AccumulatorStack::evaluate);
}

fn halfkp_network(bench: &mut Bench, games: &[Game], network: &Arc<halfkp::Network>) {
    use halfkp::AccumulatorStack;
    let label = ("halfkp", "HalfKP, from scratch");
    from_scratch(bench, label, games, |position| network.evaluate(position));
    let label = ("halfkp_updates", "HalfKP, a move and its evaluation");
    let accumulators = AccumulatorStack::new(Arc::clone(network));
    let (reset, play) = (AccumulatorStack::reset, AccumulatorStack::make_move);
    in_step(bench, label, games, accumulators, reset, play, AccumulatorStack::evaluate);
}

/// Training of the engine's network, (768→256)×2→1; only the wall clock knows how fast it is, since rows
/// are made up for it in between.
fn training(bench: &mut Bench, threads: NonZero<usize>) -> anyhow::Result<()> {
    let mut wall = 0f64;
    for _ in 0..bench.rounds {
        wall = wall.max(train::trainer::bench(&Shape::plain(256), 1 << 20, threads.get())?);
    }
    let what = "training of the engine's network, all threads";
    bench.results.push(Measured { name: "training", what, wall, cpu: None });
    Ok(())
}

fn report(
    results: &[Measured],
    positions: usize,
    threads: NonZero<usize>,
    as_json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    if as_json {
        let rates: Value = results
            .iter()
            .map(|measured| {
                let rates = json!({ "per_second": measured.wall, "per_cpu_second": measured.cpu });
                (measured.name.to_owned(), rates)
            })
            .collect();
        let report = json!({ "positions": positions, "threads": threads, "rates": rates });
        writeln!(out, "{report}")?;
        return Ok(());
    }
    let mut table = Table::new(["", "per second", "per CPU second"], &[0], 1);
    for Measured { what, wall, cpu, .. } in results {
        let cpu = cpu.map(|cpu| format!("{cpu:.0}")).unwrap_or_default();
        table.row([(*what).to_owned(), format!("{wall:.0}"), cpu]);
    }
    write!(out, "{}", table.stacked(width()))?;
    writeln!(out, "{}, {}", count(positions, "position"), count(threads, "thread"))?;
    Ok(())
}
