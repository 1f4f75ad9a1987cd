//! Networks from files, and the one that is embedded.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::OnceLock;

use nnue::{AnyLoadError, AnyNetwork};

use crate::memory::is_available;

/// Why a file gives no network.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// A folder, a device or a pipe.
    #[error("no file")]
    NoFile,
    /// No network is as large.
    #[error("{0} bytes are more than any network has")]
    TooLarge(u64),
    /// What is in it is no network.
    #[error(transparent)]
    Content(#[from] AnyLoadError),
}

/// Reads a network of any kind from a file.
pub fn load(path: &Path) -> Result<AnyNetwork, FileError> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(FileError::NoFile);
    }
    let most = nnue::MAX_FILE_LEN as u64;
    if metadata.len() > most {
        return Err(FileError::TooLarge(metadata.len()));
    }
    // The file, the network, and what evaluators keep of it.
    if !is_available((metadata.len() as usize).saturating_mul(3)) {
        return Err(io::Error::from(io::ErrorKind::OutOfMemory).into());
    }
    let mut bytes = Vec::new();
    // It may have grown since.
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    Ok(AnyNetwork::from_bytes(&bytes)?)
}

#[cfg(embedded_network)]
const EMBEDDED: Option<&[u8]> = Some(include_bytes!(env!("TABIYA_NETWORK")));
#[cfg(not(embedded_network))]
const EMBEDDED: Option<&[u8]> = None;

/// The network that is embedded, if there is one. It is unpacked when it is first asked for, and all
/// engines of the process share it.
pub fn embedded() -> Option<AnyNetwork> {
    static NETWORK: OnceLock<Option<AnyNetwork>> = OnceLock::new();
    NETWORK.get_or_init(|| AnyNetwork::from_bytes(EMBEDDED?).ok()).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_embedded_is_a_network() {
        if let Some(bytes) = EMBEDDED {
            assert_eq!(AnyNetwork::from_bytes(bytes).err(), None);
        }
        assert_eq!(embedded().is_some(), EMBEDDED.is_some());
    }

    #[test]
    fn what_is_no_network_is_refused_with_its_reason() {
        let error = |path: &str| load(Path::new(path)).err().map(|error| error.to_string());
        assert_eq!(error("/").as_deref(), Some("no file"));
        assert_eq!(error("/dev/zero").as_deref(), Some("no file"));
        assert!(error("/nowhere.nnue").is_some());
        let this = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        assert!(error(this).is_some_and(|text| text.starts_with("not a network")));
    }
}
