//! Benchmarks of features, networks and training, in positions per second.
//!
//! Each task runs over the same positions until enough time has passed, in several rounds; the best
//! counts. Rates are by wall clock and by CPU time of all threads; only the latter is meaningful on a
//! busy machine.

use std::hint::black_box;
use std::num::NonZero;
use std::time::{Duration, Instant};

use chess::pgn::Score;
use chess::rng::Rng;
use chess::{Move, PackedRow, Position, Setup, random};
use learn::TrainError;
use nnue::features::{Features, MAX_ACTIVE};
use nnue::towers::Towers;
use nnue::{AnyNetwork, AnyStack, Shape};

use crate::towers::{Options, Trainer};
use crate::trainer::bench as bench_training;

/// Positions connected by moves.
#[derive(Clone, Debug)]
pub struct BenchGame {
    /// One more than moves; any number without moves.
    pub positions: Vec<Position>,
    /// The moves between them.
    pub moves: Vec<Move>,
}

impl BenchGame {
    /// Random games of at most 120 plies, always the same.
    pub fn random_games() -> Vec<Self> {
        let game = |stream| {
            let mut game = Self { positions: vec![Position::INITIAL], moves: Vec::new() };
            let mut rng = Rng::new(0, stream);
            for (before, m) in random::game(Position::INITIAL, &mut rng).take(120) {
                game.moves.push(m);
                game.positions.push(before.after(m));
            }
            game
        };
        (0..140).map(game).collect()
    }
}

/// A rate in positions per second.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// For JSON.
    pub key: &'static str,
    /// For people.
    pub name: &'static str,
    /// By wall clock.
    pub wall: f64,
    /// By CPU time of all threads.
    pub cpu: Option<f64>,
}

/// A function of its own: how fast so short a loop is depends on what it is compiled into.
#[inline(never)]
fn active_features(positions: &[Position], list: &mut [u16; MAX_ACTIVE]) {
    for position in positions {
        black_box(Features::for_mover(black_box(position)).active(list));
    }
}

/// A benchmark and its results so far.
pub struct Bench<'a> {
    /// Least time of a round.
    pub time: Duration,
    /// Rounds per task.
    pub rounds: u32,
    /// Threads of the parallel tasks.
    pub threads: NonZero<usize>,
    /// CPU time of the process.
    pub cpu_time: &'a dyn Fn() -> Duration,
    /// In the order of measurement.
    pub rates: Vec<Rate>,
}

