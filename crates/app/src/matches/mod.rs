//! `tabiya match`: games between UCI engines.
//!
//! | | |
//! |---|---|
//! | `args`, `spec`, `limits` | what the command line says of the match, of engines, of time |
//! | `uci`, `declared`, `info` | an engine in another process, its options, what it says |
//! | `turn`, `game`, `adjudicate` | one move, one game, and when it is decided |
//! | `openings`, `balance`, `schedule` | where games begin, and who plays whom |
//! | `runner`, `stop` | several games at a time, until all are played |
//! | `record`, `state`, `pgn_text` | what is kept of a game |
//! | `stats`, `standings` | what the results are worth |
//! | `table`, `live`, `report` | how they are shown |

mod adjudicate;
mod args;
mod balance;
mod declared;
mod game;
mod info;
mod limits;
mod live;
mod openings;
mod pgn_text;
mod record;
mod report;
mod runner;
mod schedule;
mod spec;
mod standings;
mod state;
mod stats;
mod stop;
mod table;
mod turn;
mod uci;

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use self::adjudicate::Adjudicator;
use self::args::BookOrder;
pub use self::args::MatchArgs;
use self::game::Rules;
use self::limits::Limits;
use self::live::{Live, Pace};
use self::openings::Book;
use self::report::Report;
use self::runner::{Finished, Job, Plan, Player};
use self::schedule::Schedule;
use self::standings::Standings;
use self::state::State;
use self::stats::Verdict;
use self::stop::Stop;
use self::uci::Log;
use crate::words::count;
use crate::{Outcome, output};

/// The readiness of an engine is waited for this long, or as long as our patience if that is less.
const READY: Duration = Duration::from_secs(10);

