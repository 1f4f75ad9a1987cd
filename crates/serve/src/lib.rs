#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! [`protocol`] has the messages between the page and its server, [`job`] what a session asks of the
//! workers and what they answer, and [`session`] the state of a tab.

#![forbid(unsafe_code)]

mod access;
mod credit;
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
mod uploads;
mod workers;

pub use access::{Access, InvalidToken};
pub use run::{DEFAULT_PORT, Listening, Options, ServeError, Stopper, serve};
pub use server::Server;
