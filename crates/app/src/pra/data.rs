//! The data of training and evaluation: where it is by default.

use std::path::{Path, PathBuf};

use anyhow::bail;

/// The data set given, or the one where nanochess's users have theirs: `pra_data` in `$NANOCHAT_BASE_DIR` or
/// `~/.cache/nanochess`.
pub fn path_or_default(given: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(path) = given {
        return Ok(path.to_owned());
    }
    let base = match std::env::var_os("NANOCHAT_BASE_DIR").filter(|base| !base.is_empty()) {
        Some(base) => PathBuf::from(base),
        None => std::env::home_dir().unwrap_or_default().join(".cache/nanochess"),
    };
    let path = base.join("pra_data");
    if !path.exists() {
        bail!("there is no --data, and no data set in {}", path.display());
    }
    Ok(path)
}
