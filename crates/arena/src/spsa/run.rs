//! Plays the games of a tuning, several pairs at a time.
//!
//! A worker is a thread with two processes of the engine. It takes the next iteration with the values of that
//! moment, sets the options of both, plays a pair of games and sends the result. So with several workers an
//! update may come from values that are a few iterations old, which SPSA tolerates; with one worker the tuning
//! is determined by its seed, if games are.

use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Sender;

use chess::Color;
use data::threads::lock;
use uci::setoption;

use super::{GainSchedule, Trial, Tuning};
use crate::game::play;
use crate::turn::Seat;
use crate::workers::{OpeningSource, run_workers};
use crate::{EngineLimits, MatchError, Opening, Tournament};

/// A tuning of the first engine of a tournament.
pub struct Tuner<'a> {
    /// The engine with its limits, and the rules of games.
    pub tournament: &'a Tournament,
    /// The parameters.
    pub schedule: &'a GainSchedule,
}

/// A finished iteration.
#[derive(Clone, PartialEq, Debug)]
pub struct Iteration {
    /// The values of both engines.
    pub trial: Trial,
    /// Games that the first engine won, drew and lost.
    pub games: [u32; 3],
    /// Crashes, illegal moves, time losses and the like of both engines, in words.
    pub faults: Vec<String>,
}

/// Why a tuning ends early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// As in a match.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// The engine does not take a value of a parameter.
    #[error("the parameter {name}: {source}")]
    Parameter {
        /// The parameter.
        name: String,
        /// Why.
        source: uci::OptionError,
    },
    /// Two parameters are one option.
    #[error("the parameter {0} is there twice")]
    Twice(String),
}

/// What workers share: the next iteration and the current values.
struct Shared {
    next: u32,
    values: Vec<f64>,
}

impl Tuner<'_> {
    /// Starts the engine and checks that it has all parameters as options, with all of their range. Returns its
    /// name.
    pub fn check(&self) -> Result<String, TuneError> {
        let name = self.tournament.contenders[0].spec.name.clone();
        let engine = self.tournament.start_engine(0, name)?;
        for (n, parameter) in self.schedule.parameters.iter().enumerate() {
            let option = |name: &str| engine.option(name).map(|option| option.name.clone());
            let twin = |other: &super::Parameter| option(&other.name) == option(&parameter.name);
            if option(&parameter.name).is_some() && self.schedule.parameters[..n].iter().any(twin) {
                return Err(TuneError::Twice(parameter.name.clone()));
            }
            for value in [parameter.min, parameter.max] {
                let text = parameter.text(value);
                let valid = engine.validate_option(&parameter.name, Some(&text));
                let name = parameter.name.clone();
                valid.map_err(|source| TuneError::Parameter { name, source })?;
            }
        }
        Ok(engine.id.clone())
    }

    /// Runs all iterations that are left, and calls `take` with each once it is counted, until that returns
    /// `false` or the tournament is stopped.
    pub fn run<E: From<TuneError>>(
        &self,
        tuning: &mut Tuning,
        concurrency: usize,
        mut take: impl FnMut(&Tuning, &Iteration) -> Result<bool, E>,
    ) -> Result<(), E> {
        let values = tuning.values.clone();
        let shared = Mutex::new(Shared { next: tuning.iterations + 1, values });
        let worker = |number, results: &Sender<_>| {
            let openings = OpeningSource::new(&self.tournament.book);
            let worker = Worker { tuner: self, number, seats: [None, None], openings };
            worker.run(&shared, results)
        };
        run_workers(concurrency, &self.tournament.stop, worker, |iteration: Iteration| {
            let Iteration { trial, games, faults } = &iteration;
            tuning.add(self.schedule, trial, *games, faults.len() as u32);
            lock(&shared).values.clone_from(&tuning.values);
            take(tuning, &iteration)
        })
    }
}

struct Worker<'a> {
    tuner: &'a Tuner<'a>,
    number: usize,
    /// The two engines, once they are started.
    seats: [Option<Seat>; 2],
    openings: OpeningSource<'a>,
}

impl Worker<'_> {
    fn run(
        mut self,
        shared: &Mutex<Shared>,
        results: &Sender<Result<Iteration, TuneError>>,
    ) -> Result<(), TuneError> {
        let Tuner { tournament, schedule } = *self.tuner;
        loop {
            let trial = {
                let mut shared = lock(shared);
                if shared.next > schedule.iterations || tournament.stop.load(Relaxed) {
                    return Ok(());
                }
                let trial = schedule.trial(&shared.values, shared.next);
                shared.next += 1;
                trial
            };
            let opening = self.openings.opening(trial.iteration as usize - 1)?;
            let Some(iteration) = self.pair(trial, &opening)? else { return Ok(()) };
            if results.send(Ok(iteration)).is_err() {
                return Ok(());
            }
        }
    }

    /// Plays a pair of games; `None` if the tuning is interrupted.
    fn pair(&mut self, trial: Trial, opening: &Opening) -> Result<Option<Iteration>, TuneError> {
        let (mut games, mut faults) = ([0; 3], Vec::new());
        for first in Color::ALL {
            let [plus, minus] = [self.seat(0, &trial.plus)?, self.seat(1, &trial.minus)?];
            let mut seats = match first {
                Color::White => [plus, minus],
                Color::Black => [minus, plus],
            };
            let rules = &self.tuner.tournament.rules;
            let Some(played) = play(&mut seats, opening, rules) else { return Ok(None) };
            games[match played.winner {
                Some(winner) if winner == first => 0,
                None => 1,
                Some(_) => 2,
            }] += 1;
            for (color, seat) in Color::ALL.into_iter().zip(seats) {
                let found = seat.record.faults.iter();
                faults.extend(found.map(|(fault, found)| format!("{fault}: {}", found.example)));
                let place = &mut self.seats[usize::from(color != first)];
                match seat.is_broken {
                    true => seat.engine.kill(),
                    false => *place = Some(seat),
                }
            }
        }
        Ok(Some(Iteration { trial, games, faults }))
    }

    /// One of the two engines with these values, and its clock as before the game.
    fn seat(&mut self, which: usize, values: &[f64]) -> Result<Seat, TuneError> {
        let Tuner { tournament, schedule } = *self.tuner;
        let limits: EngineLimits = tournament.contenders[0].limits;
        let mut engine = match self.seats[which].take() {
            Some(seat) => seat.engine,
            None => {
                let sign = ["+", "-"][which];
                tournament.start_engine(0, format!("{sign}/{}", self.number + 1))?
            }
        };
        for (parameter, &value) in schedule.parameters.iter().zip(values) {
            // An engine that is gone loses the game that begins.
            let _ = engine.send(&setoption(&parameter.name, Some(&parameter.text(value))));
        }
        Ok(Seat::new(engine, limits))
    }
}
