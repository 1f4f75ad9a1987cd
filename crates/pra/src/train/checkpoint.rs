//! The whole state of a training in a folder, from which it goes on to the bit.
//!
//! | file | holds |
//! |---|---|
//! | `config.json`, `model.safetensors` | the model, which others can use as it is |
//! | `optimizer.safetensors` | what the optimizer remembers of each tensor |
//! | `state.json` | steps taken, the place among the rows, and what the training was told |
//!
//! The folder is written under another name and renamed when all of it is there. A training goes on
//! from the newest that is whole; if a file of it has been damaged since, from one before.

use std::fs;
use std::path::{Path, PathBuf};

use data::{Manifest, ReaderPosition, Split};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{TrainError, TrainOptions};
use crate::config::Config;
use crate::loader::LoaderCounts;
use crate::optim::{Optimizer, OptimizerOptions};
use crate::weights::Weights;
use data::write_whole;

const OPTIMIZER: &str = "optimizer.safetensors";
const STATE: &str = "state.json";
const VERSION: u32 = 1;
/// A state is no longer than this.
const MAX_STATE: u64 = 1 << 20;
/// No training looks at more rows: iterations times positions a step at their most.
const MAX_ROWS: u64 = 1 << 62;
/// What folders begin with.
const PREFIX: &str = "step-";

/// What must be the same for a training to go on.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Plan {
    #[serde(flatten)]
    config: Config,
    /// How many rows there are, and what they are known by.
    rows: u64,
    data: String,
    /// The hash of the weights it began with, if they are not random.
    from: Option<String>,
    num_iterations: u64,
    total_batch_size: usize,
    policy_weight: f32,
    value_weight: f32,
    #[serde(flatten)]
    optimizer: OptimizerOptions,
    in_order: bool,
    window_rows: u64,
    seed: u64,
}

impl Plan {
    pub(super) fn new(options: &TrainOptions, manifest: &Manifest, from: Option<&Weights>) -> Self {
        let mut data = blake3::Hasher::new();
        for file in manifest.files.iter().filter(|file| file.split == Split::Train) {
            data.update(file.blake3.as_bytes());
        }
        let hash = |weights: &Weights| {
            let mut hasher = blake3::Hasher::new();
            for value in weights.values() {
                hasher.update(&value.to_le_bytes());
            }
            short(&hasher)
        };
        Self {
            config: options.config,
            rows: manifest.rows.train,
            data: short(&data),
            from: from.map(hash),
            num_iterations: options.num_iterations,
            total_batch_size: options.total_batch_size,
            policy_weight: options.loss.policy,
            value_weight: options.loss.value,
            optimizer: options.optimizer,
            in_order: options.in_order,
            window_rows: options.window_rows,
            seed: options.seed,
        }
    }

    /// The first thing in which this plan differs from an older one, in words.
    fn difference(&self, old: &Value) -> Option<String> {
        // Through text, as the old one has come, since it may round numbers.
        let new: Value = serde_json::from_str(&serde_json::to_string(self).ok()?).ok()?;
        new.as_object()?.iter().find_map(|(name, value)| {
            let before = old.get(name).unwrap_or(&Value::Null);
            (before != value).then(|| format!("{name} was {before} and is now {value}"))
        })
    }
}

fn short(hasher: &blake3::Hasher) -> String {
    hasher.finalize().to_hex()[..16].to_owned()
}

/// How far a training has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Place {
    /// Steps taken.
    pub(super) step: u64,
    /// Where the rows of the next begin.
    pub(super) position: ReaderPosition,
    /// Rows used and left out.
    pub(super) counts: LoaderCounts,
}

/// The file `state.json`.
#[derive(Serialize, Deserialize)]
struct State<P> {
    version: u32,
    step: u64,
    epoch: u64,
    row: u64,
    counts: LoaderCounts,
    plan: P,
}

/// Writes a checkpoint, and removes all but the last `keep` of the folder.
pub(super) fn save(
    folder: &Path,
    weights: &Weights,
    optimizer: &Optimizer,
    place: &Place,
    plan: &Plan,
    keep: usize,
) -> Result<PathBuf, TrainError> {
    let path = folder.join(format!("{PREFIX}{:06}", place.step));
    let temporary = hidden(&path);
    clear(&temporary)?;
    weights.save(&temporary, false)?;
    let bytes = optimizer.to_bytes().map_err(|error| TrainError::checkpoint(&path, error))?;
    write_whole(&temporary.join(OPTIMIZER), &bytes)?;
    let ReaderPosition { epoch, row } = place.position;
    let Place { step, counts, .. } = *place;
    let state = State { version: VERSION, step, epoch, row, counts, plan };
    let text = serde_json::to_string_pretty(&state).unwrap_or_default() + "\n";
    write_whole(&temporary.join(STATE), text.as_bytes())?;
    clear(&path)?;
    fs::rename(&temporary, &path).map_err(TrainError::io("write", &path))?;
    let all = list(folder)?;
    for (_, old) in &all[..all.len().saturating_sub(keep.max(1))] {
        // Out of the way at once, so that nobody takes half of it for a checkpoint.
        let gone = hidden(old);
        fs::rename(old, &gone).map_err(TrainError::io("remove", old))?;
        clear(&gone)?;
    }
    Ok(path)
}

