//! Chess data: PGN files of any size, read by all cores in constant memory, and data sets of their positions.
//!
//! [`Input`] opens a file, pipe or standard input and detects its compression. [`read_games`] splits the text
//! at game borders, converts the chunks in parallel and merges the results in order; [`pgn`] checks, counts
//! and normalizes games with it.
//!
//! [`prepare`] converts games to a data set: Parquet shards or packed rows, and a [`Manifest`]. [`generate`]
//! writes generated rows. [`Reader`] streams rows to trainers; [`verify`] and [`summarize`] scan a data set,
//! and [`convert`] changes its format.

mod bounds;
mod columns;
mod error;
mod files;
mod frames;
mod histogram;
mod input;
mod lock;
mod manifest;
mod packed_file;
mod parquet_file;
pub mod pgn;
mod pipeline;
mod plan;
mod prepare;
mod read_games;
mod reader;
mod row;
mod summary;
mod text_reader;
pub mod threads;
mod verify;

pub use columns::{Column, UnknownColumn, schema};
pub use error::DataError;
pub use files::{
    OutputFile, Written, ensure_apart, ensure_distinct, identity, remove_temporary_files,
    write_atomic,
};
pub use histogram::{Histogram, bars_svg};
pub use input::{Format, Input, ReadError};
pub use lock::FolderLock;
pub use manifest::{ColumnNote, Manifest, SUCCESS, ShardFile, SplitRows};
pub use packed_file::PackedFile;
pub use plan::DataSetPlan;
pub use prepare::{
    Counts, FileFormat, GenerateOptions, InputFile, Partition, PrepareEvent, PrepareOptions,
    Prepared, RowOrder, SkippedGames, SkippedPositions, TimeClass, convert, describe, expand,
    generate, prepare,
};
pub use read_games::{Chunk, ReadOptions, read_games};
pub use reader::{Reader, ReaderOptions, ReaderPosition, RowBatch, RowView, Shard, ShuffleBuffer};
pub use row::{GAME_BITS, PointOfView, Row, Split, UNKNOWN};
pub use summary::{Summary, summarize};
pub use threads::{ThreadError, Workers};
pub use verify::{Verified, verify};
