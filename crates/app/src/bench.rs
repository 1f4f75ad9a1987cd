//! `tabiya bench`: a fixed amount of search.

use std::io::{self, IsTerminal, Write};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;

use engine::bench;
use engine::eval::file::embedded;
use engine::search::Control;
use layout::shorten;
use serde_json::json;

use crate::{Outcome, input};

/// Search a fixed set of positions
///
/// The last line is 'N nodes M nps'. With one thread N is deterministic: two builds with the same N
/// play the same moves.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct BenchArgs {
    /// Search depth in plies
    #[arg(default_value_t = bench::DEPTH, value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// Number of threads; with more than one the node count varies
    #[arg(long, value_name = "N", default_value = "1", value_parser = crate::threads::parse)]
    threads: NonZero<usize>,
    /// Network file, `embedded`, or `classic` for the classical evaluation (HCE) [default: embedded]
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: BenchArgs, out: &mut dyn Write) -> Outcome {
    let mut written = Ok(());
    let network = match &args.net {
        None => embedded(),
        Some(name) => input::evaluation(name)?,
    };
    // Whole lines into a pipe: OpenBench reads nothing but ASCII.
    let width = io::stdout().is_terminal().then(layout::width);
    let report = |n: usize, fen: &str, work: bench::Work| {
        if !args.json && written.is_ok() {
            let line = format!("{:2} {:>10} nodes  {fen}", n + 1, work.nodes);
            let line = if let Some(width) = width { shorten(&line, width) } else { line };
            written = writeln!(out, "{line}").and_then(|()| out.flush());
        }
    };
    let (threads, control) = (args.threads.into(), Control::new(false));
    let work = bench::run(args.depth, threads, network, &control, report)?;
    written?;
    let (nodes, rate) = (work.nodes, work.nodes_per_second());
    if args.json {
        let seconds = work.time.as_secs_f64();
        writeln!(out, "{}", json!({ "nodes": nodes, "nps": rate, "seconds": seconds }))?;
    } else {
        writeln!(out, "{nodes} nodes {rate} nps")?;
    }
    Ok(ExitCode::SUCCESS)
}
