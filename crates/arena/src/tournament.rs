//! Plays the games of a schedule, several at a time.
//!
//! Each worker is a thread with engines of its own: it takes a pair of games, plays both, and sends each
//! when it is finished. Engines are reused for the next game unless they have failed.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chess::CastlingStyle;
use chess::pgn::TreeError;
use data::threads::lock;
use uci::{EngineError, EngineProcess, Log, OptionError, StartError, setoption};

use crate::game::play;
use crate::pgn::{self, Tags};
use crate::schedule::{Pair, Schedule, pair_of};
use crate::turn::Seat;
use crate::workers::{OpeningSource, run_workers};
use crate::{Book, EngineLimits, EngineSpec, GameRecord, Opening, OptionSetting, Rules};

/// How many engines a worker keeps; in a large tournament the others are started again when it is their
/// turn.
const MAX_IDLE_ENGINES: usize = 8;
/// How often a worker tries to start an engine.
const MAX_START_ATTEMPTS: u32 = 3;
/// The pause between these attempts.
const START_PAUSE: Duration = Duration::from_millis(200);

/// Why a match ends early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MatchError {
    /// An engine cannot be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// An engine does not accept an option.
    #[error("the engine {name}: {source}")]
    Option {
        /// The engine.
        name: String,
        /// Why.
        source: OptionError,
    },
    /// An engine has no option `UCI_Chess960`.
    #[error("the engine {0} does not play Chess960")]
    NoChess960(String),
    /// An engine fails after its options are set.
    #[error("the engine {name} failed after its options: {source}")]
    Setup {
        /// The engine.
        name: String,
        /// How.
        source: EngineError,
    },
    /// A thread cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    /// No memory or no thread to judge random openings.
    #[error("cannot generate an opening: not enough memory")]
    Opening,
    /// A game cannot be written as PGN.
    #[error(transparent)]
    Pgn(#[from] TreeError),
}

/// An engine and its limits.
#[derive(Clone, Debug)]
pub struct Contender {
    /// The engine.
    pub spec: EngineSpec,
    /// Its own limits, or those of the match.
    pub limits: EngineLimits,
}

/// A match between two or more engines.
pub struct Tournament {
    /// The engines.
    pub contenders: Vec<Contender>,
    /// Options for every engine that declares them.
    pub common_options: Vec<OptionSetting>,
    /// The openings.
    pub book: Book,
    /// The rules of all games.
    pub rules: Rules,
    /// The PGN tag `Event`; without it no PGN is made.
    pub event: Option<String>,
    /// Everything between the match and its engines.
    pub log: Log,
    /// Ends the match once it is set.
    pub stop: Arc<AtomicBool>,
}

/// A finished game.
pub struct FinishedGame {
    /// The record for the state file.
    pub record: GameRecord,
    /// The game as PGN.
    pub pgn: Option<String>,
}

/// A pair of games to play.
struct Job {
    pair: Pair,
    /// Which of the two games are to be played.
    open: [bool; 2],
    /// The opening of the other game, if that has been played.
    opening: Option<Opening>,
}

impl Tournament {
    /// Starts an engine and sets its options.
    pub fn start_engine(
        &self,
        contender: usize,
        label: String,
    ) -> Result<EngineProcess, MatchError> {
        let EngineSpec { name, program, settings, .. } = &self.contenders[contender].spec;
        let command = self.contenders[contender].spec.command().map_err(|source| {
            StartError::Spawn { name: name.clone(), program: program.clone(), source }
        })?;
        let timeout = self.rules.ready_timeout;
        let mut engine =
            EngineProcess::start(command, name, label, timeout, &self.log, &self.stop)?;
        let declared = self.common_options.iter().filter(|(name, _)| engine.option(name).is_some());
        let requested: Vec<&OptionSetting> = declared.chain(settings).collect();
        for (option, value) in &requested {
            let valid = engine.validate_option(option, value.as_deref());
            valid.map_err(|source| MatchError::Option { name: name.clone(), source })?;
        }
        let mut lines = Vec::new();
        // Engines never ponder here, and some allot less time with Ponder on. An explicit option comes
        // later and takes precedence.
        if engine.option("Ponder").is_some() {
            lines.push(setoption("Ponder", Some("false")));
        }
        lines.extend(requested.iter().map(|(option, value)| setoption(option, value.as_deref())));
        if self.rules.chess960 {
            if engine.option("UCI_Chess960").is_none() {
                return Err(MatchError::NoChess960(name.clone()));
            }
            lines.push(setoption("UCI_Chess960", Some("true")));
        }
        let ready = lines
            .iter()
            .try_for_each(|line| engine.send(line))
            .and_then(|()| engine.ready(timeout));
        match ready {
            Ok(_) => Ok(engine),
            Err(EngineError::Interrupted) => Err(StartError::Interrupted.into()),
            Err(source) => Err(MatchError::Setup { name: name.clone(), source }),
        }
    }

    /// Drops games that cannot be resumed: a game whose pair is incomplete and whose random opening is
    /// unknown is played again, since the other game must have the same opening.
    pub fn resumable(&self, mut records: Vec<GameRecord>) -> Vec<GameRecord> {
        if matches!(self.book, Book::Random { .. }) {
            let mut games_of_pair: HashMap<u32, u32> = HashMap::new();
            for record in &records {
                *games_of_pair.entry(pair_of(record.game)).or_default() += 1;
            }
            let is_complete = |record: &GameRecord| games_of_pair[&pair_of(record.game)] == 2;
            records.retain(|record| is_complete(record) || stored_opening(record).is_some());
        }
        records
    }

