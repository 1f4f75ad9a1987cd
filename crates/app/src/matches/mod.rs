//! `tabiya match`: games between UCI engines.
//!
//! | | |
//! |---|---|
//! | `spec`, `limits` | what the command line says of engines and of time |
//! | `uci`, `declared`, `info` | an engine in another process, its options, what it says |
//! | `game`, `adjudicate` | one game, and when it is decided |
//! | `openings`, `balance`, `schedule` | where games begin, and who plays whom |
//! | `runner`, `stop` | several games at a time, until all are played |
//! | `record`, `state`, `pgn_text` | what is kept of a game |
//! | `stats`, `standings` | what the results are worth |
//! | `table`, `live`, `report` | how they are shown |

mod adjudicate;
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
mod uci;

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use self::adjudicate::{Adjudicator, Draw, Resign};
use self::game::Rules;
use self::limits::{Limits, TimeControl};
use self::live::Live;
use self::openings::Book;
use self::report::Report;
use self::runner::{Finished, Job, Plan, Player};
use self::schedule::Schedule;
use self::spec::{EngineSpec, Setting};
use self::standings::Standings;
use self::state::State;
use self::stats::{Sprt, Verdict};
use self::stop::Stop;
use self::uci::Log;
use crate::Outcome;

/// Play UCI engines against each other, and say what the results are worth
///
/// An ENGINE is a command, and behind semicolons what is special about it: a name, limits of its own
/// in place of those for all (tc, movetime, nodes, depth), and options of the engine:
///   "stockfish"
///   "stockfish; Skill Level=8; name=Stockfish 8"
///   "gnuchess --uci; Hash=16"
///   "./tabiya; name=old; nodes=20000"
/// 'self' is this very program. An option without a value is a button; 'option.NAME=…' is an option
/// of the engine even if NAME is one of the words above.
///
/// Every opening is played twice, with colors reversed. Error bars (95 %), LOS and SPRT come from
/// these pairs. A draw that could be claimed is a draw. Engines are asked 'isready' before each 'go';
/// the clock runs from 'go' to 'bestmove' as read. A move up to --timemargin late is still taken.
/// Games are played to their end unless --resign, --draw or --max-moves say otherwise.
///
/// Exit code 1 if an engine crashed, made an illegal move, lost on time, hung, sent a line (pv) that
/// cannot be played or a bestmove nobody asked for; if the match was interrupted; or if it failed.
///
/// Examples:
///   tabiya match self "gnuchess --uci" --tc 8+0.08 --games 200 --pgn games.pgn
///   tabiya match ./new ./old --nodes 20000 --sprt elo0=0,elo1=5 --concurrency 2
///   tabiya match self toga2 glaurung --gauntlet --openings book.epd --state match.jsonl
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub struct MatchArgs {
    /// The engines, two or more
    #[arg(required = true, num_args = 2.., value_name = "ENGINE", value_parser = engine)]
    engines: Vec<EngineSpec>,

    /// Games between each two engines: an even number [default: 100, or 40000 with --sprt]
    #[arg(long, value_name = "N", value_parser = even)]
    games: Option<u32>,
    /// Games at the same time
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=512))]
    concurrency: u16,
    /// The first engine plays all others, which do not play each other
    #[arg(long)]
    gauntlet: bool,

    /// Time control in seconds: 8+0.08, 40/5, 40/5+0.1, 2:30+1 [default: 8+0.08 if there is no limit]
    #[arg(long, value_name = "TC", value_parser = time_control)]
    tc: Option<TimeControl>,
    /// Seconds for each move
    #[arg(long, value_name = "SECONDS", value_parser = positive_seconds)]
    movetime: Option<Duration>,
    /// Nodes for each move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Depth of each search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Milliseconds that a move may be late, for the noise of the machine
    #[arg(long, value_name = "MS", default_value_t = 10)]
    timemargin: u64,
    /// Seconds without an answer after which an engine without a clock counts as hanging
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = positive_seconds)]
    patience: Duration,
    /// An option for all engines that have it: Hash=16
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = spec::setting)]
    options: Vec<Setting>,

    /// Openings: games in PGN (also compressed), or positions in .epd or .fen [default: random moves
    /// that leave the position balanced, made from the seed]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// How many half-moves of an opening are played [default: 8 random ones, or all of a file's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=1000))]
    plies: Option<u16>,
    /// In which order the openings of a file are played
    #[arg(long, value_enum, default_value = "random")]
    order: BookOrder,
    /// The seed of openings and their order
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Play Chess960, from random starts unless there are openings
    #[arg(long)]
    chess960: bool,

    /// End games that both engines think decided: score (hundredths of a pawn), moves in a row; what
    /// is left out is as shown
    #[arg(long, value_name = "score=600,moves=4", value_parser = resign)]
    resign: Option<Resign>,
    /// End games that both engines think drawn: score at most, moves in a row, from which move on
    #[arg(long, value_name = "score=10,moves=8,from=40", value_parser = draw)]
    draw: Option<Draw>,
    /// Call games that reach this move drawn
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_moves: Option<u32>,
    /// Stop as soon as this sequential test is decided (two engines only)
    #[arg(long, value_name = "elo0=0,elo1=5,alpha=0.05,beta=0.05", value_parser = sprt)]
    sprt: Option<Sprt>,

    /// Append all games to this file
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// What the tag Event says
    #[arg(long, value_name = "TEXT", default_value = "tabiya match")]
    event: String,
    /// Keep finished games in this file, and go on from there if it exists
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Write all that is said between us and the engines to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum BookOrder {
    /// Shuffled by the seed
    Random,
    /// As they stand in the file
    Sequential,
}

