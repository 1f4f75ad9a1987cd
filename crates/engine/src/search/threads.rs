//! Spawning search threads.
//!
//! A thread that starts with the address space nearly exhausted aborts the process: its signal stack and
//! its first allocations are infallible. So memory for its stack plus headroom is checked before each
//! spawn, and a failure is an error.

use std::hint::black_box;
use std::io;
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;
use std::thread::{Builder, scope};

use super::worker::WORKER_BYTES;
use crate::memory::is_available;

/// The stack size of a search thread: enough for the deepest line in a debug build.
pub(crate) const STACK_BYTES: usize = 32 << 20;

/// Why the search threads cannot be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThreadError {
    /// Their stacks and histories do not fit into memory.
    #[error("not enough memory for {0} threads")]
    OutOfMemory(usize),
    /// The system refuses to start a thread.
    #[error("thread {number} of {threads} cannot be started: {error}")]
    Refused {
        /// The first thread that could not be started, from 1.
        number: usize,
        /// The number requested.
        threads: usize,
        /// The reason.
        error: io::Error,
    },
}

/// Memory left free when threads or a table are allocated, for the allocations of a search.
pub(super) const SPARE: usize = 32 << 20;

/// A builder of search threads, if there is memory for another stack.
pub(crate) fn builder() -> io::Result<Builder> {
    builder_sparing(0)
}

fn builder_sparing(spare: usize) -> io::Result<Builder> {
    if !is_available(STACK_BYTES + spare) {
        return Err(io::Error::new(io::ErrorKind::OutOfMemory, "not enough memory for its stack"));
    }
    Ok(Builder::new().stack_size(STACK_BYTES))
}

/// Runs a closure on a stack large enough for [`Engine::search`](super::Engine::search) in any build.
/// Returns `None` if no thread can be started.
pub fn with_deep_stack<T: Send>(run: impl FnOnce() -> T + Send) -> Option<T> {
    scope(|scope| builder().ok()?.spawn_scoped(scope, run).ok()?.join().ok())
}

/// Checks that the stacks of all threads and the new workers fit into memory.
pub(super) fn check_memory(threads: usize, new_workers: usize) -> Result<(), ThreadError> {
    let workers = new_workers.saturating_mul(WORKER_BYTES).saturating_add(SPARE);
    let bytes = threads.saturating_mul(STACK_BYTES).saturating_add(workers);
    if is_available(bytes) { Ok(()) } else { Err(ThreadError::OutOfMemory(threads)) }
}

/// Checks that all threads can exist at once, by starting and ending them.
pub(super) fn try_out(threads: usize) -> Result<(), ThreadError> {
    let gate = Mutex::new(());
    let (allocated, all_allocated) = sync_channel(threads);
    scope(|scope| {
        // No thread ends before the last has started.
        let _closed = gate.lock();
        for number in 1..=threads {
            let (gate, allocated) = (&gate, allocated.clone());
            let wait = move || {
                // An allocator may reserve address space at a thread's first allocation.
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
    fn too_many_threads_are_refused() {
        assert!(check_memory(4, 3).is_ok() && try_out(4).is_ok());
        for threads in [usize::MAX, usize::MAX / STACK_BYTES, 1 << 40] {
            let error = check_memory(threads, 1).expect_err("too many");
            assert!(matches!(error, ThreadError::OutOfMemory(n) if n == threads), "{error}");
        }
    }
}
