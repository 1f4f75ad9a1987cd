//! The whole state of a training in one file, from which it goes on to the bit.
//!
//! A safetensors file: the parameters (`feature_weights`, `feature_bias`, `output_weights`,
//! `output_bias`), the optimiser's first and second moments of each (`first.…`, `second.…`), and under the
//! key `tabiya` of its metadata a JSON text with the options, the step and what the rows are known by.
//! Since row *n* of the sequence follows from the options, the step is also the place among the rows.
//! Python and others can read it without us. It is written by rename; what is read is checked first:
//! sizes against the shape, the shape against what networks can have, every parameter for being a number.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use data::write_whole;
use nnue::Shape;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use simd::AlignedVec;

use super::adam::Adam;
use super::example::RowCounts;
use super::options::Schedule;
use super::parameters::{self, Parameters, Part};
use super::worker::Tally;
use super::{TrainError, TrainOptions};

/// The key of the metadata.
const KEY: &str = "tabiya";
const VERSION: u32 = 1;
/// Room for names, sizes and options.
const MAX_HEAD: u64 = 1 << 20;

/// What a checkpoint says of itself.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Note {
    version: u32,
    /// Steps taken.
    pub(super) step: u64,
    shape: ShapeNote,
    pub(super) plan: Plan,
    /// The loss since the last measurement: its bits, since JSON may round it.
    loss_bits: u64,
    counts: RowCounts,
    /// All rows so far.
    pub(super) total: RowCounts,
}

/// What must be the same for a training to go on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    hidden: usize,
    mirrored: bool,
    king_buckets: String,
    output_buckets: usize,
    /// How many rows there are, and what they are known by.
    rows: u64,
    data: String,
    /// The hash of the parameters it began with, if they are not random.
    from: Option<String>,
    positions: u64,
    batch_size: usize,
    superbatch: u64,
    rate: f64,
    final_rate: f64,
    warmup: u64,
    schedule: Schedule,
    weight_decay: f64,
    lambda: f64,
    scale: f64,
    power: f64,
    max_score: i32,
    seed: u64,
    threads: usize,
    window_rows: usize,
}

impl Note {
    /// Counts and steps are bounded as the options are that they follow from.
    fn check(&self) -> Result<(), String> {
        let counts = [&self.counts, &self.total].map(|counts| counts.largest());
        let most = counts.into_iter().fold(self.step, u64::max);
        if most > TrainOptions::MAX_POSITIONS {
            return Err(format!("it tells of {most} steps or rows"));
        }
        match f64::from_bits(self.loss_bits) {
            loss if loss.is_finite() => Ok(()),
            loss => Err(format!("its loss is {loss}")),
        }
    }
}

/// A shape in JSON.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShapeNote {
    hidden: usize,
    mirrored: bool,
    king_buckets: Vec<u8>,
    output_buckets: usize,
}

impl ShapeNote {
    fn new(shape: &Shape) -> Self {
        Self {
            hidden: shape.hidden,
            mirrored: shape.mirrored,
            king_buckets: shape.king_buckets.to_vec(),
            output_buckets: shape.output_buckets,
        }
    }

    fn shape(&self) -> Result<Shape, String> {
        let king_buckets = self.king_buckets.as_slice().try_into();
        let shape = Shape {
            hidden: self.hidden,
            mirrored: self.mirrored,
            king_buckets: king_buckets.map_err(|_| "the table of king buckets is not 64 long")?,
            output_buckets: self.output_buckets,
        };
        shape.check().map_err(|error| error.to_string())?;
        Ok(shape)
    }
}

impl Plan {
    pub(super) fn new(
        options: &TrainOptions,
        rows: u64,
        data: String,
        from: Option<&Parameters>,
    ) -> Self {
        // Its letters are the buckets of a1, b1 …
        let letter = |&bucket: &u8| char::from(b'a' + bucket.min(25));
        Self {
            hidden: options.shape.hidden,
            mirrored: options.shape.mirrored,
            king_buckets: options.shape.king_buckets.iter().map(letter).collect(),
            output_buckets: options.shape.output_buckets,
            rows,
            data,
            from: from.map(|from| from.fingerprint()),
            positions: options.positions,
            batch_size: options.batch_size,
            superbatch: options.superbatch,
            rate: options.rate,
            final_rate: options.final_rate,
            warmup: options.warmup,
            schedule: options.schedule,
            weight_decay: options.weight_decay,
            lambda: options.lambda,
            scale: options.scale,
            power: options.power,
            max_score: options.max_score,
            seed: options.seed,
            threads: options.threads,
            window_rows: options.window_rows,
        }
    }

    /// The first thing in which this plan differs from an older one, in words.
    pub(super) fn difference(&self, old: &Self) -> Option<String> {
        // Both ways through text, which may round numbers.
        let value = |plan: &Self| -> Value {
            let text = serde_json::to_string(plan).unwrap_or_default();
            serde_json::from_str(&text).unwrap_or_default()
        };
        let (old, new) = (value(old), value(self));
        let fields = new.as_object()?;
        fields.iter().find_map(|(name, value)| {
            let before = old.get(name).unwrap_or(&Value::Null);
            (before != value).then(|| format!("{name} was {before} and is now {value}"))
        })
    }
}

/// The state of a training.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoint {
    pub(super) parameters: Parameters,
    pub(super) adam: Adam,
    pub(super) note: Note,
}

impl Checkpoint {
    pub(super) fn new(
        parameters: Parameters,
        adam: Adam,
        step: u64,
        plan: Plan,
        recent: &Tally,
        total: RowCounts,
    ) -> Self {
        let note = Note {
            version: VERSION,
            step,
            shape: ShapeNote::new(parameters.shape()),
            plan,
            loss_bits: recent.loss.to_bits(),
            counts: recent.counts,
            total,
        };
        Self { parameters, adam, note }
    }