/// The readiness of an engine is waited for this long, or as long as our patience if that is less.
const READY: Duration = Duration::from_secs(10);

pub fn run(mut args: MatchArgs, out: &mut dyn Write) -> Outcome {
    if args.sprt.is_some() && args.engines.len() != 2 {
        let text = "--sprt compares two engines; there are more\n";
        clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, text).exit();
    }
    spec::tell_apart(&mut args.engines)?;
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
    let mut live = Live::new(schedule.games(), done.len())?;
    if !done.is_empty() {
        live.tell(&format!("going on after {} games", done.len()));
    }
    let played: HashSet<u32> = done.iter().map(|record| record.game).collect();
    let jobs = schedule.pairs().filter_map(|pair| {
        let open = pair.games().map(|(game, ..)| !played.contains(&game));
        open.contains(&true).then_some(Job { pair, open })
    });
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
        runner::run(&plan, jobs, args.concurrency.into(), take)?;
    }
    drop(live);

    let is_interrupted = stop.is_interrupted();
    let report = Report {
        names: &names,
        ids: &ids,
        pairings: schedule.pairings(),
        standings: &standings,
        sprt: args.sprt,
        games: schedule.games(),
        seconds: start.elapsed().as_secs_f64(),
        is_interrupted,
    };
    if args.json {
        writeln!(out, "{}", report.json())?;
    } else {
        out.write_all(report.text().as_bytes())?;
    }
    let is_well = !standings.has_faults() && !is_interrupted;
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What the arguments mean.
fn plan(args: &MatchArgs, stop: &Stop) -> anyhow::Result<Plan> {
    let mut limits =
        Limits { clock: args.tc, movetime: args.movetime, nodes: args.nodes, depth: args.depth };
    if limits.is_empty() {
        limits.clock = Some(time_control("8+0.08").map_err(anyhow::Error::msg)?);
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

/// The parsers of arguments give their whole reason in one line.
fn told<T>(result: anyhow::Result<T>) -> Result<T, String> {
    result.map_err(|error| format!("{error:#}"))
}

fn engine(text: &str) -> Result<EngineSpec, String> {
    told(EngineSpec::parse(text))
}

fn time_control(text: &str) -> Result<TimeControl, String> {
    told(text.parse())
}

fn resign(text: &str) -> Result<Resign, String> {
    told(adjudicate::parse_resign(text))
}

fn draw(text: &str) -> Result<Draw, String> {
    told(adjudicate::parse_draw(text))
}

fn sprt(text: &str) -> Result<Sprt, String> {
    told(text.parse())
}

fn positive_seconds(text: &str) -> Result<Duration, String> {
    match told(limits::seconds(text))? {
        time if time >= Duration::from_millis(1) => Ok(time),
        _ => Err("less than a millisecond".to_owned()),
    }
}

fn even(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(games) if games > 0 && games % 2 == 0 && games <= 100_000_000 => Ok(games),
        _ => Err("the number of games must be even: every opening is played twice".to_owned()),
    }
}
