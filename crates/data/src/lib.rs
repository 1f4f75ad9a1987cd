#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! Chess data: PGN files of any size, read by all cores in constant memory, and data sets of their positions.
//!
//! [`Input`] opens a file, pipe or standard input and detects its compression. [`read_games`] splits the text
//! at game borders, converts the chunks in parallel and merges the results in order; [`pgn`] checks, counts
//! and normalizes games with it.
//!
//! [`prepare`] converts games to a data set: Parquet shards or packed rows, and a [`Manifest`]. [`generate`]
//! writes generated rows; [`read_table`] has the rows of games in memory. [`Reader`] streams rows to trainers;
//! [`verify`] and [`summarize`] scan a data set, and [`convert`] changes its format. Data sets need the feature
//! `parquet`, which is on by default; without it the crate reads games and depends neither on Arrow nor on Parquet.
//!
//! [`chess`] and [`layout`], whose types are part of the interface, are re-exported.

#[cfg(feature = "parquet")]
mod bounds;
#[cfg(feature = "parquet")]
mod columns;
#[cfg(feature = "parquet")]
mod data_set;
mod error;
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "used by data sets"))]
mod files;
#[cfg(feature = "parquet")]
mod foreign;
mod frames;
#[cfg(feature = "parquet")]
mod histogram;
mod history;
mod input;
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "used by data sets"))]
mod lock;
#[cfg(feature = "parquet")]
mod manifest;
#[cfg(feature = "parquet")]
mod packed_file;
#[cfg(feature = "parquet")]
mod parquet_file;
pub mod pgn;
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "used by data sets"))]
mod pipeline;
#[cfg(feature = "parquet")]
mod plan;
#[cfg(feature = "parquet")]
mod prepare;
mod read_games;
#[cfg(feature = "parquet")]
mod reader;
#[cfg(feature = "parquet")]
mod row;
#[cfg(feature = "parquet")]
mod summary;
#[cfg(feature = "parquet")]
mod summary_text;
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "used by data sets"))]
mod text_reader;
pub mod threads;
#[cfg(feature = "parquet")]
mod verify;

#[cfg(feature = "parquet")]
pub use columns::{Column, UnknownColumn, schema};
#[cfg(feature = "parquet")]
pub use data_set::{CheckedRows, DataSet};
pub use error::DataError;
pub use files::{
    OutputFile, Written, ensure_apart, ensure_distinct, identity, remove_temporary_files,
    write_atomic,
};
#[cfg(feature = "parquet")]
pub use foreign::check_foreign;
#[cfg(feature = "parquet")]
pub use histogram::{Histogram, bars_svg};
pub use history::{EarlierBoards, HISTORY_PLIES, HistoryError, MoveHistory};
pub use input::{Format, Input, ReadError, read_text};
pub use lock::FolderLock;
#[cfg(feature = "parquet")]
pub use manifest::{ColumnNote, Manifest, SUCCESS, ShardFile, SplitRows};
#[cfg(feature = "parquet")]
pub use packed_file::PackedFile;
#[cfg(feature = "parquet")]
pub use plan::DataSetPlan;
#[cfg(feature = "parquet")]
pub use prepare::{
    CHUNK_BYTES, ChunkConverter, ConvertedChunks, Counts, FileFormat, GenerateOptions, InputFile,
    Partition, PositionTable, PrepareEvent, PrepareOptions, Prepared, RowOrder, RunReport,
    SkippedGames, SkippedPositions, TextChunks, TimeClass, convert, convert_chunks, describe,
    expand, generate, parse_part, prepare, prepare_with_chunks, read_table,
};
pub use read_games::{Chunk, ReadOptions, read_games};
#[cfg(feature = "parquet")]
pub use reader::{Reader, ReaderOptions, ReaderPosition, RowBatch, RowView, Shard, ShuffleBuffer};
#[cfg(feature = "parquet")]
pub use row::{GAME_BITS, PointOfView, Row, Split, UNKNOWN};
#[cfg(feature = "parquet")]
pub use summary::{Summary, summarize};
#[cfg(feature = "parquet")]
pub use summary_text::SummaryText;
pub use threads::{ThreadError, Workers};
#[cfg(feature = "parquet")]
pub use verify::{Verified, verify};
pub use {chess, layout};
