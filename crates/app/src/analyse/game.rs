//! The games of a PGN file, one after the other.

use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, anyhow, ensure};
use chess::pgn::{GameTree, read_trees};
use data::{Input, OutputFile};
use engine::analysis::{GRAPH_TITLE_WIDTH, GameAnalysis, GameTable, annotate, evaluation_graph};
use indicatif::ProgressDrawTarget;
use serde_json::{Value, json};

use super::AnalyseArgs;
use crate::{Outcome, interrupt, output, progress};

const DEFAULT_TIME: Duration = Duration::from_millis(300);
/// Largest PGN file that is read.
const MAX_BYTES: u64 = 256 << 20;

/// A game of the file, up to its first syntax error.
struct ParsedGame {
    /// The unread text is in a comment after the last move.
    tree: GameTree,
    problem: Option<String>,
}

pub fn run(args: &AnalyseArgs, path: &Path, out: &mut dyn Write) -> Outcome {
    let outputs = [&args.svg, &args.annotate].into_iter().flatten();
    output::ensure_not_inputs(outputs.map(|path| path.as_path()), [path])?;
    let games = read(path, args.game)?;
    ensure!(!games.is_empty(), "{}: no games", path.display());
    ensure!(
        args.svg.is_none() || games.len() == 1,
        "--svg draws one game, and there are {}: choose one with --game N",
        games.len()
    );
    let mut broken = false;
    for problem in games.iter().filter_map(|game| game.problem.as_ref()) {
        broken = true;
        eprintln!("tabiya: {}: {problem}; analysed up to there", path.display());
    }
    let mut annotated = args.annotate.as_deref().map(OutputFile::create).transpose()?;
    let limits = args.limits(DEFAULT_TIME);
    let mut engine = args.engine()?;
    let mut as_json: Vec<Value> = Vec::new();
    let count = games.len();
    let mut analysed = 0;
    for ParsedGame { tree, problem } in games {
        if engine.is_stopped() {
            // The remaining games are copied unchanged.
            if let Some(file) = &mut annotated {
                writeln!(file, "{tree}")?;
            }
            continue;
        }
        let positions = tree.main_line().count() as u64 + 1;
        let bar = progress::bar(positions, "{wide_bar} {pos}/{len} positions, {eta} left");
        if args.json {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let mut analysis = GameAnalysis::run(tree, &mut engine, &limits, || bar.inc(1))?;
        drop(bar);
        analysis.problem = problem;
        if args.json {
            as_json.push(analysis.to_json());
        } else {
            if analysed > 0 {
                writeln!(out)?;
            }
            let (columns, color) = (layout::width(), layout::has_color());
            write!(out, "{}", GameTable { analysis: &analysis, columns, color })?;
            out.flush()?;
        }
        if let Some(path) = &args.svg {
            let title = layout::shorten(&analysis.title(), GRAPH_TITLE_WIDTH);
            output::write(path, evaluation_graph(&analysis, &title))?;
        }
        if let Some(file) = &mut annotated {
            writeln!(file, "{}", annotate(&analysis)?)?;
        }
        analysed += usize::from(!analysis.stopped);
    }
    if let Some(file) = annotated {
        file.finish()?;
    }
    if args.json {
        writeln!(out, "{}", json!({ "games": as_json }))?;
    }
    if engine.is_stopped() && analysed < count {
        out.flush()?;
        let rest = if args.annotate.is_some() { "; the rest is written as it was" } else { "" };
        eprintln!("tabiya: interrupted: {analysed} of {count} games were analysed{rest}");
        return Ok(interrupt::exit_code());
    }
    Ok(if broken { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// All games of a file, or game `wanted`, counted from 1.
fn read(path: &Path, wanted: Option<u32>) -> anyhow::Result<Vec<ParsedGame>> {
    let mut text = Vec::new();
    // The message contains its cause.
    let input = Input::open(path).map_err(|error| anyhow!("{error}"))?;
    let name = input.name().to_owned();
    input
        .take(MAX_BYTES + 1)
        .read_to_end(&mut text)
        .with_context(|| format!("cannot read {name}"))?;
    ensure!(text.len() as u64 <= MAX_BYTES, "{name} is larger than {} MiB", MAX_BYTES >> 20);
    let games = read_trees(&text);
    let count = games.len();
    if let Some(n) = wanted {
        ensure!(n as usize <= count, "{name} has {count} games, and no game {n}");
    }
    let (first, most) = wanted.map_or((0, count), |n| (n as usize - 1, 1));
    let games = games.into_iter().skip(first).take(most).map(|game| match game {
        Ok(tree) => ParsedGame { tree, problem: None },
        Err(broken) => {
            let problem = Some(broken.error.to_string());
            ParsedGame { tree: broken.with_unread(&text), problem }
        }
    });
    Ok(games.collect())
}
