#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! NNUE training: from games to networks.
//!
//! [`selfplay`] plays games of the engine against itself and writes a data set; [`rescore`] replaces the
//! scores of a data set by those of a teacher; [`trainer`] trains the engine's network, [`towers`] the
//! two-tower MLP. Both implement the training loop of [`learn`].
//!
//! The crates whose types are part of the interface are re-exported: [`chess`], [`data`], [`engine`], [`layout`],
//! [`learn`] and [`nnue`].

#![forbid(unsafe_code)]

pub mod bench;
mod bench_report;
mod loaded;
mod pool;
pub mod rescore;
pub mod selfplay;
pub mod towers;
pub mod trainer;

pub use loaded::{LoadNetworkError, LoadedNetwork, NetworkTest};
pub use {chess, data, engine, layout, learn, nnue};
