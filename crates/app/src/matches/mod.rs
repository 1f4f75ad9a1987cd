//! `tabiya match`: arguments, terminal output and wiring of the crate `arena`.

mod args;
mod games;
mod live;

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use anyhow::{Context, ensure};
use arena::{
    FinishedGame, MatchReport, Pace, Schedule, Standings, State, Verdict, make_names_unique, table,
};
use layout::count;

pub use self::args::{GameArgs, MatchArgs};
use self::live::Live;
use crate::{Outcome, interrupt, output};

/// Runs the command.
pub fn run(mut args: MatchArgs, out: &mut dyn Write) -> Outcome {
    if args.sprt.is_some() && args.engines.len() != 2 {
        let text = "--sprt compares two engines; there are more\n";
        clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, text).exit();
    }
    make_names_unique(&mut args.engines)?;
    check_outputs(&args)?;
    // On the second Ctrl-C the process exits at once; engines then find their input closed.
    let stop = Arc::new(AtomicBool::new(false));
    let stop_on_interrupt = Arc::clone(&stop);
    let interrupted = interrupt::listen(move || stop_on_interrupt.store(true, Relaxed))?;
    let event = args.pgn.is_some().then(|| args.event.clone());
    let tournament = args.rules.tournament(&args.engines, event, stop)?;
    let names: Vec<String> = args.engines.iter().map(|spec| spec.name.clone()).collect();
    // Every engine is started once before the first game, so that errors come early.
    let ids = (0..names.len())
        .map(|engine| Ok(tournament.start_engine(engine, names[engine].clone())?.id.clone()))
        .collect::<anyhow::Result<Vec<String>>>()?;

    let games = args.games.unwrap_or(if args.sprt.is_some() { 40_000 } else { 100 });
    let schedule = Schedule::new(names.len(), args.gauntlet, games as usize / 2);
    ensure!(u32::try_from(schedule.games()).is_ok(), "too many games");
    let mut standings = Standings::new(names.len());
    let (mut state, finished) = match &args.state {
        Some(path) => {
            // The number of games may grow.
            let mut settings = args.rules.settings(&tournament);
            settings["gauntlet"] = args.gauntlet.into();
            let (state, finished) = State::open(path, &settings)?;
            (Some(state), tournament.resumable(finished))
        }
        None => (None, Vec::new()),
    };
    for record in &finished {
        let is_known = record.white.max(record.black) < names.len();
        ensure!(is_known, "the state has a game of an engine that is not in the match");
        standings.add(record);
    }
    let mut pgn = args.pgn.as_deref().map(open_to_append).transpose()?;

    let test = args.sprt.map(|test| (test, schedule.pairings()[0]));
    let is_decided = |standings: &Standings| {
        test.is_some_and(|(test, pairing)| {
            test.verdict(&standings.pairing(pairing).pairs) != Verdict::Open
        })
    };
    let note = |standings: &Standings| {
        test.map_or(String::new(), |(test, pairing)| {
            table::sprt(&test, &standings.pairing(pairing))
        })
    };
    let start = Instant::now();
    let resumed = finished.len();
    let pace = Pace { planned: schedule.games(), resumed, may_end_early: args.sprt.is_some() };
    let mut live = Live::new(pace);
    if resumed > 0 {
        live.print(&format!("resuming after {}", count(resumed, "game")));
    }
    let mut outcome = Ok(());
    if !is_decided(&standings) {
        live.show(&standings, &names, &note(&standings));
        outcome = tournament.run(&schedule, &finished, args.concurrency.into(), |game| {
            let FinishedGame { record, pgn: text } = game;
            if let (Some(file), Some(text)) = (&mut pgn, text) {
                // One write: a kill leaves a complete game or none.
                let written = file.write_all(format!("{text}\n").as_bytes());
                written.context("cannot write the PGN file")?;
            }
            if let Some(state) = &mut state {
                state.add(&record)?;
            }
            standings.add(&record);
            live.print_faults(&record, &names);
            live.show(&standings, &names, &note(&standings));
            anyhow::Ok(!is_decided(&standings))
        });
    }
    drop(live);

    let is_interrupted = interrupted.load(Relaxed);
    let report = MatchReport {
        names: &names,
        ids: &ids,
        pairings: schedule.pairings(),
        standings: &standings,
        sprt: args.sprt,
        pace,
        time: start.elapsed(),
        is_interrupted,
    };
    if args.json {
        writeln!(out, "{}", report.json())?;
    } else {
        out.write_all(table::report(&report, layout::width()).as_bytes())?;
    }
    // Errors come after the report of the games that were played.
    outcome?;
    if is_interrupted {
        let advice = if args.state.is_some() { "; the same command resumes" } else { "" };
        eprintln!("tabiya: interrupted{advice}");
        return Ok(interrupt::exit_code());
    }
    Ok(if standings.has_faults() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Every output is a file of its own and not an input.
fn check_outputs(args: &MatchArgs) -> anyhow::Result<()> {
    let outputs =
        [&args.pgn, &args.rules.log, &args.state].into_iter().flatten().map(PathBuf::as_path);
    let outputs: Vec<&Path> = outputs.collect();
    for (n, output) in outputs.iter().enumerate() {
        ensure!(!outputs[..n].contains(output), "{} is two outputs", output.display());
        output::ensure_not_inputs([*output], outputs[..n].iter().copied())?;
    }
    output::ensure_not_inputs(outputs, args.rules.openings.as_deref())
}

fn open_to_append(path: &Path) -> anyhow::Result<File> {
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.with_context(|| format!("cannot write {}", path.display()))
}
