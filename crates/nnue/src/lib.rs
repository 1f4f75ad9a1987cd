//! Chess networks: features, file formats, accumulators, inference.
//!
//! [`network`] is the engine's own kind, [`halfkp`] Stockfish's first; [`AnyNetwork`] is one of any
//! kind, read from a file.

mod aligned;
mod any;
pub mod halfkp;
pub mod network;
pub mod simd;

pub use any::{AnyLoadError, AnyNetwork, MAX_FILE_LEN, halfkp_centipawns};
pub use network::{Accumulators, LoadError, Network, Shape};
