//! `tabiya pgn stats`: statistics of games.

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use data::Input;
use data::pgn::Stats;
use layout::width;

use super::FileArgs;
use super::progress::InputBar;
use crate::Outcome;

#[derive(Args)]
pub struct StatsArgs {
    #[command(flatten)]
    files: FileArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Number of openings shown
    #[arg(long, value_name = "N", default_value_t = 12)]
    openings: usize,
}

pub fn run(args: &StatsArgs, out: &mut dyn Write) -> Outcome {
    let begin = Instant::now();
    let mut stats = Stats::default();
    let mut failures = Vec::new();
    for file in &args.files.inputs()? {
        let result = Input::open(file).and_then(|input| {
            let bar = InputBar::new(&input);
            let (part, result) =
                data::pgn::stats(input, &args.files.options(), |games| bar.add(games));
            stats.append(&part);
            result
        });
        failures.extend(super::report_failure(result));
    }
    if args.json {
        let mut report = stats.to_json(args.openings);
        report["seconds"] = begin.elapsed().as_secs_f64().into();
        writeln!(out, "{report}")?;
    } else {
        write!(out, "{}", stats.table(args.openings).stacked(width()))?;
    }
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
