//! Loading network files, and the embedded network.

use std::io;
use std::path::Path;
use std::sync::OnceLock;

use nnue::{AnyLoadError, AnyNetwork};

use crate::memory::is_available;

/// Why a network cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// It cannot be read, or is larger than any network.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// The content is not a network.
    #[error(transparent)]
    Content(#[from] AnyLoadError),
    /// The embedded network was asked for, but there is none.
    #[error("no network is embedded")]
    NotEmbedded,
}

/// An evaluation by its name on a command line: `classic`, the classical evaluation, which is no network;
/// `embedded`, the embedded network; or the path of a network file.
pub fn named(name: &Path) -> Result<Option<AnyNetwork>, FileError> {
    match name.to_str() {
        Some("classic") => Ok(None),
        Some("embedded") => embedded().ok_or(FileError::NotEmbedded).map(Some),
        _ => load(name).map(Some),
    }
}

/// Reads a network of any kind from a file.
pub fn load(path: &Path) -> Result<AnyNetwork, FileError> {
    let bytes = regular::read(path, nnue::MAX_FILE_LEN as u64)?;
    // The network, and the evaluators' accumulators.
    if !is_available(bytes.len().saturating_mul(2)) {
        return Err(io::Error::from(io::ErrorKind::OutOfMemory).into());
    }
    Ok(AnyNetwork::from_bytes(&bytes)?)
}

#[cfg(embedded_network)]
const EMBEDDED: Option<&[u8]> = Some(include_bytes!(env!("TABIYA_NETWORK")));
#[cfg(not(embedded_network))]
const EMBEDDED: Option<&[u8]> = None;

/// The embedded network, if there is one. It is unpacked on first use and shared by all engines of the
/// process.
pub fn embedded() -> Option<AnyNetwork> {
    static NETWORK: OnceLock<Option<AnyNetwork>> = OnceLock::new();
    NETWORK.get_or_init(|| AnyNetwork::from_bytes(EMBEDDED?).ok()).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_file_is_a_network() {
        if let Some(bytes) = EMBEDDED {
            assert_eq!(AnyNetwork::from_bytes(bytes).err(), None);
        }
        assert_eq!(embedded().is_some(), EMBEDDED.is_some());
    }

    #[test]
    fn other_files_are_rejected_with_the_reason() {
        let error = |path: &str| load(Path::new(path)).err().map(|error| error.to_string());
        assert_eq!(error("/").as_deref(), Some("it is a directory, not a regular file"));
        assert_eq!(error("/dev/zero").as_deref(), Some("it is a device, not a regular file"));
        assert!(error("/nowhere.nnue").is_some());
        let this = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        assert!(error(this).is_some_and(|text| text.starts_with("not a network")));
    }
}
