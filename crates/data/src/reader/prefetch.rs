//! Segments decoded ahead by threads, and given in order.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::{Block, Segment, Shard};
use crate::{Column, DataError};

/// A segment, its number among all of the reader (before any were skipped: its place in the split), and
/// what it holds.
pub(super) type Decoded = Result<(Segment, u64, Block), DataError>;

struct State {
    /// The next to be decoded, and the next to be given.
    next: usize,
    given: usize,
    ready: BTreeMap<usize, Result<Block, DataError>>,
    is_over: bool,
}

struct Shared {
    shards: Vec<Shard>,
    segments: Vec<Segment>,
    columns: Vec<Column>,
    /// How many may be decoded ahead.
    ahead: usize,
    state: Mutex<State>,
    changed: Condvar,
}

/// Decodes segments.
pub(super) struct Prefetch {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl fmt::Debug for Prefetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prefetch({} segments)", self.shared.segments.len())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn decode(&self, number: usize) -> Result<Block, DataError> {
        let segment = &self.segments[number];
        self.shards[segment.shard].read(segment.block, &self.columns)
    }

    /// What a thread does: decode what is next, unless enough is ready.
    fn work(&self) {
        let mut state = self.lock();
        while !state.is_over && state.next < self.segments.len() {
            if state.next >= state.given + self.ahead {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let number = state.next;
            state.next += 1;
            drop(state);
            let decoded = self.decode(number);
            state = self.lock();
            state.ready.insert(number, decoded);
            self.changed.notify_all();
        }
    }
}

impl Prefetch {
    pub(super) fn new(
        shards: Vec<Shard>,
        segments: Vec<Segment>,
        columns: Vec<Column>,
        threads: usize,
    ) -> Self {
        let state = State { next: 0, given: 0, ready: BTreeMap::new(), is_over: false };
        let ahead = threads + 1;
        let (state, changed) = (Mutex::new(state), Condvar::new());
        let shared = Arc::new(Shared { shards, segments, columns, ahead, state, changed });
        let start = |_| {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new().spawn(move || shared.work()).ok()
        };
        // If the system gives no threads, rows are decoded when they are asked for.
        let threads = (0..threads).map_while(start).collect();
        Self { shared, threads }
    }

    /// The next segment.
    pub(super) fn next(&mut self) -> Option<Decoded> {
        let shared = &self.shared;
        let mut state = shared.lock();
        let number = state.given;
        let segment = *shared.segments.get(number)?;
        state.given += 1;
        shared.changed.notify_all();
        let block = if self.threads.is_empty() {
            drop(state);
            shared.decode(number)
        } else {
            loop {
                if let Some(block) = state.ready.remove(&number) {
                    break block;
                }
                state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        };
        let place = (segment.shard as u64) << 32 | segment.block as u64;
        Some(block.map(|block| (segment, place, block)))
    }
}

impl Drop for Prefetch {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // It catches all panics of decoders itself.
            let _ = thread.join();
        }
    }
}
