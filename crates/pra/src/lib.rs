#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! Piece-routed attention (PRA): a transformer on chess positions with attention heads masked by the
//! moves of the pieces.
//!
//! Each square is a token. Nine of the twelve attention heads attend only to the squares that a knight,
//! bishop, rook, queen, king or pawn reaches on the empty board; three have learned masks. The policy
//! head predicts the move played, the value head the result of the game.
//!
//! [`Config`] has the hyperparameters, [`Weights`] the parameters and their files, [`encode`] the
//! encoding of positions and moves, [`Transformer`] runs a model on the CPU, [`Loader`] loads batches,
//! [`Optimizer`] updates weights, and [`train`] is the training loop. [`evaluate`] measures a model,
//! [`attention`] and [`picture`] show its attention weights, [`player`] plays its policy, [`imitation`] has
//! the temperature for each rating, [`pace`] thinking times, [`mod@bench`] measures throughput.
//!
//! [`chess`], [`data`] and [`learn`], whose types are part of the interface, are re-exported.

#![forbid(unsafe_code)]

pub mod attention;
#[cfg(feature = "train")]
pub mod bench;
mod compute;
pub mod config;
mod device;
pub mod encode;
#[cfg(feature = "train")]
pub mod evaluate;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod imitation;
mod layout;
#[cfg(feature = "train")]
mod loader;
pub mod masks;
mod model;
mod model_text;
mod optim;
pub mod pace;
pub mod picture;
pub mod player;
pub mod predict;
mod timed_answer;
#[cfg(feature = "train")]
pub mod train;
pub mod uci;
mod weights;

pub use self::layout::{Init, Kind, Layout, Tensor};
pub use compute::{Compute, ComputeError, compute_on};
pub use config::{Config, ConfigError, HEADS};
pub use device::Device;
#[cfg(feature = "train")]
pub use loader::{Loader, LoaderCounts, LoaderError, LoaderOptions, first_positions, sample};
pub use model::{
    Batch, LossWeights, Losses, Precision, Prediction, Transformer, UnknownPrecision,
    UnsupportedPrecision,
};
pub use model_text::ModelText;
pub use optim::{Optimizer, OptimizerKind, OptimizerOptions};
pub use weights::{CONFIG, MODEL, ModelError, Weights};
pub use {chess, data, learn};

/// The embedded model: small, trained on human games.
pub fn embedded() -> Result<Weights, ModelError> {
    Weights::embedded()
}
