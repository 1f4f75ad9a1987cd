//! `tabiya data verify`: verifies every file and every row.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use layout::{count, prose};

use crate::threads::Threads;
use crate::{Outcome, progress};

#[derive(Args)]
pub struct VerifyArgs {
    /// Directory of the data set
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    threads: Threads,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &VerifyArgs, out: &mut dyn Write) -> Outcome {
    let begin = Instant::now();
    let bar = progress::bar(0, "{spinner} {human_pos} rows");
    let verified = ::data::verify(&args.folder, args.threads.count(), |rows| bar.inc(rows));
    drop(bar);
    let verified = verified?;
    let seconds = begin.elapsed().as_secs_f64();
    if args.json {
        let mut report = serde_json::to_value(&verified)?;
        report["seconds"] = seconds.into();
        writeln!(out, "{report}")?;
    } else {
        for problem in &verified.first_problems {
            writeln!(out, "{problem}")?;
        }
        let more = verified.problems - verified.first_problems.len() as u64;
        if more > 0 {
            writeln!(out, "… and {more} more")?;
        }
        for note in &verified.unchecked {
            prose(out, format_args!("not checked: {note}"))?;
        }
        let mut summary = count(verified.files, "file") + ", " + &count(verified.rows, "row");
        if let Some(games) = verified.games {
            summary += &format!(" of {}", count(games, "game"));
        }
        summary += &format!(", {}, {seconds:.2} s", count(verified.problems, "problem"));
        prose(out, &summary)?;
    }
    Ok(if verified.problems == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
