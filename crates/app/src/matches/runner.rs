//! Plays the games of a schedule, several at a time.
//!
//! Each worker is a thread with engines of its own; it takes a pair of games, plays both, and hands
//! each in when it is finished. Engines stay for the next game, unless they failed in this one.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::declared;
use super::game::{Rules, play};
use super::limits::Limits;
use super::openings::Book;
use super::pgn_text::{self, Tags};
use super::record::GameRecord;
use super::schedule::Pair;
use super::spec::{EngineSpec, Setting};
use super::stop::Stop;
use super::turn::Seat;
use super::uci::{Engine, Log};

/// How many engines a worker keeps; those of a large tournament are started anew when it is their
/// turn again.
const KEPT_ENGINES: usize = 8;
/// How often we try to start an engine that has been started before.
const STARTS: u32 = 3;

/// An engine with all that holds for it.
#[derive(Clone, Debug)]
pub struct Player {
    pub spec: EngineSpec,
    pub limits: Limits,
}

/// All that workers need to know.
pub struct Plan {
    pub players: Vec<Player>,
    /// For all engines that have such an option.
    pub common: Vec<Setting>,
    pub book: Book,
    pub rules: Rules,
    pub event: String,
    pub wants_pgn: bool,
    pub log: Log,
    pub stop: Stop,
}

/// A pair of games, or what is left of it.
pub struct Job {
    pub pair: Pair,
    /// Which of the two are to be played.
    pub open: [bool; 2],
}

/// A finished game.
pub struct Finished {
    pub record: GameRecord,
    pub pgn: Option<String>,
}

impl Plan {
    /// Starts an engine and sets its options; an error is a line for people.
    pub fn start(&self, player: usize, label: String) -> anyhow::Result<Engine> {
        let Player { spec, .. } = &self.players[player];
        let patience = self.rules.ready_patience;
        let mut engine = Engine::start(spec, label, patience, &self.log, &self.stop)?;
        let complaint = || format!("the engine {}", spec.name);
        for setting in &spec.settings {
            engine.declared.check(setting).with_context(complaint)?;
        }
        let mut settings: Vec<Setting> = Vec::new();
        if engine.declared.has("Ponder") {
            // We never let engines think on their opponent's time, and they plan theirs better if
            // they know. What the user says comes later and wins.
            settings.push(("Ponder".to_owned(), Some("false".to_owned())));
        }
        for setting in self.common.iter().filter(|(name, _)| engine.declared.has(name)) {
            engine.declared.check(setting).with_context(complaint)?;
            settings.push(setting.clone());
        }
        settings.extend(spec.settings.iter().cloned());
        if self.rules.chess960 {
            let has = engine.declared.has("UCI_Chess960");
            ensure!(has, "the engine {} does not play Chess960", spec.name);
            settings.push(("UCI_Chess960".to_owned(), Some("true".to_owned())));
        }
        let ready = settings
            .iter()
            .try_for_each(|setting| engine.send(&declared::command(setting)))
            .and_then(|()| engine.ready(patience));
        match ready {
            Ok(_) => Ok(engine),
            Err(trouble) => {
                anyhow::bail!("the engine {} failed after its options: {trouble}", spec.name)
            }
        }
    }
}

/// Plays all jobs, and calls `take` with each finished game until it says no. An error ends the match.
pub fn run(
    plan: &Plan,
    jobs: impl Iterator<Item = Job> + Send,
    concurrency: usize,
    mut take: impl FnMut(Finished) -> anyhow::Result<bool>,
) -> anyhow::Result<()> {
    let jobs = Mutex::new(jobs);
    std::thread::scope(|scope| {
        let (sender, finished) = channel();
        for worker in 0..concurrency {
            let (sender, jobs) = (sender.clone(), &jobs);
            let run = move || {
                let outcome = Worker { plan, number: worker, idle: Vec::new() }.run(jobs, &sender);
                if let Err(error) = outcome {
                    plan.stop.set();
                    let _ = sender.send(Err(error));
                }
            };
            if let Err(error) = ::data::threads::spawn(scope, run) {
                plan.stop.set();
                return Err(error.into());
            }
        }
        drop(sender);
        let outcome = collect(&finished, &mut take, &plan.stop);
        plan.stop.set();
        outcome
    })
}

