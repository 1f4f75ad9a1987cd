//! How far long work has come: a bar on a terminal, a line now and then elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How often a line is written where there is no terminal.
const INTERVAL: Duration = Duration::from_secs(30);

/// Tells on standard error how much of some work is done, and how much time is left.
pub struct Progress {
    bar: Option<ProgressBar>,
    total: u64,
    /// When it began and what had been done by an earlier run; known with the first news.
    begin: Option<(Instant, u64, u64)>,
    last: Instant,
}

impl Progress {
    /// So much is to be done.
    pub fn new(total: u64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total);
            if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent} % {msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, total, begin: None, last: Instant::now() }
    }

    /// So much is done, and it came to so many positions; `what` goes before them.
    pub fn tell(&mut self, done: u64, positions: u64, what: &str) {
        let Some((begin, done_before, before)) = self.begin else {
            // What comes first was perhaps not done by this run: it is not counted for the speed.
            self.begin = Some((Instant::now(), done, positions));
            return;
        };
        if self.bar.is_none() && self.last.elapsed() < INTERVAL {
            return;
        }
        self.last = Instant::now();
        let seconds = begin.elapsed().as_secs_f64().max(1e-9);
        let rate = positions.saturating_sub(before) as f64 / seconds;
        let pace = done.saturating_sub(done_before) as f64 / seconds;
        let left = self.total.saturating_sub(done) as f64 / pace.max(1e-9);
        let left = Duration::from_secs_f64(left.min(1e9));
        let text = format!("{what}{positions} positions, {rate:.0}/s, {} left", clock(left));
        match &self.bar {
            Some(bar) => {
                bar.set_position(done.min(self.total));
                bar.set_message(text);
            }
            None => eprintln!("{} % {text}", 100 * done.min(self.total) / self.total.max(1)),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Hours, minutes, seconds.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_told_as_on_a_clock() {
        let clock = |seconds| clock(Duration::from_secs(seconds));
        assert_eq!((clock(7).as_str(), clock(754).as_str()), ("0:07", "12:34"));
        assert_eq!(clock(3_725), "1:02:05");
    }
}
