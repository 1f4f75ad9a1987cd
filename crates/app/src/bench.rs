//! `tabiya bench`: a fixed search.

use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use engine::bench;
use engine::eval::file::{embedded, load};
use engine::search::Control;
use serde_json::json;

use crate::Outcome;
use crate::layout::{self, shorten};

/// Search a fixed set of positions: the same work every time
///
/// The last line is 'N nodes M nps'. With one thread N depends on nothing but the search itself, so that
/// two builds with the same N play the same.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct BenchArgs {
    /// How deeply each position is searched
    #[arg(default_value_t = bench::DEPTH, value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// Threads; with more than one the number of nodes varies
    #[arg(long, value_name = "N", default_value = "1", value_parser = crate::threads::parse)]
    threads: NonZero<usize>,
    /// A network to evaluate with instead of the embedded one, or 'classic' for the hand-written terms
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// Print the sums as JSON
    #[arg(long)]
    json: bool,
}

/// Runs it.
pub fn run(args: BenchArgs, out: &mut dyn Write) -> Outcome {
    let mut told = Ok(());
    let network = match &args.net {
        None => embedded(),
        Some(name) if name == Path::new("classic") => None,
        Some(path) => Some(load(path).with_context(|| path.display().to_string())?),
    };
    let tell = |n: usize, fen: &str, work: bench::Work| {
        if !args.json && told.is_ok() {
            let line = format!("{:2} {:>10} nodes  {fen}", n + 1, work.nodes);
            told = writeln!(out, "{}", shorten(&line, layout::width())).and_then(|()| out.flush());
        }
    };
    let (threads, control) = (args.threads.into(), Control::new(false));
    let work = bench::run(args.depth, threads, network, &control, tell)?;
    told?;
    let (nodes, rate) = (work.nodes, work.nodes_per_second());
    if args.json {
        let seconds = work.time.as_secs_f64();
        writeln!(out, "{}", json!({ "nodes": nodes, "nps": rate, "seconds": seconds }))?;
    } else {
        writeln!(out, "{nodes} nodes {rate} nps")?;
    }
    Ok(ExitCode::SUCCESS)
}
