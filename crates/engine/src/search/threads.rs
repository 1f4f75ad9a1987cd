//! Starting threads for the search.
//!
//! A thread that starts when the address space is nearly used up aborts the process: its signal stack
//! and its first allocations cannot fail otherwise. So memory for its stack and some more is checked
//! before each start, and a failure is an error.

use std::hint::black_box;
use std::io;
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;
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

/// What must be left when threads or a table are asked for, so that a search finds what it needs later.
pub(super) const SPARE: usize = 32 << 20;

/// Starts a thread with a stack for the search, if there is memory for one.
pub(crate) fn builder() -> io::Result<Builder> {
    builder_sparing(0)
}

fn builder_sparing(spare: usize) -> io::Result<Builder> {
    if !is_available(STACK_BYTES + spare) {
        return Err(io::Error::new(io::ErrorKind::OutOfMemory, "not enough memory for its stack"));
    }
    Ok(Builder::new().stack_size(STACK_BYTES))
}

/// Runs something with a stack that is deep enough for [`Engine::search`](super::Engine::search) in any
/// build. Gives nothing if no thread can be started.
pub fn with_deep_stack<T: Send>(run: impl FnOnce() -> T + Send) -> Option<T> {
    scope(|scope| builder().ok()?.spawn_scoped(scope, run).ok()?.join().ok())
}

/// Whether there is memory for the stacks of so many threads and for so many new workers.
pub(super) fn check_memory(threads: usize, new_workers: usize) -> Result<(), ThreadError> {
    let workers = new_workers.saturating_mul(WORKER_BYTES).saturating_add(SPARE);
    let bytes = threads.saturating_mul(STACK_BYTES).saturating_add(workers);
    if is_available(bytes) { Ok(()) } else { Err(ThreadError::OutOfMemory(threads)) }
}

/// Whether so many threads can be there at once: starts all and ends them.
pub(super) fn try_out(threads: usize) -> Result<(), ThreadError> {
    let gate = Mutex::new(());
    let (allocated, all_allocated) = sync_channel(threads);
    scope(|scope| {
        // None ends before the last has started.
        let _closed = gate.lock();
        for number in 1..=threads {
            let (gate, allocated) = (&gate, allocated.clone());
            let wait = move || {
                // An allocator may reserve address space when a thread first asks it for memory.
                drop(black_box(Box::new([0u8; 4096])));
                let _ = allocated.send(());
                drop(gate.lock());
            };
            builder_sparing(SPARE)
                .and_then(|builder| builder.spawn_scoped(scope, wait))
                .map_err(|error| ThreadError::Refused { number, threads, error })?;
        }
        for _ in 0..threads {
            let _ = all_allocated.recv();
        }
        if is_available(SPARE) { Ok(()) } else { Err(ThreadError::OutOfMemory(threads)) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_threads_than_any_memory_holds_are_refused() {
        assert!(check_memory(4, 3).is_ok() && try_out(4).is_ok());
        for threads in [usize::MAX, usize::MAX / STACK_BYTES, 1 << 40] {
            let error = check_memory(threads, 1).expect_err("too many");
            assert!(matches!(error, ThreadError::OutOfMemory(n) if n == threads), "{error}");
        }
    }
}
