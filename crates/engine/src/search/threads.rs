//! Starting threads for the search.
//!
//! A thread that starts when the address space is nearly used up aborts the process: its signal stack
//! and its first allocations cannot fail otherwise. So memory for its stack and some more is checked
//! before each start, and a failure is an error.

use std::io;
use std::sync::Mutex;
use std::thread::{Builder, scope};

use super::worker::WORKER_BYTES;
use crate::memory::is_available;

/// Enough for the deepest line in a debug build.
pub(crate) const STACK_BYTES: usize = 32 << 20;

/// Why there cannot be so many threads.
#[derive(Debug, thiserror::Error)]
pub enum ThreadError {
    /// Their stacks and histories do not fit.
    #[error("not enough memory for {0} threads")]
    OutOfMemory(usize),
    /// The system starts no more.
    #[error("thread {number} of {threads} cannot be started: {error}")]
    Refused {
        /// The first that could not be started, from 1.
        number: usize,
        /// How many were asked for.
        threads: usize,
        /// The reason.
        error: io::Error,
    },
}

/// Starts a thread with a stack for the search, if there is memory for one.
pub(crate) fn builder() -> io::Result<Builder> {
    if !is_available(STACK_BYTES) {
        return Err(io::Error::new(io::ErrorKind::OutOfMemory, "not enough memory for its stack"));
    }
    Ok(Builder::new().stack_size(STACK_BYTES))
}

/// Runs something with a stack that is deep enough for [`Engine::search`](super::Engine::search) in any
/// build. Gives nothing if no thread can be started.
pub fn with_deep_stack<T: Send>(run: impl FnOnce() -> T + Send) -> Option<T> {
    scope(|scope| builder().ok()?.spawn_scoped(scope, run).ok()?.join().ok())
}

/// Whether so many threads can search at once, of which `workers` have their memory already: starts all
/// and ends them at once.
pub(super) fn check(threads: usize, workers: usize) -> Result<(), ThreadError> {
    let new_workers = threads.saturating_sub(workers).saturating_mul(WORKER_BYTES);
    if !is_available(threads.saturating_mul(STACK_BYTES).saturating_add(new_workers)) {
        return Err(ThreadError::OutOfMemory(threads));
    }
    let gate = Mutex::new(());
    scope(|scope| {
        // None ends before the last has started.
        let _closed = gate.lock();
        for number in 1..=threads {
            builder()
                .and_then(|builder| builder.spawn_scoped(scope, || drop(gate.lock())))
                .map_err(|error| ThreadError::Refused { number, threads, error })?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_threads_than_any_memory_holds_are_refused() {
        assert!(check(4, 1).is_ok());
        for threads in [usize::MAX, usize::MAX / STACK_BYTES, 1 << 40] {
            assert!(matches!(check(threads, 1), Err(ThreadError::OutOfMemory(n)) if n == threads));
        }
    }
}
