//! The state of a run in one safetensors file, from which it resumes bit-exactly.
//!
//! Tensors: the parameters (`feature_weights`, `feature_bias`, `output_weights`, `output_bias`) and the
//! first and second moments of each (`first.…`, `second.…`). Metadata, under the key `tabiya`: JSON with
//! the options, the step and a fingerprint of the rows. Since row *n* of the sequence follows from the
//! options, the step is also the position among the rows. The file is written by rename. What is read is
//! hostile: sizes are checked against the shape, the shape against the limits of networks, and every value
//! must be finite.

use std::collections::HashMap;
use std::path::Path;

use data::write_atomic;
use learn::checkpoint::{Numbered, difference, fingerprint};
use learn::schedule::Decay;
use learn::{TrainError, read_tensor, write_tensors};
use nnue::Shape;
use nnue::network::Head;
use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};

use super::TrainOptions;
use super::example::RowCounts;
use super::optimizer::Optimizer;
use super::parameters::{self, Parameters, Tensor};
use super::worker::LossTotals;

/// The key of the metadata.
const KEY: &str = "tabiya";
const VERSION: u32 = 1;
/// The header of a file is smaller.
const MAX_HEADER: u64 = 1 << 20;
/// Older checkpoints that are kept.
const COPIES: Numbered = Numbered { prefix: "checkpoint-", digits: 9, suffix: ".safetensors" };

/// The metadata.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Metadata {
    version: u32,
    /// Steps taken.
    pub(super) step: u64,
    shape: ShapeMetadata,
    #[serde(rename = "plan")]
    pub(super) options: FixedOptions,
    /// The bits of the loss since the last validation; JSON may round numbers.
    loss_bits: u64,
    /// Rows since the last validation.
    counts: RowCounts,
    /// All rows.
    pub(super) total: RowCounts,
}

/// The options that must not change when a run resumes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FixedOptions {
    hidden: usize,
    mirrored: bool,
    king_buckets: String,
    output_buckets: usize,
    #[serde(default)]
    dense_head: bool,
    /// The number of rows, and their fingerprint.
    rows: u64,
    data: String,
    /// The fingerprint of the initial parameters, if they are not random.
    from: Option<String>,
    positions: u64,
    batch_size: usize,
    superbatch: u64,
    #[serde(rename = "rate")]
    lr: f64,
    #[serde(rename = "final_rate")]
    final_lr: f64,
    warmup: u64,
    #[serde(rename = "schedule")]
    decay: Decay,
    weight_decay: f64,
    lambda: f64,
    scale: f64,
    #[serde(default)]
    score_scale: Option<f64>,
    power: f64,
    max_score: i32,
    seed: u64,
    threads: usize,
    window_rows: usize,
}

impl Metadata {
    /// Counts and steps have the bounds of the options.
    fn check(&self) -> Result<(), String> {
        let counts = [&self.counts, &self.total].map(|counts| counts.largest());
        let most = counts.into_iter().fold(self.step, u64::max);
        if most > TrainOptions::MAX_POSITIONS {
            return Err(format!("{most} steps or rows are out of range"));
        }
        match f64::from_bits(self.loss_bits) {
            loss if loss.is_finite() => Ok(()),
            loss => Err(format!("its loss is {loss}")),
        }
    }
}

/// A shape as JSON.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShapeMetadata {
    hidden: usize,
    mirrored: bool,
    king_buckets: Vec<u8>,
    output_buckets: usize,
    #[serde(default)]
    dense_head: bool,
}

impl ShapeMetadata {
    fn new(shape: &Shape) -> Self {
        Self {
            hidden: shape.hidden,
            mirrored: shape.mirrored,
            king_buckets: shape.king_buckets.to_vec(),
            output_buckets: shape.output_buckets,
            dense_head: shape.head == Head::Dense,
        }
    }

    fn shape(&self) -> Result<Shape, String> {
        let king_buckets = self.king_buckets.as_slice().try_into();
        let shape = Shape {
            hidden: self.hidden,
            mirrored: self.mirrored,
            king_buckets: king_buckets.map_err(|_| "the table of king buckets is not 64 long")?,
            output_buckets: self.output_buckets,
            head: if self.dense_head { Head::Dense } else { Head::Linear },
        };
        shape.check().map_err(|error| error.to_string())?;
        Ok(shape)
    }
}

impl FixedOptions {
    pub(super) fn new(
        options: &TrainOptions,
        rows: u64,
        data: String,
        from: Option<&Parameters>,
    ) -> Self {
        // One letter per square: the buckets of a1, b1 …
        let letter = |&bucket: &u8| char::from(b'a' + bucket.min(25));
        Self {
            hidden: options.shape.hidden,
            mirrored: options.shape.mirrored,
            king_buckets: options.shape.king_buckets.iter().map(letter).collect(),
            output_buckets: options.shape.output_buckets,
            dense_head: options.shape.head == Head::Dense,
            rows,
            data,
            from: from.map(|from| fingerprint(&from.values)),
            positions: options.positions,
            batch_size: options.batch_size,
            superbatch: options.superbatch,
            lr: options.lr,
            final_lr: options.final_lr,
            warmup: options.warmup,
            decay: options.decay,
            weight_decay: options.weight_decay,
            lambda: options.lambda,
            scale: options.scale,
            score_scale: options.score_scale,
            power: options.power,
            max_score: options.max_score,
            seed: options.seed,
            threads: options.threads,
            window_rows: options.window_rows,
        }
    }

