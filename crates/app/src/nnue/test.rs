//! `tabiya nnue test`: how far a network is from the numbers it came from, and from another network.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::data::Split;
use ::nnue::{AnyNetwork, MAX_FILE_LEN};
use anyhow::{Context, ensure};
use chess::Position;
use clap::Args;
use serde_json::json;
use train::trainer::{CHECKPOINT, Checkpoint, Compared, Comparison, Parameters, RowFiles};

use crate::layout::prose;
use crate::{Outcome, input};

/// Compares a network with its checkpoint before rounding, and with another network
///
/// A checkpoint is compared with its own quantised network. A network is compared with the checkpoint in
/// its folder, if it is the one it was made of. Differences are in centipawns.
#[derive(Args)]
pub struct TestArgs {
    /// The network: a checkpoint of a training, or a network file of any kind.
    network: PathBuf,
    /// Another one to compare with, of any kind.
    #[arg(long, value_name = "NET")]
    against: Option<PathBuf>,
    /// Take positions from these data sets or files of rows; the validation split if there is one.
    #[arg(long, value_name = "PATH", num_args = 1.., required_unless_present = "file")]
    data: Vec<PathBuf>,
    /// Take positions from this file, one a line; `-` for standard input.
    #[arg(long, value_name = "FENS", conflicts_with = "data")]
    file: Option<PathBuf>,
    /// How many positions of the data at most.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    positions: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A network, with the numbers it came from if they are known.
struct Loaded {
    network: AnyNetwork,
    parameters: Option<Parameters>,
}

impl Loaded {
    fn open(path: &Path) -> anyhow::Result<Self> {
        let name = || path.display().to_string();
        let file = regular::open(path).with_context(|| format!("cannot open {}", name()))?;
        let mut first = Vec::new();
        (&file).take(16).read_to_end(&mut first).with_context(name)?;
        if Checkpoint::is_one(&first) {
            let parameters = Checkpoint::load(path)?.parameters().clone();
            return Ok(Self {
                network: parameters.quantized()?.into(),
                parameters: Some(parameters),
            });
        }
        let mut bytes = first;
        (&file).take(MAX_FILE_LEN as u64 + 1).read_to_end(&mut bytes).with_context(name)?;
        let network = AnyNetwork::from_bytes(&bytes).with_context(name)?;
        // Only if it is the checkpoint of this very network.
        let beside = path.with_file_name(CHECKPOINT);
        let parameters = beside.exists().then(|| Checkpoint::load(&beside)).transpose()?;
        let parameters = parameters
            .map(|checkpoint| checkpoint.parameters().clone())
            .filter(|own| own.quantized().is_ok_and(|network| network.to_bytes() == bytes));
        Ok(Self { network, parameters })
    }
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
            // Rows that are no positions were left out of training, too.
            if let Ok(position) = row.position() {
                visit(&position);
            }
        }
        Ok(())
    }
}

pub fn run(args: &TestArgs, out: &mut dyn Write) -> Outcome {
    let own = Loaded::open(&args.network)?;
    let other = args.against.as_deref().map(Loaded::open).transpose()?;
    ensure!(
        own.parameters.is_some() || other.is_some(),
        "nothing to compare with: {} has no checkpoint beside it, and there is no --against",
        args.network.display()
    );
    let (mut rounding, mut difference) = (Comparison::default(), Comparison::default());
    args.each_position(|position| {
        let value = f64::from(own.network.evaluate(position));
        if let Some(parameters) = &own.parameters {
            rounding.add(value, parameters.evaluate(position).into());
        }
        if let Some(other) = &other {
            difference.add(value, other.network.evaluate(position).into());
        }
    })?;
    let rounding = own.parameters.is_some().then(|| rounding.result());
    let difference = other.as_ref().map(|_| difference.result());
    let positions = rounding.or(difference).map_or(0, |compared| compared.positions);
    ensure!(positions > 0, "there are no positions to compare on");
    if args.json {
        let report = json!({
            "network": own.network.to_string(),
            "other": other.map(|other| other.network.to_string()),
            "positions": positions,
            "quantised": rounding,
            "against": difference,
        });
        writeln!(out, "{report}")?;
    } else {
        prose(out, format_args!("{}, {positions} positions", own.network))?;
        if let Some(compared) = rounding {
            prose(out, format_args!("quantised from floating point: {}", words(&compared)))?;
        }
        if let (Some(other), Some(compared)) = (other, difference) {
            prose(out, format_args!("from {}: {}", other.network, words(&compared)))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn words(compared: &Compared) -> String {
    let share =
        |share: Option<f64>| share.map_or("–".into(), |share| format!("{:.2} %", 100.0 * share));
    let correlation = compared.correlation.map_or("–".into(), |value| format!("{value:.5}"));
    format!(
        "{:.2} cp apart on average, {:.0} at most, correlation {correlation}, the same player ahead in {}",
        compared.mean_difference,
        compared.max_difference,
        share(compared.sign_agreement)
    )
}
