//! A network file of any kind, or a checkpoint, with its floating-point parameters.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use chess::Position;
use learn::TrainError;
use nnue::network::NetworkError;
use nnue::{AnyLoadError, AnyNetwork, MAX_FILE_LEN};

use crate::trainer::{CHECKPOINT, Checkpoint, Compared, Comparison, FloatEvaluator, Parameters};

/// Why a file is no network.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "documented by the messages")]
#[non_exhaustive]
pub enum LoadNetworkError {
    #[error("cannot read {}: {cause}", path.display())]
    Io { path: PathBuf, cause: io::Error },
    #[error("{}: {cause}", path.display())]
    Network { path: PathBuf, cause: AnyLoadError },
    #[error(transparent)]
    Quantization(#[from] NetworkError),
    #[error(transparent)]
    Checkpoint(#[from] TrainError),
}

/// A quantized network, with the parameters it was quantized from if they are known.
pub struct LoadedNetwork {
    /// The network.
    pub network: AnyNetwork,
    /// In floating point.
    pub parameters: Option<Parameters>,
}

impl LoadedNetwork {
    /// Opens a checkpoint, or a network file; a checkpoint in the same directory provides the parameters
    /// if the file was exported from it.
    pub fn open(path: &Path) -> Result<Self, LoadNetworkError> {
        let io = |cause| LoadNetworkError::Io { path: path.to_owned(), cause };
        let file: File = regular::open(path).map_err(io)?;
        let mut bytes = Vec::new();
        (&file).take(16).read_to_end(&mut bytes).map_err(io)?;
        if Checkpoint::is_one(&bytes) {
            let parameters = Checkpoint::load(path)?.parameters().clone();
            let network = parameters.quantized()?.into();
            return Ok(Self { network, parameters: Some(parameters) });
        }
        (&file).take(MAX_FILE_LEN as u64 + 1).read_to_end(&mut bytes).map_err(io)?;
        let network = AnyNetwork::from_bytes(&bytes)
            .map_err(|cause| LoadNetworkError::Network { path: path.to_owned(), cause })?;
        let beside = path.with_file_name(CHECKPOINT);
        let checkpoint = beside.exists().then(|| Checkpoint::load(&beside)).transpose()?;
        let parameters = checkpoint
            .map(|checkpoint| checkpoint.parameters().clone())
            .filter(|own| own.quantized().is_ok_and(|network| network.to_bytes() == bytes));
        Ok(Self { network, parameters })
    }

    /// The parameters in floating point, dequantized if no others are known. `None` for networks of other
    /// kinds than the engine's own, which cannot be trained.
    pub fn into_parameters(self) -> Option<Parameters> {
        self.parameters.or(match &self.network {
            AnyNetwork::Tabiya(network) => Some(Parameters::dequantized(network)),
            _ => None,
        })
    }
}

/// Compares a network with its own parameters, and with another network, position by position.
pub struct NetworkTest<'a> {
    network: &'a LoadedNetwork,
    /// The network's own parameters, if they are known.
    parameters: Option<FloatEvaluator<'a>>,
    other: Option<&'a LoadedNetwork>,
    quantization: Comparison,
    against: Comparison,
}

impl<'a> NetworkTest<'a> {
    /// A test without positions.
    pub fn new(network: &'a LoadedNetwork, other: Option<&'a LoadedNetwork>) -> Self {
        let (quantization, against) = Default::default();
        let parameters = network.parameters.as_ref().map(FloatEvaluator::new);
        Self { network, parameters, other, quantization, against }
    }

    /// Adds a position.
    pub fn add(&mut self, position: &Position) {
        let value = f64::from(self.network.network.evaluate(position));
        if let Some(parameters) = &mut self.parameters {
            self.quantization.add(value, parameters.evaluate(position).into());
        }
        if let Some(other) = self.other {
            self.against.add(value, other.network.evaluate(position).into());
        }
    }

    /// The differences to the parameters and to the other network, where there are any.
    pub fn result(&self) -> (Option<Compared>, Option<Compared>) {
        let quantization = self.parameters.as_ref().map(|_| self.quantization.result());
        (quantization, self.other.map(|_| self.against.result()))
    }
}
