//! The state of a run in a directory, from which it resumes bit-exactly.
//!
//! | file | contents |
//! |---|---|
//! | `config.json`, `model.safetensors` | the model |
//! | `optimizer.safetensors` | the optimizer state |
//! | `state.json` | steps taken, the position of the reader, and the options |
//!
//! The directory is written under a temporary name and renamed. A run resumes from the newest checkpoint; if
//! one is damaged, from the one before.

use std::path::{Path, PathBuf};

use data::{DataSet, ReaderPosition, Split, write_atomic};
use learn::TrainError;
use learn::checkpoint::{Numbered, difference, fingerprint, save_folder, short_hash};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CHECKPOINTS, FINISHED, TrainOptions};
use crate::config::Config;
use crate::loader::LoaderCounts;
use crate::model::{LossWeights, Precision};
use crate::optim::{Optimizer, OptimizerOptions};
use crate::weights::{CONFIG, Weights};

const OPTIMIZER: &str = "optimizer.safetensors";
const STATE: &str = "state.json";
const VERSION: u32 = 1;
/// The maximum size of `state.json`.
const MAX_STATE: u64 = 1 << 20;
/// Upper limit of rows: iterations times batch size at their most.
const MAX_ROWS: u64 = 1 << 62;
/// The directories of checkpoints.
const STEPS: Numbered = Numbered { prefix: "step-", digits: 6, suffix: "" };

/// The options that must not change when a run resumes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct FixedOptions {
    #[serde(flatten)]
    config: Config,
    /// The number of rows, and a hash of the files.
    rows: u64,
    data: String,
    /// The fingerprint of the initial weights, if they are not random.
    from: Option<String>,
    num_iterations: u64,
    total_batch_size: usize,
    policy_weight: f32,
    value_weight: f32,
    #[serde(flatten)]
    optimizer: OptimizerOptions,
    in_order: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_dropout: Option<f64>,
    window_rows: u64,
    seed: u64,
    /// Older checkpoints, which are of f32, do not have it.
    #[serde(skip_serializing_if = "is_f32")]
    precision: Precision,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_f32(precision: &Precision) -> bool {
    *precision == Precision::F32
}

impl FixedOptions {
    pub(super) fn new(
        options: &TrainOptions,
        precision: Precision,
        set: &DataSet,
        from: Option<&Weights>,
    ) -> Self {
        let mut data = blake3::Hasher::new();
        for hash in set.hashes(Split::Train) {
            data.update(hash.as_bytes());
        }
        Self {
            config: options.config,
            rows: set.rows().train,
            data: short_hash(&data),
            from: from.map(|weights| fingerprint(weights.values())),
            num_iterations: options.num_iterations,
            total_batch_size: options.total_batch_size,
            policy_weight: options.loss.policy,
            value_weight: options.loss.value,
            optimizer: options.optimizer,
            in_order: options.in_order,
            // Older checkpoints, of models that read neither, do not have it.
            input_dropout: (options.config.history || options.config.ratings)
                .then_some(options.input_dropout),
            window_rows: options.window_rows,
            seed: options.seed,
            precision,
        }
    }

    /// The options of a run, with the values of `defaults` for those that may change.
    fn train_options(self, defaults: TrainOptions) -> TrainOptions {
        TrainOptions {
            config: self.config,
            num_iterations: self.num_iterations,
            total_batch_size: self.total_batch_size,
            loss: LossWeights { policy: self.policy_weight, value: self.value_weight },
            optimizer: self.optimizer,
            in_order: self.in_order,
            input_dropout: self.input_dropout.unwrap_or(defaults.input_dropout),
            window_rows: self.window_rows,
            seed: self.seed,
            precision: Some(self.precision),
            ..defaults
        }
    }
}

/// The options of the run in an output directory as its checkpoint of a step has them; `defaults` has the others.
pub fn saved_options(
    out: &Path,
    step: u64,
    defaults: TrainOptions,
) -> Result<TrainOptions, TrainError> {
    let path = find(&out.join(CHECKPOINTS), step)?;
    let state: State<FixedOptions> = read_state(&path)?;
    Ok(state.options.train_options(defaults))
}

