//! Chess data: games from files of any size, compressed or not, read by all cores in constant memory;
//! and data sets made of them.
//!
//! [`Input`] opens a file, or standard input, and finds out by its first bytes how it is compressed.
//! [`Chunks`] cuts the text at the borders of games. [`read_games`] does this for several threads at
//! once, and puts what they found back in order.
//!
//! [`prepare`] makes a data set of games: Parquet files, or files of packed rows, and a [`Manifest`].

mod chunks;
mod columns;
mod error;
mod files;
mod frames;
mod input;
mod manifest;
mod packed_file;
mod parallel;
mod parquet_file;
mod pool;
mod prepare;
mod row;

pub use chunks::{Chunks, Piece};
pub use columns::{Column, UnknownColumn, schema};
pub use error::DataError;
pub use input::{Format, Input, Progress, ReadError};
pub use manifest::{ColumnNote, MANIFEST, Manifest, SUCCESS, ShardFile, SplitRows};
pub use packed_file::PackedFile;
pub use parallel::{Options, Order, read_games};
pub use prepare::{
    Counts, Event, FileFormat, InputFile, PrepareOptions, Prepared, RowOrder, SkippedGames,
    SkippedPositions, TimeClass, prepare,
};
pub use row::{GAME_BITS, PointOfView, Row, Split, UNKNOWN};
