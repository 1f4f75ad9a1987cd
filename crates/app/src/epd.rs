//! `tabiya epd`: best-move and avoid-move suites.

use std::io::Write;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use arena::suite::{self, Attempt, Problem};
use engine::analysis::AnalysisEngine;
use engine::search::Engine;
use layout::count;
use serde_json::json;

use crate::analyse::seconds;
use crate::search_limits::SearchLimits;
use crate::{Outcome, input, interrupt, progress, threads};

/// Solve a suite of positions with best moves or moves to avoid (EPD)
///
/// Each line is a position with the operation bm (best moves) or am (moves to avoid), in SAN, and
/// perhaps an id. A position is solved if the engine plays one of the best moves and none to avoid.
/// The hash table is cleared before each, so that with one thread and --nodes or --depth the result
/// is always the same. Compression (.zst, .gz, .bz2) is detected; - is standard input.
///
/// Exit code 1 if a line is invalid, or fewer positions are solved than --at-least requires.
///
/// Examples:
///   tabiya epd wac.epd --time 1
///   tabiya epd sts.epd.zst --nodes 100000 --threads 2 --at-least 1200 --json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct EpdArgs {
    /// File of EPD records
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Seconds for each position [default: 1]
    #[arg(long, value_name = "S", group = "limit", value_parser = seconds)]
    time: Option<Duration>,
    #[command(flatten)]
    limits: SearchLimits,
    /// Fail if fewer positions are solved
    #[arg(long, value_name = "N")]
    at_least: Option<usize>,
    /// Network file, `embedded`, or `classic` for the classical evaluation (HCE) [default: embedded]
    #[arg(long, value_name = "NET")]
    net: Option<PathBuf>,
    /// Number of threads, 1 to 256
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads::parse)]
    threads: NonZero<usize>,
    /// Size of the hash table in MiB
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &EpdArgs, out: &mut dyn Write) -> Outcome {
    let (mut problems, mut invalid) = (Vec::new(), 0);
    for problem in suite::read(&args.file)? {
        match problem {
            Ok(problem) => problems.push(problem),
            Err((line, error)) => {
                invalid += 1;
                eprintln!("tabiya: {}, line {line}: {error}", args.file.display());
            }
        }
    }
    ensure!(!problems.is_empty(), "{} has no positions to solve", args.file.display());
    let mut engine = Engine::new(args.hash as usize).context("--hash")?;
    engine.set_threads(args.threads.get()).context("--threads")?;
    if let Some(path) = &args.net {
        engine.set_network(input::evaluation(path)?);
    }
    let mut engine = AnalysisEngine::new(engine);
    let stop = engine.stop_handle();
    interrupt::listen(move || stop.stop())?;
    let limits = args.limits.or_time(args.time.unwrap_or(Duration::from_secs(1)));

    let bar = progress::bar(problems.len() as u64, "{wide_bar} {pos}/{len} {msg}");
    let mut attempts: Vec<(&Problem, Attempt)> = Vec::with_capacity(problems.len());
    for problem in &problems {
        let attempt = problem.attempt(&mut engine, &limits)?;
        if engine.is_stopped() {
            break;
        }
        attempts.push((problem, attempt));
        bar.set_message(format!("{} solved", solved(&attempts)));
        bar.inc(1);
    }
    drop(bar);
    report(args, &attempts, problems.len(), invalid, out)?;
    if engine.is_stopped() {
        return Ok(interrupt::exit_code());
    }
    let enough = args.at_least.is_none_or(|least| solved(&attempts) >= least);
    Ok(if enough && invalid == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn solved(attempts: &[(&Problem, Attempt)]) -> usize {
    attempts.iter().filter(|(_, attempt)| attempt.solved).count()
}

fn report(
    args: &EpdArgs,
    attempts: &[(&Problem, Attempt)],
    problems: usize,
    invalid: usize,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let solved = solved(attempts);
    let total = |part: fn(&Attempt) -> f64| attempts.iter().map(|(_, a)| part(a)).sum::<f64>();
    let (nodes, seconds) = (total(|a| a.nodes as f64), total(|a| a.seconds));
    if args.json {
        let positions: Vec<_> = attempts.iter().map(|(p, a)| suite::attempt_json(p, a)).collect();
        let report = json!({
            "solved": solved, "attempted": attempts.len(), "positions": problems,
            "invalid": invalid, "nodes": nodes as u64, "seconds": seconds, "results": positions,
        });
        writeln!(out, "{report}")?;
        return Ok(());
    }
    let table = suite::table(attempts).without(&suite::UNIMPORTANT, layout::width());
    out.write_all(table.as_bytes())?;
    let share = 100.0 * solved as f64 / attempts.len().max(1) as f64;
    let cut = match problems - attempts.len() {
        0 => String::new(),
        left => format!(", {left} not attempted"),
    };
    let attempted = count(attempts.len(), "position");
    layout::prose(out, format!("solved {solved} of {attempted} ({share:.1} %){cut}"))?;
    Ok(())
}
