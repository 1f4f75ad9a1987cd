//! How long an engine may think: time controls, and the clock of one player in one game.
//!
//! | text | means |
//! |---|---|
//! | `8+0.08` | 8 seconds for the game and 0.08 more for each move |
//! | `40/5` | 5 seconds for every 40 moves |
//! | `40/5+0.1` | both |
//! | `2:30+1` | 2 minutes and 30 seconds, and 1 second a move |

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, bail, ensure};

/// A time control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeControl {
    /// For how many moves `base` is; for the whole game if nothing.
    pub moves: Option<u32>,
    pub base: Duration,
    pub increment: Duration,
}

impl FromStr for TimeControl {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => {
                let count: u32 = moves.trim().parse().with_context(|| {
                    format!("'{moves}' in the time control '{text}' is not a number of moves")
                })?;
                ensure!(count > 0, "a time control of no moves: '{text}'");
                (Some(count), rest)
            }
            None => (None, text),
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let control = Self { moves, base: minutes(base)?, increment: seconds(increment)? };
        ensure!(
            control.base + control.increment > Duration::ZERO,
            "a time control without time: '{text}'"
        );
        Ok(control)
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

/// `2:30` or `150`.
fn minutes(text: &str) -> anyhow::Result<Duration> {
    match text.split_once(':') {
        Some((minutes, rest)) => Ok(seconds(minutes)? * 60 + seconds(rest)?),
        None => seconds(text),
    }
}

/// A number of seconds, at most a day: `0.08`.
pub fn seconds(text: &str) -> anyhow::Result<Duration> {
    let number: f64 =
        text.trim().parse().with_context(|| format!("'{text}' is not a number of seconds"))?;
    ensure!((0.0..=86_400.0).contains(&number), "'{text}' is not a time from 0 to 86400 seconds");
    Ok(Duration::from_secs_f64(number))
}

/// What bounds the thinking of an engine. Several bounds hold at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    pub clock: Option<TimeControl>,
    pub movetime: Option<Duration>,
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
}

impl Limits {
    /// Sets the limit of this name; false if there is no such.
    pub fn set(&mut self, name: &str, value: &str) -> anyhow::Result<bool> {
        let count = || -> anyhow::Result<u64> {
            let number = value.trim().parse().ok().filter(|&number: &u64| number > 0);
            number.with_context(|| format!("{name}: '{value}' is not a number above 0"))
        };
        match name {
            "tc" => self.clock = Some(value.trim().parse()?),
            "movetime" => {
                let time = seconds(value)?;
                ensure!(time >= Duration::from_millis(1), "movetime: less than a millisecond");
                self.movetime = Some(time);
            }
            "nodes" => self.nodes = Some(count()?),
            "depth" => match u32::try_from(count()?) {
                Ok(depth) => self.depth = Some(depth),
                Err(_) => bail!("depth: '{value}' is too large"),
            },
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        words.extend(self.clock.map(|clock| clock.to_string()));
        words.extend(self.movetime.map(|time| format!("{} s/move", time.as_secs_f64())));
        words.extend(self.nodes.map(|nodes| format!("{nodes} nodes")));
        words.extend(self.depth.map(|depth| format!("depth {depth}")));
        f.write_str(&words.join(", "))
    }
}

/// The clock of one player.
#[derive(Clone, Debug)]
pub struct Clock {
    control: TimeControl,
    remaining: Duration,
    /// Moves to the next time control, if there are such.
    moves_to_go: Option<u32>,
}

impl Clock {
    pub fn new(control: TimeControl) -> Self {
        // An increment counts for the first move too: `0+0.1` can be played.
        let remaining = if control.base.is_zero() { control.increment } else { control.base };
        Self { control, remaining, moves_to_go: control.moves }
    }

    pub fn remaining(&self) -> Duration {
        self.remaining
    }

    pub fn increment(&self) -> Duration {
        self.control.increment
    }

    pub fn moves_to_go(&self) -> Option<u32> {
        self.moves_to_go
    }

    /// Takes the time of a move off the clock and adds what the move earns; false if the time was
    /// over. Within `margin` behind the end, nothing is lost but the rest of the time.
    pub fn punch(&mut self, elapsed: Duration, margin: Duration) -> bool {
        if elapsed > self.remaining + margin {
            self.remaining = Duration::ZERO;
            return false;
        }
        self.remaining = self.remaining.saturating_sub(elapsed) + self.control.increment;
        if let Some(left) = &mut self.moves_to_go {
            *left -= 1;
            if *left == 0 {
                *left = self.control.moves.unwrap_or(1);
                self.remaining += self.control.base;
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
    fn time_controls_are_read_as_they_are_written() {
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
    fn limits_are_set_by_name_and_refuse_nonsense() {
        let mut limits = Limits::default();
        assert!(limits.set("nodes", "1000").unwrap() && limits.set("depth", "5").unwrap());
        assert!(limits.set("movetime", "0.25").unwrap() && !limits.set("Hash", "1").unwrap());
        assert_eq!(limits.to_string(), "0.25 s/move, 1000 nodes, depth 5");
        for (name, value) in [("nodes", "0"), ("depth", "-1"), ("depth", "9999999999"), ("tc", "")]
        {
            assert!(limits.set(name, value).is_err(), "{name} {value}");
        }
    }

    #[test]
    fn a_clock_loses_the_time_of_a_move_and_earns_its_increment() {
        let mut clock = Clock::new("1+0.1".parse().unwrap());
        assert!(clock.punch(300 * MS, Duration::ZERO));
        assert_eq!(clock.remaining(), 800 * MS);
        assert!(clock.punch(800 * MS, Duration::ZERO));
        assert_eq!(clock.remaining(), 100 * MS);
        assert!(clock.punch(105 * MS, 5 * MS), "within the margin");
        assert_eq!(clock.remaining(), 100 * MS);
        assert!(!clock.punch(106 * MS, 5 * MS), "behind the margin");
    }

    #[test]
    fn a_time_control_adds_its_time_again_after_its_moves() {
        let mut clock = Clock::new("2/1".parse().unwrap());
        assert_eq!(clock.moves_to_go(), Some(2));
        assert!(clock.punch(900 * MS, Duration::ZERO));
        assert_eq!((clock.moves_to_go(), clock.remaining()), (Some(1), 100 * MS));
        assert!(clock.punch(50 * MS, Duration::ZERO));
        assert_eq!((clock.moves_to_go(), clock.remaining()), (Some(2), 1_050 * MS));
    }
}
