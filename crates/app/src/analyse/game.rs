//! The games of a file, one after the other.

use std::io::{IsTerminal, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, anyhow, ensure};
use chess::pgn::{GameTree, read_trees};
use data::{Input, OutputFile};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::study::study;
use super::thinker::Thinker;
use super::{AnalyseArgs, annotate, graph, report};
use crate::{Outcome, interrupt, output};

const DEFAULT_TIME: Duration = Duration::from_millis(300);
/// Larger files hold more games than anyone could have analysed.
const LARGEST: u64 = 256 << 20;

/// A game as it was read: all of it, or what comes before an error.
struct Source {
    /// A text that could not be read is in a comment after the last move that could.
    tree: GameTree,
    problem: Option<String>,
}

pub fn run(args: &AnalyseArgs, path: &Path, out: &mut dyn Write) -> Outcome {
    let outputs = [&args.svg, &args.annotate].into_iter().flatten();
    output::ensure_not_inputs(outputs.map(|path| path.as_path()), [path])?;
    let games = read(path, args.game)?;
    ensure!(!games.is_empty(), "{}: there are no games to analyse", path.display());
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
    let mut thinker = Thinker::new(args)?;
    let mut as_json: Vec<Value> = Vec::new();
    let count = games.len();
    let mut analysed = 0;
    for Source { tree, problem } in games {
        if thinker.interrupted() {
            // The games that are left are kept as they are.
            if let Some(file) = &mut annotated {
                writeln!(file, "{tree}")?;
            }
            continue;
        }
        let bar = progress(tree.main_line().count() as u64 + 1, args.json);
        let mut study = study(tree, &mut thinker, &limits, || bar.inc(1))?;
        bar.finish_and_clear();
        study.problem = problem;
        if args.json {
            as_json.push(report::as_json(&study));
        } else {
            if analysed > 0 {
                writeln!(out)?;
            }
            report::write(&study, out)?;
            out.flush()?;
        }
        if let Some(path) = &args.svg {
            output::write(path, graph::draw(&study))?;
        }
        if let Some(file) = &mut annotated {
            writeln!(file, "{}", annotate::annotated(&study)?)?;
        }
        analysed += usize::from(!study.stopped);
    }
    if let Some(file) = annotated {
        file.finish()?;
    }
    if args.json {
        writeln!(out, "{}", json!({ "games": as_json }))?;
    }
    if thinker.interrupted() && analysed < count {
        out.flush()?;
        let rest = if args.annotate.is_some() { "; the rest is written as it was" } else { "" };
        eprintln!("tabiya: interrupted: {analysed} of {count} games were analysed{rest}");
        return Ok(interrupt::exit_code());
    }
    Ok(if broken { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The games of a file, or the one that is wanted.
fn read(path: &Path, wanted: Option<u32>) -> anyhow::Result<Vec<Source>> {
    let mut text = Vec::new();
    // Its message has its cause in it.
    let input = Input::open(path).map_err(|error| anyhow!("{error}"))?;
    let name = input.name().to_owned();
    input
        .take(LARGEST + 1)
        .read_to_end(&mut text)
        .with_context(|| format!("cannot read {name}"))?;
    ensure!(text.len() as u64 <= LARGEST, "{name} is larger than {} MiB", LARGEST >> 20);
    let games = read_trees(&text);
    let count = games.len();
    if let Some(n) = wanted {
        ensure!(n as usize <= count, "{name} has {count} games, and no game {n}");
    }
    let (first, most) = wanted.map_or((0, count), |n| (n as usize - 1, 1));
    let games = games.into_iter().skip(first).take(most).map(|game| match game {
        Ok(tree) => Source { tree, problem: None },
        Err(broken) => {
            let problem = Some(broken.error.to_string());
            Source { tree: broken.with_unread(&text), problem }
        }
    });
    Ok(games.collect())
}

fn progress(moves: u64, quiet: bool) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(moves);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} positions, {eta} left")
    {
        bar.set_style(style);
    }
    bar
}
