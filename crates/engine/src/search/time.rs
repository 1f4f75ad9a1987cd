//! How long to think about a move.
//!
//! Two limits: after the *soft* one no new iteration begins, at the *hard* one the search is broken
//! off. The soft limit stretches and shrinks with how sure the search is: how often the best move
//! has changed, what share of the nodes went into it, and whether its score has fallen.

use std::time::Duration;

use super::limits::{Clock, Limits};
use crate::score::Score;

/// Moves to plan for when nothing says how many are left.
const PLANNED_MOVES: f64 = 24.0;
/// The share of an increment that is spent at once, …
const INCREMENT_SHARE: f64 = 0.75;
/// … while there is so much time left; with less, as much less of it, so that the clock recovers.
const COMFORT: Duration = Duration::from_millis(600);
/// Never more than this share of what is left, for one move.
const LARGEST_SHARE: f64 = 0.55;
/// What is never planned with, so that a busy machine costs no game, …
const RESERVE: Duration = Duration::from_millis(120);
/// … but no more than this share of what is left.
const RESERVE_SHARE: f64 = 0.4;
/// The hard limit is at most so many times the soft one.
const HARD_FACTOR: f64 = 4.5;

/// The limits of one search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TimeManager {
    soft: Duration,
    hard: Duration,
    /// Whether the soft limit may move.
    flexible: bool,
}

/// How the search is going.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// Iterations since the best move changed.
    pub stability: u32,
    /// The share of all nodes spent on the best move.
    pub effort: f64,
    /// How far the score has fallen since the iteration before last.
    pub fallen: Score,
}

impl TimeManager {
    /// The limits for a search; `overhead` is what may be lost between us and the clock.
    pub fn new(limits: &Limits, overhead: Duration) -> Self {
        if let Some(time) = limits.move_time {
            let time = time.saturating_sub(overhead).max(Duration::from_millis(1));
            return Self { soft: time, hard: time, flexible: false };
        }
        match limits.clock {
            Some(clock) => Self::by_clock(clock, overhead),
            None => Self { soft: Duration::MAX, hard: Duration::MAX, flexible: false },
        }
    }

    fn by_clock(clock: Clock, overhead: Duration) -> Self {
        let moves = clock.moves_to_go.map_or(PLANNED_MOVES, |n| f64::from(n.clamp(1, 40)));
        // Some time stays on the clock for the moments when the machine is busy with something else.
        let kept = overhead + RESERVE.min(clock.remaining.mul_f64(RESERVE_SHARE));
        let usable = clock.remaining.saturating_sub(kept).as_secs_f64();
        let comfort = (clock.remaining.as_secs_f64() / COMFORT.as_secs_f64()).min(1.0);
        let increment = clock.increment.as_secs_f64() * INCREMENT_SHARE * comfort;
        let soft = usable / moves + increment;
        // The last move before the control may take nearly all, others must leave something.
        let share = if moves <= 1.0 { 0.9 } else { LARGEST_SHARE };
        let most = (usable * share).max(0.001);
        let seconds = |s: f64| Duration::from_secs_f64(s.clamp(0.0005, 1e9));
        Self {
            soft: seconds((soft * 0.9).min(most)),
            hard: seconds((soft * HARD_FACTOR).min(most)),
            flexible: true,
        }
    }

    /// The search must end.
    #[inline]
    pub fn is_over(&self, elapsed: Duration) -> bool {
        elapsed >= self.hard
    }

    /// Another iteration is not worth its time.
    pub fn is_enough(&self, elapsed: Duration, progress: Progress) -> bool {
        if !self.flexible {
            return elapsed >= self.soft;
        }
        let stability = 1.35 - 0.08 * f64::from(progress.stability.min(8));
        let effort = (1.75 - progress.effort).clamp(0.6, 1.6);
        let fallen = (1.0 + f64::from(progress.fallen) * 0.006).clamp(0.85, 1.5);
        elapsed.as_secs_f64() >= self.soft.as_secs_f64() * stability * effort * fallen
    }

    /// Whether there is a time limit at all.
    pub fn is_limited(&self) -> bool {
        self.hard < Duration::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERHEAD: Duration = Duration::from_millis(10);

    fn by_clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> TimeManager {
        let clock = Clock {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(increment),
            moves_to_go,
        };
        TimeManager::new(&Limits { clock: Some(clock), ..Limits::default() }, OVERHEAD)
    }

    #[test]
    fn the_hard_limit_always_leaves_time_on_the_clock() {
        for remaining in [0, 1, 5, 10, 20, 50, 100, 1000, 60_000, 10_000_000] {
            for increment in [0, 10, 1000, 100_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let time = by_clock(remaining, increment, moves_to_go);
                    let left = Duration::from_millis(remaining).saturating_sub(OVERHEAD);
                    assert!(
                        time.hard <= left.max(Duration::from_millis(1)),
                        "{remaining} {time:?}"
                    );
                    assert!(time.soft <= time.hard, "{remaining} {increment} {time:?}");
                }
            }
        }
    }

    #[test]
    fn a_clock_that_has_run_low_recovers_though_every_move_comes_late() {
        let (mut left, late) = (Duration::from_millis(30), Duration::from_millis(4));
        for _ in 0..60 {
            let time = by_clock(left.as_millis() as u64, 10, None);
            left = (left + Duration::from_millis(10)).saturating_sub(time.soft + late);
        }
        assert!(left > Duration::from_millis(100), "{left:?}");
    }

    #[test]
    fn a_sure_search_ends_before_an_unsure_one() {
        let time = by_clock(8000, 80, None);
        let sure = Progress { stability: 10, effort: 0.95, fallen: -10 };
        let unsure = Progress { stability: 0, effort: 0.2, fallen: 60 };
        let first = |progress| {
            (0..5000).find(|&ms| time.is_enough(Duration::from_millis(ms), progress)).unwrap()
        };
        assert!(first(sure) * 2 < first(unsure), "{} {}", first(sure), first(unsure));
    }

    #[test]
    fn a_time_for_the_move_is_used_but_for_the_overhead() {
        let limits = Limits { move_time: Some(Duration::from_millis(500)), ..Limits::default() };
        let time = TimeManager::new(&limits, OVERHEAD);
        assert_eq!(time.hard, Duration::from_millis(490));
        assert!(!TimeManager::new(&Limits::default(), OVERHEAD).is_limited());
    }
}
