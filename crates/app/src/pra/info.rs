//! `tabiya pra info`: configuration, tensors and cost of a model.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use layout::{Table, prose, width};
use pra::{Config, Layout, Weights};

use super::model::{ConfigArgs, model_folder_or_shipped};
use crate::Outcome;

/// Shows the configuration, tensors, parameters and FLOPs of a model
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
        write_text(&config, weights.as_ref(), out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write_text(
    config: &Config,
    weights: Option<&Weights>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let layout = Layout::new(config);
    let flops = config.forward_flops() as f64 / 1e6;
    writeln!(out, "{} parameters, {:.1} MB", layout.len(), 4.0 * layout.len() as f64 / 1e6)?;
    writeln!(out, "{} layers of 12 heads, embedding dimension {}", config.depth, config.n_embd)?;
    let training = 3.0 * flops;
    prose(
        out,
        format_args!(
            "{flops:.0} MFLOPs per position in a forward pass, {training:.0} in training\n"
        ),
    )?;
    let mut table = Table::new(["option", "", "meaning"], &[0, 1, 2], 2);
    for (name, is_on, meaning) in config.options() {
        table.row([name, if is_on { "yes" } else { "no" }, meaning]);
    }
    writeln!(out, "{}", table.stacked(width()))?;
    let rms = weights.map(|_| "RMS");
    let heading = ["tensor", "shape", "parameters", "group"].into_iter().chain(rms);
    let mut table = Table::new(heading, &[0, 3], 1);
    for tensor in layout.tensors() {
        let shape: Vec<String> = tensor.shape.iter().map(usize::to_string).collect();
        let rms = weights.map_or(String::new(), |weights| format!("{:.4}", weights.rms(tensor)));
        table.row([
            tensor.name.clone(),
            shape.join("×"),
            tensor.range.len().to_string(),
            tensor.kind.to_string(),
            rms,
        ]);
    }
    // A narrow terminal drops columns before it wraps names.
    write!(out, "{}", table.without(&[3, 4], width()))?;
    if weights.is_some() {
        writeln!(out, "RMS: root mean square of the parameters")?;
    }
    Ok(())
}
