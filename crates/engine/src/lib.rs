#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! A chess engine as a library: search, evaluation, time management, threads, and a UCI session.
//!
//! [`search::Engine`] searches positions; [`uci::Session`] implements the protocol line by line. The library
//! never prints, reads standard input or exits the process, and has no global state: several engines can run
//! in one process.
//!
//! [`chess`] and [`nnue`], whose types are part of the interface, are re-exported.

pub mod analysis;
pub mod bench;
mod correction;
pub mod eval;
mod history;
mod memory;
pub mod openings;
mod picker;
mod repetition;
pub mod search;
pub mod syzygy;
mod table;
pub mod uci;
pub mod value;
pub mod wdl;
mod weaken;

pub use table::{Bound, OutOfMemory};
pub use {chess, nnue};
