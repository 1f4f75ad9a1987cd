//! Progress bar: bytes, games per second, time left.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use data::Input;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

/// Shows the progress of an input while it lives, if standard error is a terminal.
pub struct Bar {
    bar: Option<ProgressBar>,
    bytes_read: Arc<AtomicU64>,
    games: Arc<AtomicU64>,
}

impl Bar {
    pub fn new(input: &Input) -> Self {
        let (bytes_read, games) = (input.bytes_read(), Arc::new(AtomicU64::new(0)));
        if !std::io::stderr().is_terminal() {
            return Self { bar: None, bytes_read, games };
        }
        let (bar, template) = match input.size() {
            Some(size) => (
                ProgressBar::new(size),
                "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {games} {eta} left",
            ),
            None => (ProgressBar::new_spinner(), "{msg} {spinner} {bytes} {bytes_per_sec} {games}"),
        };
        let counted = Arc::clone(&games);
        let rate = move |state: &ProgressState, text: &mut dyn std::fmt::Write| {
            let games = counted.load(Ordering::Relaxed) as f64;
            let seconds = state.elapsed().as_secs_f64().max(0.001);
            let _ = write!(text, "{:.0} games/s", games / seconds);
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key("games", rate));
        }
        bar.set_message(input.name().to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar: Some(bar), bytes_read, games }
    }

    /// Adds games.
    pub fn add(&self, games: u64) {
        self.games.fetch_add(games, Ordering::Relaxed);
        if let Some(bar) = &self.bar {
            bar.set_position(self.bytes_read.load(Ordering::Relaxed));
        }
    }

    /// Prints a line to standard error without disturbing the bar.
    pub fn report(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
