//! Networks of any kind that can be played with.

use std::fmt;
use std::sync::Arc;

use chess::Position;

use crate::halfkp;
use crate::network::{self, LoadError, Network};

/// A network of any kind, shared by all who play with it.
#[derive(Clone)]
pub enum AnyNetwork {
    /// The engine's own kind.
    Tabiya(Arc<Network>),
    /// Stockfish's first.
    HalfKp(Arc<halfkp::Network>),
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
    /// A HalfKP network with something wrong.
    #[error(transparent)]
    HalfKp(#[from] halfkp::LoadError),
}

/// The length of the largest file of any kind, that of our own: whoever reads one need not read more.
pub const MAX_FILE_LEN: usize = network::MAX_FILE_LEN;

impl AnyNetwork {
    /// Reads the bytes of a file, whose beginning tells of which kind it is.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, AnyLoadError> {
        if bytes.starts_with(&network::MAGIC) {
            return Ok(Network::from_bytes(bytes)?.into());
        }
        if halfkp::Network::recognizes(bytes) {
            return Ok(halfkp::Network::from_bytes(bytes)?.into());
        }
        Err(AnyLoadError::Unknown)
    }

    /// The evaluation in centipawns for the player to move, from scratch: slow.
    pub fn evaluate(&self, position: &Position) -> i32 {
        match self {
            Self::Tabiya(network) => network.evaluate(position),
            Self::HalfKp(network) => halfkp_centipawns(network.evaluate(position)),
        }
    }
}

/// A value of a [`halfkp`] network in centipawns: its unit was such that a pawn in the endgame was 208.
#[inline]
pub fn halfkp_centipawns(value: i32) -> i32 {
    (i64::from(value) * 100 / 208) as i32
}

impl From<Network> for AnyNetwork {
    fn from(network: Network) -> Self {
        Self::Tabiya(Arc::new(network))
    }
}

impl From<halfkp::Network> for AnyNetwork {
    fn from(network: halfkp::Network) -> Self {
        Self::HalfKp(Arc::new(network))
    }
}

/// What it is made of, in a few words.
impl fmt::Display for AnyNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tabiya(network) => network.shape().fmt(f),
            Self::HalfKp(_) => f.write_str("HalfKP (41024 → 256)×2 → 32 → 32 → 1"),
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
        let copy = AnyNetwork::from_bytes(&bytes).unwrap();
        assert!(matches!(copy, AnyNetwork::Tabiya(copy) if copy.to_bytes() == bytes));
        let halfkp = halfkp::VERSION.to_le_bytes();
        assert!(matches!(AnyNetwork::from_bytes(&halfkp), Err(AnyLoadError::HalfKp(_))));
        for bytes in [&b""[..], b"TABIYA", &[0; 1000]] {
            assert_eq!(AnyNetwork::from_bytes(bytes).err(), Some(AnyLoadError::Unknown));
        }
        let broken = AnyNetwork::from_bytes(&bytes[..500]).err();
        assert!(matches!(broken, Some(AnyLoadError::Tabiya(LoadError::Truncated { .. }))));
    }
}
