//! Sequence parallelism: one position on several threads, each of which computes some of the squares.
//!
//! Squares depend on each other in two places: attention reads the keys and values of all squares, and
//! the heads read all final hidden states. There the ranks all-gather their rows: each publishes its
//! own, waits at a barrier, and copies those of the others. Slots are double-buffered: when a rank
//! overwrites one, all ranks have arrived at the gather in between, and so have read it.

use std::ops::Range;
use std::sync::RwLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::forward::ForwardHooks;
use crate::config::SQUARES;

/// Iterations of the spin loop between two yields to the scheduler.
const SPINS: u32 = 20_000;

/// The threads that compute one position.
#[derive(Debug)]
pub(super) struct RankGroup {
    /// Two slots for each rank.
    slots: Vec<[RwLock<Vec<f32>>; 2]>,
    arrived: AtomicUsize,
}

impl RankGroup {
    /// A group of at most `threads` ranks: a power of two up to 8, for equal numbers of squares.
    pub fn new(threads: usize) -> Self {
        let ranks = 1 << threads.clamp(1, 8).ilog2();
        let slots = (0..ranks).map(|_| Default::default()).collect();
        Self { slots, arrived: AtomicUsize::new(0) }
    }

    /// The number of ranks.
    pub fn world_size(&self) -> usize {
        self.slots.len()
    }

    /// Releases ranks that wait for others which were never started; their results are garbage.
    pub fn abort(&self) {
        self.arrived.store(usize::MAX / 2, Ordering::Release);
    }

    /// The squares of a rank.
    pub fn squares(&self, rank: usize) -> Range<usize> {
        let count = SQUARES / self.world_size();
        rank * count..(rank + 1) * count
    }

    /// A rank before its first gather.
    pub const fn rank(&self, rank: usize) -> Rank<'_> {
        Rank { group: self, rank, gathers: 0 }
    }
}

/// One thread of a [`RankGroup`].
#[derive(Debug)]
pub(super) struct Rank<'a> {
    group: &'a RankGroup,
    rank: usize,
    gathers: usize,
}

impl ForwardHooks for Rank<'_> {
    fn all_gather(&mut self, rows: &mut [f32], row_len: usize) {
        let group = self.group;
        let range = |rank: usize| {
            let squares = group.squares(rank);
            squares.start * row_len..squares.end * row_len
        };
        let buffer = self.gathers % 2;
        if let Ok(mut own) = group.slots[self.rank][buffer].write() {
            own.clear();
            own.extend_from_slice(&rows[range(self.rank)]);
        }
        self.gathers += 1;
        group.arrived.fetch_add(1, Ordering::Release);
        let mut spins = 0;
        while group.arrived.load(Ordering::Acquire) < self.gathers * group.world_size() {
            spins += 1;
            if spins % SPINS == 0 {
                std::thread::yield_now();
            }
            std::hint::spin_loop();
        }
        for rank in (0..group.world_size()).filter(|&rank| rank != self.rank) {
            let into = &mut rows[range(rank)];
            if let Ok(theirs) = group.slots[rank][buffer].read()
                && theirs.len() == into.len()
            {
                into.copy_from_slice(&theirs);
            }
        }
    }
}
