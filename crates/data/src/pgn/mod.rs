//! Checks, counts and normalizes the games of an input.
//!
//! Every function reads on behind broken games and damaged frames; damage is the [`ReadError`] of the result,
//! returned with everything that could be read.
//!
//! [`ReadError`]: crate::ReadError

mod check;
mod normalize;
mod stats;
mod stats_table;

pub use check::{CheckReport, check};
pub use normalize::{NormalizedGames, normalize};
pub use stats::{BINS, RangeStats, Stats, stats};

use chess::pgn::{PgnError, PgnProblem};
use serde_json::{Value, json};

/// An error in a file as JSON.
pub fn error_json(file: &str, error: &PgnError) -> Value {
    json!({
        "file": file,
        "game": error.game,
        "offset": error.offset,
        "move": error.at,
        "reason": error.problem.to_string(),
    })
}

/// The error of a game that exceeds the maximum size.
fn too_long(limit: usize) -> PgnError {
    PgnError { game: 1, offset: 0, at: None, problem: PgnProblem::TooLong(limit) }
}
