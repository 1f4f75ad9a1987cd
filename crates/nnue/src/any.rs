//! A network of any architecture that the engine can play with.

use std::fmt;
use std::sync::Arc;

use chess::{Move, Position};

use crate::network::{self, LoadError, Network};
use crate::{AccumulatorStack, halfka, halfkp};

/// A network of any architecture, shared between threads.
#[derive(Clone)]
#[non_exhaustive]
pub enum AnyNetwork {
    /// The engine's own architecture.
    Tabiya(Arc<Network>),
    /// HalfKP.
    HalfKp(Arc<halfkp::Network>),
    /// HalfKAv2_hm.
    HalfKa(Arc<halfka::Network>),
}

/// The accumulators of a network of any architecture; its values are centipawns.
#[derive(Clone)]
#[non_exhaustive]
pub enum AnyStack {
    /// The engine's own architecture.
    Tabiya(AccumulatorStack),
    /// HalfKP.
    HalfKp(halfkp::AccumulatorStack),
    /// HalfKAv2_hm.
    HalfKa(halfka::AccumulatorStack),
}

/// Why a network file is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnyLoadError {
    /// The file starts like none of the formats.
    #[error(
        "not a network: it begins neither with TABIYANN nor like a HalfKP or HalfKAv2_hm network"
    )]
    Unknown,
    /// An invalid network of the engine's own architecture.
    #[error(transparent)]
    Tabiya(#[from] LoadError),
    /// An invalid HalfKP network.
    #[error(transparent)]
    HalfKp(#[from] halfkp::LoadError),
    /// An invalid HalfKAv2_hm network.
    #[error(transparent)]
    HalfKa(#[from] halfka::LoadError),
}

/// The length of the largest valid file of any format, a limit for readers.
pub const MAX_FILE_LEN: usize = if network::MAX_FILE_LEN > halfka::MAX_FILE_LEN {
    network::MAX_FILE_LEN
} else {
    halfka::MAX_FILE_LEN
};

impl AnyNetwork {
    /// Parses a network file; the first bytes determine the format.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, AnyLoadError> {
        if bytes.starts_with(&network::MAGIC) {
            return Ok(Network::from_bytes(bytes)?.into());
        }
        if halfkp::Network::recognizes(bytes) {
            return Ok(halfkp::Network::from_bytes(bytes)?.into());
        }
        if halfka::Network::recognizes(bytes) {
            return Ok(halfka::Network::from_bytes(bytes)?.into());
        }
        Err(AnyLoadError::Unknown)
    }

    /// The evaluation in centipawns from the side to move, with refreshed accumulators: slow.
    pub fn evaluate(&self, position: &Position) -> i32 {
        match self {
            Self::Tabiya(network) => network.evaluate(position),
            Self::HalfKp(network) => halfkp_centipawns(network.evaluate(position)),
            Self::HalfKa(network) => halfka::centipawns(network.evaluate(position)),
        }
    }

    /// The name of its architecture.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Tabiya(_) => "tabiya",
            Self::HalfKp(_) => "halfkp",
            Self::HalfKa(_) => "halfka",
        }
    }
}

/// Calls a method of the accumulators, whatever their architecture.
macro_rules! each {
    ($stack:expr, $name:ident => $call:expr) => {
        match $stack {
            AnyStack::Tabiya($name) => $call,
            AnyStack::HalfKp($name) => $call,
            AnyStack::HalfKa($name) => $call,
        }
    };
}

impl AnyStack {
    /// The accumulators of a network; [`reset`](Self::reset) them at the root of a search.
    pub fn new(network: AnyNetwork) -> Self {
        match network {
            AnyNetwork::Tabiya(network) => Self::Tabiya(AccumulatorStack::new(network)),
            AnyNetwork::HalfKp(network) => Self::HalfKp(halfkp::AccumulatorStack::new(network)),
            AnyNetwork::HalfKa(network) => Self::HalfKa(halfka::AccumulatorStack::new(network)),
        }
    }

    /// The network.
    pub fn network(&self) -> AnyNetwork {
        match self {
            Self::Tabiya(accumulators) => AnyNetwork::Tabiya(accumulators.network().clone()),
            Self::HalfKp(accumulators) => AnyNetwork::HalfKp(accumulators.network().clone()),
            Self::HalfKa(accumulators) => AnyNetwork::HalfKa(accumulators.network().clone()),
        }
    }

    /// As `AccumulatorStack::reset`.
    pub fn reset(&mut self, root: &Position) {
        each!(self, accumulators => accumulators.reset(root));
    }

    /// As `AccumulatorStack::make_move`.
    #[inline(always)]
    pub fn make_move(&mut self, position: &Position, m: Move) -> Position {
        each!(self, accumulators => accumulators.make_move(position, m))
    }

    /// As `AccumulatorStack::unmake_move`.
    #[inline(always)]
    pub fn unmake_move(&mut self) {
        each!(self, accumulators => accumulators.unmake_move());
    }

    /// Centipawns from the side to move; otherwise as `AccumulatorStack::evaluate`.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        match self {
            Self::Tabiya(accumulators) => accumulators.evaluate(position),
            _ => self.evaluate_others(position),
        }
    }

    /// Apart from the engine's own network, whose code and stack frame stay small that way.
    #[inline(never)]
    fn evaluate_others(&mut self, position: &Position) -> i32 {
        match self {
            Self::Tabiya(accumulators) => accumulators.evaluate(position),
            Self::HalfKp(accumulators) => halfkp_centipawns(accumulators.evaluate(position)),
            Self::HalfKa(accumulators) => halfka::centipawns(accumulators.evaluate(position)),
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

impl From<halfka::Network> for AnyNetwork {
    fn from(network: halfka::Network) -> Self {
        Self::HalfKa(Arc::new(network))
    }
}

/// The architecture.
impl fmt::Display for AnyNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tabiya(network) => network.shape().fmt(f),
            Self::HalfKp(_) => f.write_str("HalfKP (41024 → 256)×2 → 32 → 32 → 1"),
            Self::HalfKa(network) => {
                write!(f, "HalfKAv2_hm (22528 → {})×2 → 16 → 32 → 1×8", network.width())
            }
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
        let halfka = halfka::VERSION.to_le_bytes();
        assert!(matches!(AnyNetwork::from_bytes(&halfka), Err(AnyLoadError::HalfKa(_))));
        for bytes in [&b""[..], b"TABIYA", &[0; 1000]] {
            assert_eq!(AnyNetwork::from_bytes(bytes).err(), Some(AnyLoadError::Unknown));
        }
        let broken = AnyNetwork::from_bytes(&bytes[..500]).err();
        assert!(matches!(broken, Some(AnyLoadError::Tabiya(LoadError::Truncated { .. }))));
    }
}
