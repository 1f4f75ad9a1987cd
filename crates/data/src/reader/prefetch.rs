//! Prefetch: threads decode segments ahead; they are returned in order.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::{RowBatch, Segment, Shard};
use crate::threads::lock;
use crate::{Column, DataError};

/// A segment and its decoded row group.
pub(super) type Decoded = Result<(Segment, RowBatch), DataError>;

struct State {
    /// Next segment to decode.
    next: usize,
    /// Next segment to return.
    returned: usize,
    ready: BTreeMap<usize, Result<RowBatch, DataError>>,
    is_stopped: bool,
}

struct Shared {
    shards: Vec<Shard>,
    segments: Vec<Segment>,
    columns: Vec<Column>,
    /// Maximum number of segments decoded ahead.
    ahead: usize,
    state: Mutex<State>,
    changed: Condvar,
}

/// Decodes segments ahead.
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
    fn decode(&self, index: usize) -> Result<RowBatch, DataError> {
        let segment = &self.segments[index];
        self.shards[segment.shard].read(segment.row_group, &self.columns)
    }

    /// The loop of a thread.
    fn work(&self) {
        let mut state = lock(&self.state);
        while !state.is_stopped && state.next < self.segments.len() {
            if state.next >= state.returned + self.ahead {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let index = state.next;
            state.next += 1;
            drop(state);
            let decoded = self.decode(index);
            state = lock(&self.state);
            state.ready.insert(index, decoded);
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
        let state = State { next: 0, returned: 0, ready: BTreeMap::new(), is_stopped: false };
        let ahead = threads + 1;
        let (state, changed) = (Mutex::new(state), Condvar::new());
        let shared = Arc::new(Shared { shards, segments, columns, ahead, state, changed });
        let start = |_| {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new().spawn(move || shared.work()).ok()
        };
        // Without threads, segments are decoded on demand.
        let threads = (0..threads).map_while(start).collect();
        Self { shared, threads }
    }

    /// The next segment.
    pub(super) fn next(&mut self) -> Option<Decoded> {
        let shared = &self.shared;
        let mut state = lock(&shared.state);
        let index = state.returned;
        let segment = *shared.segments.get(index)?;
        state.returned += 1;
        shared.changed.notify_all();
        let batch = if self.threads.is_empty() {
            drop(state);
            shared.decode(index)
        } else {
            loop {
                if let Some(batch) = state.ready.remove(&index) {
                    break batch;
                }
                state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        };
        Some(batch.map(|batch| (segment, batch)))
    }
}

impl Drop for Prefetch {
    fn drop(&mut self) {
        lock(&self.shared.state).is_stopped = true;
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // Panics of the decoder are caught.
            let _ = thread.join();
        }
    }
}
