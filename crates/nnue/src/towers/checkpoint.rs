//! Checkpoints: safetensors, with the configuration as JSON in the metadata.
//!
//! Tensor names and shapes are PyTorch's (`mover.weight` is `[512, 384]`), so that models can be exchanged.
//! The configuration is the value of the metadata key `tabiya`, so that model and configuration are one
//! file, replaced by one rename. A training checkpoint also has Adam's moving averages of every tensor
//! (`adam.mean.…` is `exp_avg`, `adam.square.…` is `exp_avg_sq`) and its step in the configuration.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};
use serde_json::{Value, json};

use super::parameters::{PARAMETERS, SCALE, SLAB_ROWS, SLABS, TOTAL_ROWS, Towers};
use crate::features::{COUNT, PER_COLOR};

/// The metadata key of the configuration.
const KEY: &str = "tabiya";
const FORMAT: &str = "towers";
const VERSION: u64 = 1;
/// Prefixes of Adam's moving averages.
const PREFIXES: [&str; 2] = ["adam.mean.", "adam.square."];
/// The size limit of a checkpoint: three times all parameters, and the metadata.
const MAX_BYTES: u64 = 16 << 20;

/// Why a checkpoint is invalid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// An I/O error.
    #[error("cannot {what} {}: {cause}", path.display())]
    Io {
        /// The operation.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// The file is too large.
    #[error("it has more than {MAX_BYTES} bytes, the limit for checkpoints of this network")]
    TooLarge,
    /// Not a valid safetensors file.
    #[error("it is not a valid safetensors file: {0}")]
    Format(#[from] SafeTensorError),
    /// The configuration is missing or that of another model.
    #[error("it is not a two-tower MLP: {0}")]
    Config(String),
    /// A tensor is missing.
    #[error("it has no tensor '{0}'")]
    Missing(String),
    /// An unknown tensor.
    #[error("it has an unknown tensor '{0}'")]
    Unknown(String),
    /// A tensor of another shape or type.
    #[error("tensor '{name}' is {dtype:?} {shape:?}, expected F32 {expected:?}")]
    Shape {
        /// Its name.
        name: String,
        /// Its type.
        dtype: Dtype,
        /// Its shape.
        shape: Vec<usize>,
        /// The expected shape.
        expected: Vec<usize>,
    },
    /// An infinite or NaN element.
    #[error("element {index} of tensor '{name}' is {value}")]
    NotFinite {
        /// The tensor.
        name: String,
        /// The index of the element.
        index: usize,
        /// The element.
        value: f32,
    },
}

/// A model, with the state of its training or without.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoint {
    /// The network.
    pub towers: Towers,
    /// Adam's moving averages of gradients and squared gradients (`exp_avg`, `exp_avg_sq`), if training is
    /// to be resumed.
    pub averages: Option<[Towers; 2]>,
    /// The trainer's own state; null for a model.
    pub training: Value,
}

/// A named tensor of the file.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tensor {
    pub name: &'static str,
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
}

