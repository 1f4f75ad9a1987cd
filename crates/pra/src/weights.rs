//! The parameters of a model, and its directory: `config.json` and `model.safetensors`.
//!
//! Tensors have the reference's names and shapes, as f32; f16 and bf16 are read too, and f16 can be
//! written. Files are validated: a tensor that is missing, unknown, of another shape or not finite is an
//! error that names it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, io};

use chess::rng::Rng;
use data::{DataError, write_atomic};
use half::{bf16, f16};
use learn::TensorError;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};

use crate::config::{Config, ConfigError};
use crate::layout::{Init, Layout, Tensor};

/// The file with the configuration.
pub const CONFIG: &str = "config.json";
/// The file with the tensors.
pub const MODEL: &str = "model.safetensors";
/// Largest file of tensors that is read.
const MAX_BYTES: u64 = 4 << 30;
/// Largest configuration that is read.
const MAX_CONFIG: u64 = 1 << 20;

/// Why a model could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// An I/O error.
    #[error("cannot {what} {}: {cause}", path.display())]
    Io {
        /// The operation.
        what: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] DataError),
    /// The directory lacks a file.
    #[error("{} is not a model: {missing} is missing", path.display())]
    NoModel {
        /// The directory.
        path: PathBuf,
        /// The missing file.
        missing: &'static str,
    },
    /// The configuration is invalid.
    #[error("{}: {reason}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The tensors are invalid.
    #[error("{}: {reason}", path.display())]
    Tensors {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: TensorError,
    },
}

