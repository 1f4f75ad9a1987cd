#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! What every training shares.
//!
//! | module | contents |
//! |---|---|
//! | [`train`], [`Train`] | the training loop: resume, interrupts, validation and checkpoint cadence, progress events |
//! | [`checkpoint`] | checkpoints: files and directories written by rename, tensors, run options that must match |
//! | [`optim`] | AdamW and Muon |
//! | [`schedule`] | learning-rate schedules |
//! | [`log`] | the JSON-lines log |
//! | [`event_file`] | event files of TensorBoard |
//! | [`loss_svg`] | the loss curve |
//! | [`TrainError`] | the error type |
//!
//! The NNUE trainer and the two-tower trainer (crate `tabiya-train`) and piece-routed attention (crate `tabiya-pra`)
//! implement [`Train`]. [`data`], whose types are part of the interface, is re-exported.

pub mod checkpoint;
mod curve;
mod error;
pub mod event_file;
pub mod log;
pub mod optim;
mod prefetch;
pub mod schedule;
mod tensors;
mod train_loop;

pub use curve::loss_svg;
pub use data;
pub use error::{TrainError, ensure_in_range};
pub use log::{Log, LogLine};
pub use tensors::{TensorError, read_tensor, write_tensors};
pub use train_loop::{Cadence, Event, Observer, Progress, StepContext, Summary, Train, train};
