//! What a search may use up, and how it is stopped from outside.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use chess::Move;

/// The clock of the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// What is left.
    pub remaining: Duration,
    /// What each move adds.
    pub increment: Duration,
    /// Moves until more time is added; none: the time is for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// When a search ends by itself. With nothing set it goes on until it is stopped.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Limits {
    /// Play by the clock.
    pub clock: Option<Clock>,
    /// Exactly this long.
    pub move_time: Option<Duration>,
    /// To this depth.
    pub depth: Option<u32>,
    /// Until so many positions were looked at, by all threads together.
    pub nodes: Option<u64>,
    /// Until a mate in so many moves is found.
    pub mate: Option<u32>,
    /// Do not answer before being [stopped](Control::stop), even if there is nothing left to do.
    pub infinite: bool,
    /// Only these moves; empty: all.
    pub moves: Vec<Move>,
}

/// The reins of a running search, shared with whoever started it.
#[derive(Debug)]
pub struct Control {
    stop: AtomicBool,
    pondering: AtomicBool,
    /// When the clock began to run.
    started: Mutex<Instant>,
    changed: Condvar,
}

impl Control {
    /// For a search that begins now; while `pondering`, the clock does not run.
    pub fn new(pondering: bool) -> Self {
        Self {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            started: Mutex::new(Instant::now()),
            changed: Condvar::new(),
        }
    }

    fn started(&self) -> MutexGuard<'_, Instant> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The search is to answer now.
    pub fn stop(&self) {
        let _guard = self.started();
        self.stop.store(true, Relaxed);
        self.pondering.store(false, Relaxed);
        self.changed.notify_all();
    }

    /// The opponent has played the expected move: the clock runs from now. Without pondering it is
    /// running already, and goes on as it does.
    pub fn ponder_hit(&self) {
        let mut started = self.started();
        if !self.is_pondering() {
            return;
        }
        *started = Instant::now();
        self.pondering.store(false, Relaxed);
        self.changed.notify_all();
    }

    /// Whether the search is to end.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Whether the opponent is still to move.
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Relaxed)
    }

    /// How long the clock has been running.
    pub fn elapsed(&self) -> Duration {
        self.started().elapsed()
    }

    /// Waits until an answer may be given: `infinite` waits for a stop, pondering for the end of it.
    pub fn wait(&self, infinite: bool) {
        let mut guard = self.started();
        while !self.is_stopped() && (infinite || self.is_pondering()) {
            guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
