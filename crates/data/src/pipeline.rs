//! Ordered parallel pipeline.
//!
//! Worker threads pull items from an iterator one at a time, convert them in parallel and deliver the
//! results to a [`Sink`] in input order, whatever the number of threads. The sink may return tasks (sort a
//! run, encode a row group), which workers execute before they pull the next item. Back-pressure keeps
//! memory constant: at most `2 × threads + 1` items are in flight. The first error, a panic or the stop
//! flag of the [`Workers`] ends the run.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, PoisonError};

use crate::threads::{in_threads, lock};
use crate::{DataError, Workers};

/// Work that needs no shared state, executed by any worker.
pub(crate) type Task<D> = Box<dyn FnOnce() -> Result<D, DataError> + Send>;

/// New tasks of a sink.
pub(crate) type Tasks<D> = Result<Vec<Task<D>>, DataError>;

/// Consumes the results of a pipeline.
pub(crate) trait Sink: Send {
    /// Result of converting one item.
    type Item: Send;
    /// Result of a task.
    type Done: Send;

    /// Consumes a result; called in input order.
    fn consume(&mut self, item: Self::Item) -> Tasks<Self::Done>;

    /// Consumes the result of a task; called in order of completion.
    fn task_done(&mut self, _done: Self::Done) -> Tasks<Self::Done> {
        Ok(Vec::new())
    }

    /// Called once, after the last result has been consumed and all tasks are done.
    fn end(&mut self) -> Tasks<Self::Done> {
        Ok(Vec::new())
    }

    /// Whether the rest of the input is not needed.
    fn is_full(&self) -> bool {
        false
    }
}

struct State<S: Sink> {
    sink: S,
    /// Results waiting for earlier ones.
    pending: BTreeMap<usize, S::Item>,
    /// Index of the next result to consume.
    next: usize,
    tasks: VecDeque<Task<S::Done>>,
    /// Items pulled and not yet consumed.
    in_flight: usize,
    running_tasks: usize,
    input_ended: bool,
    sink_ended: bool,
    error: Option<DataError>,
}

impl<S: Sink> State<S> {
    fn schedule(&mut self, tasks: Tasks<S::Done>) {
        match tasks {
            Ok(tasks) => self.tasks.extend(tasks),
            Err(error) => self.fail(error),
        }
    }

    /// Keeps the first error: later ones follow from it.
    fn fail(&mut self, error: DataError) {
        self.error.get_or_insert(error);
    }

    /// Stores a result and consumes all whose turn it is.
    fn deliver(&mut self, index: usize, item: S::Item) {
        self.pending.insert(index, item);
        while let Some(item) = self.pending.remove(&self.next) {
            self.next += 1;
            self.in_flight -= 1;
            if self.sink.is_full() || self.error.is_some() {
                continue;
            }
            let tasks = self.sink.consume(item);
            self.schedule(tasks);
            self.input_ended |= self.sink.is_full();
        }
    }
}

/// What the workers share.
struct Shared<'a, I, S: Sink, F> {
    /// The input and the index of its next item.
    items: Mutex<(I, usize)>,
    convert: F,
    state: Mutex<State<S>>,
    changed: Condvar,
    max_in_flight: usize,
    workers: Workers<'a>,
}

/// Pulls all items, converts them and delivers the results to the sink, which is returned.
pub(crate) fn run<I: Iterator + Send, S: Sink>(
    workers: Workers<'_>,
    items: I,
    convert: impl Fn(I::Item) -> Result<S::Item, DataError> + Sync,
    sink: S,
) -> Result<S, DataError> {
    let state = State {
        sink,
        pending: BTreeMap::new(),
        next: 0,
        tasks: VecDeque::new(),
        in_flight: 0,
        running_tasks: 0,
        input_ended: false,
        sink_ended: false,
        error: None,
    };
    let shared = Shared {
        items: Mutex::new((items, 0)),
        convert,
        state: Mutex::new(state),
        changed: Condvar::new(),
        max_in_flight: 2 * workers.threads().get() + 1,
        workers,
    };
    in_threads(workers.threads(), || {
        if catch_unwind(AssertUnwindSafe(|| shared.work())).is_err() {
            // Otherwise the others would wait for the result of this worker.
            lock(&shared.state).fail(DataError::Panicked);
            shared.changed.notify_all();
        }
    })?;
    let state = shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.error.map_or(Ok(state.sink), Err)
}

/// Converts items in parallel; `consume` receives the results in input order.
pub(crate) fn for_each<I: Iterator + Send, T: Send>(
    workers: Workers<'_>,
    items: I,
    convert: impl Fn(I::Item) -> Result<T, DataError> + Sync,
    consume: impl FnMut(T) + Send,
) -> Result<(), DataError> {
    struct Consumer<'a, T>(Box<dyn FnMut(T) + Send + 'a>);

    impl<T: Send> Sink for Consumer<'_, T> {
        type Item = T;
        type Done = ();

        fn consume(&mut self, item: T) -> Tasks<()> {
            (self.0)(item);
            Ok(Vec::new())
        }
    }

    run(workers, items, convert, Consumer(Box::new(consume))).map(drop)
}