/// The row and column of the parameter of an output and an input.
type RowColumn = fn(usize, usize) -> (usize, usize);
/// Name, outputs, inputs (none for biases), and where the parameters are.
type Entry = (&'static str, usize, Option<usize>, RowColumn);
const HEAD: usize = SLABS * SLAB_ROWS;
const TENSORS: [Entry; 14] = [
    ("mover.weight", 512, Some(384), |o, i| (o / 64 * SLAB_ROWS + i, o % 64)),
    ("mover.bias", 512, None, |o, _| (o / 64 * SLAB_ROWS + COUNT, o % 64)),
    ("opponent.weight", 512, Some(384), |o, i| (o / 64 * SLAB_ROWS + PER_COLOR + i, o % 64)),
    ("opponent.bias", 512, None, |o, _| (o / 64 * SLAB_ROWS + COUNT + 1, o % 64)),
    ("hidden.weight", 64, Some(512), |o, i| (i / 64 * SLAB_ROWS + COUNT + 2 + i % 64, o)),
    ("hidden.bias", 64, None, |o, _| (HEAD, o)),
    ("residual.0.weight", 64, Some(64), |o, i| (HEAD + 1 + i, o)),
    ("residual.0.bias", 64, None, |o, _| (HEAD + 65, o)),
    ("residual.1.weight", 64, Some(64), |o, i| (HEAD + 66 + i, o)),
    ("residual.1.bias", 64, None, |o, _| (HEAD + 130, o)),
    ("last.weight", 64, Some(64), |o, i| (HEAD + 131 + i, o)),
    ("last.bias", 64, None, |o, _| (HEAD + 195, o)),
    ("output.weight", 1, Some(64), |_, i| (HEAD + 196, i)),
    ("output.bias", 1, None, |_, _| (TOTAL_ROWS - 1, 0)),
];

fn shape(outputs: usize, inputs: Option<usize>) -> Vec<usize> {
    [Some(outputs), inputs].into_iter().flatten().collect()
}

/// The rows and columns of a tensor's elements, in the order of the file.
fn elements(
    outputs: usize,
    inputs: Option<usize>,
    row_column: RowColumn,
) -> impl Iterator<Item = (usize, usize)> {
    (0..outputs).flat_map(move |o| (0..inputs.unwrap_or(1)).map(move |i| row_column(o, i)))
}

impl Towers {
    /// All tensors.
    pub(crate) fn tensors(&self) -> Vec<Tensor> {
        let tensor = |(name, outputs, inputs, row_column): Entry| {
            let values = elements(outputs, inputs, row_column)
                .map(|(row, column)| self.rows()[row][column])
                .collect();
            Tensor { name, shape: shape(outputs, inputs), values }
        };
        TENSORS.map(tensor).into()
    }

    /// Reads all tensors, their names prefixed.
    fn from_tensors(file: &SafeTensors<'_>, prefix: &str) -> Result<Self, CheckpointError> {
        let mut towers = Self::zero();
        for (name, outputs, inputs, row_column) in TENSORS {
            let name = format!("{prefix}{name}");
            let view = file.tensor(&name).map_err(|_| CheckpointError::Missing(name.clone()))?;
            let expected = shape(outputs, inputs);
            if view.dtype() != Dtype::F32 || view.shape() != expected {
                let (dtype, shape) = (view.dtype(), view.shape().to_vec());
                return Err(CheckpointError::Shape { name, dtype, shape, expected });
            }
            let inputs = inputs.unwrap_or(1);
            for (index, bytes) in view.data().as_chunks().0.iter().enumerate() {
                let value = f32::from_le_bytes(*bytes);
                if !value.is_finite() {
                    return Err(CheckpointError::NotFinite { name, index, value });
                }
                let (row, column) = row_column(index / inputs, index % inputs);
                towers.rows_mut()[row][column] = value;
            }
        }
        Ok(towers)
    }

    /// Loads the network of a model or training checkpoint.
    pub fn load(path: &Path) -> Result<Self, CheckpointError> {
        Checkpoint::load(path).map(|checkpoint| checkpoint.towers)
    }
}

impl Checkpoint {
    /// Serializes the checkpoint, deterministically.
    ///
    /// ```
    /// use tabiya_nnue::towers::{Checkpoint, Towers};
    /// let towers = Towers::random(1);
    /// let training = serde_json::Value::Null;
    /// let checkpoint = Checkpoint { towers, averages: None, training };
    /// assert_eq!(Checkpoint::from_bytes(&checkpoint.to_bytes()?)?, checkpoint);
    /// # Ok::<(), tabiya_nnue::towers::CheckpointError>(())
    /// ```
    pub fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError> {
        let parts = [("", Some(&self.towers))].into_iter();
        let averages = self.averages.iter().flatten().map(Some);
        let parts = parts.chain(PREFIXES.into_iter().zip(averages));
        let mut tensors = Vec::new();
        for (prefix, towers) in parts {
            for tensor in towers.map(Towers::tensors).into_iter().flatten() {
                let bytes: Vec<u8> = tensor.values.iter().flat_map(|n| n.to_le_bytes()).collect();
                tensors.push((format!("{prefix}{}", tensor.name), tensor.shape, bytes));
            }
        }
        let config = json!({
            "format": FORMAT,
            "version": VERSION,
            "inputs": COUNT,
            "tower": 512,
            "hidden": 64,
            "parameters": PARAMETERS,
            "centipawns": SCALE,
            "training": self.training,
        });
        let metadata = HashMap::from([(KEY.to_owned(), config.to_string())]);
        let views = tensors.iter().map(|(name, shape, bytes)| {
            Ok((name, TensorView::new(Dtype::F32, shape.clone(), bytes)?))
        });
        let views = views.collect::<Result<Vec<_>, SafeTensorError>>()?;
        Ok(safetensors::serialize(views, Some(metadata))?)
    }

    /// Parses a checkpoint from untrusted bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CheckpointError> {
        if bytes.len() as u64 > MAX_BYTES {
            return Err(CheckpointError::TooLarge);
        }
        let (_, metadata) = SafeTensors::read_metadata(bytes)?;
        let config = metadata.metadata().as_ref().and_then(|all| all.get(KEY));
        let wrong = |reason: &str| CheckpointError::Config(reason.to_owned());
        let config = config.ok_or_else(|| wrong("there is no configuration in its metadata"))?;
        let mut config: Value = serde_json::from_str(config)
            .map_err(|error| wrong(&format!("its configuration is not JSON: {error}")))?;
        if config["format"] != FORMAT || config["version"] != VERSION {
            let (format, version) = (&config["format"], &config["version"]);
            return Err(wrong(&format!("its format is {format}, version {version}")));
        }
        if config["parameters"] != PARAMETERS {
            return Err(wrong(&format!("it has {} parameters", config["parameters"])));
        }
        let file = SafeTensors::deserialize(bytes)?;
        for name in file.names() {
            let plain = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix));
            if !TENSORS.iter().any(|tensor| tensor.0 == plain.unwrap_or(name)) {
                return Err(CheckpointError::Unknown(name.chars().take(100).collect()));
            }
        }
        let towers = Towers::from_tensors(&file, "")?;
        let averages = if file.len() > TENSORS.len() {
            let [mean, square] = PREFIXES.map(|prefix| Towers::from_tensors(&file, prefix));
            Some([mean?, square?])
        } else {
            None
        };
        Ok(Self { towers, averages, training: config["training"].take() })
    }

    /// Loads a file.
    pub fn load(path: &Path) -> Result<Self, CheckpointError> {
        let fail = |cause| CheckpointError::Io { what: "read", path: path.to_owned(), cause };
        let mut bytes = Vec::new();
        let file = regular::open(path).map_err(fail)?;
        // Never read more than the limit, whatever the stated length.
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
        Self::from_bytes(&bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint {
        Checkpoint {
            towers: Towers::random(1),
            averages: Some([Towers::random(2), Towers::random(3)]),
            training: json!({ "step": 12 }),
        }
    }

    #[test]
    fn the_tensors_contain_every_parameter_once() {
        let tensors = Towers::random(5).tensors();
        let total: usize = tensors.iter().map(|tensor| tensor.values.len()).sum();
        assert_eq!(total, PARAMETERS);
        assert!(tensors.iter().all(|t| t.shape.iter().product::<usize>() == t.values.len()));
        let different: std::collections::HashSet<(usize, usize)> = TENSORS
            .into_iter()
            .flat_map(|(_, outputs, inputs, row_column)| elements(outputs, inputs, row_column))
            .collect();
        assert_eq!(different.len(), PARAMETERS);
    }

    #[test]
    fn checkpoints_round_trip_and_serialize_deterministically() {
        let checkpoint = checkpoint();
        let bytes = checkpoint.to_bytes().unwrap();
        assert_eq!(bytes, checkpoint.to_bytes().unwrap());
        assert_eq!(Checkpoint::from_bytes(&bytes).unwrap(), checkpoint);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("model.safetensors");
        let model = Checkpoint { averages: None, training: Value::Null, ..checkpoint.clone() };
        std::fs::write(&path, model.to_bytes().unwrap()).unwrap();
        assert_eq!(Towers::load(&path).unwrap(), checkpoint.towers);
        let plain = Checkpoint::load(&path).unwrap();
        assert_eq!((plain.averages, plain.training), (None, Value::Null));
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(Towers::load(&path), Err(CheckpointError::Io { what: "read", .. })));
    }

    #[test]
    fn a_damaged_file_never_panics() {
        let bytes = Checkpoint { averages: None, ..checkpoint() }.to_bytes().unwrap();
        for n in 0..256 {
            assert!(Checkpoint::from_bytes(&bytes[..bytes.len() * n / 256]).is_err());
        }
        let metadata = 8 + u64::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
        let mut damaged = bytes.clone();
        for n in 0..600 {
            // Mostly in the metadata.
            let at = if n % 10 == 0 { n * 78_989 % bytes.len() } else { n * 37 % metadata };
            damaged[at] ^= 1 << (n % 8);
            let _ = Checkpoint::from_bytes(&damaged);
            damaged[at] = bytes[at];
        }
        assert!(Checkpoint::from_bytes(&damaged).is_ok());
    }

    #[test]
    fn errors_name_the_cause() {
        let error = |bytes: &[u8]| Checkpoint::from_bytes(bytes).unwrap_err();
        assert!(matches!(error(b"TABIYANN and more"), CheckpointError::Format(_)));
        assert!(matches!(error(&vec![0; MAX_BYTES as usize + 1]), CheckpointError::TooLarge));
        let mut towers = Towers::zero();
        towers.rows_mut()[TOTAL_ROWS - 1][0] = f32::NAN;
        let bytes = Checkpoint { towers, averages: None, training: Value::Null }.to_bytes();
        let message = error(&bytes.unwrap()).to_string();
        assert_eq!(message, "element 0 of tensor 'output.bias' is NaN");
        let file = |tensors: &[(&str, Vec<usize>)], config: &str| {
            let metadata = HashMap::from([(KEY.to_owned(), config.to_owned())]);
            let zeros = vec![0; PARAMETERS * 4];
            let views = tensors.iter().map(|(name, shape)| {
                let size = 4 * shape.iter().product::<usize>();
                let view = TensorView::new(Dtype::F32, shape.clone(), &zeros[..size]);
                (*name, view.unwrap())
            });
            safetensors::serialize(views, Some(metadata)).unwrap()
        };
        let good = r#"{"format":"towers","version":1,"parameters":439617}"#;
        assert!(matches!(error(&file(&[], good)), CheckpointError::Missing(_)));
        assert!(matches!(error(&file(&[], "{}")), CheckpointError::Config(_)));
        assert!(matches!(error(&file(&[], "{")), CheckpointError::Config(_)));
        let unknown = file(&[("other", vec![1])], good);
        assert!(matches!(error(&unknown), CheckpointError::Unknown(_)));
        let message = error(&file(&[("mover.weight", vec![384, 512])], good)).to_string();
        let expected = "tensor 'mover.weight' is F32 [384, 512], expected F32 [512, 384]";
        assert_eq!(message, expected);
    }
}
