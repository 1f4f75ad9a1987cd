//! What the training commands share: interrupts, progress on standard error, and the report.

use std::io::{IsTerminal, Write};
use std::num::NonZero;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use learn::{Event, Progress, Summary, TrainError};
use serde_json::{Value, json};

use crate::layout::{self, wrap};
use crate::words::count;
use crate::{Outcome, interrupt, threads};

/// Options of runs in an output folder.
#[derive(Args)]
pub struct RunArgs {
    /// Random seed of the initial parameters and the order of rows
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Number of threads, 1 to 256 [default: number of cores]; the same number gives the same model, bit
    /// for bit
    #[arg(long, value_name = "N", value_parser = threads::parse)]
    threads: Option<NonZero<usize>>,
    /// Fail unless there is a checkpoint to resume from
    #[arg(long)]
    pub resume: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl RunArgs {
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
    bar: Option<ProgressBar>,
    updated: Instant,
    printed: Instant,
}

impl Display {
    fn new(positions: u64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(positions);
            let template = "{wide_bar} {human_pos}/{human_len} {msg}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, updated: Instant::now(), printed: Instant::now() }
    }

    /// Prints a line above the bar.
    pub fn line(&self, line: &str) {
        let line = wrap(line, layout::log_width(), 2);
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }

    /// Prints a line where there is no bar, and at most once per interval unless it `must` be printed.
    pub fn line_every(&mut self, interval: Duration, must: bool, line: impl FnOnce() -> String) {
        if self.bar.is_none() && (must || self.printed.elapsed() > interval) {
            self.printed = Instant::now();
            self.line(&line());
        }
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
        if let Some(bar) = &self.bar
            && self.updated.elapsed() > Duration::from_millis(100)
        {
            self.updated = Instant::now();
            bar.set_position(progress.positions);
            let accuracy =
                progress.accuracy.map_or(String::new(), |share| format!(" {:.1} %", 100.0 * share));
            bar.set_message(format!(
                "step {} loss {:.5}{accuracy} {:.0}/s {} left",
                progress.step + 1,
                progress.loss,
                progress.positions_per_second,
                time(progress.seconds_left)
            ));
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A duration in seconds, minutes or hours.
pub fn time(seconds: f64) -> String {
    let seconds = if seconds.is_finite() { seconds.max(0.0).round() as u64 } else { 0 };
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes}:{seconds:02}"),
        (hours, minutes, seconds) => format!("{hours}:{minutes:02}:{seconds:02}"),
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
        let steps = count(summary.steps, "step");
        writeln!(out, "interrupted after {steps}; the same command resumes")?;
    } else {
        if summary.was_complete {
            writeln!(out, "{} is complete already", folder.display())?;
        }
        text(out)?;
    }
    Ok(if summary.was_stopped { interrupt::exit_code() } else { ExitCode::SUCCESS })
}