fn collect(
    finished: &Receiver<anyhow::Result<Finished>>,
    take: &mut impl FnMut(Finished) -> anyhow::Result<bool>,
    stop: &Stop,
) -> anyhow::Result<()> {
    for game in finished {
        if !take(game?)? {
            stop.set();
            break;
        }
    }
    Ok(())
}

struct Worker<'a> {
    plan: &'a Plan,
    number: usize,
    /// Engines without work, the latest last.
    idle: Vec<(usize, Engine)>,
}

impl Worker<'_> {
    fn run(
        mut self,
        jobs: &Mutex<impl Iterator<Item = Job>>,
        finished: &Sender<anyhow::Result<Finished>>,
    ) -> anyhow::Result<()> {
        loop {
            let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(job) = next else { return Ok(()) };
            let opening = self.plan.book.opening(job.pair.opening);
            for (game, open) in job.pair.games().into_iter().zip(job.open) {
                if !open {
                    continue;
                }
                if self.plan.stop.is_set() {
                    return Ok(());
                }
                let Some(game) = self.game(&job.pair, game, &opening)? else { return Ok(()) };
                if finished.send(Ok(game)).is_err() {
                    return Ok(());
                }
            }
        }
    }

    /// Plays a game; nothing if the match was stopped.
    fn game(
        &mut self,
        pair: &Pair,
        (game, white, black): (u32, usize, usize),
        opening: &super::openings::Opening,
    ) -> anyhow::Result<Option<Finished>> {
        let plan = self.plan;
        let mut seats = [self.seat(white)?, self.seat(black)?];
        let start = Instant::now();
        let Some(played) = play(&mut seats, opening, &plan.rules) else { return Ok(None) };
        let seconds = start.elapsed().as_secs_f64();
        let [white_player, black_player] = [white, black].map(|player| &plan.players[player]);
        let limits = [white_player, black_player].map(|player| player.limits);
        let tags = Tags {
            event: &plan.event,
            round: format!("{}.{}", pair.number + 1, 2 - game % 2),
            white: &white_player.spec.name,
            black: &black_player.spec.name,
            control: limits[0].clock.filter(|_| limits[0] == limits[1]).map(|tc| tc.to_string()),
            chess960: plan.rules.chess960,
        };
        let pgn = plan.wants_pgn.then(|| pgn_text::text(&played, &tags)).transpose()?;
        let sides = [0, 1].map(|n: usize| seats[n].report.clone());
        let record = GameRecord {
            game,
            white,
            black,
            winner: played.winner,
            ending: played.ending,
            reason: played.reason,
            plies: played.game.len(),
            seconds,
            sides,
        };
        for (seat, player) in seats.into_iter().zip([white, black]) {
            if seat.is_broken {
                seat.engine.kill();
            } else {
                self.idle.push((player, seat.engine));
            }
        }
        while self.idle.len() > KEPT_ENGINES {
            self.idle.remove(0);
        }
        Ok(Some(Finished { record, pgn }))
    }

    /// An engine at the board: one that has played before, or a new one.
    fn seat(&mut self, player: usize) -> anyhow::Result<Seat> {
        let limits = self.plan.players[player].limits;
        if let Some(at) = self.idle.iter().position(|&(other, _)| other == player) {
            return Ok(Seat::new(self.idle.remove(at).1, limits));
        }
        let label = format!("{}/{}", self.plan.players[player].spec.name, self.number + 1);
        let mut tries = 1;
        loop {
            match self.plan.start(player, label.clone()) {
                Ok(engine) => return Ok(Seat::new(engine, limits)),
                Err(error) if tries == STARTS || self.plan.stop.is_set() => return Err(error),
                Err(_) => {
                    tries += 1;
                    std::thread::sleep(Duration::from_millis(200));
                }
            }
        }
    }
}
