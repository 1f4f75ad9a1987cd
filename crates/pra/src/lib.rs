//! Piece-routed attention: a transformer that looks at a chess board through the moves of the pieces.
//!
//! Each square is a token. Nine of the twelve heads of attention see only what a knight, bishop, rook,
//! queen, king or pawn would reach from a square on the empty board; three find patterns of their own.
//! The model says which move a player would choose, and who will win.
//!
//! [`Config`] is its shape (the reference's, or ours), [`Weights`] its numbers and files, [`encode`] what
//! it reads and says, [`Engine`] what computes it on the CPU, [`Loader`] where positions come from,
//! [`Optimizer`] what changes the numbers, and [`train`] all of it together. [`evaluate`] measures a
//! model, [`attention`] and [`picture`] show where it looks, [`player`] plays it.

#![forbid(unsafe_code)]

pub mod attention;
mod compute;
pub mod config;
pub mod encode;
pub mod evaluate;
#[cfg(feature = "gpu")]
pub mod gpu;
mod layout;
mod loader;
pub mod masks;
mod model;
pub mod optim;
pub mod picture;
mod place;
pub mod player;
pub mod train;
mod weights;

pub use compute::{Compute, ComputeError, compute_on};
pub use config::{Config, ConfigError};
pub use layout::{Kind, Layout, Start, Tensor};
pub use loader::{Loader, LoaderCounts, LoaderError, LoaderOptions, sample};
pub use model::{Batch, Engine, LossWeights, Losses, Prediction};
pub use optim::{Optimizer, OptimizerKind, OptimizerOptions};
pub use place::Place;
pub use weights::{CONFIG, MODEL, ModelError, TensorError, Weights};
