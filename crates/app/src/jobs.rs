//! Options and reports of resumable jobs.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use ::data::Workers;
use layout::count;

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

/// Prints how an interrupted training resumes.
pub fn print_interrupted(out: &mut dyn Write, steps: u64) -> io::Result<()> {
    writeln!(out, "interrupted after {}; the same command resumes", count(steps, "step"))
}

/// The exit code of a training.
pub fn exit_code(was_stopped: bool) -> ExitCode {
    if was_stopped { interrupt::exit_code() } else { ExitCode::SUCCESS }
}
