//! `tabiya paco perft`: counts sequences of actions or of turns.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use cpu_time::ThreadTime;
use serde_json::json;

use crate::Outcome;

/// Count leaf nodes of the tree of legal actions, or of turns
///
/// Examples:
///   tabiya paco perft 9
///   tabiya paco perft 4 --turns
///   tabiya paco perft 5 --fen '5rk1/ppp2pep/8/1B1AH2D/4f1b1/2N3SP/PPP2DP1/5L1K w 0 - - -'
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct PerftArgs {
    /// Depth in actions (or turns)
    #[arg(value_parser = clap::value_parser!(u32).range(0..=32))]
    depth: u32,
    /// Position as FEN
    #[arg(long, default_value = "startpos")]
    fen: String,
    /// Count distinct turns instead of actions
    #[arg(long)]
    turns: bool,
    /// Play every leaf action instead of counting them in bulk
    #[arg(long, conflicts_with = "turns")]
    no_bulk: bool,
    /// Follow the reference library's bugs
    #[arg(long)]
    compat: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: PerftArgs, out: &mut dyn Write) -> Outcome {
    let position = super::position(&args.fen, super::rules(args.compat))?;
    let start = ThreadTime::now();
    let nodes = if args.turns {
        paco::turn_perft(&position, args.depth).context("a position has too many turns to count")?
    } else if args.no_bulk {
        paco::perft_played(&position, args.depth)
    } else {
        paco::perft(&position, args.depth)
    };
    let seconds = start.elapsed().as_secs_f64();
    let nps = if seconds > 0.0 { nodes as f64 / seconds } else { 0.0 };
    if args.json {
        writeln!(out, "{}", json!({ "nodes": nodes, "seconds": seconds, "nps": nps as u64 }))?;
    } else {
        writeln!(out, "{nodes} nodes in {seconds:.3} s of CPU time, {:.1} M/s", nps / 1e6)?;
    }
    Ok(ExitCode::SUCCESS)
}
