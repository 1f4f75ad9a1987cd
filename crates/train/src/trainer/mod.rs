//! Training of the engine's network from packed rows, on all CPU cores.
//!
//! A network ([`nnue::Shape`]) learns to predict the expected score of the side to move, between 0 and 1:
//! sigmoid(output in centipawns / scale). The target is
//!
//! ```text
//! target = lambda · sigmoid(score / scale) + (1 − lambda) · result
//! ```
//!
//! or score or result alone if a row has only one. The loss is the squared error, or another power of it.
//!
//! A position activates at most 32 inputs, so forward and backward pass are sparse: hidden layers are sums
//! of weight rows, gradients of weight rows are sums of hidden gradients ([`simd::float`]). Only the
//! optimizer touches every parameter, once per batch of thousands.
//!
//! | file | contents |
//! |---|---|
//! | `options` | hyperparameters |
//! | `rows` | rows in random order, from any step on |
//! | `example` | from a packed row to active inputs and a target |
//! | `parameters` | float parameters: initialization, quantization |
//! | `worker`, `dense` | forward and backward pass of one thread; those of a dense head |
//! | `optimizer` | sum of the threads' gradients, AdamW |
//! | `learner` | a step on all threads |
//! | `checkpoint`, `log` | files |
//! | `run` | a training run, resumable |
//! | `compare` | differences between two evaluations |
//! | `bench` | training speed |

mod bench;
mod checkpoint;
mod compare;
mod dense;
mod example;
mod learner;
mod log;
mod optimizer;
mod options;
mod parameters;
mod rows;
mod run;
mod worker;

#[cfg(test)]
mod tests;

pub use bench::{bench, random_rows};
pub use checkpoint::Checkpoint;
pub use compare::{Compared, Comparison, FloatEvaluator};
pub use example::RowCounts;
pub use learner::Learner;
pub use log::LogLine;
pub use options::TrainOptions;
pub use parameters::{LIMIT, Parameters};
pub use rows::{RowFiles, RowStream};
pub use run::{CHECKPOINT, Event, NETWORK, Trained, Training, train};
pub use worker::LossTotals;
