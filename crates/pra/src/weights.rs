//! The numbers of a model, and its folder: `config.json` and `model.safetensors`.
//!
//! Tensors have the reference's names and shapes, as f32; f16 and bf16 are read too, and f16 is written
//! where a small file is wanted. A file is taken for hostile: what is missing, too much, of another
//! shape, or no number is named.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fs, io};

use chess::rng::Rng;
use data::{DataError, write_whole};
use half::{bf16, f16};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};
use simd::AlignedVec;
use simd::gemm::{Matrix, pack_panels};

use crate::config::{Config, ConfigError};
use crate::layout::{Layout, Start};

/// The file with the shape.
pub const CONFIG: &str = "config.json";
/// The file with the numbers.
pub const MODEL: &str = "model.safetensors";
/// No model is larger.
const MAX_BYTES: u64 = 4 << 30;
/// No description of a shape is longer.
const MAX_CONFIG: u64 = 1 << 20;

/// Why there is no model here.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The system could not read or write something.
    #[error("cannot {what} {}: {cause}", path.display())]
    Io {
        /// What could not be done.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] DataError),
    /// The folder has not the two files of a model.
    #[error("{} is no model: there is no {missing} in it", path.display())]
    NoModel {
        /// The folder.
        path: PathBuf,
        /// What is missing.
        missing: &'static str,
    },
    /// The shape is not told as it should be.
    #[error("{}: {reason}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The numbers are not as they should be.
    #[error("{}: {reason}", path.display())]
    Tensors {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: TensorError,
    },
}

