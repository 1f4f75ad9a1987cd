//! Which model a command works with.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use chess::Position;
use pra::{CONFIG, Config, Engine, MODEL, Prediction, Weights};

use crate::output;

/// The model that is part of the program: `docs/PRA.md` says what it is.
const SHIPPED: (&str, &[u8]) = (
    include_str!("../../../pra/model/config.json"),
    include_bytes!("../../../pra/model/model.safetensors"),
);

/// What is said of a model whose weights are so large that it overflows.
pub const NOT_FINITE: &str = "the outputs of the model are not finite numbers";

/// The model in a folder, or the one in the program.
pub fn model_folder_or_shipped(folder: Option<&Path>) -> anyhow::Result<Weights> {
    if let Some(folder) = folder {
        let weights = Weights::load(folder)?;
        let tokens = weights.config().tokens(&Position::INITIAL);
        let said = Engine::new(weights.config(), 1).predict(&weights, &[tokens]);
        ensure!(said.iter().all(Prediction::is_finite), "{}: {NOT_FINITE}", folder.display());
        return Ok(weights);
    }
    let (config, tensors) = SHIPPED;
    let config: Config = serde_json::from_str(config).context("the model in this program")?;
    Weights::from_bytes(&config, tensors).context("the model in this program")
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
