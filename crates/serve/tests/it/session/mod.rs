//! The session of chess, without a socket.

mod analysing;
mod anything;
mod editing;
mod page;
mod playing;
