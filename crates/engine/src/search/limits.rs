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
    /// When the search began.
    begun: Instant,
    /// When the clock of the player to move began to run: with the search, or at `ponderhit`.
    clock_started: Mutex<Instant>,
    changed: Condvar,
}

impl Control {
    /// For a search that begins now; while `pondering`, the clock does not run.
    pub fn new(pondering: bool) -> Self {
        let now = Instant::now();
        Self {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            begun: now,
            clock_started: Mutex::new(now),
            changed: Condvar::new(),
        }
    }

    fn clock_started(&self) -> MutexGuard<'_, Instant> {
        self.clock_started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The search is to answer now.
    pub fn stop(&self) {
        let _guard = self.clock_started();
        self.stop.store(true, Relaxed);
        self.pondering.store(false, Relaxed);
        self.changed.notify_all();
    }

    /// The opponent has played the expected move: the clock runs from now. Without pondering it is
    /// running already, and goes on as it does.
    pub fn ponder_hit(&self) {
        let mut clock_started = self.clock_started();
        if !self.is_pondering() {
            return;
        }
        *clock_started = Instant::now();
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

    /// Time since the search began, pondering included: for reports.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Time used on the clock of the player to move, which does not run while pondering: for time
    /// management.
    pub fn clock_elapsed(&self) -> Duration {
        if self.is_pondering() { Duration::ZERO } else { self.clock_started().elapsed() }
    }

    /// Waits until an answer may be given: `infinite` waits for a stop, pondering for the end of it.
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
    fn a_ponderhit_starts_the_clock_but_not_the_search_anew() {
        let pause = Duration::from_millis(20);
        let control = Control::new(true);
        std::thread::sleep(pause);
        assert_eq!(control.clock_elapsed(), Duration::ZERO);
        control.ponder_hit();
        // In this order, since time goes on between the two.
        let (clock, whole) = (control.clock_elapsed(), control.elapsed());
        assert!(clock + pause <= whole, "{clock:?} {whole:?}");
        std::thread::sleep(pause);
        control.ponder_hit();
        assert!(control.clock_elapsed() >= pause, "the clock runs on");
    }
}
