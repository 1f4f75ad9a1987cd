//! `tabiya nnue export`: the quantized network of a checkpoint.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use layout::{count, prose};
use serde_json::json;
use train::trainer::Checkpoint;

use crate::{Outcome, output};

/// Export the quantized network of a checkpoint
#[derive(Args)]
pub struct ExportArgs {
    /// Training checkpoint
    checkpoint: PathBuf,
    /// Output file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &ExportArgs, out: &mut dyn Write) -> Outcome {
    output::ensure_not_inputs([args.out.as_path()], [args.checkpoint.as_path()])?;
    let checkpoint = Checkpoint::load(&args.checkpoint)?;
    let bytes = checkpoint.parameters().quantized()?.to_bytes();
    output::write(&args.out, &bytes)?;
    let shape = checkpoint.parameters().shape();
    if args.json {
        let report = json!({
            "bytes": bytes.len(),
            "hidden": shape.hidden,
            "mirrored": shape.mirrored,
            "king_buckets": shape.king_bucket_count(),
            "output_buckets": shape.output_buckets,
            "step": checkpoint.step(),
        });
        writeln!(out, "{report}")?;
    } else {
        let summary = format!(
            "({}→{})×2→{} after {}: {}, {} bytes",
            shape.inputs(),
            shape.hidden,
            shape.output_buckets,
            count(checkpoint.step(), "step"),
            args.out.display(),
            bytes.len()
        );
        prose(out, summary)?;
    }
    Ok(ExitCode::SUCCESS)
}
