//! `tabiya paco bench`: the speed of the library beside the reference library's figures.

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use cpu_time::ThreadTime;
use layout::{Table, prose, width};
use paco::bench::{BenchReport, Clocks};
use serde_json::{Map, Value, json};

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
    if args.json {
        writeln!(out, "{}", as_json(&report))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(["", "", "", "ratio"], &[0, 2], 1);
    for measured in &report.measurements {
        let ratio = measured.ratio().map_or(String::new(), |ratio| format!("{ratio:.1} ×"));
        let value = match measured.value {
            value if value >= 1e6 => format!("{:.2} M", value / 1e6),
            value if value >= 1000.0 => format!("{value:.0}"),
            value => format!("{value:.2}"),
        };
        table.row([measured.name.to_string(), value, measured.unit.to_string(), ratio]);
    }
    write!(out, "{}", table.stacked(width()))?;
    let BenchReport { sako_positions, sako_yes, sako_unknown, .. } = report;
    prose(
        out,
        format_args!(
            "Ŝako search over {sako_positions} positions: {sako_yes} yes, {sako_unknown} unknown"
        ),
    )?;
    Ok(ExitCode::SUCCESS)
}

fn as_json(report: &BenchReport) -> Value {
    let measurements = || report.measurements.iter();
    let ratios: Map<String, Value> = measurements()
        .filter_map(|measured| Some((measured.key.to_owned(), json!(measured.ratio()?))))
        .collect();
    let mut json: Map<String, Value> =
        measurements().map(|measured| (measured.key.to_owned(), json!(measured.value))).collect();
    json.insert("ratios".to_owned(), Value::Object(ratios));
    json.insert("sako_positions".to_owned(), json!(report.sako_positions));
    json.insert("sako_yes".to_owned(), json!(report.sako_yes));
    json.insert("sako_unknown".to_owned(), json!(report.sako_unknown));
    Value::Object(json)
}
