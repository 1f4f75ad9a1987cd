//! `tabiya paco bench`: how fast the library is, beside the reference library's figures.

use std::hint::black_box;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use cpu_time::ThreadTime;
use paco::{
    Answer, Game, Options, Position, Required, Rng, SAKO_NODES, TensorBatch, perft, random_playout,
    write_indices_batch,
};
use serde_json::{Value, json};

use crate::Outcome;
use crate::layout::{Table, prose, width};

/// Measure playouts, legal actions, representations, Ŝako search and perft
///
/// All figures are CPU time of one thread, the best of several rounds; percentiles of the Ŝako
/// search are of single calls. The last column compares with the reference library's figures on a
/// 2-core Zen 3 machine.
///
/// Examples:
///   tabiya paco bench
///   tabiya paco bench --positions 10000 --json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct BenchArgs {
    /// How many positions from random games the Ŝako search is asked about
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(100..))]
    positions: u32,
    /// How many rounds each measurement takes the best of
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// The seed of the random games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the numbers as JSON
    #[arg(long)]
    json: bool,
}

/// Positions on which the reference's search for Ŝako does not come to an end.
const HANGING: [&str; 5] = [
    "k7/2I2L2/l2rS1K1/w1T1L1o1/2sQ4/4S1j1/1sLi4/8 b 49 - - -",
    "k6L/2I2L2/l2rS1K1/2T3o1/1w6/2l1SNj1/ssL5/8 b 41 - - -",
    "k7/2I2L2/l2rS3/w1T3oK/2sQL3/4S1j1/1s1i4/6L1 b 53 - - -",
    "7s/4k3/b1N5/1tsj2j1/1W2Lo1a/3J1d2/W2l1K2/4l3 w 46 - - -",
    "k5d1/8/2w2T1L/1djD4/1lQ2K1j/1d3e2/2L2Ir1/3S4 w 4 - - -",
];

/// What is measured: one walk through a pool of states.
type Task = Box<dyn FnMut(&[Position])>;

/// A line of the report: what, how much, and the reference's figure in the same unit.
struct Line {
    name: &'static str,
    key: &'static str,
    value: f64,
    unit: &'static str,
    reference: Option<f64>,
}

impl Line {
    /// How many times better than the reference: by rate or by time.
    fn ratio(&self) -> Option<f64> {
        let reference = self.reference?;
        let is_rate = self.unit.ends_with("/s");
        Some(if is_rate { self.value / reference } else { reference / self.value })
    }
}

/// The CPU seconds a task takes, in the round that was disturbed least.
fn seconds(rounds: u32, mut task: impl FnMut()) -> f64 {
    let round = |_| {
        let start = ThreadTime::now();
        task();
        start.elapsed().as_secs_f64()
    };
    (0..rounds).map(round).fold(f64::INFINITY, f64::min).max(1e-12)
}

pub fn run(args: BenchArgs, out: &mut dyn Write) -> Outcome {
    let rounds = args.rounds;
    let mut lines = Vec::new();
    let mut line = |name, key, value, unit, reference| {
        lines.push(Line { name, key, value, unit, reference });
    };

    // Random playouts, with the record of repetitions and without.
    let games = 300;
    for (name, games_key, actions_key, draw_after, reference) in [
        ("random playouts", "playout_games_per_s", "playout_actions_per_s", 3, 1.87e6),
        ("random playouts, lean", "lean_games_per_s", "lean_actions_per_s", 0, 2.40e6),
    ] {
        let mut rng = Rng::from_seed(args.seed);
        let mut game = Game::new(Position::default(), draw_after);
        let [mut games_rate, mut actions_rate] = [0.0f64; 2];
        for _ in 0..rounds {
            let mut actions = 0;
            let time = seconds(1, || {
                for _ in 0..games {
                    game.restart(Position::default());
                    actions += random_playout(&mut game, &mut rng, 100_000, |_| {});
                }
            });
            games_rate = games_rate.max(f64::from(games) / time);
            actions_rate = actions_rate.max(actions as f64 / time);
        }
        let games_reference = (draw_after == 3).then_some(4294.0);
        line(name, games_key, games_rate, "games/s", games_reference);
        line(name, actions_key, actions_rate, "actions/s", Some(reference));
    }

    // A thousand states from random games, of every kind.
    let mut rng = Rng::from_seed(args.seed);
    let pool = states(&mut rng, 1000, |game| game.position().key().is_multiple_of(13));
    let repeats = 50;
    let per_state = 1e9 / (repeats * pool.len()) as f64;
    let mut each = |name, key, reference, mut task: Task| {
        let time = seconds(rounds, || (0..repeats).for_each(|_| task(&pool)));
        line(name, key, time * per_state, "ns", Some(reference));
    };
    each(
        "legal actions",
        "legal_ns",
        393.0,
        Box::new(|pool| {
            black_box(pool.iter().map(|position| position.legal().len()).sum::<usize>());
        }),
    );
    each(
        "copy",
        "copy_ns",
        161.0,
        Box::new(|pool| {
            for position in pool {
                let copy = *black_box(position);
                black_box(&copy);
            }
        }),
    );
    let options = Options::USE_PERSPECTIVE;
    let mut one = vec![0; options.index_len()];
    each(
        "index form",
        "index_ns",
        257.0,
        Box::new(move |pool| {
            for position in pool {
                black_box(position.write_indices(options, &mut one)).ok();
                black_box(&one);
            }
        }),
    );
    let mut many = vec![0; 100 * options.index_len()];
    each(
        "index form, batches of 100",
        "index_batch_ns",
        257.0,
        Box::new(move |pool| {
            for positions in pool.chunks_exact(100) {
                black_box(write_indices_batch(positions, options, &mut many)).ok();
                black_box(&many);
            }
        }),
    );
    // Where a cache line begins, as the buffers of PyTorch and others do.
    let mut buffer = vec![0.0f32; options.tensor_len() + 16];
    let start = buffer.as_ptr().align_offset(64).min(16);
    each(
        "tensor of 1920 floats",
        "tensor_ns",
        409.0,
        Box::new(move |pool| {
            let tensor = &mut buffer[start..start + options.tensor_len()];
            for position in pool {
                black_box(position.write_tensor(options, tensor)).ok();
                black_box(&tensor);
            }
        }),
    );
    let mut batch = TensorBatch::new(options, 16);
    each(
        "tensor into a kept batch",
        "tensor_batch_ns",
        409.0,
        Box::new(move |pool| {
            for (slot, position) in pool.iter().enumerate() {
                black_box(batch.write(slot % 16, position)).ok();
                black_box(&batch);
            }
        }),
    );

    // Ŝako over settled positions of random games, call by call.
    let sako = sako(&mut rng, args.positions as usize);
    for (name, key, part, reference) in [
        ("Ŝako search, median", "sako_median_us", 0.5, Some(7.3)),
        ("Ŝako search, p90", "sako_p90_us", 0.9, Some(178.0)),
        ("Ŝako search, p99", "sako_p99_us", 0.99, Some(57_000.0)),
        ("Ŝako search, p99.9", "sako_p999_us", 0.999, None),
        ("Ŝako search, slowest", "sako_max_us", 1.0, None),
    ] {
        line(name, key, sako.percentile(part), "µs", reference);
    }
    let hanging = hanging()?;
    line("slowest of five that hang the reference", "hanging_max_us", hanging, "µs", None);

    // Perft from the start, leaves counted, and with every leaf played.
    let mut leaves = 0;
    let time = seconds(rounds.min(3), || leaves = perft(&Position::default(), 11));
    line("action perft", "perft_leaves_per_s", leaves as f64 / time, "leaves/s", Some(33e6));

    report(&args, &lines, &sako, out)?;
    Ok(ExitCode::SUCCESS)
}

