//! `tabiya pra info`: what a model is made of.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use pra::{Config, Kind, Layout, Weights};
use serde_json::{Value, json};

use super::model::model_folder_or_shipped;
use crate::Outcome;
use crate::layout::{Table, prose, width};

/// Tells what a model is made of: options, tensors, parameters, work
///
/// Examples:
///   tabiya pra info --model runs/pra
///   tabiya pra info --depth 12 --n-embd 288
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct InfoArgs {
    /// The folder of a model; the one in this program unless given
    #[arg(long, value_name = "DIR", conflicts_with_all = ["depth", "n_embd", "reference"])]
    model: Option<PathBuf>,
    /// A model that there is not yet: its layers (8)
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// … and its numbers a square, a multiple of 12 (192)
    #[arg(long, value_name = "N")]
    n_embd: Option<usize>,
    /// … as the reference has it
    #[arg(long)]
    reference: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &InfoArgs, out: &mut dyn Write) -> Outcome {
    let (config, weights) = if args.depth.is_some() || args.n_embd.is_some() || args.reference {
        let make = if args.reference { Config::reference } else { Config::new };
        let config = make(args.depth.unwrap_or(8), args.n_embd.unwrap_or(192));
        config.check()?;
        (config, None)
    } else {
        let weights = model_folder_or_shipped(args.model.as_deref())?;
        (*weights.config(), Some(weights))
    };
    let layout = Layout::new(&config);
    if args.json {
        writeln!(out, "{}", as_json(&config, &layout, weights.as_ref())?)?;
    } else {
        write_text(&config, &layout, weights.as_ref(), out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Embedding => "embedding",
        Kind::FreeLogits => "free logits",
        Kind::Matrix => "matrix",
        Kind::Value => "value head",
    }
}

/// The root of the mean of squares.
fn size_of(values: &[f32]) -> f64 {
    let sum: f64 = values.iter().map(|value| f64::from(*value).powi(2)).sum();
    (sum / values.len().max(1) as f64).sqrt()
}

/// Options by which a model differs from the reference, in words.
fn options(config: &Config) -> [(&'static str, bool, &'static str); 6] {
    [
        ("promotions", config.promotions, "moves of the policy know what a pawn becomes"),
        ("state_input", config.state_input, "castling rights and en passant are seen"),
        ("turned", config.turned, "the board is seen by the player to move"),
        ("self_in_masks", config.self_in_masks, "piece heads see their own square too"),
        ("light_value", config.light_value, "win, draw and loss from a small head"),
        ("legal_mask", config.legal_mask, "the loss compares legal moves only"),
    ]
}

fn as_json(config: &Config, layout: &Layout, weights: Option<&Weights>) -> anyhow::Result<Value> {
    let tensors: Vec<Value> = layout
        .tensors()
        .iter()
        .map(|tensor| {
            let rms = weights.map(|weights| size_of(&weights.values()[tensor.range.clone()]));
            json!({
                "name": tensor.name,
                "shape": tensor.shape,
                "parameters": tensor.range.len(),
                "kind": kind_name(tensor.kind),
                "rms": rms,
            })
        })
        .collect();
    Ok(json!({
        "parameters": layout.len(),
        "config": serde_json::to_value(config)?,
        "is_reference": *config == Config::reference(config.depth, config.n_embd),
        "bytes": 4 * layout.len(),
        "forward_flops": config.forward_flops(),
        "training_flops": 3 * config.forward_flops(),
        "tensors": tensors,
    }))
}

fn write_text(
    config: &Config,
    layout: &Layout,
    weights: Option<&Weights>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let flops = config.forward_flops() as f64 / 1e6;
    writeln!(out, "{} parameters, {:.1} MB", layout.len(), 4.0 * layout.len() as f64 / 1e6)?;
    writeln!(out, "{} layers of 12 heads, embedding dimension {}", config.depth, config.n_embd)?;
    let training = 3.0 * flops;
    prose(
        out,
        format_args!(
            "{flops:.0} million operations for a forward pass of a position, {training:.0} for training on it\n"
        ),
    )?;
    let mut table = Table::new(["option", "", "meaning"], &[0, 1, 2], 2);
    for (name, is_on, meaning) in options(config) {
        table.row([name, if is_on { "yes" } else { "no" }, meaning]);
    }
    writeln!(out, "{}", table.stacked(width()))?;
    let size = weights.map(|_| "RMS");
    let heading = ["tensor", "shape", "numbers", "kind"].into_iter().chain(size);
    let mut table = Table::new(heading, &[0, 3], 1);
    for tensor in layout.tensors() {
        let shape: Vec<String> = tensor.shape.iter().map(usize::to_string).collect();
        let size = weights.map_or(String::new(), |weights| {
            format!("{:.4}", size_of(&weights.values()[tensor.range.clone()]))
        });
        table.row([
            tensor.name.clone(),
            shape.join("×"),
            tensor.range.len().to_string(),
            kind_name(tensor.kind).to_owned(),
            size,
        ]);
    }
    // Rather fewer columns than long names in two lines.
    write!(out, "{}", table.without(&[3, 4], width()))?;
    if weights.is_some() {
        writeln!(out, "RMS: root mean square of the numbers")?;
    }
    Ok(())
}