/// The directory of a checkpoint in an output directory: that of a step, or the newest.
pub fn checkpoint_folder(out: &Path, step: Option<u64>) -> Result<PathBuf, TrainError> {
    let folder = out.join(CHECKPOINTS);
    if let Some(step) = step {
        return find(&folder, step);
    }
    let all = if folder.is_dir() { STEPS.list(&folder)? } else { Vec::new() };
    all.into_iter().next_back().map(|(_, path)| path).ok_or_else(|| {
        TrainError::Options(format!(
            "there is neither a model nor a checkpoint in {}",
            out.display()
        ))
    })
}

/// The output directory of a training with this tag.
pub fn tag_folder(tag: &str) -> PathBuf {
    PathBuf::from("checkpoints").join(tag)
}

/// The directory of the model of a training: of a step, or the finished one, or else the newest checkpoint.
pub fn tagged_model(tag: &str, step: Option<u64>) -> Result<PathBuf, TrainError> {
    let out = tag_folder(tag);
    let finished = out.join(FINISHED);
    if step.is_none() && finished.join(CONFIG).is_file() {
        return Ok(finished);
    }
    checkpoint_folder(&out, step)
}

/// The checkpoint of a step.
fn find(folder: &Path, step: u64) -> Result<PathBuf, TrainError> {
    let all = if folder.is_dir() { STEPS.list(folder)? } else { Vec::new() };
    if let Some((_, path)) = all.iter().find(|(own, _)| *own == step) {
        return Ok(path.clone());
    }
    let steps: Vec<String> = all.iter().map(|(step, _)| step.to_string()).collect();
    let others = match steps.as_slice() {
        [] => "there is none".to_owned(),
        steps => format!("there are those of {}", steps.join(", ")),
    };
    let folder = folder.display();
    Err(TrainError::Options(format!("there is no checkpoint of step {step} in {folder}; {others}")))
}

/// Resume cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Cursor {
    /// Steps taken.
    pub(super) step: u64,
    /// The position of the reader.
    pub(super) position: ReaderPosition,
    /// Rows used and skipped.
    pub(super) counts: LoaderCounts,
}

/// The file `state.json`.
#[derive(Serialize, Deserialize)]
struct State<O> {
    version: u32,
    step: u64,
    epoch: u64,
    row: u64,
    counts: LoaderCounts,
    #[serde(rename = "plan")]
    options: O,
}

/// Saves a checkpoint, and keeps the last `keep` of the directory.
pub(super) fn save(
    folder: &Path,
    weights: &Weights,
    optimizer: &Optimizer,
    cursor: &Cursor,
    options: &FixedOptions,
    keep: usize,
) -> Result<PathBuf, TrainError> {
    let path = STEPS.path(folder, cursor.step);
    save_folder(&path, |temporary| {
        weights.save(temporary, false)?;
        let bytes = optimizer.to_bytes().map_err(|error| TrainError::checkpoint(&path, error))?;
        write_atomic(&temporary.join(OPTIMIZER), &bytes)?;
        let Cursor { step, position: ReaderPosition { epoch, row }, counts } = *cursor;
        let state = State { version: VERSION, step, epoch, row, counts, options };
        let text = serde_json::to_string_pretty(&state).unwrap_or_default() + "\n";
        Ok(write_atomic(&temporary.join(STATE), text.as_bytes())?)
    })?;
    STEPS.remove_after(folder, cursor.step)?;
    STEPS.prune(folder, keep.max(1))?;
    Ok(path)
}

/// Removes the checkpoints after a step.
pub(super) fn remove_after(folder: &Path, step: u64) -> Result<(), TrainError> {
    STEPS.remove_after(folder, step)
}

/// A checkpoint to resume from.
pub(super) struct Found {
    pub(super) state: (Weights, Optimizer, Cursor),
    /// Whether it is of a run with another number of iterations.
    pub(super) is_extended: bool,
}

/// Loads the newest checkpoint of the same run after a step, or else the one of that step, which may have
/// another number of iterations. Options that cannot be known again are taken from it.
pub(super) fn load_step(
    folder: &Path,
    step: u64,
    fixed: &mut FixedOptions,
    optimizer: &OptimizerOptions,
    mut damaged: impl FnMut(&TrainError),
) -> Result<Found, TrainError> {
    let path = find(folder, step)?;
    let state: State<FixedOptions> = read_state(&path)?;
    if fixed.from.is_none() {
        // The initial weights no longer matter.
        fixed.from = state.options.from;
    }
    if step >= fixed.num_iterations && fixed.num_iterations != state.options.num_iterations {
        let reason = format!("{step} of {} iterations are done", fixed.num_iterations);
        return Err(TrainError::Options(reason));
    }
    for (_, path) in STEPS.list(folder)?.iter().rev().take_while(|(own, _)| *own > step) {
        match load(path, fixed, optimizer) {
            Ok(state) => return Ok(Found { state, is_extended: false }),
            // Of the run before it was extended.
            Err(TrainError::Differs { .. }) => {}
            Err(error) => damaged(&error),
        }
    }
    let num_iterations = state.options.num_iterations;
    let before = FixedOptions { num_iterations, ..fixed.clone() };
    let is_extended = num_iterations != fixed.num_iterations;
    Ok(Found { state: load(&path, &before, optimizer)?, is_extended })
}

