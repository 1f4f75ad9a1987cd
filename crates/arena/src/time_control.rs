//! Time controls, the limits of an engine, and the clock of one player in one game.
//!
//! | text | meaning |
//! |---|---|
//! | `8+0.08` | 8 seconds for the game and an increment of 0.08 seconds |
//! | `40/5` | 5 seconds for every 40 moves |
//! | `40/5+0.1` | both |
//! | `2:30+1` | 2 minutes and 30 seconds, and an increment of 1 second |

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::{ParseError, ensure};

/// A time control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeControl {
    /// Moves per period; `None`: one period for the whole game.
    pub moves: Option<u32>,
    /// Time per period.
    pub base: Duration,
    /// Time added after each move.
    pub increment: Duration,
}

impl FromStr for TimeControl {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => {
                let count = moves.trim().parse().ok().filter(|&count: &u32| count > 0);
                let problem =
                    || ParseError(format!("'{moves}' in '{text}' is not a number of moves"));
                (Some(count.ok_or_else(problem)?), rest)
            }
            None => (None, text),
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let base = match base.split_once(':') {
            Some((minutes, seconds)) => parse_seconds(minutes)? * 60 + parse_seconds(seconds)?,
            None => parse_seconds(base)?,
        };
        let increment = parse_seconds(increment)?;
        ensure!(base + increment > Duration::ZERO, "a time control without time: '{text}'");
        Ok(Self { moves, base, increment })
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if self.increment > Duration::ZERO {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

/// Parses a number of seconds, at most a day: `0.08`.
pub fn parse_seconds(text: &str) -> Result<Duration, ParseError> {
    let number: Result<f64, _> = text.trim().parse();
    let number = number.map_err(|_| ParseError(format!("'{text}' is not a number of seconds")))?;
    ensure!((0.0..=86_400.0).contains(&number), "'{text}' is not a time from 0 to 86400 seconds");
    Ok(Duration::from_secs_f64(number))
}

/// The limits of an engine's searches. All that are set apply.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EngineLimits {
    /// The time control.
    pub tc: Option<TimeControl>,
    /// Time per move.
    pub movetime: Option<Duration>,
    /// Nodes per move.
    pub nodes: Option<u64>,
    /// Depth of each search.
    pub depth: Option<u32>,
}

impl EngineLimits {
    /// Sets the limit of this name; `false` if there is none.
    pub fn set(&mut self, name: &str, value: &str) -> Result<bool, ParseError> {
        let count = || -> Result<u64, ParseError> {
            let number = value.trim().parse().ok().filter(|&number: &u64| number > 0);
            number.ok_or_else(|| ParseError(format!("{name}: '{value}' is not a number above 0")))
        };
        match name {
            "tc" => self.tc = Some(value.trim().parse()?),
            "movetime" => {
                let time = parse_seconds(value)?;
                ensure!(time >= Duration::from_millis(1), "movetime: less than a millisecond");
                self.movetime = Some(time);
            }
            "nodes" => self.nodes = Some(count()?),
            "depth" => {
                let depth = u32::try_from(count()?);
                let problem = |_| ParseError(format!("depth: '{value}' is too large"));
                self.depth = Some(depth.map_err(problem)?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether no limit is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for EngineLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        words.extend(self.tc.map(|tc| tc.to_string()));
        words.extend(self.movetime.map(|time| format!("{} s/move", time.as_secs_f64())));
        words.extend(self.nodes.map(|nodes| format!("{nodes} nodes")));
        words.extend(self.depth.map(|depth| format!("depth {depth}")));
        f.write_str(&words.join(", "))
    }
}

/// The clock of one player.
#[derive(Clone, Debug)]
pub struct PlayerClock {
    tc: TimeControl,
    remaining: Duration,
    /// Moves to the end of the period, if there are periods.
    moves_to_go: Option<u32>,
}

impl PlayerClock {
    pub fn new(tc: TimeControl) -> Self {
        // The increment counts for the first move too: `0+0.1` can be played.
        let remaining = if tc.base.is_zero() { tc.increment } else { tc.base };
        Self { tc, remaining, moves_to_go: tc.moves }
    }

    pub fn remaining(&self) -> Duration {
        self.remaining
    }

    pub fn increment(&self) -> Duration {
        self.tc.increment
    }

    pub fn moves_to_go(&self) -> Option<u32> {
        self.moves_to_go
    }

    /// Subtracts the time of a move and adds the increment; `false` if the flag falls. A move that is late
    /// by at most `margin` costs only the remaining time.
    pub fn punch(&mut self, elapsed: Duration, margin: Duration) -> bool {
        if elapsed > self.remaining + margin {
            self.remaining = Duration::ZERO;
            return false;
        }
        self.remaining = self.remaining.saturating_sub(elapsed) + self.tc.increment;
        if let Some(left) = &mut self.moves_to_go {
            *left -= 1;
            if *left == 0 {
                *left = self.tc.moves.unwrap_or(1);
                self.remaining += self.tc.base;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn time_controls_are_parsed_and_written_back() {
        for (text, moves, base, increment) in [
            ("8+0.08", None, 8_000, 80),
            ("40/5", Some(40), 5_000, 0),
            ("40/5+0.1", Some(40), 5_000, 100),
            ("2:30+1", None, 150_000, 1_000),
            ("0.1+0.01", None, 100, 10),
        ] {
            let control: TimeControl = text.parse().unwrap();
            let expected = TimeControl { moves, base: base * MS, increment: increment * MS };
            assert_eq!(control, expected, "{text}");
            assert_eq!(control.to_string().parse::<TimeControl>().unwrap(), control);
        }
        for bad in ["", "x", "0", "0/5", "40/", "-1", "1+-1", "nan", "inf", "1e9", "a/5", "1+"] {
            assert!(bad.parse::<TimeControl>().is_err(), "{bad}");
        }
    }

    #[test]
    fn limits_are_set_by_name_and_reject_invalid_values() {
        let mut limits = EngineLimits::default();
        assert!(limits.set("nodes", "1000").unwrap() && limits.set("depth", "5").unwrap());
        assert!(limits.set("movetime", "0.25").unwrap() && !limits.set("Hash", "1").unwrap());
        assert_eq!(limits.to_string(), "0.25 s/move, 1000 nodes, depth 5");
        for (name, value) in [("nodes", "0"), ("depth", "-1"), ("depth", "9999999999"), ("tc", "")]
        {
            assert!(limits.set(name, value).is_err(), "{name} {value}");
        }
    }

    #[test]
    fn a_clock_loses_the_time_of_a_move_and_gains_the_increment() {
        let mut clock = PlayerClock::new("1+0.1".parse().unwrap());
        assert!(clock.punch(300 * MS, Duration::ZERO));
        assert_eq!(clock.remaining(), 800 * MS);
        assert!(clock.punch(800 * MS, Duration::ZERO));
        assert_eq!(clock.remaining(), 100 * MS);
        assert!(clock.punch(105 * MS, 5 * MS), "within the margin");
        assert_eq!(clock.remaining(), 100 * MS);
        assert!(!clock.punch(106 * MS, 5 * MS), "beyond the margin");
    }

    #[test]
    fn the_base_time_is_added_again_after_each_period() {
        let mut clock = PlayerClock::new("2/1".parse().unwrap());
        assert_eq!(clock.moves_to_go(), Some(2));
        assert!(clock.punch(900 * MS, Duration::ZERO));
        assert_eq!((clock.moves_to_go(), clock.remaining()), (Some(1), 100 * MS));
        assert!(clock.punch(50 * MS, Duration::ZERO));
        assert_eq!((clock.moves_to_go(), clock.remaining()), (Some(2), 1_050 * MS));
    }
}
