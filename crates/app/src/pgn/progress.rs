//! Progress bars on standard error, if it is a terminal.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use data::Input;
use indicatif::{ProgressBar, ProgressStyle};

/// A progress bar with a message, or nothing.
pub struct Bar(Option<ProgressBar>);

impl Bar {
    /// A bar, or a spinner if the length is unknown.
    pub fn new(length: Option<u64>, template: &str) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = length.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
            bar.enable_steady_tick(Duration::from_millis(200));
            set_template(&bar, template);
            bar
        });
        Self(bar)
    }

    /// Starts again with another length and template.
    pub fn restart(&self, length: u64, template: &str) {
        if let Some(bar) = &self.0 {
            bar.reset();
            set_template(bar, template);
            bar.set_length(length);
        }
    }

    /// Sets position and message; the length grows with the position.
    pub fn set(&self, position: u64, message: impl FnOnce() -> String) {
        if let Some(bar) = &self.0 {
            bar.set_length(bar.length().unwrap_or(0).max(position));
            bar.set_position(position);
            bar.set_message(message());
        }
    }

    /// Prints a line to standard error without disturbing the bar.
    pub fn report(&self, line: &str) {
        match &self.0 {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

fn set_template(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

/// The bar of an input: bytes, games per second, time left.
pub struct InputBar {
    pub bar: Bar,
    bytes_read: Arc<AtomicU64>,
    games: AtomicU64,
    begin: Instant,
}

impl InputBar {
    pub fn new(input: &Input) -> Self {
        let template = match input.size() {
            Some(_) => "{prefix} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {msg} {eta} left",
            None => "{prefix} {spinner} {bytes} {bytes_per_sec} {msg}",
        };
        let bar = Bar::new(input.size(), template);
        if let Some(bar) = &bar.0 {
            bar.set_prefix(input.name().to_owned());
        }
        let (games, begin) = (AtomicU64::new(0), Instant::now());
        Self { bar, bytes_read: input.bytes_read(), games, begin }
    }

    /// Adds games.
    pub fn add(&self, games: u64) {
        let games = self.games.fetch_add(games, Ordering::Relaxed) + games;
        self.bar.set(self.bytes_read.load(Ordering::Relaxed), || {
            format!("{:.0} games/s", games as f64 / self.begin.elapsed().as_secs_f64().max(0.001))
        });
    }
}