/// States of random games that a filter lets through.
fn states(rng: &mut Rng, count: usize, keep: impl Fn(&Game) -> bool) -> Vec<Position> {
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

/// The times of single searches in µs, ascending, and how many did not come to an answer.
struct Sako {
    times: Vec<f64>,
    yes: usize,
    unknown: usize,
}

impl Sako {
    fn percentile(&self, part: f64) -> f64 {
        let at = (part * self.times.len() as f64) as usize;
        self.times.get(at.min(self.times.len() - 1)).copied().unwrap_or(0.0)
    }
}

fn sako(rng: &mut Rng, count: usize) -> Sako {
    let positions = states(rng, count, |game| game.position().required() == Required::Lift);
    let mut sako = Sako { times: Vec::with_capacity(count), yes: 0, unknown: 0 };
    for position in &positions {
        let (answer, mut micros) = timed(position);
        if micros > 100.0 {
            // Long enough for another process to have come in between: the smaller of two counts.
            micros = micros.min(timed(position).1);
        }
        sako.times.push(micros);
        sako.yes += usize::from(answer == Answer::Yes);
        sako.unknown += usize::from(answer == Answer::Unknown);
    }
    sako.times.sort_by(f64::total_cmp);
    sako
}

/// A search and its time in µs: too short for the clock of CPU time, so it is the wall's.
fn timed(position: &Position) -> (Answer, f64) {
    let start = Instant::now();
    let answer = black_box(position).sako(SAKO_NODES);
    (answer, start.elapsed().as_nanos() as f64 / 1000.0)
}

/// The slowest of the five hanging positions, in µs.
fn hanging() -> anyhow::Result<f64> {
    let mut slowest = 0.0f64;
    for fen in HANGING {
        let position = super::position(fen, paco::Rules::Exact)?;
        let (answer, micros) = timed(&position);
        anyhow::ensure!(answer != Answer::Unknown, "no answer for {fen}");
        slowest = slowest.max(micros);
    }
    Ok(slowest)
}

fn report(
    args: &BenchArgs,
    lines: &[Line],
    sako: &Sako,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    if args.json {
        let mut report: serde_json::Map<String, Value> =
            lines.iter().map(|line| (line.key.to_owned(), json!(line.value))).collect();
        let ratios: serde_json::Map<String, Value> = lines
            .iter()
            .filter_map(|line| Some((line.key.to_owned(), json!(line.ratio()?))))
            .collect();
        report.insert("ratios".to_owned(), Value::Object(ratios));
        report.insert("sako_positions".to_owned(), json!(sako.times.len()));
        report.insert("sako_yes".to_owned(), json!(sako.yes));
        report.insert("sako_unknown".to_owned(), json!(sako.unknown));
        writeln!(out, "{}", Value::Object(report))?;
        return Ok(());
    }
    let mut table = Table::new(["", "", "", "ratio"], &[0, 2], 1);
    for line in lines {
        let ratio = line.ratio().map_or(String::new(), |ratio| format!("{ratio:.1} ×"));
        let value = if line.value >= 1e6 {
            format!("{:.2} M", line.value / 1e6)
        } else if line.value >= 1000.0 {
            format!("{:.0}", line.value)
        } else {
            format!("{:.2}", line.value)
        };
        table.row([line.name.to_string(), value, line.unit.to_string(), ratio]);
    }
    write!(out, "{}", table.stacked(width()))?;
    let Sako { yes, unknown, times, .. } = sako;
    let asked = times.len();
    prose(out, format_args!("Ŝako search over {asked} positions: {yes} yes, {unknown} unknown"))?;
    Ok(())
}
