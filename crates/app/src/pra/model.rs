//! Which model a command works with.

use std::path::Path;

use anyhow::{Context, bail};
use pra::{Config, Weights};

/// The model that is part of the program, if there is one: its `config.json` and `model.safetensors`.
const SHIPPED: Option<(&str, &[u8])> = None;

/// The model in a folder, or the one in the program.
pub fn model_folder_or_shipped(folder: Option<&Path>) -> anyhow::Result<Weights> {
    if let Some(folder) = folder {
        return Ok(Weights::load(folder)?);
    }
    let Some((config, tensors)) = SHIPPED else {
        bail!("there is no model in this program: give one with --model DIR")
    };
    let config: Config = serde_json::from_str(config).context("the model in this program")?;
    Weights::from_bytes(&config, tensors).context("the model in this program")
}
