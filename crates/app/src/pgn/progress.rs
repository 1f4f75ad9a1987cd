//! The progress bar of a PGN input.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use data::Input;
use indicatif::ProgressBar;

use crate::progress;

/// Bytes, games per second, time left.
pub struct InputBar {
    pub bar: ProgressBar,
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
        let bar = progress::bar(input.size().unwrap_or(0), template);
        bar.enable_steady_tick(Duration::from_millis(200));
        bar.set_prefix(input.name().to_owned());
        let (games, begin) = (AtomicU64::new(0), Instant::now());
        Self { bar, bytes_read: input.bytes_read(), games, begin }
    }

    /// Adds games.
    pub fn add(&self, games: u64) {
        let games = self.games.fetch_add(games, Ordering::Relaxed) + games;
        let rate = games as f64 / self.begin.elapsed().as_secs_f64().max(0.001);
        let read = self.bytes_read.load(Ordering::Relaxed);
        progress::set(&self.bar, read, format!("{rate:.0} games/s"));
    }
}
