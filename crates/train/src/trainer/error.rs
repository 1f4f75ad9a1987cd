//! What can go wrong with a training.

use std::io;
use std::path::{Path, PathBuf};

use data::DataError;

/// Why a network could not be trained, loaded or saved.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The rows could not be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// There is nothing to learn from.
    #[error("there are no rows to train on in {}", .0.display())]
    NoRows(PathBuf),
    /// None of the rows could be used.
    #[error(
        "none of {rows} rows can be learned from: {damaged} damaged, {without_target} without score and result, {beyond_limit} beyond the limit of scores"
    )]
    NothingUsed {
        /// How many there are.
        rows: u64,
        /// Of which are no positions.
        damaged: u64,
        /// Have neither score nor result.
        without_target: u64,
        /// Have a score that is left out.
        beyond_limit: u64,
    },
    /// The system could not do something with a file.
    #[error("cannot {what} {}: {cause}", path.display())]
    Io {
        /// What: "write", "read" …
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A checkpoint is not what it should be.
    #[error("{} is no checkpoint: {reason}", path.display())]
    Checkpoint {
        /// The file.
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
    /// Some parameter is no longer a number.
    #[error(
        "the parameters are no longer numbers after {0} steps; a smaller learning rate may help"
    )]
    NotFinite(u64),
    /// A thread panicked: a mistake of ours.
    #[error("a thread stopped unexpectedly")]
    Panicked,
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
