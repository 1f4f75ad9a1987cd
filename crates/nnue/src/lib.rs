#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! Chess networks: features, file formats, accumulators, inference.
//!
//! [`network`] is the engine's own architecture, [`halfkp`] Stockfish's first and [`halfka`] Stockfish 16's;
//! [`AnyNetwork`] is one of them, read from a file, and [`AnyStack`] its accumulators. [`features`] are the 768
//! piece-square features of a position, and [`towers`] is a floating-point model on them for batch inference. The
//! vector kernels are in [`simd`].
//!
//! [`chess`] and [`simd`], whose types are part of the interface, are re-exported.

#![forbid(unsafe_code)]

mod accumulators;
mod any;
pub mod features;
pub mod halfka;
pub mod halfkp;
pub mod network;
pub mod towers;

pub use accumulators::Architecture;
pub use any::{AnyLoadError, AnyNetwork, AnyStack, MAX_FILE_LEN, halfkp_centipawns};
pub use network::{AccumulatorStack, LoadError, Network, Shape};
pub use {chess, simd};

#[cfg(test)]
pub(crate) mod testing {
    //! Test helpers.

    use chess::rng::Rng;
    use chess::{Position, random};

    /// Positions of random games.
    pub(crate) fn random_positions(count: usize) -> Vec<Position> {
        random::positions(Rng::new(0, 0), 180).take(count).collect()
    }
}
