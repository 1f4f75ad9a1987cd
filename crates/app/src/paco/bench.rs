//! `tabiya paco bench`: the speed of the library beside the reference library's figures.

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use cpu_time::ThreadTime;
use paco::bench::Clocks;

use crate::Outcome;

/// Measure playouts, legal actions, representations, Ŝako search and perft
///
/// All figures are CPU time of one thread, the best of several rounds; percentiles of the Ŝako
/// search are of single calls. The last column is the speedup over the reference library's figures
/// on a 2-core Zen 3 machine.
///
/// Examples:
///   tabiya paco bench
///   tabiya paco bench --positions 10000 --json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct BenchArgs {
    /// Number of positions from random games for the Ŝako search
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(100..))]
    positions: u32,
    /// Rounds per measurement; the best counts
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Random seed of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: BenchArgs, out: &mut dyn Write) -> Outcome {
    let start = Instant::now();
    let clocks = Clocks { cpu: &|| ThreadTime::now().as_duration(), wall: &|| start.elapsed() };
    let report = paco::bench::run(args.positions as usize, args.rounds, args.seed, &clocks)?;
    match args.json {
        true => writeln!(out, "{}", report.to_json())?,
        false => write!(out, "{}", report.to_text(layout::width()))?,
    }
    Ok(ExitCode::SUCCESS)
}
