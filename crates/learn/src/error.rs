//! The error type of all trainings.

use std::error::Error;
use std::fmt::Display;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use data::DataError;

/// Why a model could not be trained, loaded or saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A data set could not be read or a file could not be written; or the run was interrupted.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The training data are unusable.
    #[error("{0}")]
    Examples(String),
    /// An operation on a file failed.
    #[error("cannot {what} {}: {cause}", path.display())]
    Io {
        /// The operation: "write", "read" …
        what: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// A checkpoint is damaged or of another kind.
    #[error("{} is no checkpoint: {reason}", path.display())]
    Checkpoint {
        /// The file or directory.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The checkpoint is of a run with other options.
    #[error("{} holds another training: {difference}", path.display())]
    Differs {
        /// The output of the run.
        path: PathBuf,
        /// The first option that differs.
        difference: String,
    },
    /// There is no checkpoint to resume from.
    #[error("there is no checkpoint in {} to resume from", .0.display())]
    NothingToResume(PathBuf),
    /// An option is out of range.
    #[error("{0}")]
    Options(String),
    /// The loss or a parameter is infinite or NaN after this many steps.
    #[error(
        "the loss or a parameter is not a finite number after {0} steps; a lower learning rate may help"
    )]
    NotFinite(u64),
    /// A thread panicked.
    #[error("a thread stopped unexpectedly")]
    Panicked,
    /// An error of the model or of the device that computes it.
    #[error(transparent)]
    Model(Box<dyn Error + Send + Sync>),
}

impl TrainError {
    /// For `map_err`: the operation and its file.
    pub fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |cause| Self::Io { what, path, cause }
    }

    /// A damaged checkpoint.
    pub fn checkpoint(path: &Path, reason: impl ToString) -> Self {
        Self::Checkpoint { path: path.to_owned(), reason: reason.to_string() }
    }
}

/// Refuses an option that is out of range, or NaN.
///
/// ```
/// let error = tabiya_learn::ensure_in_range("lambda", f64::NAN, 0.0..=1.0).unwrap_err();
/// assert_eq!(error.to_string(), "lambda must be 0 to 1, not NaN");
/// ```
pub fn ensure_in_range<T: PartialOrd + Display>(
    name: &str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<(), TrainError> {
    if range.contains(&value) {
        return Ok(());
    }
    let (least, most) = range.into_inner();
    Err(TrainError::Options(format!("{name} must be {least} to {most}, not {value}")))
}
