//! Networks of any kind that can be played with.

use std::fmt;
use std::sync::Arc;

use chess::Position;

use crate::network::{self, LoadError, Network};

/// A network of any kind, shared by all who play with it.
#[derive(Clone)]
pub enum AnyNetwork {
    /// The engine's own kind.
    Tabiya(Arc<Network>),
}

/// Why bytes are no network of any kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnyLoadError {
    /// It begins like no kind of network.
    #[error("not a network: it begins neither with TABIYANN nor like a HalfKP network")]
    Unknown,
    /// A network of the engine's own kind with something wrong.
    #[error(transparent)]
    Tabiya(#[from] LoadError),
}

/// The length of the largest file of any kind: whoever reads one need not read more.
pub const MAX_FILE_LEN: usize = network::MAX_FILE_LEN;

impl AnyNetwork {
    /// Reads the bytes of a file, whose beginning tells of which kind it is.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, AnyLoadError> {
        if bytes.starts_with(&network::MAGIC) {
            return Ok(Network::from_bytes(bytes)?.into());
        }
        Err(AnyLoadError::Unknown)
    }

    /// The evaluation in centipawns for the player to move, from scratch: slow.
    pub fn evaluate(&self, position: &Position) -> i32 {
        match self {
            Self::Tabiya(network) => network.evaluate(position),
        }
    }
}

impl From<Network> for AnyNetwork {
    fn from(network: Network) -> Self {
        Self::Tabiya(Arc::new(network))
    }
}

/// What it is made of, in a few words.
impl fmt::Display for AnyNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tabiya(network) => network.shape().fmt(f),
        }
    }
}

impl fmt::Debug for AnyNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyNetwork({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Shape;

    #[test]
    fn the_beginning_tells_the_kind() {
        let network = Network::random(Shape::plain(32), 5).unwrap();
        let bytes = network.to_bytes();
        let AnyNetwork::Tabiya(copy) = AnyNetwork::from_bytes(&bytes).unwrap();
        assert_eq!(copy.to_bytes(), bytes);
        for bytes in [&b""[..], b"TABIYA", &[0; 1000]] {
            assert_eq!(AnyNetwork::from_bytes(bytes).err(), Some(AnyLoadError::Unknown));
        }
        let broken = AnyNetwork::from_bytes(&bytes[..500]).err();
        assert!(matches!(broken, Some(AnyLoadError::Tabiya(LoadError::Truncated { .. }))));
    }
}
