#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! [`protocol`] has the messages between the page and its server, [`job`] the jobs of the workers and their
//! updates, and [`session`] the state of a tab.

#![forbid(unsafe_code)]

mod access;
mod files;
mod http;
pub mod job;
pub mod paco;
pub mod protocol;
mod run;
mod server;
pub mod session;
mod socket;
mod tab;
mod tabs;
mod token_bucket;
mod uploads;
mod workers;

pub use access::{Access, InvalidToken};
pub use chess;
pub use run::{DEFAULT_PORT, Listening, Options, ServeError, Stopper, serve};
pub use server::Server;
