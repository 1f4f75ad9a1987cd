//! What can go wrong with a training.

use std::io;
use std::path::{Path, PathBuf};

use crate::compute::ComputeError;
use crate::config::ConfigError;
use crate::loader::LoaderError;
use crate::weights::ModelError;

/// Why a model could not be trained.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// There is nothing to learn from.
    #[error(transparent)]
    Loader(#[from] LoaderError),
    /// A model could not be read or written.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// There is no such model.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The device is not there, or fails.
    #[error(transparent)]
    Compute(#[from] ComputeError),
    /// The system could not do something with a file.
    #[error("cannot {what} {}: {cause}", path.display())]
    Io {
        /// What: "write", "read" …
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A checkpoint is not what it should be.
    #[error("{} is no checkpoint: {reason}", path.display())]
    Checkpoint {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The folder holds a training with other options.
    #[error("{} holds another training: {difference}", path.display())]
    Differs {
        /// The folder.
        path: PathBuf,
        /// The first difference.
        difference: String,
    },
    /// There is nothing to go on from.
    #[error("there is no checkpoint in {} to go on from", .0.display())]
    NothingToResume(PathBuf),
    /// The options make no sense.
    #[error("{0}")]
    Options(String),
    /// The loss or a weight is no longer a number.
    #[error("the loss is no longer a number after {0} steps; a smaller learning rate may help")]
    NotFinite(u64),
    /// A thread panicked: a mistake of ours.
    #[error("a thread stopped unexpectedly")]
    Panicked,
}

impl From<data::DataError> for TrainError {
    fn from(error: data::DataError) -> Self {
        Self::Loader(error.into())
    }
}

impl TrainError {
    /// For `map_err`: what could not be done to which file.
    pub(super) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |cause| Self::Io { what, path, cause }
    }

    pub(super) fn checkpoint(path: &Path, reason: impl ToString) -> Self {
        Self::Checkpoint { path: path.to_owned(), reason: reason.to_string() }
    }
}
