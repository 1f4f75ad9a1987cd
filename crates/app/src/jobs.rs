//! Options and reports of resumable jobs.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use ::data::{Manifest, Prepared, Workers};
use layout::count;
use serde_json::{Value, json};

use crate::interrupt;
use crate::threads::Threads;

/// The last options of commands that generate a data set.
#[derive(clap::Args)]
pub struct GenerateArgs {
    /// Rows per file
    #[arg(long, value_name = "N", default_value_t = 1 << 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub shard_rows: u64,
    #[command(flatten)]
    threads: Threads,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl GenerateArgs {
    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.threads.count().get()
    }

    /// The threads of the job, until `stop` is set.
    pub fn workers<'a>(&self, stop: &'a AtomicBool) -> Workers<'a> {
        Workers::from(self.threads.count()).until(stop)
    }
}

/// Games, moves and positions of a data set, and its splits.
pub fn games_and_rows(manifest: &Manifest) -> String {
    let Manifest { counts, rows, .. } = manifest;
    format!(
        "{}, {}, {} ({} train, {} validation)",
        count(counts.games, "game"),
        count(counts.moves, "move"),
        count(counts.positions, "position"),
        rows.train,
        rows.validation,
    )
}

/// The counts of a data set, and how it was written.
pub fn data_set_json(prepared: &Prepared, seconds: f64, rate: f64) -> serde_json::Result<Value> {
    let manifest = &prepared.manifest;
    Ok(json!({
        "positions": manifest.counts.positions,
        "train": manifest.rows.train,
        "validation": manifest.rows.validation,
        "skipped": serde_json::to_value(manifest.counts.skipped_positions)?,
        "files": manifest.files.len(),
        "seconds": seconds,
        "positions_per_second": rate,
        "complete_before": prepared.was_complete,
        "resumed": prepared.was_resumed,
    }))
}

/// Says whether a data set was complete before, or an interrupted run was resumed.
pub fn print_resumed(out: &mut dyn Write, folder: &Path, prepared: &Prepared) -> io::Result<()> {
    if prepared.was_complete {
        writeln!(out, "{} is complete already", folder.display())?;
    } else if prepared.was_resumed {
        writeln!(out, "resumed an interrupted run")?;
    }
    Ok(())
}

/// Says how an interrupted training resumes.
pub fn print_interrupted(out: &mut dyn Write, steps: u64) -> io::Result<()> {
    writeln!(out, "interrupted after {}; the same command resumes", count(steps, "step"))
}

/// The exit code of a training.
pub fn exit_code(was_stopped: bool) -> ExitCode {
    if was_stopped { interrupt::exit_code() } else { ExitCode::SUCCESS }
}
