//! Chess data: games from files of any size, compressed or not, read by all cores in constant memory;
//! and data sets made of them.
//!
//! [`Input`] opens a file, or standard input, and finds out by its first bytes how it is compressed.
//! [`Chunks`] cuts the text at the borders of games. [`read_games`] does this for several threads at
//! once, and puts what they found back in order.
//!
//! [`prepare`] makes a data set of games: Parquet files, or files of packed rows, and a [`Manifest`].
//! [`make`] makes one of rows that somebody else computes.
//! [`Reader`] streams its rows to trainers; [`verify`] and [`summarize`] look at all of them, and
//! [`convert`] changes the format.

mod bounds;
mod chunks;
mod columns;
mod error;
mod files;
mod frames;
mod histogram;
mod input;
mod lock;
mod manifest;
mod packed_file;
mod parallel;
mod parquet_file;
mod plan;
mod pool;
mod prepare;
mod reader;
mod row;
mod summary;
pub mod threads;
mod verify;

pub use chunks::{Chunks, Piece};
pub use columns::{Column, UnknownColumn, schema};
pub use error::DataError;
pub use files::{
    OutputFile, Written, ensure_apart, ensure_distinct, identity, remove_temporary_files,
    write_whole,
};
pub use histogram::{Histogram, bars_svg};
pub use input::{Format, Input, Progress, ReadError};
pub use lock::FolderLock;
pub use manifest::{ColumnNote, Manifest, SUCCESS, ShardFile, SplitRows};
pub use packed_file::PackedFile;
pub use parallel::{Options, Order, read_games};
pub use prepare::{
    Counts, Event, FileFormat, InputFile, Making, PrepareOptions, Prepared, RowOrder, SkippedGames,
    SkippedPositions, TimeClass, Unit, convert, describe, expand, make, prepare,
};
pub use reader::{Block, Reader, ReaderOptions, ReaderPosition, RowView, Shard, Window};
pub use row::{GAME_BITS, PointOfView, Row, Split, UNKNOWN};
pub use summary::{Summary, summarize};
pub use threads::{ThreadError, Workers};
pub use verify::{Verified, verify};

/// The examples of the documentation are tested too.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/DATA.md")]
struct Documentation;
