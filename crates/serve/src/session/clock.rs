//! Chess clocks; the current time is a parameter.

use std::time::Duration;

use chess::Color;

use super::refusal::Refusal;
use crate::protocol::TimeControl;

const DAY: u64 = 24 * 3600 * 1000;
const HOUR: u64 = 3600 * 1000;

/// Two clocks, of which at most one runs.
#[derive(Clone, Debug)]
pub struct GameClock {
    pub control: TimeControl,
    /// Time left when the running clock was started.
    left: [Duration; 2],
    running: Option<(Color, Duration)>,
}

impl GameClock {
    /// Two full clocks, stopped until the first move.
    pub fn new(control: TimeControl) -> Result<Self, Refusal> {
        if !(1000..=DAY).contains(&control.initial_ms) || control.increment_ms > HOUR {
            return Err(Refusal::Clock);
        }
        Ok(Self { control, left: [Duration::from_millis(control.initial_ms); 2], running: None })
    }

    /// Sets the time left.
    pub fn set(&mut self, milliseconds: [u64; 2]) {
        self.left = milliseconds.map(|ms| Duration::from_millis(ms.min(DAY)));
    }

    /// The time left of a player.
    pub fn remaining(&self, color: Color, now: Duration) -> Duration {
        let left = self.left[color.index()];
        match self.running {
            Some((running, since)) if running == color => {
                left.saturating_sub(now.saturating_sub(since))
            }
            _ => left,
        }
    }

    /// Whose clock runs.
    pub fn running(&self) -> Option<Color> {
        self.running.map(|(color, _)| color)
    }

    /// Ends a player's move: adds the increment and starts the other clock.
    pub fn press(&mut self, mover: Color, now: Duration) {
        let is_timed = self.running() == Some(mover);
        self.stop(now);
        if is_timed {
            self.left[mover.index()] += Duration::from_millis(self.control.increment_ms);
        }
        self.start(!mover, now);
    }

    /// Starts a clock.
    pub fn start(&mut self, color: Color, now: Duration) {
        self.stop(now);
        self.running = Some((color, now));
    }

    /// Stops both clocks.
    pub fn stop(&mut self, now: Duration) {
        if let Some(color) = self.running() {
            self.left[color.index()] = self.remaining(color, now);
        }
        self.running = None;
    }

    /// The color of the running clock and when its flag falls.
    pub fn flag(&self) -> Option<(Color, Duration)> {
        self.running.map(|(color, since)| (color, since + self.left[color.index()]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    #[test]
    fn time_runs_for_the_player_to_move_and_the_increment_is_added_afterwards() {
        let at = Duration::from_millis;
        let mut clock =
            GameClock::new(TimeControl { initial_ms: 60_000, increment_ms: 2_000 }).unwrap();
        assert_eq!((clock.running(), clock.flag()), (None, None));
        // The first move takes no time and adds no increment.
        clock.press(White, at(5_000));
        assert_eq!(clock.remaining(White, at(9_000)), at(60_000));
        assert_eq!(clock.remaining(Black, at(9_000)), at(56_000));
        clock.press(Black, at(9_000));
        assert_eq!(clock.remaining(Black, at(20_000)), at(58_000));
        assert_eq!(clock.flag(), Some((White, at(69_000))));
        assert_eq!(clock.remaining(White, at(99_000)), Duration::ZERO);
        clock.stop(at(10_000));
        assert_eq!(clock.remaining(White, at(99_000)), at(59_000));
    }

    #[test]
    fn clocks_out_of_range_are_rejected() {
        for (initial_ms, increment_ms) in [(0, 0), (999, 0), (DAY + 1, 0), (1000, HOUR + 1)] {
            assert!(GameClock::new(TimeControl { initial_ms, increment_ms }).is_err());
        }
    }
}
