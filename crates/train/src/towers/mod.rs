//! Training of the two-tower MLP ([`nnue::towers`]).
//!
//! The model's own settings are the defaults: Adam at 5e-4, batches of 512, Huber loss in pawns (delta 1),
//! evaluations clipped to ±1500 centipawns. Examples are positions with an evaluation ([`Examples`]): JSON
//! lines `{"fen", "eval"}`, or data sets. They are held in memory, 32 bytes each, and shuffled per epoch.
//!
//! # A step
//!
//! A batch is divided into blocks of 64 positions, which threads take from a queue: forward pass, and
//! backward pass down to the towers (`block`). Then the parameters are updated in nine slices, eight slabs
//! and the head, again from a queue: the gradient of a slice is summed over all blocks in order
//! (`gradient`), and the optimizer applies it. No lock is waited for, and no sum depends on timing: **the
//! result is bit-identical for any number of threads.**
//!
//! The gradient is derived by hand; a test compares it with finite differences of a reference network.
//!
//! One file, written by rename, is both model and checkpoint. A run that was killed resumes from it and ends
//! with the same bytes.

mod block;
mod examples;
mod gradient;
mod parallel;
mod run;
mod step;

pub use examples::{Examples, Source};
pub use run::{Epoch, Event, RunOptions, Trained, evaluate_loss, train};
pub use step::{Options, Trainer};