impl<I: Iterator, S: Sink, F> Shared<'_, I, S, F>
where
    F: Fn(I::Item) -> Result<S::Item, DataError>,
{
    /// The loop of a worker. Tasks come first, then input, then waiting.
    fn work(&self) {
        let mut state = lock(&self.state);
        while state.error.is_none() {
            if self.workers.are_stopped() && !state.sink_ended {
                state.fail(DataError::Interrupted { resumes: true });
            } else if let Some(task) = state.tasks.pop_front() {
                state.running_tasks += 1;
                drop(state);
                let done = task();
                state = lock(&self.state);
                state.running_tasks -= 1;
                let tasks = done.and_then(|done| state.sink.task_done(done));
                state.schedule(tasks);
            } else if !state.input_ended && state.in_flight < self.max_in_flight {
                state.in_flight += 1;
                drop(state);
                let converted = self.pull().map(|(index, item)| (index, (self.convert)(item)));
                state = lock(&self.state);
                match converted {
                    Some((index, Ok(item))) => state.deliver(index, item),
                    Some((_, Err(error))) => state.fail(error),
                    None => {
                        state.input_ended = true;
                        state.in_flight -= 1;
                    }
                }
            } else if state.input_ended && state.in_flight == 0 && state.running_tasks == 0 {
                if state.sink_ended {
                    return;
                }
                state.sink_ended = true;
                let tasks = state.sink.end();
                state.schedule(tasks);
            } else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            self.changed.notify_all();
        }
    }

    fn pull(&self) -> Option<(usize, I::Item)> {
        let (items, next) = &mut *lock(&self.items);
        let item = items.next()?;
        *next += 1;
        Some((*next - 1, item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZero;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn square(n: u64) -> Task<u64> {
        Box::new(move || match n {
            77_777 => Err(DataError::Options("no".into())),
            88_888 => panic!("a task panics"),
            n => Ok(n * n),
        })
    }

    #[derive(Default)]
    struct Sums {
        seen: Vec<u64>,
        squares: u64,
        ended: bool,
        limit: usize,
    }

    impl Sink for Sums {
        type Item = u64;
        type Done = u64;

        fn consume(&mut self, item: u64) -> Tasks<u64> {
            self.seen.push(item);
            Ok(vec![square(item)])
        }

        fn task_done(&mut self, done: u64) -> Tasks<u64> {
            self.squares += done;
            Ok(Vec::new())
        }

        fn end(&mut self) -> Tasks<u64> {
            assert!(!self.ended);
            self.ended = true;
            Ok(vec![square(1_000)])
        }

        fn is_full(&self) -> bool {
            self.limit > 0 && self.seen.len() == self.limit
        }
    }

    fn threads(n: usize) -> Workers<'static> {
        NonZero::new(n).unwrap().into()
    }

    #[test]
    fn results_arrive_in_order_and_every_task_runs_with_any_number_of_threads() {
        for n in [1, 2, 5] {
            let sink = run(threads(n), (0..500).rev(), |n| Ok(n * 2), Sums::default()).unwrap();
            let expected: Vec<u64> = (0..500).rev().map(|n| 2 * n).collect();
            assert_eq!(sink.seen, expected);
            assert_eq!(sink.squares, expected.iter().map(|n| n * n).sum::<u64>() + 1_000_000);
            let limited = Sums { limit: 7, ..Sums::default() };
            let sink = run(threads(n), (0..500).rev(), Ok, limited).unwrap();
            assert_eq!((sink.seen.len(), sink.ended), (7, true));
        }
    }

    #[test]
    fn the_error_or_panic_of_a_task_ends_the_run() {
        for n in [1, 3] {
            let result = run(threads(n), (0..90).rev(), |n| Ok(n + 77_700), Sums::default());
            assert!(matches!(result, Err(DataError::Options(_))));
        }
        let result = run(threads(3), (0..90).rev(), |n| Ok(n + 88_800), Sums::default());
        assert!(matches!(result, Err(DataError::Panicked)));
    }

    #[test]
    fn the_stop_flag_ends_the_run_at_any_item() {
        for (n, at) in [(1, 0), (1, 250), (3, 250), (3, 499)] {
            let stop = AtomicBool::new(at == 0);
            let convert = |n| {
                stop.fetch_or(n == 499 - at, Ordering::Relaxed);
                Ok(n)
            };
            let result = run(threads(n).until(&stop), (0..500).rev(), convert, Sums::default());
            assert!(matches!(result, Err(DataError::Interrupted { resumes: true })), "{n} {at}");
        }
    }
}