/// Loads the newest checkpoint that is whole, if there is any. What is wrong with newer ones is told.
pub(super) fn load_newest(
    folder: &Path,
    plan: &Plan,
    optimizer: &OptimizerOptions,
    mut tell: impl FnMut(&TrainError),
) -> Result<Option<(Weights, Optimizer, Place)>, TrainError> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let mut problem = None;
    for (_, path) in list(folder)?.iter().rev() {
        match load(path, plan, optimizer) {
            Ok(state) => return Ok(Some(state)),
            Err(error @ TrainError::Differs { .. }) => return Err(error),
            Err(error) => {
                tell(&error);
                problem.get_or_insert(error);
            }
        }
    }
    problem.map_or(Ok(None), Err)
}

fn load(
    path: &Path,
    plan: &Plan,
    options: &OptimizerOptions,
) -> Result<(Weights, Optimizer, Place), TrainError> {
    let fail = |reason: String| TrainError::checkpoint(path, reason);
    let file = path.join(STATE);
    let bytes = read(&file, MAX_STATE)?;
    let state: State<Value> =
        serde_json::from_slice(&bytes).map_err(|error| fail(format!("{STATE}: {error}")))?;
    if state.version != VERSION {
        return Err(fail(format!("version {} where {VERSION} is known", state.version)));
    }
    if let Some(difference) = plan.difference(&state.plan) {
        // The folder of the whole training has two levels more.
        let folder = path.ancestors().nth(2).unwrap_or(path).to_owned();
        return Err(TrainError::Differs { path: folder, difference });
    }
    let weights = Weights::load(path)?;
    if *weights.config() != plan.config {
        return Err(fail("its model is of another shape than its plan".into()));
    }
    let mut optimizer = Optimizer::new(&plan.config, *options);
    let most = 8 * plan.config.parameters() as u64 + MAX_STATE;
    let bytes = read(&path.join(OPTIMIZER), most)?;
    optimizer.read(&bytes).map_err(|error| fail(format!("{OPTIMIZER}: {error}")))?;
    let State { step, epoch, row, counts, .. } = state;
    let LoaderCounts { used, without_move, damaged, illegal } = counts;
    for (name, value, most) in [
        ("step", step, plan.num_iterations),
        ("epoch", epoch, MAX_ROWS),
        ("row", row, plan.rows),
        ("counts", [used, without_move, damaged, illegal].into_iter().fold(0, u64::max), MAX_ROWS),
    ] {
        if value > most {
            return Err(fail(format!("{STATE}: {name} must be 0 to {most}, not {value}")));
        }
    }
    let place = Place { step, position: ReaderPosition { epoch, row }, counts };
    Ok((weights, optimizer, place))
}

fn read(path: &Path, most: u64) -> Result<Vec<u8>, TrainError> {
    regular::read(path, most).map_err(TrainError::io("read", path))
}

/// The checkpoints of a folder, the oldest first.
fn list(folder: &Path) -> Result<Vec<(u64, PathBuf)>, TrainError> {
    let entries = folder.read_dir().map_err(TrainError::io("read", folder))?;
    let mut all: Vec<(u64, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let step = path.file_name()?.to_str()?.strip_prefix(PREFIX)?.parse().ok()?;
            path.is_dir().then_some((step, path))
        })
        .collect();
    all.sort();
    Ok(all)
}

/// Removes what a killed run has left half written or half removed.
pub(super) fn clear_up(folder: &Path) -> Result<(), TrainError> {
    let Ok(entries) = folder.read_dir() else { return Ok(()) };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with(&format!(".{PREFIX}")) && name.ends_with(".tmp") {
            clear(&path)?;
        }
    }
    Ok(())
}

/// The name of a folder that is not whole.
fn hidden(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tmp"))
}

fn clear(path: &Path) -> Result<(), TrainError> {
    if path.exists() {
        fs::remove_dir_all(path).map_err(TrainError::io("remove", path))?;
    }
    Ok(())
}
