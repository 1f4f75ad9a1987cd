//! Errors of data sets.

use std::io;
use std::path::{Path, PathBuf};

use crate::{ReadError, ThreadError};

/// Why a data set could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// A PGN input could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An I/O error of a file of the data set.
    #[error("cannot {what} {}: {cause}", path.display())]
    Io {
        /// The operation: "write", "rename" …
        what: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// Error of the operating system.
        cause: io::Error,
    },
    /// A Parquet file could not be written.
    #[error("cannot write {}: {reason}", path.display())]
    Encode {
        /// The file.
        path: PathBuf,
        /// Error of the encoder.
        reason: String,
    },
    /// A file of the data set is damaged.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Description of the damage.
        reason: String,
    },
    /// A shard lacks a column.
    #[error("{} has no column '{column}'", path.display())]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// Name of the column.
        column: &'static str,
    },
    /// The directory is not a data set, or not a complete one.
    #[error("{}: {reason}", path.display())]
    NotADataSet {
        /// The directory.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The output directory holds something else.
    #[error("{} cannot be written to: {reason}", path.display())]
    Occupied {
        /// The directory.
        path: PathBuf,
        /// Its content.
        reason: String,
    },
    /// An output is an input.
    #[error("{} is the input {}: choose another output", output.display(), input.display())]
    OutputIsInput {
        /// The output.
        output: PathBuf,
        /// The input.
        input: PathBuf,
    },
    /// The options are invalid.
    #[error("{0}")]
    Options(String),
    /// The worker threads could not be started.
    #[error(transparent)]
    Threads(#[from] ThreadError),
    /// The stop flag was set. Finished work is saved.
    #[error("interrupted; the same command {}", if *resumes { "resumes" } else { "starts over, since the input is a pipe" })]
    Interrupted {
        /// Whether the same call resumes.
        resumes: bool,
    },
    /// A worker thread panicked: a bug.
    #[error("a thread stopped unexpectedly")]
    Panicked,
}

impl DataError {
    /// For `map_err`: adds operation and path to an I/O error.
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |cause| Self::Io { what, path, cause }
    }

    #[cfg(feature = "parquet")]
    pub(crate) fn damaged(path: &Path, reason: impl ToString) -> Self {
        Self::Damaged { path: path.to_owned(), reason: reason.to_string() }
    }
}