impl Bench<'_> {
    /// Measures a task over `count` positions.
    fn measure(
        &mut self,
        key: &'static str,
        name: &'static str,
        count: usize,
        mut task: impl FnMut(),
    ) {
        let (mut wall, mut cpu) = (0f64, 0f64);
        for _ in 0..self.rounds {
            let (start, cpu_start) = (Instant::now(), (self.cpu_time)());
            let mut done = 0;
            while done == 0 || start.elapsed() < self.time {
                task();
                done += count;
            }
            let rate = |time: Duration| done as f64 / time.as_secs_f64().max(1e-9);
            wall = wall.max(rate(start.elapsed()));
            cpu = cpu.max(rate((self.cpu_time)() - cpu_start));
        }
        self.rates.push(Rate { key, name, wall, cpu: Some(cpu) });
    }

    /// The 768 features, from FEN and from positions.
    pub fn features(&mut self, positions: &[Position]) {
        let fens: Vec<String> = positions.iter().map(Position::fen).collect();
        let mut row = [0f32; 768];
        let mut list = [0; MAX_ACTIVE];
        let count = positions.len();
        // Like python-chess, without checking that the position is legal.
        self.measure("features_fen", "features from FEN, dense f32", count, || {
            for fen in &fens {
                if let Ok(setup) = Setup::from_fen(black_box(fen)) {
                    Features::of(&setup.board).write(&mut row);
                    black_box(&row);
                }
            }
        });
        self.measure("features_fen_legal", "the same, and the position is checked", count, || {
            for fen in &fens {
                if let Ok(features) = Features::from_fen(black_box(fen)) {
                    features.write(&mut row);
                    black_box(&row);
                }
            }
        });
        self.measure("features_fen_active", "features from FEN, active ones", count, || {
            for fen in &fens {
                if let Ok(features) = Features::from_fen_for_mover(black_box(fen)) {
                    black_box(features.active(&mut list));
                }
            }
        });
        self.measure("features", "features of a position, dense f32", count, || {
            for position in positions {
                Features::of(black_box(position).board()).write(&mut row);
                black_box(&row);
            }
        });
        self.measure("features_active", "features of a position, active ones", count, || {
            active_features(positions, &mut list);
        });
    }

    /// Inference and training of the two-tower MLP.
    pub fn towers(&mut self, positions: &[Position]) {
        let (model, threads) = (Towers::random(1), self.threads);
        let inputs: Vec<Features> = positions.iter().map(Features::for_mover).collect();
        let count = positions.len();
        self.measure("towers_single", "towers, one position at a time", count, || {
            for features in &inputs {
                black_box(model.evaluate_features(black_box(features)));
            }
        });
        self.measure("towers_board", "the same, with the features of the position", count, || {
            for position in positions {
                black_box(model.evaluate(black_box(position)));
            }
        });
        for (key, name, size) in [
            ("towers_batch_256", "towers, batches of 256, all threads", 256),
            ("towers_batch_4096", "towers, batches of 4096, all threads", 4096),
        ] {
            // Whole batches only.
            let padded = inputs.iter().cycle().take(count.next_multiple_of(size));
            let features: Vec<Features> = padded.cloned().collect();
            let mut values = vec![0.0; size];
            self.measure(key, name, features.len(), || {
                for batch in features.chunks_exact(size) {
                    model.evaluate_parallel(black_box(batch), &mut values, threads);
                    black_box(&values);
                }
            });
        }
        let score = |n: usize| Some(Score::Centipawns(n as i32 * 37 % 1000 - 500));
        let packed = positions.iter().enumerate().filter_map(|(n, position)| {
            PackedRow::new(position).map(|row| row.with_score(score(n)))
        });
        let rows: Vec<PackedRow> = packed.cycle().take(count.next_multiple_of(512)).collect();
        let mut trainer = Trainer::new(model.clone(), None, 0, Options::default(), threads);
        let name = "towers, training in batches of 512, all threads";
        self.measure("towers_training", name, rows.len(), || {
            for batch in rows.chunks_exact(512) {
                black_box(trainer.step(batch));
            }
        });
    }

    /// Inference of a network: from scratch, and with accumulators over the moves of the games.
    pub fn network(&mut self, network: &AnyNetwork, games: &[BenchGame]) {
        let [refreshed, updated] = match network {
            AnyNetwork::Tabiya(_) => [
                ("network", "the engine's network, from scratch"),
                ("network_updates", "the engine's network, a move and its evaluation"),
            ],
            AnyNetwork::HalfKp(_) => [
                ("halfkp", "HalfKP, from scratch"),
                ("halfkp_updates", "HalfKP, a move and its evaluation"),
            ],
            AnyNetwork::HalfKa(_) => [
                ("halfka", "HalfKAv2_hm, from scratch"),
                ("halfka_updates", "HalfKAv2_hm, a move and its evaluation"),
            ],
            _ => [
                ("other", "a network of another kind, from scratch"),
                ("other_updates", "a network of another kind, a move and its evaluation"),
            ],
        };
        self.refresh_each(refreshed, games, |position| network.evaluate(position));
        self.incremental(updated, games, AnyStack::new(network.clone()));
    }

    fn refresh_each(
        &mut self,
        (key, name): (&'static str, &'static str),
        games: &[BenchGame],
        evaluate: impl Fn(&Position) -> i32,
    ) {
        let count = games.iter().map(|game| game.positions.len()).sum();
        self.measure(key, name, count, || {
            for position in games.iter().flat_map(|game| &game.positions) {
                black_box(evaluate(black_box(position)));
            }
        });
    }

    /// Every move with the evaluation after it, by incremental updates; nothing if there are no moves.
    fn incremental(
        &mut self,
        (key, name): (&'static str, &'static str),
        games: &[BenchGame],
        mut accumulators: AnyStack,
    ) {
        let count: usize = games.iter().map(|game| game.moves.len()).sum();
        if count == 0 {
            return;
        }
        self.measure(key, name, count, || {
            for game in games {
                let mut position = game.positions[0];
                accumulators.reset(&position);
                for &m in &game.moves {
                    position = accumulators.make_move(&position, m);
                    black_box(accumulators.evaluate(&position));
                }
            }
        });
    }

    /// Training of the engine's network, (768→256)×2→1, by wall clock only: generating the rows takes
    /// CPU time, too.
    pub fn training(&mut self) -> Result<(), TrainError> {
        let mut wall = 0f64;
        for _ in 0..self.rounds {
            let rate = bench_training(&Shape::plain(256), 1 << 20, self.threads.get())?;
            wall = wall.max(rate);
        }
        let name = "training of the engine's network, all threads";
        self.rates.push(Rate { key: "training", name, wall, cpu: None });
        Ok(())
    }
}
