//! Rate limiter: token bucket of compute time, refilled by a second per second.

use std::time::{Duration, Instant};

/// The compute time that a tab may still use.
#[derive(Clone, Copy, Debug)]
pub struct TokenBucket {
    /// When the level is zero; in the future while it is negative.
    empty_at: Instant,
    capacity: Duration,
}

impl TokenBucket {
    /// A full bucket.
    pub fn new(capacity: Duration, now: Instant) -> Self {
        Self { empty_at: now.checked_sub(capacity).unwrap_or(now), capacity }
    }

    /// Takes some out; the level may become negative.
    pub fn take(&mut self, cost: Duration, now: Instant) {
        let full = now.checked_sub(self.capacity).unwrap_or(now);
        self.empty_at = self.empty_at.max(full) + cost;
    }

    /// The time until the level is no longer negative.
    pub fn wait(&self, now: Instant) -> Duration {
        self.empty_at.saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_free_and_a_flood_is_slowed_to_the_rate() {
        let second = Duration::from_secs(1);
        let start = Instant::now() + 10 * second;
        let mut bucket = TokenBucket::new(second, start);
        for _ in 0..100 {
            bucket.take(second / 100, start);
        }
        assert_eq!(bucket.wait(start), Duration::ZERO);
        bucket.take(second / 100, start);
        assert_eq!(bucket.wait(start), second / 100);
        assert_eq!(bucket.wait(start + second), Duration::ZERO);
        // Idle time fills the bucket up to its capacity.
        bucket.take(3 * second, start + 1000 * second);
        assert_eq!(bucket.wait(start + 1000 * second), 2 * second);
    }
}
