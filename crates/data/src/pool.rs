//! Threads that all do whatever is to be done next.
//!
//! Work comes in pieces from a [`Feed`], one at a time. Each piece is worked on by the thread that took
//! it, and what came of it is given to a [`Sink`] in the order of the pieces, whatever the number of
//! threads. The sink makes jobs of it, which threads do as soon as they are free, before they take
//! another piece; so there are never more pieces and jobs in memory than there are threads to use them,
//! times a few. With one thread everything happens in turn.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::threads::in_threads;
use crate::{DataError, Workers};

/// Where work comes from.
pub(crate) trait Feed: Send {
    /// A piece of it.
    type Item: Send;
    /// The next piece, unless there is no more.
    fn take(&mut self) -> Option<Self::Item>;
}

/// Something that takes long and needs nothing but itself.
pub(crate) trait Job: Send {
    /// What comes of it.
    type Done: Send;
    /// Does it.
    fn run(self) -> Result<Self::Done, DataError>;
}

/// Where results go.
pub(crate) trait Sink: Send {
    /// What comes of a piece.
    type Part: Send;
    /// What is to be done.
    type Job: Job;
    /// Takes a result; they come in order.
    fn merge(&mut self, part: Self::Part) -> Result<Vec<Self::Job>, DataError>;
    /// Takes what a job has done; they come in any order.
    fn finish(&mut self, done: <Self::Job as Job>::Done) -> Result<Vec<Self::Job>, DataError>;
    /// Everything has been merged.
    fn end(&mut self) -> Result<Vec<Self::Job>, DataError>;
    /// Whether no more is wanted.
    fn is_full(&self) -> bool {
        false
    }
}

struct State<S: Sink> {
    sink: S,
    /// Results that wait for those before them.
    parts: BTreeMap<usize, S::Part>,
    next: usize,
    jobs: VecDeque<S::Job>,
    /// Pieces taken and not merged.
    pieces: usize,
    /// Jobs being done.
    running: usize,
    is_over: bool,
    has_ended: bool,
    error: Option<DataError>,
}

struct Pool<'a, S: Sink> {
    state: &'a Mutex<State<S>>,
    changed: &'a Condvar,
}

/// Ends everything if its thread panics: otherwise the others would wait for it.
impl<S: Sink> Drop for Pool<'_, S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            lock(self.state).error.get_or_insert(DataError::Panicked);
            self.changed.notify_all();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes everything from the feed, works on it, and gives it to the sink, which is given back.
pub(crate) fn run<F: Feed, S: Sink>(
    workers: Workers<'_>,
    feed: F,
    work: impl Fn(F::Item) -> Result<S::Part, DataError> + Sync,
    sink: S,
) -> Result<S, DataError> {
    let feed = Mutex::new((feed, 0));
    let state = Mutex::new(State {
        sink,
        parts: BTreeMap::new(),
        next: 0,
        jobs: VecDeque::new(),
        pieces: 0,
        running: 0,
        is_over: false,
        has_ended: false,
        error: None,
    });
    let changed = Condvar::new();
    let room = 2 * workers.threads().get() + 1;
    in_threads(workers.threads(), || {
        let task = || {
            let pool = Pool { state: &state, changed: &changed };
            work_on(&pool, &feed, &work, (room, workers));
        };
        // The pool takes note of a panic, which becomes an error.
        let _ = catch_unwind(AssertUnwindSafe(task));
    })?;
    let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.error.map_or(Ok(state.sink), Err)
}

