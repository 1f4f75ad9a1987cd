//! The threads of a match or a tuning, and the openings that each generates for itself.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};

use engine::search::Engine;

use crate::{Book, MatchError, Opening};

/// The transposition table of the engine that judges random openings, in MiB.
const OPENING_HASH: usize = 1;

/// Runs workers, each with its number, in so many threads, and calls `take` with each result until it returns
/// `false`. An error of a worker, of `take` or of a thread that cannot be started ends the run and is returned.
/// `stop` is set at the end.
pub fn run_workers<T: Send, W: From<MatchError> + Send, E: From<W>>(
    concurrency: usize,
    stop: &AtomicBool,
    worker: impl Fn(usize, &Sender<Result<T, W>>) -> Result<(), W> + Sync,
    mut take: impl FnMut(T) -> Result<bool, E>,
) -> Result<(), E> {
    std::thread::scope(|scope| {
        let (sender, results) = channel();
        for number in 0..concurrency {
            let (sender, worker) = (sender.clone(), &worker);
            let run = move || {
                if let Err(error) = worker(number, &sender) {
                    stop.store(true, Relaxed);
                    let _ = sender.send(Err(error));
                }
            };
            if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, run) {
                stop.store(true, Relaxed);
                return Err(W::from(MatchError::Thread(error)).into());
            }
        }
        drop(sender);
        let mut outcome = Ok(());
        for result in results {
            match result.map_err(E::from).and_then(&mut take) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
        }
        stop.store(true, Relaxed);
        outcome
    })
}

/// The openings of a book for one worker.
pub struct OpeningSource<'a> {
    book: &'a Book,
    /// Judges the balance of random openings, from the first on.
    judge: Option<Engine>,
}

impl<'a> OpeningSource<'a> {
    pub const fn new(book: &'a Book) -> Self {
        Self { book, judge: None }
    }

    /// The opening of a pair of games.
    pub fn opening(&mut self, pair: usize) -> Result<Opening, MatchError> {
        let judge = match &mut self.judge {
            Some(judge) => judge,
            None => {
                let engine = Engine::new(OPENING_HASH).map_err(|_| MatchError::Opening)?;
                self.judge.insert(engine)
            }
        };
        self.book.opening(pair, judge).ok_or(MatchError::Opening)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs three workers without end, each of which sends its number; `take` gets the numbers.
    fn run(take: impl FnMut(usize) -> Result<bool, MatchError>) -> Result<(), MatchError> {
        let stop = AtomicBool::new(false);
        let worker = |number, results: &Sender<Result<usize, MatchError>>| {
            while results.send(Ok(number)).is_ok() {}
            Ok(())
        };
        let outcome = run_workers(3, &stop, worker, take);
        assert!(stop.into_inner());
        outcome
    }

    #[test]
    fn workers_run_until_no_more_results_are_taken() {
        let mut seen = [0; 3];
        let all = |number: usize| {
            seen[number] += 1;
            Ok(seen.contains(&0))
        };
        run(all).unwrap();
        assert!(!seen.contains(&0));
        assert!(matches!(run(|_| Err(MatchError::Opening)), Err(MatchError::Opening)));
    }

    #[test]
    fn an_error_of_a_worker_stops_the_others() {
        let stop = AtomicBool::new(false);
        let worker = |number, _: &Sender<Result<(), MatchError>>| {
            if number == 1 {
                return Err(MatchError::Opening);
            }
            while !stop.load(Relaxed) {
                std::thread::yield_now();
            }
            Ok(())
        };
        let outcome: Result<(), MatchError> = run_workers(3, &stop, worker, |()| Ok(true));
        assert!(matches!(outcome, Err(MatchError::Opening)));
    }
}
