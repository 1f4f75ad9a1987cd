//! `tabiya data pack` and `unpack`: conversion between the formats.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use ::data::{FileFormat, Manifest, Workers};
use anyhow::bail;
use clap::Args;
use layout::count;
use serde_json::json;

use crate::Outcome;
use crate::threads::Threads;

#[derive(Args)]
pub struct ConvertArgs {
    /// Directory of the data set
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Output directory; an interrupted run resumes
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    threads: Threads,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &ConvertArgs, format: FileFormat, out: &mut dyn Write) -> Outcome {
    let begin = Instant::now();
    if Manifest::open(&args.folder)?.format() == format {
        bail!("{} already has this format", args.folder.display());
    }
    let stop = crate::interrupt::listen(|| {})?;
    let workers = Workers::from(args.threads.count()).until(&stop);
    let prepared = ::data::convert(&args.folder, &args.out, format, workers, |_| {})?;
    let manifest = &prepared.manifest;
    let rows = manifest.counts.positions;
    let bytes = manifest.bytes();
    let seconds = begin.elapsed().as_secs_f64();
    if args.json {
        let files = manifest.files.len();
        let report = json!({ "rows": rows, "files": files, "bytes": bytes, "seconds": seconds });
        writeln!(out, "{report}")?;
    } else {
        if prepared.was_complete {
            writeln!(out, "{} is complete already", args.out.display())?;
        }
        writeln!(
            out,
            "{}, {}, {bytes} bytes, {seconds:.2} s",
            count(rows, "row"),
            count(manifest.files.len(), "file")
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
