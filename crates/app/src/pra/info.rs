//! `tabiya pra info`: configuration, tensors and cost of a model.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use pra::ModelText;

use super::model::{ConfigArgs, model_folder_or_shipped};
use crate::Outcome;

/// Show the configuration, tensors, parameters and FLOPs of a model
///
/// Examples:
///   tabiya pra info --model runs/pra
///   tabiya pra info --depth 12 --n-embd 288
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct InfoArgs {
    /// Model directory [default: the embedded model]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["depth", "n_embd", "reference"])]
    model: Option<PathBuf>,
    #[command(flatten)]
    config: ConfigArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &InfoArgs, out: &mut dyn Write) -> Outcome {
    let (config, weights) = if args.config.is_given() {
        (args.config.config()?, None)
    } else {
        let weights = model_folder_or_shipped(args.model.as_deref())?;
        (*weights.config(), Some(weights))
    };
    if args.json {
        writeln!(out, "{}", config.to_json(weights.as_ref()))?;
    } else {
        let (weights, columns) = (weights.as_ref(), layout::width());
        write!(out, "{}", ModelText { config: &config, weights, columns })?;
    }
    Ok(ExitCode::SUCCESS)
}
