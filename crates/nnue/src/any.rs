//! A network of any architecture that the engine can play with.

use std::fmt;
use std::sync::Arc;

use chess::Position;

use crate::halfkp;
use crate::network::{self, LoadError, Network};

/// A network of any architecture, shared between threads.
#[derive(Clone)]
pub enum AnyNetwork {
    /// The engine's own architecture.
    Tabiya(Arc<Network>),
    /// HalfKP.
    HalfKp(Arc<halfkp::Network>),
}

/// Why a network file is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnyLoadError {
    /// The file starts like none of the formats.
    #[error("not a network: it begins neither with TABIYANN nor like a HalfKP network")]
    Unknown,
    /// An invalid network of the engine's own architecture.
    #[error(transparent)]
    Tabiya(#[from] LoadError),
    /// An invalid HalfKP network.
    #[error(transparent)]
    HalfKp(#[from] halfkp::LoadError),
}

/// The length of the largest valid file of any format, a limit for readers.
pub const MAX_FILE_LEN: usize = network::MAX_FILE_LEN;

impl AnyNetwork {
    /// Parses a network file; the first bytes determine the format.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, AnyLoadError> {
        if bytes.starts_with(&network::MAGIC) {
            return Ok(Network::from_bytes(bytes)?.into());
        }
        if halfkp::Network::recognizes(bytes) {
            return Ok(halfkp::Network::from_bytes(bytes)?.into());
        }
        Err(AnyLoadError::Unknown)
    }

    /// The evaluation in centipawns from the side to move, with refreshed accumulators: slow.
    pub fn evaluate(&self, position: &Position) -> i32 {
        match self {
            Self::Tabiya(network) => network.evaluate(position),
            Self::HalfKp(network) => halfkp_centipawns(network.evaluate(position)),
        }
    }
}

/// Converts a value of a [`halfkp`] network to centipawns: a pawn in the endgame is 208 of its units.
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

/// The architecture.
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
    fn the_first_bytes_determine_the_format() {
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
