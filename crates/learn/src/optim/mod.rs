//! Optimizers, with PyTorch's names: `lr`, `betas`, `eps`, `weight_decay`, `exp_avg`, `exp_avg_sq`.
//!
//! They update slices of parameters. Which tensors, on which threads, is up to the model.

mod adamw;
mod muon;

pub use adamw::{AdamW, FoldedBias, Lerp, PerElementBias, Rounding, Update};
pub use muon::{Muon, Workspace, second_moments};