    /// The first option in which they differ from those of a checkpoint.
    pub(super) fn difference(&self, old: &Self) -> Option<String> {
        // Both through text, which may round numbers.
        let old = serde_json::from_str(&serde_json::to_string(old).ok()?).ok()?;
        difference(self, &old)
    }
}

/// The state of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoint {
    pub(super) parameters: Parameters,
    pub(super) optimizer: Optimizer,
    pub(super) metadata: Metadata,
}

impl Checkpoint {
    pub(super) fn new(
        parameters: Parameters,
        optimizer: Optimizer,
        step: u64,
        options: FixedOptions,
        recent: &LossTotals,
        total: RowCounts,
    ) -> Self {
        let metadata = Metadata {
            version: VERSION,
            step,
            shape: ShapeMetadata::new(parameters.shape()),
            options,
            loss_bits: recent.loss.to_bits(),
            counts: recent.counts,
            total,
        };
        Self { parameters, optimizer, metadata }
    }

    /// The parameters.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Steps taken.
    pub const fn step(&self) -> u64 {
        self.metadata.step
    }

    /// Loss and rows since the last validation.
    pub(super) const fn recent(&self) -> LossTotals {
        LossTotals { loss: f64::from_bits(self.metadata.loss_bits), counts: self.metadata.counts }
    }

    /// Whether a file begins like a safetensors file: the length of a JSON header, and the header.
    pub fn is_one(first_bytes: &[u8]) -> bool {
        let length = first_bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        length.is_some_and(|length| length < MAX_HEADER) && first_bytes.get(8) == Some(&b'{')
    }

    /// Writes it by rename.
    pub fn save(&self, path: &Path) -> Result<(), TrainError> {
        let shape = self.parameters.shape();
        let arrays = [
            ("", &self.parameters.values),
            ("first.", &self.optimizer.exp_avg),
            ("second.", &self.optimizer.exp_avg_sq),
        ];
        let tensors = arrays.into_iter().flat_map(|(prefix, values)| {
            Tensor::of(shape).map(move |tensor| {
                let (rows, columns) = tensor.size(shape);
                let name = format!("{prefix}{}", tensor.name());
                (name, vec![rows, columns], &values[tensor.range(shape)])
            })
        });
        let metadata = serde_json::to_string(&self.metadata);
        let metadata = metadata.map_err(|error| TrainError::checkpoint(path, error))?;
        let file = write_tensors(tensors, Some(HashMap::from([(KEY.to_owned(), metadata)])));
        Ok(write_atomic(path, &file.map_err(|error| TrainError::checkpoint(path, error))?)?)
    }

    /// Reads one.
    pub fn load(path: &Path) -> Result<Self, TrainError> {
        // The largest network, three times.
        let largest = Shape {
            king_buckets: [nnue::network::MAX_BUCKETS as u8 - 1; 64],
            output_buckets: nnue::network::MAX_BUCKETS,
            head: Head::Dense,
            ..Shape::plain(nnue::network::MAX_HIDDEN)
        };
        let most = 3 * 4 * parameters::count(&largest) as u64 + MAX_HEADER;
        let bytes = regular::read(path, most).map_err(TrainError::io("read", path))?;
        Self::parse(&bytes).map_err(|reason| TrainError::checkpoint(path, reason))
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        if !Self::is_one(bytes) {
            return Err("it does not begin like a safetensors file".into());
        }
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(|e| e.to_string())?;
        let file = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
        let text = header.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
        let text = text.ok_or("its metadata do not have the options of a training")?;
        let metadata: Metadata =
            serde_json::from_str(text).map_err(|error| format!("its metadata: {error}"))?;
        if metadata.version != VERSION {
            return Err(format!("unknown version {}; {VERSION} is known", metadata.version));
        }
        metadata.check()?;
        let shape = metadata.shape.shape()?;
        let mut parameters = Parameters::zero(&shape);
        let mut optimizer = Optimizer::new(parameters.values.len());
        optimizer.step = metadata.step;
        let arrays = [
            ("", &mut parameters.values),
            ("first.", &mut optimizer.exp_avg),
            ("second.", &mut optimizer.exp_avg_sq),
        ];
        for (prefix, values) in arrays {
            for tensor in Tensor::of(&shape) {
                let (rows, columns) = tensor.size(&shape);
                let name = format!("{prefix}{}", tensor.name());
                read_tensor(&file, name, &[rows, columns], &mut values[tensor.range(&shape)])
                    .map_err(|error| error.to_string())?;
            }
        }
        Ok(Self { parameters, optimizer, metadata })
    }

    /// Copies the latest checkpoint under the number of its step, and keeps the last `count` copies.
    pub(super) fn keep(
        folder: &Path,
        latest: &Path,
        step: u64,
        count: usize,
    ) -> Result<(), TrainError> {
        if count == 0 {
            return Ok(());
        }
        let bytes = regular::read(latest, u64::MAX).map_err(TrainError::io("read", latest))?;
        write_atomic(&COPIES.path(folder, step), &bytes)?;
        COPIES.prune(folder, count)
    }
}
