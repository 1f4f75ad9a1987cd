//! What can go wrong with a data set.

use std::io;
use std::path::{Path, PathBuf};

use crate::{ReadError, ThreadError};

/// Why a data set could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A file of games could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The system could not do something with a file of the data set.
    #[error("cannot {what} {}: {cause}", path.display())]
    Io {
        /// What: "write", "rename" …
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A Parquet file could not be written.
    #[error("cannot write {}: {reason}", path.display())]
    Encode {
        /// The file.
        path: PathBuf,
        /// What the encoder says.
        reason: String,
    },
    /// A file of the data set is not what it should be.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file has no such column.
    #[error("{} has no column '{column}'", path.display())]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The name.
        column: &'static str,
    },
    /// The folder is no data set, or none that is finished.
    #[error("{}: {reason}", path.display())]
    NotADataSet {
        /// The folder.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The folder holds something else than what is to be written there.
    #[error("{} cannot be written to: {reason}", path.display())]
    Occupied {
        /// The folder.
        path: PathBuf,
        /// What is there.
        reason: String,
    },
    /// An output would replace an input.
    #[error("{} is the input {}: choose another output", output.display(), input.display())]
    OutputIsInput {
        /// The output.
        output: PathBuf,
        /// The input that is the same file.
        input: PathBuf,
    },
    /// The options contradict each other.
    #[error("{0}")]
    Options(String),
    /// The system refuses to start threads.
    #[error(transparent)]
    Threads(#[from] ThreadError),
    /// The job was asked to stop. What it has finished is saved.
    #[error("interrupted; the same command {}", if *resumes { "resumes" } else { "starts over, since the input is a pipe" })]
    Interrupted {
        /// Whether the same call goes on from there.
        resumes: bool,
    },
    /// A thread panicked: a mistake of ours.
    #[error("a thread stopped unexpectedly")]
    Panicked,
}

impl DataError {
    /// For `map_err`: what could not be done to which file.
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |cause| Self::Io { what, path, cause }
    }

    pub(crate) fn damaged(path: &Path, reason: impl ToString) -> Self {
        Self::Damaged { path: path.to_owned(), reason: reason.to_string() }
    }
}
