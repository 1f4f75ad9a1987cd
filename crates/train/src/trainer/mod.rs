//! Training the engine's network from packed rows, on all cores of a CPU.
//!
//! A network ([`nnue::Shape`]) learns to expect the outcome of positions: the mover's chances, between 0
//! and 1, as sigmoid(output in centipawns / scale). What it should have expected is
//!
//! ```text
//! target = lambda · sigmoid(score / scale) + (1 − lambda) · result
//! ```
//!
//! or the one of both that a row has. The loss is the squared difference, or another power of it.
//!
//! A board has at most 32 of the inputs active, so nothing in here is as long as the inputs but the weights
//! themselves: hidden layers are sums of weight rows, gradients of weight rows are sums of hidden
//! gradients ([`simd::float`]), and only the optimiser touches every number, once for a batch of thousands.
//!
//! | file | holds |
//! |---|---|
//! | `options` | everything a training is told; the schedule of the learning rate |
//! | `rows` | rows in random order, from any place on |
//! | `example` | from the bits of a row to active inputs and a target |
//! | `parameters` | the numbers of a network, random ones to begin with, quantised ones at the end |
//! | `worker` | forward and backward for one thread |
//! | `adam` | the optimiser |
//! | `learner` | a step on all threads |
//! | `checkpoint`, `log`, `curve` | what is written |
//! | `run` | a training from beginning to end, or from where it was killed |
//! | `compare` | how far evaluations are apart |
//! | `bench` | its speed |

mod adam;
mod bench;
mod checkpoint;
mod compare;
mod curve;
mod error;
mod example;
mod learner;
mod log;
mod options;
mod parameters;
mod rows;
mod run;
mod worker;

#[cfg(test)]
mod tests;

pub use bench::{bench, random_rows};
pub use checkpoint::Checkpoint;
pub use compare::{Compared, Comparison};
pub use curve::loss_svg;
pub use error::TrainError;
pub use example::RowCounts;
pub use learner::Learner;
pub use log::LogLine;
pub use options::{Schedule, TrainOptions};
pub use parameters::{LIMIT, Parameters};
pub use rows::{RowFiles, RowStream};
pub use run::{CHECKPOINT, Event, NETWORK, Trained, Training, train};
pub use worker::Tally;
