//! `tabiya pgn check`: replays every move of every game, variations included.

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use data::Input;
use data::pgn::CheckReport;
use layout::prose;
use serde_json::Value;

use super::FileArgs;
use super::progress::InputBar;
use crate::Outcome;

#[derive(Args)]
pub struct CheckArgs {
    #[command(flatten)]
    files: FileArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Maximum number of errors listed; all are counted
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    max_errors: usize,
}

pub fn run(args: &CheckArgs, out: &mut dyn Write) -> Outcome {
    let begin = Instant::now();
    let mut all = CheckReport::default();
    let mut errors: Vec<Value> = Vec::new();
    let mut failures: Vec<String> = Vec::new();
    let mut listed = 0;
    for file in &args.files.inputs()? {
        let result = Input::open(file).and_then(|input| {
            let bar = InputBar::new(&input);
            let room = args.max_errors.saturating_sub(listed);
            let progress = |games| bar.add(games);
            let (report, result) = data::pgn::check(input, &args.files.options(), room, progress);
            drop(bar);
            all.add_counts(&report);
            all.listed = report.listed;
            result
        });
        let name = file.display().to_string();
        for error in all.listed.drain(..) {
            listed += 1;
            if args.json {
                errors.push(data::pgn::error_json(&name, &error));
            } else {
                writeln!(out, "{name}: {error}")?;
            }
        }
        failures.extend(super::report_failure(result));
    }
    let seconds = begin.elapsed().as_secs_f64();
    if args.json {
        let mut report = all.to_json();
        report["errors"] = errors.into();
        report["failures"] = failures.clone().into();
        report["seconds"] = seconds.into();
        writeln!(out, "{report}")?;
    } else {
        let more = all.errors - listed as u64;
        if more > 0 {
            writeln!(out, "… and {more} more")?;
        }
        let rate = all.games as f64 / seconds.max(1e-9);
        prose(out, format_args!("{}, {seconds:.2} s, {rate:.0} games/s", all.summary()))?;
    }
    let is_fine = all.errors == 0 && failures.is_empty();
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