    /// The network as it was.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// How many steps had been taken.
    pub const fn step(&self) -> u64 {
        self.note.step
    }

    /// The loss since the last measurement.
    pub(super) const fn recent(&self) -> Tally {
        Tally { loss: f64::from_bits(self.note.loss_bits), counts: self.note.counts }
    }

    /// Whether a file begins as checkpoints do: the length of a head, and a head in JSON.
    pub fn is_one(first_bytes: &[u8]) -> bool {
        let length = first_bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        length.is_some_and(|length| length < MAX_HEAD) && first_bytes.get(8) == Some(&b'{')
    }

    /// Writes it, in place of an older one.
    pub fn save(&self, path: &Path) -> Result<(), TrainError> {
        let fail = |error: String| TrainError::Checkpoint { path: path.to_owned(), reason: error };
        let shape = self.parameters.shape();
        let mut bytes = Vec::new();
        let arrays = [
            ("", &self.parameters.values),
            ("first.", &self.adam.first),
            ("second.", &self.adam.second),
        ];
        for (prefix, values) in arrays {
            for part in Part::ALL {
                let values = &values[part.range(shape)];
                let part_bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                let (rows, columns) = part.size(shape);
                bytes.push((format!("{prefix}{}", part.name()), [rows, columns], part_bytes));
            }
        }
        let views = bytes.iter().map(|(name, size, bytes)| {
            TensorView::new(Dtype::F32, size.to_vec(), bytes).map(|view| (name.as_str(), view))
        });
        let views = views.collect::<Result<Vec<_>, _>>().map_err(|e| fail(e.to_string()))?;
        let note = serde_json::to_string(&self.note).map_err(|error| fail(error.to_string()))?;
        let metadata = HashMap::from([(KEY.to_owned(), note)]);
        let file = safetensors::serialize(views, Some(metadata));
        Ok(write_whole(path, &file.map_err(|error| fail(error.to_string()))?)?)
    }

    /// Reads one.
    pub fn load(path: &Path) -> Result<Self, TrainError> {
        let mut file = regular::open(path).map_err(TrainError::io("open", path))?;
        let length = file.metadata().map_err(TrainError::io("read", path))?.len();
        // The largest network there can be, three times.
        let largest = Shape {
            king_buckets: [nnue::network::MAX_BUCKETS as u8 - 1; 64],
            output_buckets: nnue::network::MAX_BUCKETS,
            ..Shape::plain(nnue::network::MAX_HIDDEN)
        };
        if length > 3 * 4 * parameters::count(&largest) as u64 + MAX_HEAD {
            return Err(TrainError::checkpoint(path, format!("{length} bytes are too many")));
        }
        let mut bytes = Vec::with_capacity(length as usize);
        file.read_to_end(&mut bytes).map_err(TrainError::io("read", path))?;
        Self::from_bytes(&bytes).map_err(|reason| TrainError::checkpoint(path, reason))
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        if !Self::is_one(bytes) {
            return Err("it does not begin as safetensors files do".into());
        }
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|e| e.to_string())?;
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
        let note = metadata.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
        let note = note.ok_or("its metadata does not have the options of a training")?;
        let note: Note = serde_json::from_str(note).map_err(|e| format!("its metadata: {e}"))?;
        if note.version != VERSION {
            return Err(format!("version {} where {VERSION} is known", note.version));
        }
        note.check()?;
        let shape = note.shape.shape()?;
        let array = |prefix: &str| -> Result<Vec<f32>, String> {
            let mut values = Vec::with_capacity(parameters::count(&shape));
            for part in Part::ALL {
                let name = format!("{prefix}{}", part.name());
                let tensor = tensors.tensor(&name).map_err(|_| format!("it has no '{name}'"))?;
                let (rows, columns) = part.size(&shape);
                if tensor.dtype() != Dtype::F32 || tensor.shape() != [rows, columns] {
                    let (kind, size) = (tensor.dtype(), tensor.shape());
                    return Err(format!(
                        "'{name}' is {kind:?} {size:?}, not F32 [{rows}, {columns}]"
                    ));
                }
                let words = tensor.data().as_chunks().0;
                values.extend(words.iter().map(|&word| f32::from_le_bytes(word)));
                if values.iter().any(|value| !value.is_finite()) {
                    return Err(format!("'{name}' has something in it that is not a number"));
                }
            }
            Ok(values)
        };
        let mut parameters = Parameters::zero(&shape);
        parameters.values.copy_from_slice(&array("")?);
        let (first, second) =
            (AlignedVec::from(&*array("first.")?), AlignedVec::from(&*array("second.")?));
        Ok(Self { parameters, adam: Adam { steps: note.step, first, second }, note })
    }

    /// Keeps a copy of a checkpoint under the number of its step, and so many of such copies.
    pub(super) fn keep(
        folder: &Path,
        latest: &Path,
        step: u64,
        count: usize,
    ) -> Result<(), TrainError> {
        if count == 0 {
            return Ok(());
        }
        let name = |step: u64| format!("checkpoint-{step:09}.safetensors");
        let bytes = regular::read(latest, u64::MAX).map_err(TrainError::io("read", latest))?;
        write_whole(&folder.join(name(step)), &bytes)?;
        let entries = folder.read_dir().map_err(TrainError::io("read", folder))?;
        let mut kept: Vec<_> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                let text = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                text.starts_with("checkpoint-") && text.ends_with(".safetensors")
            })
            .collect();
        kept.sort();
        let surplus = kept.len().saturating_sub(count);
        for path in &kept[..surplus] {
            fs::remove_file(path).map_err(TrainError::io("remove", path))?;
        }
        Ok(())
    }
}
