//! Chess networks: features, file formats, accumulators, inference.
//!
//! [`network`] is the engine's own kind.

mod aligned;
pub mod halfkp;
pub mod network;
pub mod simd;

pub use network::{Accumulators, LoadError, Network, Shape};
