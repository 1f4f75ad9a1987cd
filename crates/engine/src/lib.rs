//! A chess engine as a library: search, evaluation, time, threads, and a UCI session.
//!
//! [`search::Engine`] finds moves; [`uci::Session`] speaks the protocol line by line. Nothing here
//! prints, reads standard input or ends the process, and there is no global state: several
//! engines live in one process.

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

/// The examples of the README are tested too.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
