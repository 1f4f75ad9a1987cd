//! What can go wrong.

use std::path::PathBuf;

use data::{DataError, ReadError};
use nnue::towers::CheckpointError;

/// Why training could not begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum TowersError {
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A data set could not be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The checkpoint could not be read or written.
    #[error("{}: {cause}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: CheckpointError,
    },
    /// A line is no example.
    #[error("{} line {line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Which line, counted from 1.
        line: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// There is nothing to learn from.
    #[error("{} has no position with an evaluation", path.display())]
    Empty {
        /// The file or data set.
        path: PathBuf,
    },
    /// The file to be written is of another run.
    #[error("{} is of another run: {difference}", path.display())]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// What is different.
        difference: String,
    },
    /// Options that make no sense.
    #[error("{0}")]
    Options(String),
    /// The network came to numbers that are none: the rate was too high.
    #[error("the loss is no number any more after {step} steps: try a lower rate")]
    Diverged {
        /// Steps done.
        step: u64,
    },
}
