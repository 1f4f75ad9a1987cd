//! Progress of long jobs on standard error: a bar on a terminal, a log line every 30 seconds elsewhere.

use std::time::{Duration, Instant};

use ::data::PrepareEvent;
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use layout::{clock, count, wrap};

/// Interval of log lines where standard error is no terminal.
pub const LOG_INTERVAL: Duration = Duration::from_secs(30);

/// A progress bar, hidden if standard error is no terminal, cleared when it is dropped.
pub fn bar(length: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(length).with_finish(ProgressFinish::AndClear);
    set_template(&bar, template);
    bar
}

/// Changes the template of a bar.
pub fn set_template(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

/// Prints a line to standard error above the bar, wrapped to the terminal.
pub fn log_line(bar: &ProgressBar, line: &str) {
    let line = wrap(line, layout::log_width(), 2);
    bar.suspend(|| eprintln!("{line}"));
}

/// The display of a long job on standard error: a bar on a terminal, elsewhere a line now and then.
pub struct LiveDisplay {
    bar: ProgressBar,
    /// Time of the last line.
    printed: Instant,
}

impl LiveDisplay {
    /// A display with a [`bar`].
    pub fn new(length: u64, template: &str) -> Self {
        Self { bar: bar(length, template), printed: Instant::now() }
    }

    /// Redraws the bar twice a second, for the time elapsed.
    pub fn ticking(self) -> Self {
        self.bar.enable_steady_tick(Duration::from_millis(500));
        self
    }

    /// The bar; `None` if it is hidden.
    pub fn bar(&self) -> Option<&ProgressBar> {
        (!self.bar.is_hidden()).then_some(&self.bar)
    }

    /// Prints a line above the bar.
    pub fn line(&self, line: &str) {
        log_line(&self.bar, line);
    }

    /// Prints a line where there is no bar, and at most once per interval unless it `must` be printed.
    pub fn line_every(&mut self, interval: Duration, must: bool, line: impl FnOnce() -> String) {
        if self.bar().is_none() && (must || self.printed.elapsed() >= interval) {
            self.printed = Instant::now();
            self.line(&line());
        }
    }
}

/// The progress of a job that writes positions, with rate and ETA.
pub struct JobProgress {
    display: LiveDisplay,
    total: u64,
    /// Time, work done and positions at the first update: an earlier run is not part of the rate.
    start: Option<(Instant, u64, u64)>,
}

impl JobProgress {
    /// The job ends when `total` units of work are done.
    pub fn new(total: u64) -> Self {
        let display = LiveDisplay::new(total, "{wide_bar} {percent} % {msg}");
        Self { display, total, start: None }
    }

    /// Follows the events of a data job, whose work is what it reads or, with `by_positions`, what it
    /// writes.
    pub fn on_event(&mut self, event: PrepareEvent<'_>, by_positions: bool) {
        match event {
            PrepareEvent::Progress { read, games, positions } => {
                let prefix = match games {
                    0 => String::new(),
                    games => count(games, "game") + ", ",
                };
                self.update(if by_positions { positions } else { read }, positions, &prefix);
            }
            PrepareEvent::Sorting { positions } => *self = Self::new(positions),
            PrepareEvent::Sorted { positions } => self.update(positions, positions, "sorted "),
            _ => {}
        }
    }

    /// Updates the work done and the number of positions; `prefix` precedes the latter.
    pub fn update(&mut self, done: u64, positions: u64, prefix: &str) {
        let Some((start, done_before, positions_before)) = self.start else {
            self.start = Some((Instant::now(), done, positions));
            return;
        };
        let total = self.total;
        let text = || {
            let seconds = start.elapsed().as_secs_f64().max(1e-9);
            let rate = positions.saturating_sub(positions_before) as f64 / seconds;
            let pace = done.saturating_sub(done_before) as f64 / seconds;
            let left = total.saturating_sub(done) as f64 / pace.max(1e-9);
            format!("{prefix}{positions} positions, {rate:.0}/s, {} left", clock(left))
        };
        let done = done.min(total);
        if let Some(bar) = self.display.bar() {
            bar.set_position(done);
            bar.set_message(text());
        } else {
            let percent = 100 * done / total.max(1);
            self.display.line_every(LOG_INTERVAL, false, || format!("{percent} % {}", text()));
        }
    }
}

/// Sets position and message of a bar; its length grows with the position.
pub fn set(bar: &ProgressBar, position: u64, message: String) {
    bar.set_length(bar.length().unwrap_or(0).max(position));
    bar.set_position(position);
    bar.set_message(message);
}
