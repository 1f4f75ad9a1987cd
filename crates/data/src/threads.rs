//! Starting threads: a refusal by the system is an error, not a panic. [`Workers`] adds a stop flag.

use std::io;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle, scope};

/// The operating system refuses to start the requested number of threads.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {}: {cause}", if threads.get() == 1 { "a thread".to_owned() } else { format!("{threads} threads") })]
pub struct ThreadError {
    /// Requested number of threads.
    pub threads: NonZero<usize>,
    /// Error of the operating system.
    pub cause: io::Error,
}

/// Number of threads of a long job, and its stop flag.
///
/// ```
/// use tabiya_data::Workers;
/// use std::num::NonZero;
/// use std::sync::atomic::{AtomicBool, Ordering};
/// let stop = AtomicBool::new(false);
/// let workers = Workers::from(NonZero::<usize>::MIN).until(&stop);
/// assert!(!workers.are_stopped());
/// stop.store(true, Ordering::Relaxed);
/// assert!(workers.are_stopped());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Workers<'a> {
    threads: NonZero<usize>,
    stop: Option<&'a AtomicBool>,
}

impl From<NonZero<usize>> for Workers<'_> {
    /// Threads without a stop flag.
    fn from(threads: NonZero<usize>) -> Self {
        Self { threads, stop: None }
    }
}

impl<'a> Workers<'a> {
    /// Stops the job when this flag is set.
    #[must_use]
    pub const fn until(self, stop: &'a AtomicBool) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Number of threads.
    pub const fn threads(self) -> NonZero<usize> {
        self.threads
    }

    /// Whether the stop flag is set.
    pub fn are_stopped(self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Locks a mutex, a poisoned one too: for data that a panic of another thread leaves valid.
///
/// ```
/// use tabiya_data::threads::lock;
/// let counter = std::sync::Mutex::new(1);
/// *lock(&counter) += 1;
/// assert_eq!(*lock(&counter), 2);
/// ```
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a scoped thread.
pub fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    run: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, ThreadError> {
    let thread = Builder::new().spawn_scoped(scope, run);
    thread.map_err(|cause| ThreadError { threads: NonZero::<usize>::MIN, cause })
}

/// Runs a task on `threads` threads, the calling one included. If one of them cannot be started, the task
/// runs on none.
pub fn in_threads(threads: NonZero<usize>, task: impl Fn() + Sync) -> Result<(), ThreadError> {
    // Whether all threads have started; none until that is known.
    let (gate, opened) = (Mutex::new(None), Condvar::new());
    let wait_and_run = || {
        let mut all_started = lock(&gate);
        while all_started.is_none() {
            all_started = opened.wait(all_started).unwrap_or_else(PoisonError::into_inner);
        }
        let all_started = *all_started == Some(true);
        if all_started {
            task();
        }
    };
    scope(|scope| {
        let mut others = 1..threads.get();
        let started =
            others.try_for_each(|_| Builder::new().spawn_scoped(scope, wait_and_run).map(drop));
        *lock(&gate) = Some(started.is_ok());
        opened.notify_all();
        if started.is_ok() {
            task();
        }
        started.map_err(|cause| ThreadError { threads, cause })
    })
}

/// Maps items in parallel, one thread per item, the calling thread included. Results are in the order of
/// the items. If the system refuses threads, the ones that have started process all items. A panic in
/// `work` is returned as the error.
pub fn map<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> std::thread::Result<Vec<R>> {
    let items: Vec<T> = items.into_iter().collect();
    let threads = items.len();
    let queue = Mutex::new(items.into_iter().enumerate());
    let results = Mutex::new(Vec::with_capacity(threads));
    let run = || {
        loop {
            let next = lock(&queue).next();
            let Some((n, item)) = next else { return };
            let result = work(item);
            lock(&results).push((n, result));
        }
    };
    scope(|scope| {
        let spawn = |_| Builder::new().spawn_scoped(scope, run).ok();
        let others: Vec<_> = (1..threads).map_while(spawn).collect();
        let own = catch_unwind(AssertUnwindSafe(run));
        // Joins all threads, whichever of them panics.
        let ended: Vec<_> = others.into_iter().map(ScopedJoinHandle::join).collect();
        ended.into_iter().fold(own, std::thread::Result::and)
    })?;
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_unstable_by_key(|(n, _)| *n);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

/// [`map`], but resumes a panic of `work` in the calling thread.
pub fn map_or_panic<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    map(items, work).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn a_task_runs_once_on_each_thread() {
        for threads in [1, 2, 7] {
            let runs = AtomicUsize::new(0);
            let threads = NonZero::new(threads).unwrap();
            let run = || {
                runs.fetch_add(1, Ordering::Relaxed);
            };
            in_threads(threads, run).unwrap();
            assert_eq!(runs.into_inner(), threads.get());
        }
    }

    #[test]
    fn a_mutex_that_a_panic_has_poisoned_is_locked() {
        let mutex = Mutex::new(7);
        let panicked = map([(), ()], |()| {
            let _guard = lock(&mutex);
            panic!("with the lock");
        });
        assert!(panicked.is_err() && mutex.is_poisoned());
        assert_eq!(*lock(&mutex), 7);
    }

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for count in [0, 1, 2, 40] {
            let mut items: Vec<usize> = (0..count).collect();
            let found = map(items.iter_mut(), |item| {
                *item += 1;
                *item * *item
            });
            assert_eq!(found.unwrap(), (1..=count).map(|n| n * n).collect::<Vec<_>>());
        }
        assert!(map([1, 2, 3], |n| assert!(n != 3)).is_err());
    }
}
