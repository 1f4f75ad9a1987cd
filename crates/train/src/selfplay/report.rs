//! What a self-play run has done, as text and as JSON.

use data::RunReport;
use layout::count;
use serde_json::{Value, json};

use super::PlayedShard;

/// Games, positions and speed of a data set of self-play.
pub fn text(report: &RunReport<'_>) -> String {
    let manifest = &report.prepared.manifest;
    let counts = &manifest.counts;
    let mut summary = format!(
        "{}, {}, {}",
        manifest.games_and_rows(),
        count(counts.skipped_positions.duplicate, "duplicate"),
        count(manifest.files.len(), "file"),
    );
    if report.is_whole_run() {
        let (seconds, games) = (report.seconds, report.per_second(counts.games));
        let rate = positions_per_second(report);
        summary += &format!(", {seconds:.2} s, {games:.2} games/s, {rate:.0} positions/s");
    }
    report.text(&[summary])
}

/// The same as JSON.
pub fn json(report: &RunReport<'_>) -> Value {
    let counts = &report.prepared.manifest.counts;
    let mut value = report.generate_json(positions_per_second(report));
    value["games"] = counts.games.into();
    value["moves"] = counts.moves.into();
    value
}

/// Duplicates have been played, too.
fn positions_per_second(report: &RunReport<'_>) -> f64 {
    let counts = &report.prepared.manifest.counts;
    report.per_second(counts.positions + counts.skipped_positions.duplicate)
}

impl PlayedShard {
    /// The shard in a line.
    pub fn text(&self, seconds: f64) -> String {
        let (units, games) = (count(self.units, "unit"), count(self.games, "game"));
        let positions = count(self.positions, "position");
        format!("{units}, {games}, {positions}, {seconds:.2} s")
    }

    /// The shard as JSON.
    pub fn to_json(&self, seconds: f64) -> Value {
        json!({
            "units": self.units,
            "played_before": self.played_before,
            "games": self.games,
            "positions": self.positions,
            "seconds": seconds,
        })
    }
}