pub fn run(mut args: MatchArgs, out: &mut dyn Write) -> Outcome {
    if args.sprt.is_some() && args.engines.len() != 2 {
        let text = "--sprt compares two engines; there are more\n";
        clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, text).exit();
    }
    spec::tell_apart(&mut args.engines)?;
    let outputs = [&args.pgn, &args.log, &args.state].into_iter().flatten().map(PathBuf::as_path);
    let outputs: Vec<&Path> = outputs.collect();
    for (n, output) in outputs.iter().enumerate() {
        ensure!(!outputs[..n].contains(output), "{} is two outputs", output.display());
        output::ensure_not_inputs([*output], outputs[..n].iter().copied())?;
    }
    output::ensure_not_inputs(outputs, args.openings.as_deref())?;
    let stop = Stop::default();
    stop.on_interrupt()?;
    let plan = plan(&args, &stop)?;
    let names: Vec<String> = args.engines.iter().map(|spec| spec.name.clone()).collect();
    // Every engine is started once before the first game: what is wrong with it is told now.
    let ids = (0..names.len())
        .map(|player| Ok(plan.start(player, names[player].clone())?.id.clone()))
        .collect::<anyhow::Result<Vec<String>>>()?;

    let games = args.games.unwrap_or(if args.sprt.is_some() { 40_000 } else { 100 });
    let schedule = Schedule::new(names.len(), args.gauntlet, games as usize / 2);
    ensure!(u32::try_from(schedule.games()).is_ok(), "more games than can be numbered");
    let mut standings = Standings::new(names.len());
    let (mut state, done) = match &args.state {
        Some(path) => {
            let (state, done) = State::open(path, &settings(&args, &plan))?;
            (Some(state), done)
        }
        None => (None, Vec::new()),
    };
    for record in &done {
        let known = record.white.max(record.black) < names.len();
        ensure!(known, "the state has a game between engines that there are not");
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
    let pace =
        Pace { planned: schedule.games(), resumed: done.len(), may_end_early: args.sprt.is_some() };
    let mut live = Live::new(pace)?;
    if !done.is_empty() {
        live.tell(&format!("resuming after {}", count(done.len(), "game")));
    }
    let played: HashSet<u32> = done.iter().map(|record| record.game).collect();
    let jobs = schedule.pairs().filter_map(|pair| {
        let open = pair.games().map(|(game, ..)| !played.contains(&game));
        open.contains(&true).then_some(Job { pair, open })
    });
    let mut outcome = Ok(());
    if !is_decided(&standings) {
        live.show(&standings, &names, &note(&standings));
        let take = |Finished { record, pgn: text }: Finished| {
            if let (Some(file), Some(text)) = (&mut pgn, text) {
                // One write, so that a kill leaves a whole game or none.
                let written = file.write_all(format!("{text}\n").as_bytes());
                written.context("cannot write the PGN file")?;
            }
            if let Some(state) = &mut state {
                state.add(&record)?;
            }
            standings.add(&record);
            live.tell_faults(&record, &names);
            live.show(&standings, &names, &note(&standings));
            Ok(!is_decided(&standings))
        };
        outcome = runner::run(&plan, jobs, args.concurrency.into(), take);
    }
    drop(live);

    let is_interrupted = stop.is_interrupted();
    let report = Report {
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
        out.write_all(report.text().as_bytes())?;
    }
    // Whatever ended the match early, what was played has been told.
    outcome?;
    if is_interrupted {
        let advice = if args.state.is_some() { "; the same command resumes" } else { "" };
        eprintln!("tabiya: interrupted{advice}");
        return Ok(crate::interrupt::exit_code());
    }
    Ok(if standings.has_faults() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// What the arguments mean.
fn plan(args: &MatchArgs, stop: &Stop) -> anyhow::Result<Plan> {
    let mut limits =
        Limits { clock: args.tc, movetime: args.movetime, nodes: args.nodes, depth: args.depth };
    if limits.is_empty() {
        limits.clock = Some("8+0.08".parse()?);
    }
    let players = args
        .engines
        .iter()
        .map(|spec| Player { spec: spec.clone(), limits: spec.limits.unwrap_or(limits) })
        .collect();
    let book = match &args.openings {
        Some(path) => {
            let shuffle = (args.order == BookOrder::Random).then_some(args.seed);
            let plies = args.plies.map(usize::from);
            Book::read(path, plies, shuffle, |complaint| eprintln!("tabiya: {complaint}"))?
        }
        None => Book::Random {
            seed: args.seed,
            plies: args.plies.unwrap_or(8).into(),
            chess960: args.chess960,
        },
    };
    let log = args
        .log
        .as_deref()
        .map(|path| File::create(path).with_context(|| format!("cannot write {}", path.display())))
        .transpose()?;
    Ok(Plan {
        players,
        common: args.options.clone(),
        book,
        rules: Rules {
            chess960: args.chess960,
            margin: Duration::from_millis(args.timemargin),
            patience: args.patience,
            ready_patience: args.patience.min(READY),
            max_moves: args.max_moves,
            adjudicator: Adjudicator::new(args.resign, args.draw),
        },
        event: args.event.clone(),
        wants_pgn: args.pgn.is_some(),
        log: Log::new(log),
        stop: stop.clone(),
    })
}

/// What must be the same when a match goes on: everything that its results depend on. The number of
/// games may grow.
fn settings(args: &MatchArgs, plan: &Plan) -> Value {
    let engine = |player: &Player| {
        let spec = &player.spec;
        json!({
            "name": spec.name, "program": spec.program, "args": spec.args,
            "options": spec.settings, "limits": player.limits.to_string(),
        })
    };
    json!({
        "engines": plan.players.iter().map(engine).collect::<Vec<Value>>(),
        "options": args.options,
        "gauntlet": args.gauntlet,
        "timemargin": args.timemargin,
        "openings": args.openings.as_ref().map(|path| path.display().to_string()),
        "openings_fingerprint": plan.book.fingerprint().to_string(),
        "plies": args.plies,
        "order": format!("{:?}", args.order).to_lowercase(),
        "seed": args.seed,
        "chess960": args.chess960,
        "resign": args.resign.map(|rule| format!("{rule:?}")),
        "draw": args.draw.map(|rule| format!("{rule:?}")),
        "max_moves": args.max_moves,
    })
}

fn open_to_append(path: &Path) -> anyhow::Result<File> {
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.with_context(|| format!("cannot write {}", path.display()))
}
