//! Chess data: games from files of any size, compressed or not, read by all cores in constant memory.
//!
//! [`Input`] opens a file, or standard input, and finds out by its first bytes how it is compressed.
//! [`Chunks`] cuts the text at the borders of games. [`read_games`] does this for several threads at
//! once, and puts what they found back in order.

mod chunks;
mod frames;
mod input;
mod parallel;

pub use chunks::{Chunks, Piece};
pub use input::{Format, Input, Progress, ReadError};
pub use parallel::{Options, Order, read_games};
