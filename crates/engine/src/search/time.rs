//! Time management.
//!
//! Two limits: after the *soft* one no new iteration begins, at the *hard* one the search stops. The
//! soft limit scales with the stability of the best move and of its score, its share of the nodes, and the
//! drop of its score.

use std::time::Duration;

use super::limits::{Clock, Limits};
use crate::value::Value;

/// Expected moves to go without `movestogo`.
const PLANNED_MOVES: f64 = 24.0;
/// Share of the increment that is spent at once, …
const INCREMENT_SHARE: f64 = 0.75;
/// … while at least this is left; proportionally less below, so that the clock recovers.
const COMFORT: Duration = Duration::from_millis(600);
/// Largest share of the remaining time for one move.
const LARGEST_SHARE: f64 = 0.55;
/// Time kept in reserve against a busy machine, …
const RESERVE: Duration = Duration::from_millis(120);
/// … but at most this share of the remaining time.
const RESERVE_SHARE: f64 = 0.4;
/// Largest ratio of the hard to the soft limit.
const HARD_FACTOR: f64 = 4.5;

/// The time limits of one search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TimeManager {
    soft: Duration,
    hard: Duration,
    /// Whether the soft limit scales.
    flexible: bool,
}

/// Statistics of the finished iterations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct IterationStats {
    /// Iterations since the best move changed.
    pub stability: u32,
    /// The share of all nodes spent on the best move.
    pub effort: f64,
    /// Drop of the score over the last two iterations.
    pub score_drop: Value,
    /// Iterations in a row whose score stayed near the average.
    pub steady: u32,
    /// Changes of the best move, halved with every iteration since.
    pub changes: f64,
}

impl TimeManager {
    /// The limits of a search; `overhead` is the move overhead of the GUI and the connection.
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
        let kept = overhead + RESERVE.min(clock.remaining.mul_f64(RESERVE_SHARE));
        let usable = clock.remaining.saturating_sub(kept).as_secs_f64();
        let comfort = (clock.remaining.as_secs_f64() / COMFORT.as_secs_f64()).min(1.0);
        let increment = clock.increment.as_secs_f64() * INCREMENT_SHARE * comfort;
        let soft = usable / moves + increment;
        // The last move before the time control may take nearly all.
        let share = if moves <= 1.0 { 0.9 } else { LARGEST_SHARE };
        let most = (usable * share).max(0.001);
        let seconds = |s: f64| Duration::from_secs_f64(s.clamp(0.0005, 1e9));
        Self {
            soft: seconds((soft * 0.9).min(most)),
            hard: seconds((soft * HARD_FACTOR).min(most)),
            flexible: true,
        }
    }

    /// Whether the hard limit is reached.
    #[inline]
    pub fn is_over(&self, elapsed: Duration) -> bool {
        elapsed >= self.hard
    }

    /// Whether the scaled soft limit is reached, so that no iteration begins.
    pub fn is_enough(&self, elapsed: Duration, stats: IterationStats) -> bool {
        if !self.flexible {
            return elapsed >= self.soft;
        }
        let stability = 1.25 - 0.06 * f64::from(stats.stability.min(8));
        let steadiness = 1.12 - 0.025 * f64::from(stats.steady.min(8));
        let changes = 1.0 + 0.2 * stats.changes.min(4.0);
        let effort = (1.75 - stats.effort).clamp(0.6, 1.6);
        let score_drop = (1.0 + f64::from(stats.score_drop) * 0.006).clamp(0.85, 1.5);
        let scale = stability * steadiness * changes * effort * score_drop;
        elapsed.as_secs_f64() >= self.soft.as_secs_f64() * scale
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
    fn a_low_clock_recovers_under_lag() {
        let (mut left, late) = (Duration::from_millis(30), Duration::from_millis(4));
        for _ in 0..60 {
            let time = by_clock(left.as_millis() as u64, 10, None);
            left = (left + Duration::from_millis(10)).saturating_sub(time.soft + late);
        }
        assert!(left > Duration::from_millis(100), "{left:?}");
    }

    #[test]
    fn a_stable_best_move_ends_the_search_earlier() {
        let time = by_clock(8000, 80, None);
        let stable = IterationStats {
            stability: 10,
            effort: 0.95,
            score_drop: -10,
            steady: 9,
            changes: 0.0,
        };
        let unstable =
            IterationStats { stability: 0, effort: 0.2, score_drop: 60, steady: 0, changes: 1.5 };
        let first =
            |stats| (0..5000).find(|&ms| time.is_enough(Duration::from_millis(ms), stats)).unwrap();
        assert!(first(stable) * 2 < first(unstable), "{} {}", first(stable), first(unstable));
    }

    #[test]
    fn movetime_is_used_minus_the_overhead() {
        let limits = Limits { move_time: Some(Duration::from_millis(500)), ..Limits::default() };
        let time = TimeManager::new(&limits, OVERHEAD);
        assert_eq!(time.hard, Duration::from_millis(490));
        assert!(!TimeManager::new(&Limits::default(), OVERHEAD).is_limited());
    }
}
