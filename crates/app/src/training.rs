//! What the training commands share: interrupts, progress on standard error, and the report.

use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::Args;
use layout::{clock, count};
use learn::{Event, Progress, Summary, TrainError};
use serde_json::{Value, json};

use crate::progress::LiveDisplay;
use crate::{Outcome, interrupt, jobs, threads};

/// Options of runs in an output directory.
#[derive(Args)]
pub struct RunArgs {
    /// Random seed of the initial parameters and the order of rows [default: 1]
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Number of threads, 1 to 256 [default: number of cores]; the same number gives the same model, bit
    /// for bit
    #[arg(long, value_name = "N", value_parser = threads::parse)]
    threads: Option<NonZero<usize>>,
    /// Write a TensorBoard event file into this directory; a resumed run replaces it
    #[arg(long, value_name = "DIR")]
    pub tensorboard: Option<PathBuf>,
    /// Fail unless there is a checkpoint to resume from
    #[arg(long)]
    pub resume: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl RunArgs {
    /// The random seed.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        threads::or_cores(self.threads).get()
    }
}

/// Runs a training of this many positions with a progress display, until its end or Ctrl-C.
pub fn run<T>(
    positions: u64,
    train: impl FnOnce(&AtomicBool, &mut Display) -> Result<T, TrainError>,
) -> anyhow::Result<T> {
    let stop = interrupt::listen(|| {})?;
    let mut display = Display::new(positions);
    Ok(train(&stop, &mut display)?)
}

/// A progress bar on a terminal; lines on standard error.
pub struct Display {
    live: LiveDisplay,
    updated: Instant,
}

impl Display {
    fn new(positions: u64) -> Self {
        let live = LiveDisplay::new(positions, "{wide_bar} {human_pos}/{human_len} {msg}");
        Self { live, updated: Instant::now() }
    }

    /// Prints a line above the bar.
    pub fn line(&self, line: &str) {
        self.live.line(line);
    }

    /// Prints a line where there is no bar, and at most once per interval unless it `must` be printed.
    pub fn line_every(&mut self, interval: Duration, must: bool, line: impl FnOnce() -> String) {
        self.live.line_every(interval, must, line);
    }

    /// Shows the events that all trainings have in common.
    pub fn show<L>(&mut self, event: &Event<'_, L>) {
        match event {
            Event::Resumed { step } => self.line(&format!("resumes after {}", count(step, "step"))),
            Event::Damaged(error) => self.line(&format!("{error}; an older one is loaded")),
            Event::NoValidation => self.line("there are no validation rows: no validation loss"),
            Event::Progress(progress) => self.update_bar(progress),
            Event::Logged(_) | Event::Saved(_) => {}
        }
    }

    fn update_bar(&mut self, progress: &Progress) {
        let Some(bar) = self.live.bar() else { return };
        if self.updated.elapsed() > Duration::from_millis(100) {
            self.updated = Instant::now();
            bar.set_position(progress.positions);
            let accuracy =
                progress.accuracy.map_or(String::new(), |share| format!(" {:.1} %", 100.0 * share));
            bar.set_message(format!(
                "step {} loss {:.5}{accuracy} {:.0}/s {} left",
                progress.step + 1,
                progress.loss,
                progress.positions_per_second,
                clock(progress.seconds_left)
            ));
        }
    }
}

/// Steps and used positions, rows that were skipped, and the speed.
pub fn steps_and_rows(summary: &Summary, used: u64, skipped: &[(u64, &str)]) -> String {
    let mut text = count(summary.steps, "step") + ", " + &count(used, "position");
    let all: u64 = skipped.iter().map(|(count, _)| count).sum();
    if all > 0 {
        let reasons: Vec<String> =
            skipped.iter().map(|(count, reason)| format!("{count} {reason}")).collect();
        text += &format!(" ({all} left out: {})", reasons.join(", "));
    }
    if !summary.was_complete {
        text += &format!(", {:.0} positions/s", summary.positions_per_second());
    }
    text
}

/// Prints the report: JSON with the fields of the summary and more, or text.
pub fn report(
    summary: &Summary,
    folder: &Path,
    json: Option<Value>,
    text: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    out: &mut dyn Write,
) -> Outcome {
    if let Some(mut report) = json {
        report["steps"] = json!(summary.steps);
        report["positions_per_second"] = json!(summary.positions_per_second());
        report["resumed_from"] = json!(summary.resumed_from);
        report["stopped"] = json!(summary.was_stopped);
        report["complete_before"] = json!(summary.was_complete);
        writeln!(out, "{report}")?;
    } else if summary.was_stopped {
        jobs::print_interrupted(out, summary.steps)?;
    } else {
        if summary.was_complete {
            writeln!(out, "{} is complete already", folder.display())?;
        }
        text(out)?;
    }
    Ok(jobs::exit_code(summary.was_stopped))
}