/// For `map_err`: the operation that failed, and on which path.
fn io_error(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ModelError {
    let path = path.to_owned();
    move |cause| ModelError::Io { what, path, cause }
}

/// The next [version](Weights::version).
static NEXT_VERSION: AtomicU64 = AtomicU64::new(0);

fn next_version() -> u64 {
    NEXT_VERSION.fetch_add(1, Ordering::Relaxed)
}

/// The parameters of a model.
#[derive(Clone, Debug)]
pub struct Weights {
    config: Config,
    layout: Layout,
    values: Vec<f32>,
    version: u64,
}

impl PartialEq for Weights {
    fn eq(&self, other: &Self) -> bool {
        self.config == other.config && self.values == other.values
    }
}

impl Weights {
    fn from_values(config: &Config, layout: Layout, values: Vec<f32>) -> Self {
        Self { config: *config, layout, values, version: next_version() }
    }

    /// All zero.
    pub fn zero(config: &Config) -> Result<Self, ConfigError> {
        config.check()?;
        let layout = Layout::new(config);
        let values = vec![0.0; layout.len()];
        Ok(Self::from_values(config, layout, values))
    }

    /// Random initialization, as in the reference.
    pub fn random(config: &Config, seed: u64) -> Result<Self, ConfigError> {
        let mut weights = Self::zero(config)?;
        for (number, tensor) in weights.layout.tensors().iter().enumerate() {
            let mut rng = Rng::new(seed, number as u64);
            let values = &mut weights.values[tensor.range.clone()];
            match tensor.init {
                Init::Zero => {}
                Init::Uniform(bound) => {
                    values.fill_with(|| (2.0 * rng.next_f32() - 1.0) * bound);
                }
                Init::Normal(deviation) => {
                    values.fill_with(|| deviation * sample_normal(&mut rng));
                }
            }
        }
        Ok(weights)
    }

    /// The configuration.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// The layout of the parameter vector.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The parameter vector.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The parameter vector, to be changed.
    pub fn values_mut(&mut self) -> &mut [f32] {
        self.version = next_version();
        &mut self.values
    }

    /// Root mean square of a tensor.
    pub fn rms(&self, tensor: &Tensor) -> f64 {
        let values = &self.values[tensor.range.clone()];
        let sum: f64 = values.iter().map(|value| f64::from(*value).powi(2)).sum();
        (sum / values.len().max(1) as f64).sqrt()
    }

    /// Changes with every [mutable access](Self::values_mut). Equal versions imply equal values, so
    /// backends cache what they derive from the values under it.
    pub(crate) const fn version(&self) -> u64 {
        self.version
    }

    /// The same parameters with another policy loss, which is the only difference.
    pub fn with_legal_mask(mut self, legal_mask: bool) -> Self {
        self.config.legal_mask = legal_mask;
        self
    }

    /// Reads a model directory.
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
        Self::load_tensors(&config, &folder.join(MODEL))
    }

    /// The embedded model, of the directory `model`.
    pub(crate) fn embedded() -> Result<Self, ModelError> {
        let (config, tensors) =
            (include_str!("../model/config.json"), include_bytes!("../model/model.safetensors"));
        let path = |name: &str| Path::new("embedded").join(name);
        let config: Config = serde_json::from_str(config).map_err(|error| ModelError::Config {
            path: path(CONFIG),
            reason: error.to_string(),
        })?;
        let tensors = Self::from_bytes(&config, tensors);
        tensors.map_err(|reason| ModelError::Tensors { path: path(MODEL), reason })
    }

    /// Reads a safetensors file of a model of this configuration.
    pub fn load_tensors(config: &Config, path: &Path) -> Result<Self, ModelError> {
        let bytes = regular::read(path, MAX_BYTES).map_err(io_error("read", path))?;
        let fail = |reason: TensorError| ModelError::Tensors { path: path.to_owned(), reason };
        Self::from_bytes(config, &bytes).map_err(fail)
    }

    /// Reads the tensors of a model of this configuration.
    pub fn from_bytes(config: &Config, bytes: &[u8]) -> Result<Self, TensorError> {
        let layout = Layout::new(config);
        let values = read_tensors(&layout, bytes, "")?;
        Ok(Self::from_values(config, layout, values))
    }

    /// Serializes the tensors as f32, or as f16.
    pub fn to_bytes(&self, as_f16: bool) -> Result<Vec<u8>, SafeTensorError> {
        write_tensors(&self.layout, &[("", &self.values)], as_f16)
    }

    /// Writes a model directory; each file is replaced atomically.
    pub fn save(&self, folder: &Path, as_f16: bool) -> Result<(), ModelError> {
        fs::create_dir_all(folder).map_err(io_error("create directory", folder))?;
        let path = folder.join(MODEL);
        let reason = |error: SafeTensorError| ModelError::Tensors {
            path: path.clone(),
            reason: error.into(),
        };
        let bytes = self.to_bytes(as_f16).map_err(reason)?;
        write_atomic(&path, &bytes)?;
        let text = serde_json::to_string_pretty(&self.config).unwrap_or_default() + "\n";
        Ok(write_atomic(&folder.join(CONFIG), text.as_bytes())?)
    }
}

/// A standard normal sample, by the Box–Muller transform.
fn sample_normal(rng: &mut Rng) -> f32 {
    let radius = (-2.0 * (1.0 - rng.next_f32()).ln()).sqrt();
    radius * (std::f32::consts::TAU * rng.next_f32()).cos()
}

/// Serializes several parameter vectors of one layout, each with a prefix for its tensor names.
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

/// Reads a parameter vector whose tensor names have a prefix; without one, no other tensors may exist.
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
            dtype => {
                let expected = "F32, F16 or BF16";
                return Err(TensorError::Type { name, dtype, expected });
            }
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
    fn the_version_changes_with_the_values_and_clones_share_it() {
        let config = Config::new(1, 12);
        let mut weights = Weights::random(&config, 1).unwrap();
        assert_ne!(weights.version(), Weights::random(&config, 1).unwrap().version());
        let clone = weights.clone();
        assert_eq!(weights.version(), clone.version());
        weights.values_mut()[0] += 1.0;
        assert_ne!(weights.version(), clone.version());
    }
}
