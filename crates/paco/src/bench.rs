//! Benchmarks: playouts, legal actions, representations, Ŝako search and perft.
//!
//! The crate reads no clock: the caller passes the [`Clocks`].

use alloc::vec;
use alloc::vec::Vec;
use core::hint::black_box;
use core::time::Duration;

use crate::{
    Answer, Game, Options, Position, Required, Rng, Rules, SAKO_NODES, TensorBatch, perft,
    random_playout, write_indices_batch,
};

/// Positions on which the reference library's Ŝako search does not terminate.
const HANGING: [&str; 5] = [
    "k7/2I2L2/l2rS1K1/w1T1L1o1/2sQ4/4S1j1/1sLi4/8 b 49 - - -",
    "k6L/2I2L2/l2rS1K1/2T3o1/1w6/2l1SNj1/ssL5/8 b 41 - - -",
    "k7/2I2L2/l2rS3/w1T3oK/2sQL3/4S1j1/1s1i4/6L1 b 53 - - -",
    "7s/4k3/b1N5/1tsj2j1/1W2Lo1a/3J1d2/W2l1K2/4l3 w 46 - - -",
    "k5d1/8/2w2T1L/1djD4/1lQ2K1j/1d3e2/2L2Ir1/3S4 w 4 - - -",
];

/// Clocks that start anywhere and run forward.
pub struct Clocks<'a> {
    /// CPU time of this thread.
    pub cpu: &'a dyn Fn() -> Duration,
    /// Wall-clock time, for single calls that are too short for the CPU clock.
    pub wall: &'a dyn Fn() -> Duration,
}

impl Clocks<'_> {
    /// CPU seconds of a task, the minimum of several rounds.
    fn seconds(&self, rounds: u32, mut task: impl FnMut()) -> f64 {
        let round = |_| {
            let start = (self.cpu)();
            task();
            ((self.cpu)() - start).as_secs_f64()
        };
        (0..rounds).map(round).fold(f64::INFINITY, f64::min).max(1e-12)
    }

    /// A Ŝako search and its wall-clock time in µs.
    fn sako(&self, position: &Position) -> (Answer, f64) {
        let start = (self.wall)();
        let answer = black_box(position).sako(SAKO_NODES);
        (answer, ((self.wall)() - start).as_nanos() as f64 / 1000.0)
    }
}

/// One measured value, with the reference library's figure in the same unit.
pub struct Measurement {
    /// For people.
    pub name: &'static str,
    /// For JSON.
    pub key: &'static str,
    /// In the unit.
    pub value: f64,
    /// A rate ends with `/s`; others are times.
    pub unit: &'static str,
    /// The reference library on a 2-core Zen 3 machine.
    pub reference: Option<f64>,
}

impl Measurement {
    /// The speedup over the reference.
    pub fn ratio(&self) -> Option<f64> {
        let reference = self.reference?;
        let is_rate = self.unit.ends_with("/s");
        Some(if is_rate { self.value / reference } else { reference / self.value })
    }
}

/// The results of a benchmark.
#[derive(Default)]
pub struct BenchReport {
    /// In the order of measurement.
    pub measurements: Vec<Measurement>,
    /// Positions of the Ŝako search.
    pub sako_positions: usize,
    /// Those with Ŝako.
    pub sako_yes: usize,
    /// Those where the search ran out of nodes.
    pub sako_unknown: usize,
}

