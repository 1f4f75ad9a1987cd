//! What a run that writes a data set has done, as text and as JSON.

use std::path::Path;

use layout::{count, wrap};
use serde_json::{Value, json};

use super::{ConvertedChunks, Prepared};
use crate::Manifest;

/// A finished run that wrote a data set.
#[derive(Clone, Copy, Debug)]
pub struct RunReport<'a> {
    /// The data set.
    pub prepared: &'a Prepared,
    /// Its directory.
    pub folder: &'a Path,
    /// The duration of the run.
    pub seconds: f64,
    /// The width of the text.
    pub columns: usize,
}

impl RunReport<'_> {
    /// A number per second of the run.
    pub fn per_second(&self, number: u64) -> f64 {
        rate(number, self.seconds)
    }

    /// Whether the run has written all rows: only then its speed is that of the data set.
    pub const fn is_whole_run(&self) -> bool {
        !self.prepared.was_complete && !self.prepared.was_resumed
    }

    /// Wrapped lines, after one that reports a data set that was complete before, or a resumed run.
    pub fn text(&self, lines: &[String]) -> String {
        let mut text = String::new();
        if self.prepared.was_complete {
            text += &format!("{} is complete already\n", self.folder.display());
        } else if self.prepared.was_resumed {
            text += "resumed an interrupted run\n";
        }
        for line in lines {
            text += &wrap(line, self.columns, 2);
            text.push('\n');
        }
        text
    }

    /// The report of [`prepare`](super::prepare()), with its CPU time.
    pub fn prepare_text(&self, cpu_seconds: f64) -> String {
        let manifest = &self.prepared.manifest;
        let counts = &manifest.counts;
        let summary = format!(
            "{}, {}, {}, {}",
            manifest.games_and_rows(),
            count(counts.evals, "eval"),
            count(counts.mates, "mate"),
            count(manifest.problems, "problem"),
        );
        let mut written =
            format!("{}, {} bytes", count(manifest.files.len(), "file"), manifest.bytes());
        if self.is_whole_run() {
            written += &format!(
                ", {:.2} s, {:.0} positions/s, {:.0} per second of CPU time",
                self.seconds,
                self.per_second(counts.positions),
                rate(counts.positions, cpu_seconds),
            );
        }
        self.text(&[summary, written])
    }

    /// The report of [`prepare`](super::prepare()) as JSON.
    pub fn prepare_json(&self, cpu_seconds: f64) -> Value {
        let positions = self.prepared.manifest.counts.positions;
        let mut report = self.prepared.to_json();
        report["seconds"] = self.seconds.into();
        report["cpu_seconds"] = cpu_seconds.into();
        report["positions_per_second"] = self.per_second(positions).into();
        report["positions_per_cpu_second"] = rate(positions, cpu_seconds).into();
        report
    }

    /// The counts of a generated data set, and how it was written.
    pub fn generate_json(&self, positions_per_second: f64) -> Value {
        let Manifest { counts, rows, files, .. } = &self.prepared.manifest;
        json!({
            "positions": counts.positions,
            "train": rows.train,
            "validation": rows.validation,
            "skipped": counts.skipped_positions,
            "files": files.len(),
            "seconds": self.seconds,
            "positions_per_second": positions_per_second,
            "complete_before": self.prepared.was_complete,
            "resumed": self.prepared.was_resumed,
        })
    }
}

impl Manifest {
    /// Games, moves and positions of a data set, and its splits.
    pub fn games_and_rows(&self) -> String {
        let Self { counts, rows, .. } = self;
        format!(
            "{}, {}, {} ({} train, {} validation)",
            count(counts.games, "game"),
            count(counts.moves, "move"),
            count(counts.positions, "position"),
            rows.train,
            rows.validation,
        )
    }
}

impl ConvertedChunks {
    /// The chunks in a line.
    pub fn text(&self, seconds: f64) -> String {
        let Self { converted_before, with_problems, .. } = self;
        let chunks = count(self.chunks, "chunk");
        format!(
            "{chunks}, {converted_before} converted before, {with_problems} with problems, \
             which the run with --chunks reports, {seconds:.2} s"
        )
    }

    /// The chunks as JSON.
    pub fn to_json(&self, seconds: f64) -> Value {
        json!({
            "chunks": self.chunks,
            "converted_before": self.converted_before,
            "with_problems": self.with_problems,
            "seconds": seconds,
        })
    }
}

fn rate(number: u64, seconds: f64) -> f64 {
    number as f64 / seconds.max(1e-9)
}