    /// Plays all games of the schedule but the finished ones, and calls `take` with each until it returns
    /// `false`. An error ends the match.
    pub fn run<E: From<MatchError>>(
        &self,
        schedule: &Schedule,
        finished: &[GameRecord],
        concurrency: usize,
        take: impl FnMut(FinishedGame) -> Result<bool, E>,
    ) -> Result<(), E> {
        let finished: HashMap<u32, &GameRecord> =
            finished.iter().map(|record| (record.game, record)).collect();
        let jobs = schedule.pairs().filter_map(|pair| {
            let records = pair.games().map(|(game, ..)| finished.get(&game));
            let opening = records.into_iter().flatten().find_map(|record| stored_opening(record));
            let open = records.map(|record| record.is_none());
            open.contains(&true).then_some(Job { pair, open, opening })
        });
        let jobs = Mutex::new(jobs);
        let worker = |number, results: &Sender<_>| {
            let openings = OpeningSource::new(&self.book);
            let worker = Worker { tournament: self, number, idle: Vec::new(), openings };
            worker.run(&jobs, results)
        };
        run_workers(concurrency, &self.stop, worker, take)
    }
}

/// The opening that a record stores.
fn stored_opening(record: &GameRecord) -> Option<Opening> {
    record.opening.as_deref().and_then(Opening::from_position_args)
}

struct Worker<'a> {
    tournament: &'a Tournament,
    number: usize,
    /// Engines without a game, the latest last.
    idle: Vec<(usize, EngineProcess)>,
    openings: OpeningSource<'a>,
}

impl Worker<'_> {
    fn run(
        mut self,
        jobs: &Mutex<impl Iterator<Item = Job>>,
        results: &Sender<Result<FinishedGame, MatchError>>,
    ) -> Result<(), MatchError> {
        loop {
            let next = lock(jobs).next();
            let Some(Job { pair, open, opening }) = next else { return Ok(()) };
            let opening = match opening {
                Some(opening) => opening,
                None => self.openings.opening(pair.opening)?,
            };
            for (game, open) in pair.games().into_iter().zip(open) {
                if !open {
                    continue;
                }
                if self.tournament.stop.load(Relaxed) {
                    return Ok(());
                }
                let Some(game) = self.game(&pair, game, &opening)? else { return Ok(()) };
                if results.send(Ok(game)).is_err() {
                    return Ok(());
                }
            }
        }
    }

    /// Plays a game; `None` if the match is interrupted.
    fn game(
        &mut self,
        pair: &Pair,
        (game, white, black): (u32, usize, usize),
        opening: &Opening,
    ) -> Result<Option<FinishedGame>, MatchError> {
        let tournament = self.tournament;
        let mut seats = [self.seat(white)?, self.seat(black)?];
        let start = Instant::now();
        let Some(played) = play(&mut seats, opening, &tournament.rules) else { return Ok(None) };
        let seconds = start.elapsed().as_secs_f64();
        let players = [white, black].map(|player| &tournament.contenders[player]);
        let time_control = players[0].limits.tc.filter(|_| players[0].limits == players[1].limits);
        let pgn = tournament.event.as_deref().map(|event| {
            let tags = Tags {
                event,
                round: format!("{}.{}", pair.number + 1, 2 - game % 2),
                white: &players[0].spec.name,
                black: &players[1].spec.name,
                time_control: time_control.map(|tc| tc.to_string()),
                chess960: tournament.rules.chess960,
            };
            pgn::text(&played, &tags)
        });
        let is_random = matches!(tournament.book, Book::Random { .. });
        let record = GameRecord {
            game,
            white,
            black,
            winner: played.winner,
            ending: played.ending,
            reason: played.reason.clone(),
            plies: played.game.len(),
            seconds,
            opening: is_random.then(|| opening.position_args(CastlingStyle::Chess960, true)),
            sides: [0, 1].map(|n: usize| seats[n].record.clone()),
        };
        for (seat, player) in seats.into_iter().zip([white, black]) {
            if seat.is_broken {
                seat.engine.kill();
            } else {
                self.idle.push((player, seat.engine));
            }
        }
        while self.idle.len() > MAX_IDLE_ENGINES {
            self.idle.remove(0);
        }
        Ok(Some(FinishedGame { record, pgn: pgn.transpose()? }))
    }

    /// An engine for the next game: an idle one, or a new process.
    fn seat(&mut self, player: usize) -> Result<Seat, MatchError> {
        let Contender { spec, limits } = &self.tournament.contenders[player];
        if let Some(at) = self.idle.iter().position(|&(other, _)| other == player) {
            return Ok(Seat::new(self.idle.remove(at).1, *limits));
        }
        let label = format!("{}/{}", spec.name, self.number + 1);
        let mut attempt = 1;
        loop {
            match self.tournament.start_engine(player, label.clone()) {
                Ok(engine) => return Ok(Seat::new(engine, *limits)),
                Err(error)
                    if attempt == MAX_START_ATTEMPTS || self.tournament.stop.load(Relaxed) =>
                {
                    return Err(error);
                }
                Err(_) => {
                    attempt += 1;
                    std::thread::sleep(START_PAUSE);
                }
            }
        }
    }
}
