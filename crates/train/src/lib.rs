//! From games to networks: self-play, rescoring, training.
//!
//! [`rescore`] gives the positions of a data set the scores of an evaluation; [`selfplay`] makes a data
//! set of games that the engine plays against itself; [`trainer`] trains the engine's network, [`towers`]
//! another kind.

#![forbid(unsafe_code)]

pub mod bench;
mod loaded;
pub mod rescore;
pub mod selfplay;
pub mod towers;
pub mod trainer;

pub use loaded::{LoadNetworkError, LoadedNetwork, NetworkTest};
