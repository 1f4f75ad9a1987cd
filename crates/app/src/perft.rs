//! `tabiya perft`: counts leaf nodes, and checks the counts of a suite.

use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, ensure};
use chess::perft_suite::PerftCase;
use chess::{Move, Position, perft};
use clap::ArgGroup;
use data::ThreadError;
use serde_json::json;

use crate::{Outcome, input, progress};

/// Count leaf nodes of the legal move tree
///
/// The standard test of a move generator, and a measure of its speed. With --suite, checks the
/// counts of a file instead: lines `variant; FEN; n1 n2 …` with the leaf nodes at depth 1, 2, …;
/// lines that start with # are ignored. Exit code 1 if a count is wrong.
///
/// Examples:
///   tabiya perft 6
///   tabiya perft 5 --divide --fen 'r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1'
///   tabiya perft --suite counts.txt --max-nodes 1000000
#[derive(clap::Args)]
#[command(verbatim_doc_comment, group(ArgGroup::new("task").args(["depth", "suite"]).required(true).multiple(true)))]
pub struct PerftArgs {
    /// Depth in plies; with --suite, the maximum depth to check
    #[arg(value_parser = clap::value_parser!(u32).range(0..=64))]
    depth: Option<u32>,
    /// Position: a FEN, 'FEN moves e2e4 …' or 'startpos moves …' [default: startpos]
    #[arg(long, conflicts_with = "suite")]
    fen: Option<String>,
    /// Print castling as king takes rook
    #[arg(long)]
    chess960: bool,
    /// Print the count of each root move
    #[arg(long, conflicts_with = "suite")]
    divide: bool,
    /// Number of threads, 1 to 256
    #[arg(long, value_name = "N", default_value = "1", value_parser = crate::threads::parse)]
    threads: NonZero<usize>,
    /// Make every leaf move instead of counting them in bulk
    #[arg(long)]
    no_bulk: bool,
    /// Perft suite to check, or - for standard input
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// Skip counts of the suite above N
    #[arg(long, value_name = "N", requires = "suite")]
    max_nodes: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: PerftArgs, out: &mut dyn Write) -> Outcome {
    if let Some(suite) = &args.suite {
        return run_suite(&args, suite, out);
    }
    let depth = args.depth.unwrap_or(1);
    let game = input::game(args.fen.as_deref().unwrap_or("startpos"))?;
    let start = Instant::now();
    let divided = divide(game.position(), depth, &args)?;
    let nodes = if depth == 0 { 1 } else { divided.iter().map(|&(_, nodes)| nodes).sum() };
    let timing = Timing { nodes, seconds: start.elapsed().as_secs_f64() };

    let mut named: Vec<(String, u64)> = divided
        .into_iter()
        .map(|(m, nodes)| {
            let style = input::castling_style(args.chess960);
            (game.position().uci(m, style).to_string(), nodes)
        })
        .collect();
    named.sort();
    if args.json {
        let mut report = timing.json();
        if args.divide {
            let counts = named.into_iter().map(|(m, nodes)| (m, nodes.into()));
            report["divide"] = serde_json::Value::Object(counts.collect());
        }
        writeln!(out, "{report}")?;
    } else {
        if args.divide {
            for (m, nodes) in named {
                writeln!(out, "{m}: {nodes}")?;
            }
            writeln!(out)?;
        }
        timing.print(out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Nodes and time.
struct Timing {
    nodes: u64,
    seconds: f64,
}

impl Timing {
    fn nps(&self) -> f64 {
        self.nodes as f64 / self.seconds.max(1e-9)
    }

    fn json(&self) -> serde_json::Value {
        json!({ "nodes": self.nodes, "seconds": self.seconds, "nps": self.nps().round() })
    }

    fn print(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let (nodes, seconds, speed) = (self.nodes, self.seconds, self.nps() / 1e6);
        writeln!(out, "{nodes} nodes in {seconds:.3} s, {speed:.1} million nodes/s")
    }
}

fn count(position: &Position, depth: u32, args: &PerftArgs) -> u64 {
    if args.no_bulk { perft::every_leaf(position, depth) } else { perft::bulk(position, depth) }
}

/// The leaf nodes below each root move. Threads take the positions at depth 2 (or 1) in turn.
fn divide(
    position: &Position,
    depth: u32,
    args: &PerftArgs,
) -> Result<Vec<(Move, u64)>, ThreadError> {
    if depth == 0 {
        return Ok(Vec::new());
    }
    let moves = position.legal_moves();
    let mut pieces: Vec<(usize, Position)> = Vec::new();
    for (root, &m) in moves.iter().enumerate() {
        let child = position.after(m);
        if depth == 1 {
            pieces.push((root, child));
        } else {
            child.for_each_child(|_, grandchild| pieces.push((root, *grandchild)));
        }
    }
    let left = depth.saturating_sub(2);
    let counts: Vec<AtomicU64> = moves.iter().map(|_| AtomicU64::new(0)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((root, position)) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
            counts[*root].fetch_add(count(position, left, args), Ordering::Relaxed);
        }
    };
    data::threads::in_threads(args.threads, work)?;
    Ok(moves.iter().copied().zip(counts.into_iter().map(AtomicU64::into_inner)).collect())
}

fn run_suite(args: &PerftArgs, path: &Path, out: &mut dyn Write) -> Outcome {
    let place = |number| format!("{}:{number}", path.display());
    let mut cases: Vec<(usize, PerftCase)> = Vec::new();
    input::each_line(input::open(path)?, |number, line| {
        let case = line.and_then(|line| Ok(PerftCase::parse(line)?));
        cases.extend(case.with_context(|| place(number))?.map(|case| (number, case)));
        Ok(())
    })?;
    ensure!(!cases.is_empty(), "{} has no positions", path.display());

    let template = "{bar:40} {pos}/{len} positions, {per_sec}, {eta} left";
    let bar = progress::bar(cases.len() as u64, template);
    let start = Instant::now();
    let (mut nodes, mut checked, mut skipped) = (0, 0, 0);
    let mut failures = Vec::new();
    for (number, case) in &cases {
        let game = input::game(&case.fen).with_context(|| place(*number))?;
        for (depth, &expected) in (1..).zip(&case.counts) {
            let too_deep = args.depth.is_some_and(|deepest| depth > deepest);
            if too_deep || args.max_nodes.is_some_and(|most| expected > most) {
                skipped += 1;
                continue;
            }
            let divided = divide(game.position(), depth, args)?;
            let found: u64 = divided.iter().map(|&(_, nodes)| nodes).sum();
            nodes += found;
            checked += 1;
            if found != expected {
                let (line, fen) = (*number, case.fen.clone());
                failures.push(json!({
                    "line": line, "fen": fen, "depth": depth, "expected": expected, "found": found,
                }));
                if !args.json {
                    writeln!(out, "line {line}: {fen}: depth {depth} is {found}, not {expected}")?;
                }
            }
        }
        bar.inc(1);
    }
    drop(bar);
    let timing = Timing { nodes, seconds: start.elapsed().as_secs_f64() };
    if args.json {
        let mut report = timing.json();
        report["positions"] = cases.len().into();
        report["checked"] = checked.into();
        report["skipped"] = skipped.into();
        report["failed"] = failures.clone().into();
        writeln!(out, "{report}")?;
    } else {
        let (positions, wrong) = (cases.len(), failures.len());
        writeln!(
            out,
            "{positions} positions, {checked} counts checked, {skipped} skipped, {wrong} wrong"
        )?;
        timing.print(out)?;
    }
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
