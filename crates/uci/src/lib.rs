#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! The Universal Chess Interface (UCI) in both directions.
//!
//! | module | contents |
//! |---|---|
//! | `command` | what a GUI sends: [`Command`], and the game of a `position` command |
//! | `go` | the arguments of `go`: [`Go`] |
//! | `info` | what a search reports: [`Info`] |
//! | `option` | option declarations and their values: [`OptionDecl`] |
//! | `notation` | moves as the protocol writes them |
//! | `server` | the engine's side: a [`Server`] parses lines and calls a [`Handler`] |
//! | `client` | the GUI's side: an [`EngineProcess`] |
//!
//! Parsing is lenient in both directions: words without meaning are reported or skipped, and the rest of
//! the line counts. The protocol: <https://backscattering.de/chess/uci/>.
//!
//! [`chess`], whose types are part of the interface, is re-exported.

mod client;
mod command;
mod go;
mod info;
mod log;
mod notation;
mod option;
mod server;

use std::fmt;

pub use chess;
pub use chess::Score;
pub use client::{EngineError, EngineProcess, ReceivedLine, StartError};
pub use command::{Command, PositionError, parse_position, setoption};
pub use go::{Go, GoError};
pub use info::Info;
pub use log::Log;
pub use notation::{bestmove, castling_style, move_text, pv};
pub use option::{OptionDecl, OptionError, OptionKind, find_option};
pub use server::{BoxError, Flow, Handler, Output, Server};

/// Text from outside, fit for a message: one line of at most 60 characters.
pub fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    let mut excerpt: String =
        text.chars().map(|c| if c.is_control() { '�' } else { c }).take(MAX_CHARS).collect();
    if text.chars().nth(MAX_CHARS).is_some() {
        excerpt.push('…');
    }
    excerpt
}

/// Writes ` word value` if there is a value.
fn field(f: &mut fmt::Formatter<'_>, word: &str, value: Option<impl fmt::Display>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {word} {value}"))
}