/// The Ŝako search ran out of nodes on a benchmark position.
#[derive(Debug, thiserror::Error)]
#[error("no answer for {0}")]
pub struct Unsolved(pub &'static str);

impl BenchReport {
    fn add(
        &mut self,
        name: &'static str,
        key: &'static str,
        value: f64,
        unit: &'static str,
        reference: Option<f64>,
    ) {
        self.measurements.push(Measurement { name, key, value, unit, reference });
    }
}

/// Runs all benchmarks: the best of `rounds`, Ŝako over `positions` positions of random games.
pub fn run(
    positions: usize,
    rounds: u32,
    seed: u64,
    clocks: &Clocks<'_>,
) -> Result<BenchReport, Unsolved> {
    let mut report = BenchReport::default();
    playouts(&mut report, rounds, seed, clocks);
    let mut rng = Rng::from_seed(seed);
    let states = random_states(&mut rng, 1000, |game| game.position().key().is_multiple_of(13));
    representations(&mut report, &states, rounds, clocks);
    sako(&mut report, &mut rng, positions, clocks);
    let mut slowest = 0.0f64;
    for fen in HANGING {
        let position = Position::from_fen(fen, Rules::Exact).map_err(|_| Unsolved(fen))?;
        let (answer, micros) = clocks.sako(&position);
        if answer == Answer::Unknown {
            return Err(Unsolved(fen));
        }
        slowest = slowest.max(micros);
    }
    report.add("slowest of five that hang the reference", "hanging_max_us", slowest, "µs", None);
    let mut leaves = 0;
    let time = clocks.seconds(rounds.min(3), || leaves = perft(&Position::default(), 11));
    let rate = leaves as f64 / time;
    report.add("action perft", "perft_leaves_per_s", rate, "leaves/s", Some(33e6));
    Ok(report)
}

/// Random playouts, with and without repetition detection.
fn playouts(report: &mut BenchReport, rounds: u32, seed: u64, clocks: &Clocks<'_>) {
    let games = 300;
    for (name, games_key, actions_key, draw_after, reference) in [
        ("random playouts", "playout_games_per_s", "playout_actions_per_s", 3, 1.87e6),
        ("random playouts, lean", "lean_games_per_s", "lean_actions_per_s", 0, 2.40e6),
    ] {
        let mut rng = Rng::from_seed(seed);
        let mut game = Game::new(Position::default(), draw_after);
        let [mut games_rate, mut actions_rate] = [0.0f64; 2];
        for _ in 0..rounds {
            let mut actions = 0;
            let time = clocks.seconds(1, || {
                for _ in 0..games {
                    game.restart(Position::default());
                    actions += random_playout(&mut game, &mut rng, 100_000, |_| {});
                }
            });
            games_rate = games_rate.max(f64::from(games) / time);
            actions_rate = actions_rate.max(actions as f64 / time);
        }
        let games_reference = (draw_after == 3).then_some(4294.0);
        report.add(name, games_key, games_rate, "games/s", games_reference);
        report.add(name, actions_key, actions_rate, "actions/s", Some(reference));
    }
}

/// Legal actions, copies and representations of states.
fn representations(
    report: &mut BenchReport,
    states: &[Position],
    rounds: u32,
    clocks: &Clocks<'_>,
) {
    let repeats = 50;
    let per_state = 1e9 / (repeats * states.len()) as f64;
    let mut measure = |name, key, reference, task: &mut dyn FnMut()| {
        let time = clocks.seconds(rounds, || (0..repeats).for_each(|_| task()));
        report.add(name, key, time * per_state, "ns", Some(reference));
    };
    measure("legal actions", "legal_ns", 393.0, &mut || {
        black_box(states.iter().map(|position| position.legal().len()).sum::<usize>());
    });
    measure("copy", "copy_ns", 161.0, &mut || {
        for position in states {
            let copy = *black_box(position);
            black_box(&copy);
        }
    });
    let options = Options::USE_PERSPECTIVE;
    let mut one = vec![0; options.index_len()];
    measure("index form", "index_ns", 257.0, &mut || {
        for position in states {
            black_box(position.write_indices(options, &mut one)).ok();
            black_box(&one);
        }
    });
    let mut many = vec![0; 100 * options.index_len()];
    measure("index form, batches of 100", "index_batch_ns", 257.0, &mut || {
        for positions in states.chunks_exact(100) {
            black_box(write_indices_batch(positions, options, &mut many)).ok();
            black_box(&many);
        }
    });
    // Aligned to 64 bytes, like the buffers of PyTorch.
    let mut buffer = vec![0.0f32; options.tensor_len() + 16];
    let start = buffer.as_ptr().align_offset(64).min(16);
    measure("tensor of 1920 floats", "tensor_ns", 409.0, &mut || {
        let tensor = &mut buffer[start..start + options.tensor_len()];
        for position in states {
            black_box(position.write_tensor(options, tensor)).ok();
            black_box(&tensor);
        }
    });
    let mut batch = TensorBatch::new(options, 16);
    measure("tensor into a kept batch", "tensor_batch_ns", 409.0, &mut || {
        for (slot, position) in states.iter().enumerate() {
            black_box(batch.write(slot % 16, position)).ok();
            black_box(&batch);
        }
    });
}

/// Percentiles of single Ŝako searches over settled positions of random games.
fn sako(report: &mut BenchReport, rng: &mut Rng, count: usize, clocks: &Clocks<'_>) {
    let positions = random_states(rng, count, |game| game.position().required() == Required::Lift);
    let mut times = Vec::with_capacity(count);
    for position in &positions {
        let (answer, mut micros) = clocks.sako(position);
        if micros > 100.0 {
            // Long enough to be preempted: the minimum of two calls.
            micros = micros.min(clocks.sako(position).1);
        }
        times.push(micros);
        report.sako_yes += usize::from(answer == Answer::Yes);
        report.sako_unknown += usize::from(answer == Answer::Unknown);
    }
    report.sako_positions = times.len();
    times.sort_by(f64::total_cmp);
    for (name, key, quantile, reference) in [
        ("Ŝako search, median", "sako_median_us", 0.5, Some(7.3)),
        ("Ŝako search, p90", "sako_p90_us", 0.9, Some(178.0)),
        ("Ŝako search, p99", "sako_p99_us", 0.99, Some(57_000.0)),
        ("Ŝako search, p99.9", "sako_p999_us", 0.999, None),
        ("Ŝako search, slowest", "sako_max_us", 1.0, None),
    ] {
        let at = (quantile * times.len() as f64) as usize;
        let micros = times.get(at).or(times.last()).copied().unwrap_or(0.0);
        report.add(name, key, micros, "µs", reference);
    }
}

/// States of random games that pass a filter.
fn random_states(rng: &mut Rng, count: usize, keep: impl Fn(&Game) -> bool) -> Vec<Position> {
    let mut states = Vec::with_capacity(count);
    while states.len() < count {
        random_playout(&mut Game::default(), rng, 100_000, |game| {
            if states.len() < count && game.outcome().is_none() && keep(game) {
                states.push(*game.position());
            }
        });
    }
    states
}
