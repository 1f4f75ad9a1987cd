//! A chess engine as a library: search, evaluation, time management, threads, and a UCI session.
//!
//! [`search::Engine`] searches positions; [`uci::Session`] implements the protocol line by line. The library
//! never prints, reads standard input or exits the process, and has no global state: several engines can run
//! in one process.

pub mod analysis;
pub mod bench;
pub mod eval;
pub mod history;
mod memory;
pub mod openings;
pub mod picker;
pub mod repetition;
pub mod score;
pub mod search;
pub mod syzygy;
pub mod table;
pub mod uci;
pub mod weaken;

/// The examples of the README and of a tutorial of the book are tested too.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/src/tutorials/build.md")]
struct Documentation;
