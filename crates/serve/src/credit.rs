//! The time a tab may use: a token bucket that is filled by the clock and emptied by messages.

use std::time::{Duration, Instant};

/// What a tab may still spend.
#[derive(Clone, Copy, Debug)]
pub struct Credit {
    /// When nothing would be owed; in the future while something is.
    settled: Instant,
    most: Duration,
}

impl Credit {
    /// A full credit.
    pub fn new(most: Duration, now: Instant) -> Self {
        Self { settled: now.checked_sub(most).unwrap_or(now), most }
    }

    /// Spends some; more than there is becomes a debt.
    pub fn spend(&mut self, cost: Duration, now: Instant) {
        let oldest = now.checked_sub(self.most).unwrap_or(now);
        self.settled = self.settled.max(oldest) + cost;
    }

    /// How long until a debt is paid.
    pub fn debt(&self, now: Instant) -> Duration {
        self.settled.saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_free_and_a_flood_is_slowed_to_the_rate() {
        let second = Duration::from_secs(1);
        let start = Instant::now() + 10 * second;
        let mut credit = Credit::new(second, start);
        for _ in 0..100 {
            credit.spend(second / 100, start);
        }
        assert_eq!(credit.debt(start), Duration::ZERO);
        credit.spend(second / 100, start);
        assert_eq!(credit.debt(start), second / 100);
        assert_eq!(credit.debt(start + second), Duration::ZERO);
        // Time without messages does not add up beyond the limit.
        credit.spend(3 * second, start + 1000 * second);
        assert_eq!(credit.debt(start + 1000 * second), 2 * second);
    }
}
