//! Shared by the tests of the workspace: temporary directories, killing a process and resuming it, random
//! games, test networks, and the files that are too large for the repository.

mod kill;
mod random_games;
mod temp_dir;

pub mod halfka;
pub mod halfkp;

use std::path::{Path, PathBuf};

pub use kill::KillLoop;
pub use random_games::{Step, random_positions, random_walk};
pub use temp_dir::{TempDir, contents, copy_dir};

/// A file of `shared/data`, which lies beside the repository (`TABIYA_SHARED` names another directory).
/// Tests that need it are ignored by default; `make test-shared` runs them.
///
/// # Panics
/// If the file is missing: a test that needs it fails, it never skips.
pub fn shared(name: &str) -> PathBuf {
    let root = std::env::var_os("TABIYA_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let path = root.join(name);
    assert!(path.exists(), "this test needs {}", path.display());
    path
}