/// What is wrong with a file of tensors.
#[derive(Debug, thiserror::Error)]
pub enum TensorError {
    /// It is no safetensors file, or a damaged one.
    #[error("it is no safetensors file, or damaged: {0}")]
    Format(#[from] SafeTensorError),
    /// A tensor is not there.
    #[error("it has no tensor '{0}'")]
    Missing(String),
    /// A tensor does not belong there.
    #[error("it has a tensor '{0}', which this model has not")]
    Unknown(String),
    /// A tensor is of another shape.
    #[error("tensor '{name}' is {found:?}, it must be {expected:?}")]
    Shape {
        /// Its name.
        name: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shape of the model's.
        expected: Vec<usize>,
    },
    /// A tensor of another kind of numbers.
    #[error("tensor '{name}' is {dtype:?}; F32, F16 and BF16 are read")]
    Type {
        /// Its name.
        name: String,
        /// Its type.
        dtype: Dtype,
    },
    /// A number that is none, or infinite.
    #[error("number {index} of tensor '{name}' is {value}")]
    NotFinite {
        /// The tensor.
        name: String,
        /// Which number.
        index: usize,
        /// The number.
        value: f32,
    },
}

/// Whose cause has a name.
fn io_error(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ModelError {
    let path = path.to_owned();
    move |cause| ModelError::Io { what, path, cause }
}

/// A model.
#[derive(Clone, Debug)]
pub struct Weights {
    config: Config,
    layout: Layout,
    values: Vec<f32>,
    /// See [`Weights::turned`]; made when it is first asked for, gone when a number changes.
    turned: OnceLock<AlignedVec<f32>>,
    /// See [`Weights::entrance`]; likewise.
    entrance: OnceLock<AlignedVec<f32>>,
}

impl PartialEq for Weights {
    fn eq(&self, other: &Self) -> bool {
        self.config == other.config && self.values == other.values
    }
}

impl Weights {
    fn of(config: &Config, layout: Layout, values: Vec<f32>) -> Self {
        let (turned, entrance) = (OnceLock::new(), OnceLock::new());
        Self { config: *config, layout, values, turned, entrance }
    }

    /// All zero: what gradients begin with.
    pub fn zero(config: &Config) -> Result<Self, ConfigError> {
        config.check()?;
        let layout = Layout::new(config);
        let values = vec![0.0; layout.len()];
        Ok(Self::of(config, layout, values))
    }

    /// A model that has learned nothing, as the reference begins.
    pub fn random(config: &Config, seed: u64) -> Result<Self, ConfigError> {
        let mut weights = Self::zero(config)?;
        for (number, tensor) in weights.layout.tensors().iter().enumerate() {
            let mut rng = Rng::new(seed, number as u64);
            let values = &mut weights.values[tensor.range.clone()];
            match tensor.start {
                Start::Zero => {}
                Start::Uniform(bound) => {
                    values.fill_with(|| (2.0 * rng.next_f32() - 1.0) * bound);
                }
                Start::Normal(width) => values.fill_with(|| width * bell(&mut rng)),
            }
        }
        Ok(weights)
    }

    /// The shape.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// Where which tensor is.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// All numbers.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// All numbers, to be changed.
    pub fn values_mut(&mut self) -> &mut [f32] {
        (self.turned, self.entrance) = (OnceLock::new(), OnceLock::new());
        &mut self.values
    }

    /// All numbers, but matrices that are multiplied by lie as the way forward reads them: inputs by
    /// outputs, in panels.
    pub(crate) fn turned(&self) -> &[f32] {
        self.turned.get_or_init(|| {
            let mut turned = AlignedVec::from(&*self.values);
            for &(begin, outputs, inputs) in self.layout.products() {
                let matrix = Matrix::new(&self.values[begin..], outputs, inputs);
                pack_panels(&mut turned[begin..], matrix.transposed());
            }
            turned
        })
    }

    /// What the first block asks, for each thing that a square can be, as this computes it once.
    pub(crate) fn entrance(&self, compute: impl FnOnce() -> AlignedVec<f32>) -> &[f32] {
        self.entrance.get_or_init(compute)
    }

    /// The same numbers for a model that differs only in how it is trained.
    pub fn with_legal_mask(mut self, legal_mask: bool) -> Self {
        self.config.legal_mask = legal_mask;
        self
    }

    /// Reads a folder.
    pub fn load(folder: &Path) -> Result<Self, ModelError> {
        for missing in [CONFIG, MODEL] {
            if !folder.join(missing).is_file() {
                return Err(ModelError::NoModel { path: folder.to_owned(), missing });
            }
        }
        let path = folder.join(CONFIG);
        let fail = |reason: String| ModelError::Config { path: path.clone(), reason };
        let text = regular::read_to_string(&path, MAX_CONFIG).map_err(io_error("read", &path))?;
        let config: Config =
            serde_json::from_str(&text).map_err(|error| fail(error.to_string()))?;
        config.check().map_err(|error| fail(error.to_string()))?;
        let path = folder.join(MODEL);
        let fail = |reason: TensorError| ModelError::Tensors { path: path.clone(), reason };
        let bytes = regular::read(&path, MAX_BYTES).map_err(io_error("read", &path))?;
        Self::from_bytes(&config, &bytes).map_err(fail)
    }

    /// Reads tensors of a model of this shape.
    pub fn from_bytes(config: &Config, bytes: &[u8]) -> Result<Self, TensorError> {
        let layout = Layout::new(config);
        let values = read_tensors(&layout, bytes, "")?;
        Ok(Self::of(config, layout, values))
    }

    /// The tensors as a file, with numbers of 32 bits or of 16.
    pub fn to_bytes(&self, as_f16: bool) -> Result<Vec<u8>, SafeTensorError> {
        write_tensors(&self.layout, &[("", &self.values)], as_f16)
    }

    /// Writes a folder; each of its files is there whole or not at all.
    pub fn save(&self, folder: &Path, as_f16: bool) -> Result<(), ModelError> {
        fs::create_dir_all(folder).map_err(io_error("create folder", folder))?;
        let path = folder.join(MODEL);
        let reason = |error: SafeTensorError| ModelError::Tensors {
            path: path.clone(),
            reason: error.into(),
        };
        let bytes = self.to_bytes(as_f16).map_err(reason)?;
        write_whole(&path, &bytes)?;
        let text = serde_json::to_string_pretty(&self.config).unwrap_or_default() + "\n";
        Ok(write_whole(&folder.join(CONFIG), text.as_bytes())?)
    }
}

/// A number of the bell curve, by the polar method's older brother (Box and Muller).
fn bell(rng: &mut Rng) -> f32 {
    let radius = (-2.0 * (1.0 - rng.next_f32()).ln()).sqrt();
    radius * (std::f32::consts::TAU * rng.next_f32()).cos()
}

/// The tensors of several arrays of one layout, each with something before its names.
pub(crate) fn write_tensors(
    layout: &Layout,
    arrays: &[(&str, &[f32])],
    as_f16: bool,
) -> Result<Vec<u8>, SafeTensorError> {
    let mut tensors = Vec::new();
    for (prefix, values) in arrays {
        for tensor in layout.tensors() {
            let own = &values[tensor.range.clone()];
            let bytes: Vec<u8> = if as_f16 {
                own.iter().flat_map(|&value| f16::from_f32(value).to_le_bytes()).collect()
            } else {
                own.iter().flat_map(|value| value.to_le_bytes()).collect()
            };
            tensors.push((format!("{prefix}{}", tensor.name), &tensor.shape, bytes));
        }
    }
    let dtype = if as_f16 { Dtype::F16 } else { Dtype::F32 };
    let views = tensors
        .iter()
        .map(|(name, shape, bytes)| Ok((name, TensorView::new(dtype, shape.to_vec(), bytes)?)));
    safetensors::serialize(views.collect::<Result<Vec<_>, SafeTensorError>>()?, None)
}

/// The numbers of a layout from a file; with nothing before their names, they must be all there is.
pub(crate) fn read_tensors(
    layout: &Layout,
    bytes: &[u8],
    prefix: &str,
) -> Result<Vec<f32>, TensorError> {
    let file = SafeTensors::deserialize(bytes)?;
    let mut values = Vec::with_capacity(layout.len());
    for tensor in layout.tensors() {
        let name = format!("{prefix}{}", tensor.name);
        let view = file.tensor(&name).map_err(|_| TensorError::Missing(name.clone()))?;
        if view.shape() != tensor.shape {
            let (found, expected) = (view.shape().to_vec(), tensor.shape.clone());
            return Err(TensorError::Shape { name, found, expected });
        }
        let (data, begin) = (view.data(), values.len());
        match view.dtype() {
            Dtype::F32 => values.extend(data.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b))),
            Dtype::F16 => {
                values.extend(data.as_chunks().0.iter().map(|b| f16::from_le_bytes(*b).to_f32()));
            }
            Dtype::BF16 => {
                values.extend(data.as_chunks().0.iter().map(|b| bf16::from_le_bytes(*b).to_f32()));
            }
            dtype => return Err(TensorError::Type { name, dtype }),
        }
        if let Some(index) = values[begin..].iter().position(|value| !value.is_finite()) {
            return Err(TensorError::NotFinite { name, index, value: values[begin + index] });
        }
    }
    if prefix.is_empty()
        && let Some(name) = file
            .names()
            .into_iter()
            .find(|name| !layout.tensors().iter().any(|tensor| tensor.name == **name))
    {
        return Err(TensorError::Unknown(name.to_string()));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_way_forward_reads_is_made_anew_when_a_number_changes() {
        for config in [Config::new(1, 24), Config::reference(2, 12)] {
            let mut weights = Weights::random(&config, 1).unwrap();
            let sorted = |values: &[f32]| {
                let mut values = values.to_vec();
                values.sort_by(f32::total_cmp);
                values
            };
            // The same numbers in another order, and in the same where nothing is multiplied.
            assert_ne!(weights.turned(), weights.values());
            assert_eq!(sorted(weights.turned()), sorted(weights.values()));
            assert_eq!(weights.turned()[..24], weights.values()[..24]);
            let place = weights.layout().policy + 1;
            weights.values_mut()[place] = 9.5;
            assert_eq!(sorted(weights.turned()), sorted(weights.values()));
            assert!(weights.turned().contains(&9.5));
            // What the first block asks is kept as long.
            let numbers = |number: f32| AlignedVec::from(&[number][..]);
            assert_eq!(weights.entrance(|| numbers(1.0)), [1.0]);
            assert_eq!(weights.entrance(|| numbers(2.0)), [1.0]);
            weights.values_mut()[place] = 9.0;
            assert_eq!(weights.entrance(|| numbers(2.0)), [2.0]);
        }
    }
}
