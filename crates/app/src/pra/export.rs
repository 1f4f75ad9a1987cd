//! `tabiya pra export`: copies a model to another directory, as f16, or from a safetensors file.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use layout::prose;
use pra::{CONFIG, Config, MODEL, Weights};
use serde_json::json;

use super::model::{ensure_not_model, model_folder_or_shipped};
use crate::{Outcome, output};

/// Export a model to a directory, or import a safetensors file
///
/// A model of the reference configuration has the tensor names and shapes of the reference
/// implementation, so both read each other's files.
///
/// Examples:
///   tabiya pra export --model runs/pra --out small --f16
///   tabiya pra export --tensors theirs.safetensors --depth 8 --n-embd 192 --reference --out ours
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ExportArgs {
    /// Model directory [default: the embedded model]
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// Safetensors file to import; --depth, --n-embd and --reference give its configuration
    #[arg(long, value_name = "FILE", conflicts_with = "model")]
    tensors: Option<PathBuf>,
    /// Number of transformer blocks of the file
    #[arg(long, value_name = "N", requires = "tensors", default_value_t = 8)]
    depth: usize,
    /// Embedding dimension of the file, a multiple of 12
    #[arg(long, value_name = "N", requires = "tensors", default_value_t = 192)]
    n_embd: usize,
    /// The file is a reference model
    #[arg(long, requires = "tensors")]
    reference: bool,
    /// Output directory
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Write f16 tensors: half the size, less precise
    #[arg(long)]
    f16: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &ExportArgs, out: &mut dyn Write) -> Outcome {
    let outputs = [MODEL, CONFIG].map(|name| Some(args.out.join(name)));
    ensure_not_model(&outputs, args.model.as_deref())?;
    let written = outputs.iter().flatten().map(PathBuf::as_path);
    output::ensure_not_inputs(written, args.tensors.as_deref())?;
    let weights = match &args.tensors {
        None => model_folder_or_shipped(args.model.as_deref())?,
        Some(path) => {
            let make = if args.reference { Config::reference } else { Config::new };
            let config = make(args.depth, args.n_embd);
            config.check()?;
            Weights::load_tensors(&config, path)?
        }
    };
    weights.save(&args.out, args.f16)?;
    let bytes = fs::metadata(args.out.join(MODEL))
        .with_context(|| format!("cannot read {}", args.out.display()))?
        .len();
    let config = weights.config();
    if args.json {
        let report = json!({
            "parameters": weights.values().len(),
            "bytes": bytes,
            "config": serde_json::to_value(config)?,
            "out": args.out,
        });
        writeln!(out, "{report}")?;
    } else {
        let summary = format!(
            "{} layers, embedding dimension {}, {} parameters: {MODEL} ({bytes} bytes) and {CONFIG} in {}",
            config.depth,
            config.n_embd,
            weights.values().len(),
            args.out.display()
        );
        prose(out, summary)?;
    }
    Ok(ExitCode::SUCCESS)
}
