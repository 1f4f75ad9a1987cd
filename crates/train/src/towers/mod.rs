//! Training of the network of two towers ([`nnue::towers`]).
//!
//! Adam at 5e-4, batches of 512, Huber loss, evaluations clipped to ±1500 centipawns: what the model
//! was trained with, as options. The loss is that of the difference in pawns, quadratic up to one pawn.
//! Examples are positions with an evaluation ([`Examples`]): JSON lines `{"fen", "eval"}`, or data sets
//! of ours. They are kept in memory, 32 bytes each, and taken in an order that follows from seed and
//! epoch.
//!
//! # A step
//!
//! A batch goes through in blocks of 64 positions, each by whoever is free: forward, and backward as
//! far as the towers ([`block`]). Then the parameters are changed in nine parts, eight slabs and the
//! head, again by whoever is free: the gradient of a part is summed over all blocks in their order, and
//! the optimizer applies it ([`gradient`]). Nobody waits for a lock, nothing is added in an order that
//! chance decides: **the result is the same, to the bit, whatever the number of threads.**
//!
//! The gradient is written by hand; a test compares it with finite differences of the obvious network.
//!
//! A run keeps one file, which is the model as well as everything that is needed to go on. It is
//! replaced by a rename, so that a run that was killed goes on from the last one, and ends with the same
//! bytes as one that never was.

mod adam;
mod block;
mod error;
mod examples;
mod gradient;
mod parallel;
mod run;
mod step;

pub use error::TowersError;
pub use examples::{Examples, Source};
pub use run::{Event, RunOptions, Trained, evaluate_loss, train};
pub use step::{Options, Trainer};
