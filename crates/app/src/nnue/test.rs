//! `tabiya nnue test`: differences of a network to its parameters and to another network.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use ::data::Split;
use anyhow::{Context, ensure};
use chess::Position;
use clap::Args;
use layout::prose;
use serde_json::json;
use train::trainer::RowFiles;
use train::{LoadedNetwork, NetworkTest};

use crate::{Outcome, input};

/// Compare a network with its floating-point checkpoint, or with another network
///
/// A checkpoint is compared with its own quantized network. A network is compared with the checkpoint in
/// its directory, if it was exported from that. Differences are in centipawns.
#[derive(Args)]
pub struct TestArgs {
    /// Checkpoint, or network file of any format
    network: PathBuf,
    /// Another one to compare with
    #[arg(long, value_name = "NET")]
    against: Option<PathBuf>,
    /// Data sets or row files to take positions from; the validation split if there is one
    #[arg(long, value_name = "PATH", num_args = 1.., required_unless_present = "file")]
    data: Vec<PathBuf>,
    /// File of positions, one per line; `-` for standard input
    #[arg(long, value_name = "FENS", conflicts_with = "data")]
    file: Option<PathBuf>,
    /// Maximum number of positions from --data
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    positions: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl TestArgs {
    fn each_position(&self, mut visit: impl FnMut(&Position)) -> anyhow::Result<()> {
        if let Some(file) = &self.file {
            return input::each_line(input::open(file)?, |number, line| {
                let line = line?;
                let text = line.split(';').next().unwrap_or(line).trim();
                if !text.is_empty() && !text.starts_with('#') {
                    let game = input::game(text).with_context(|| format!("line {number}"))?;
                    visit(game.position());
                }
                Ok(())
            });
        }
        let mut files = RowFiles::open(&self.data, Split::Validation)?;
        if files.rows() == 0 {
            files = RowFiles::open(&self.data, Split::Train)?;
        }
        for row in files.sample(self.positions)? {
            // Training skips rows that are no positions, too.
            if let Ok(position) = row.position() {
                visit(&position);
            }
        }
        Ok(())
    }
}

pub fn run(args: &TestArgs, out: &mut dyn Write) -> Outcome {
    let own = LoadedNetwork::open(&args.network)?;
    let other = args.against.as_deref().map(LoadedNetwork::open).transpose()?;
    ensure!(
        own.parameters.is_some() || other.is_some(),
        "nothing to compare with: {} has no checkpoint beside it, and there is no --against",
        args.network.display()
    );
    let mut test = NetworkTest::new(&own, other.as_ref());
    args.each_position(|position| test.add(position))?;
    let (quantization, against) = test.result();
    let positions = quantization.or(against).map_or(0, |compared| compared.positions);
    ensure!(positions > 0, "no positions to compare on");
    if args.json {
        let report = json!({
            "network": own.network.to_string(),
            "other": other.map(|other| other.network.to_string()),
            "positions": positions,
            "quantised": quantization,
            "against": against,
        });
        writeln!(out, "{report}")?;
    } else {
        prose(out, format_args!("{}, {positions} positions", own.network))?;
        if let Some(compared) = quantization {
            prose(out, format_args!("quantised from floating point: {compared}"))?;
        }
        if let (Some(other), Some(compared)) = (other, against) {
            prose(out, format_args!("from {}: {compared}", other.network))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