fn work_on<F: Feed, S: Sink>(
    pool: &Pool<'_, S>,
    feed: &Mutex<(F, usize)>,
    work: &impl Fn(F::Item) -> Result<S::Part, DataError>,
    (room, workers): (usize, Workers<'_>),
) {
    let mut state = lock(pool.state);
    while state.error.is_none() {
        if workers.are_stopped() && !state.has_ended {
            state.add(Err(DataError::Interrupted { resumes: true }));
            pool.changed.notify_all();
        } else if let Some(job) = state.jobs.pop_front() {
            state.running += 1;
            drop(state);
            let done = job.run();
            state = lock(pool.state);
            state.running -= 1;
            let jobs = done.and_then(|done| state.sink.finish(done));
            state.add(jobs);
            pool.changed.notify_all();
        } else if !state.is_over && state.pieces < room {
            state.pieces += 1;
            drop(state);
            let taken = {
                let mut feed = lock(feed);
                let (feed, number) = &mut *feed;
                feed.take().map(|item| {
                    *number += 1;
                    (*number - 1, item)
                })
            };
            let part = taken.map(|(number, item)| (number, work(item)));
            state = lock(pool.state);
            match part {
                Some((number, Ok(part))) => state.hand_in(number, part),
                Some((_, Err(error))) => state.add(Err(error)),
                None => {
                    state.is_over = true;
                    state.pieces -= 1;
                }
            }
            pool.changed.notify_all();
        } else if state.is_over && state.pieces == 0 && state.running == 0 {
            if state.has_ended {
                return;
            }
            state.has_ended = true;
            let jobs = state.sink.end();
            state.add(jobs);
            pool.changed.notify_all();
        } else {
            state = pool.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<S: Sink> State<S> {
    fn add(&mut self, jobs: Result<Vec<S::Job>, DataError>) {
        match jobs {
            Ok(jobs) => self.jobs.extend(jobs),
            // The first error counts: others follow from it.
            Err(error) => drop(self.error.get_or_insert(error)),
        }
    }

    fn hand_in(&mut self, number: usize, part: S::Part) {
        self.parts.insert(number, part);
        while let Some(part) = self.parts.remove(&self.next) {
            self.next += 1;
            self.pieces -= 1;
            if self.sink.is_full() || self.error.is_some() {
                continue;
            }
            let jobs = self.sink.merge(part);
            self.add(jobs);
            self.is_over |= self.sink.is_full();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZero;
    use std::sync::atomic::{AtomicBool, Ordering};

    struct Numbers(u64);

    impl Feed for Numbers {
        type Item = u64;
        fn take(&mut self) -> Option<u64> {
            self.0 = self.0.checked_sub(1)?;
            Some(self.0)
        }
    }

    struct Square(u64);

    impl Job for Square {
        type Done = u64;
        fn run(self) -> Result<u64, DataError> {
            match self.0 {
                77_777 => Err(DataError::Options("no".into())),
                88_888 => panic!("told to"),
                n => Ok(n * n),
            }
        }
    }

    #[derive(Default)]
    struct Sums {
        seen: Vec<u64>,
        squares: u64,
        ended: bool,
        limit: usize,
    }

    impl Sink for Sums {
        type Part = u64;
        type Job = Square;
        fn merge(&mut self, part: u64) -> Result<Vec<Square>, DataError> {
            self.seen.push(part);
            Ok(vec![Square(part)])
        }
        fn finish(&mut self, done: u64) -> Result<Vec<Square>, DataError> {
            self.squares += done;
            Ok(Vec::new())
        }
        fn end(&mut self) -> Result<Vec<Square>, DataError> {
            assert!(!self.ended);
            self.ended = true;
            Ok(vec![Square(1_000)])
        }
        fn is_full(&self) -> bool {
            self.limit > 0 && self.seen.len() == self.limit
        }
    }

    fn threads(n: usize) -> Workers<'static> {
        NonZero::new(n).unwrap().into()
    }

    #[test]
    fn everything_is_merged_in_order_and_every_job_is_done_whatever_the_threads() {
        for n in [1, 2, 5] {
            let sink = run(threads(n), Numbers(500), |n| Ok(n * 2), Sums::default()).unwrap();
            let expected: Vec<u64> = (0..500).rev().map(|n| 2 * n).collect();
            assert_eq!(sink.seen, expected);
            assert_eq!(sink.squares, expected.iter().map(|n| n * n).sum::<u64>() + 1_000_000);
            let limited = Sums { limit: 7, ..Sums::default() };
            let sink = run(threads(n), Numbers(500), Ok, limited).unwrap();
            assert_eq!((sink.seen.len(), sink.ended), (7, true));
        }
    }

    #[test]
    fn an_error_of_a_job_ends_it_all_and_so_does_a_panic() {
        for n in [1, 3] {
            let result = run(threads(n), Numbers(90), |n| Ok(n + 77_700), Sums::default());
            assert!(matches!(result, Err(DataError::Options(_))));
        }
        let result = run(threads(3), Numbers(90), |n| Ok(n + 88_800), Sums::default());
        assert!(matches!(result, Err(DataError::Panicked)));
    }

    #[test]
    fn a_flag_stops_the_work_wherever_it_is() {
        for (n, at) in [(1, 0), (1, 250), (3, 250), (3, 499)] {
            let stop = AtomicBool::new(at == 0);
            let work = |n| {
                stop.fetch_or(n == 499 - at, Ordering::Relaxed);
                Ok(n)
            };
            let result = run(threads(n).until(&stop), Numbers(500), work, Sums::default());
            assert!(matches!(result, Err(DataError::Interrupted { resumes: true })), "{n} {at}");
        }
    }
}
