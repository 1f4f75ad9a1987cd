//! A bar on the terminal: bytes, games a second, time left.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use data::{Input, Progress};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

/// Shows how far a file has been read, as long as it lives, if standard error is a terminal.
pub struct Bar {
    bar: Option<ProgressBar>,
    progress: Arc<Progress>,
}

impl Bar {
    pub fn new(input: &Input) -> Self {
        let progress = input.progress();
        if !std::io::stderr().is_terminal() {
            return Self { bar: None, progress };
        }
        let (bar, template) = match input.size() {
            Some(size) => (
                ProgressBar::new(size),
                "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {games} {eta} left",
            ),
            None => (ProgressBar::new_spinner(), "{msg} {spinner} {bytes} {bytes_per_sec} {games}"),
        };
        let counted = Arc::clone(&progress);
        let games = move |state: &ProgressState, text: &mut dyn std::fmt::Write| {
            let games = counted.games.load(Ordering::Relaxed) as f64;
            let seconds = state.elapsed().as_secs_f64().max(0.001);
            let _ = write!(text, "{:.0} games/s", games / seconds);
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key("games", games));
        }
        bar.set_message(input.name().to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar: Some(bar), progress }
    }

    /// So many more games have been read.
    pub fn add(&self, games: u64) {
        self.progress.games.fetch_add(games, Ordering::Relaxed);
        if let Some(bar) = &self.bar {
            bar.set_position(self.progress.bytes.load(Ordering::Relaxed));
        }
    }

    /// Prints a line to standard error without disturbing the bar.
    pub fn complain(&self, line: &str) {
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