/// The precision of the newest checkpoint, if there is one that can be read.
pub(super) fn precision(folder: &Path) -> Option<Precision> {
    let (_, path) = STEPS.list(folder).ok()?.pop()?;
    let bytes = read(&path.join(STATE), MAX_STATE).ok()?;
    let state: State<Value> = serde_json::from_slice(&bytes).ok()?;
    let precision = state.options.get("precision");
    precision.map_or(Some(Precision::F32), |value| value.as_str()?.parse().ok())
}

/// Loads the newest checkpoint that is not damaged, if there is one; `damaged` receives the errors of newer
/// ones.
pub(super) fn load_newest(
    folder: &Path,
    fixed: &FixedOptions,
    optimizer: &OptimizerOptions,
    mut damaged: impl FnMut(&TrainError),
) -> Result<Option<(Weights, Optimizer, Cursor)>, TrainError> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let mut first = None;
    for (_, path) in STEPS.list(folder)?.iter().rev().filter(|(_, path)| path.is_dir()) {
        match load(path, fixed, optimizer) {
            Ok(state) => return Ok(Some(state)),
            Err(error @ TrainError::Differs { .. }) => return Err(error),
            Err(error) => {
                damaged(&error);
                first.get_or_insert(error);
            }
        }
    }
    first.map_or(Ok(None), Err)
}

fn load(
    path: &Path,
    fixed: &FixedOptions,
    options: &OptimizerOptions,
) -> Result<(Weights, Optimizer, Cursor), TrainError> {
    let fail = |reason: String| TrainError::checkpoint(path, reason);
    let state: State<Value> = read_state(path)?;
    if let Some(mut difference) = difference(fixed, &state.options) {
        if difference.starts_with("num_iterations ") {
            difference += "; to extend it, resume from a step (--resume-from-step)";
        }
        // The output directory is two levels up.
        let folder = path.ancestors().nth(2).unwrap_or(path).to_owned();
        return Err(TrainError::Differs { path: folder, difference });
    }
    let weights = Weights::load(path)?;
    if *weights.config() != fixed.config {
        return Err(fail("its model is of another shape than its options".into()));
    }
    let mut optimizer = Optimizer::new(&fixed.config, *options);
    let most = 8 * fixed.config.parameters() as u64 + MAX_STATE;
    let bytes = read(&path.join(OPTIMIZER), most)?;
    optimizer.read(&bytes).map_err(|error| fail(format!("{OPTIMIZER}: {error}")))?;
    let State { step, epoch, row, counts, .. } = state;
    let LoaderCounts { used, without_move, damaged, illegal } = counts;
    for (name, value, most) in [
        ("step", step, fixed.num_iterations),
        ("epoch", epoch, MAX_ROWS),
        ("row", row, fixed.rows),
        ("counts", [used, without_move, damaged, illegal].into_iter().fold(0, u64::max), MAX_ROWS),
    ] {
        if value > most {
            return Err(fail(format!("{STATE}: {name} must be 0 to {most}, not {value}")));
        }
    }
    let cursor = Cursor { step, position: ReaderPosition { epoch, row }, counts };
    Ok((weights, optimizer, cursor))
}

fn read_state<O: DeserializeOwned>(path: &Path) -> Result<State<O>, TrainError> {
    let fail = |reason: String| TrainError::checkpoint(path, reason);
    let bytes = read(&path.join(STATE), MAX_STATE)?;
    let state: State<O> =
        serde_json::from_slice(&bytes).map_err(|error| fail(format!("{STATE}: {error}")))?;
    match state.version {
        VERSION => Ok(state),
        version => Err(fail(format!("unknown version {version}; {VERSION} is known"))),
    }
}

fn read(path: &Path, most: u64) -> Result<Vec<u8>, TrainError> {
    regular::read(path, most).map_err(TrainError::io("read", path))
}
