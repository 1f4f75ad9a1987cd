//! `tabiya data pack` and `unpack`: the same rows in the other format.

use std::io::Write;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use ::data::{FileFormat, Manifest};
use anyhow::bail;
use clap::Args;
use serde_json::json;

use crate::Outcome;

#[derive(Args)]
pub struct ConvertArgs {
    /// The folder of the data set.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The folder that the new data set is to be. A run that was killed goes on from there.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// How many threads work; as many as there are cores unless given.
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &ConvertArgs, format: FileFormat, out: &mut dyn Write) -> Outcome {
    let begin = Instant::now();
    if Manifest::open(&args.folder)?.format() == format {
        bail!("{} has this format already", args.folder.display());
    }
    let threads = super::threads(args.threads);
    let prepared = ::data::convert(&args.folder, &args.out, format, threads, |_| {})?;
    let manifest = &prepared.manifest;
    let rows = manifest.counts.positions;
    let bytes: u64 = manifest.files.iter().map(|file| file.bytes).sum();
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
            "{rows} rows, {} files, {bytes} bytes, {seconds:.2} s",
            manifest.files.len()
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
