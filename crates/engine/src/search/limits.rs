//! The limits of a search, and its control from another thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use chess::Move;

/// The clock of the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// The remaining time.
    pub remaining: Duration,
    /// The increment per move.
    pub increment: Duration,
    /// Moves to the next time control; none: sudden death.
    pub moves_to_go: Option<u32>,
}

/// When a search ends by itself. Without limits it runs until it is stopped.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Limits {
    /// Manage time by the clock.
    pub clock: Option<Clock>,
    /// The time for this move.
    pub move_time: Option<Duration>,
    /// The maximum depth.
    pub depth: Option<u32>,
    /// The maximum number of nodes of all threads together.
    pub nodes: Option<u64>,
    /// Search for a mate in this many moves.
    pub mate: Option<u32>,
    /// Return only when [stopped](Control::stop), even if the search has finished.
    pub infinite: bool,
    /// The root moves to search (`searchmoves`); empty: all.
    pub moves: Vec<Move>,
}

/// Controls a running search from another thread.
#[derive(Debug)]
pub struct Control {
    stop: AtomicBool,
    pondering: AtomicBool,
    /// Start of the search.
    begun: Instant,
    /// Start of the engine's clock: the start of the search, or `ponderhit`.
    clock_started: Mutex<Instant>,
    changed: Condvar,
    nodes: AtomicU64,
}

impl Control {
    /// For a search that starts now; while `pondering`, the clock does not run.
    pub fn new(pondering: bool) -> Self {
        let now = Instant::now();
        Self {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            begun: now,
            clock_started: Mutex::new(now),
            changed: Condvar::new(),
            nodes: AtomicU64::new(0),
        }
    }

    /// Nodes searched so far by all threads, a millisecond ago or less.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    pub(super) fn publish_nodes(&self, nodes: u64) {
        self.nodes.store(nodes, Relaxed);
    }

    fn clock_started(&self) -> MutexGuard<'_, Instant> {
        self.clock_started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops the search.
    pub fn stop(&self) {
        let _guard = self.clock_started();
        self.stop.store(true, Relaxed);
        self.pondering.store(false, Relaxed);
        self.changed.notify_all();
    }

    /// The opponent has played the ponder move: the clock starts. Without pondering it is already
    /// running, and this does nothing.
    pub fn ponder_hit(&self) {
        let mut clock_started = self.clock_started();
        if !self.is_pondering() {
            return;
        }
        *clock_started = Instant::now();
        self.pondering.store(false, Relaxed);
        self.changed.notify_all();
    }

    /// Whether the search must stop.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Whether the engine is pondering.
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Relaxed)
    }

    /// Time since the start of the search, pondering included: for reports.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Time used on the engine's clock, which does not run while pondering: for time management.
    pub fn clock_elapsed(&self) -> Duration {
        if self.is_pondering() { Duration::ZERO } else { self.clock_started().elapsed() }
    }

    /// Blocks until the result may be returned: after a stop if `infinite`, after the end of pondering
    /// otherwise.
    pub fn wait(&self, infinite: bool) {
        let mut guard = self.clock_started();
        while !self.is_stopped() && (infinite || self.is_pondering()) {
            guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ponderhit_starts_the_clock_but_does_not_restart_the_search() {
        let pause = Duration::from_millis(20);
        let control = Control::new(true);
        std::thread::sleep(pause);
        assert_eq!(control.clock_elapsed(), Duration::ZERO);
        control.ponder_hit();
        // In this order: time passes between the two calls.
        let (clock, whole) = (control.clock_elapsed(), control.elapsed());
        assert!(clock + pause <= whole, "{clock:?} {whole:?}");
        std::thread::sleep(pause);
        control.ponder_hit();
        assert!(control.clock_elapsed() >= pause, "the clock runs on");
    }
}
