//! Arguments and loading of models.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context;
use chess::Position;
use clap::Args;
use pra::player::Player;
use pra::predict::PositionPrediction;
use pra::{CONFIG, Config, MODEL, Weights};

use crate::output;

/// The configuration of a model without weights.
#[derive(Args)]
pub struct ConfigArgs {
    /// Number of transformer blocks [default: 8]
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// Embedding dimension, a multiple of 12 [default: 192]
    #[arg(long, value_name = "N")]
    n_embd: Option<usize>,
    /// The reference model, without our options
    #[arg(long)]
    reference: bool,
}

impl ConfigArgs {
    /// Whether any of them is given.
    pub const fn is_given(&self) -> bool {
        self.depth.is_some() || self.n_embd.is_some() || self.reference
    }

    /// The configuration, if it is valid.
    pub fn config(&self) -> anyhow::Result<Config> {
        let make = if self.reference { Config::reference } else { Config::new };
        let config = make(self.depth.unwrap_or(8), self.n_embd.unwrap_or(192));
        config.check()?;
        Ok(config)
    }
}

/// Parses a number within a range, for clap.
pub fn parse_in<T>(text: &str, range: RangeInclusive<T>) -> Result<T, String>
where
    T: FromStr + PartialOrd + Display,
{
    let number = text.parse().map_err(|_| "not a number".to_owned())?;
    let error = || format!("must be from {} to {}", range.start(), range.end());
    if range.contains(&number) { Ok(number) } else { Err(error()) }
}

/// The model in a directory, or the embedded one.
pub fn model_folder_or_shipped(folder: Option<&Path>) -> anyhow::Result<Weights> {
    if let Some(folder) = folder {
        let weights = Weights::load(folder)?;
        let mut player = Player::new(weights, 1);
        PositionPrediction::new(&mut player, &Position::INITIAL, 1.0)
            .with_context(|| folder.display().to_string())?;
        return Ok(player.into_weights());
    }
    Ok(pra::embedded()?)
}

/// Refuses outputs that are files of the model.
pub fn ensure_not_model<'a>(
    outputs: impl IntoIterator<Item = &'a Option<PathBuf>>,
    model: Option<&Path>,
) -> anyhow::Result<()> {
    let files = model.map(|folder| [MODEL, CONFIG].map(|name| folder.join(name)));
    let files: Vec<&Path> = files.iter().flatten().map(PathBuf::as_path).collect();
    let outputs = outputs.into_iter().flatten().map(PathBuf::as_path);
    output::ensure_not_inputs(outputs, files)
}
