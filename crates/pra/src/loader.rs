//! Rows of a data set as batches, epoch after epoch, from any place on.
//!
//! The order follows from seed and epoch alone ([`data::Reader`]), so that a place among the rows is
//! all that is needed to go on with the next. Rows that nothing can be learned from are left out and
//! counted: those without a move, those whose board is none, those whose move is not legal.

use std::path::{Path, PathBuf};

use chess::Position;
use data::{Column, DataError, Manifest, Reader, ReaderOptions, ReaderPosition, RowView, Split};
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::model::Batch;

/// The columns that are read where a data set has them.
const WANTED: [Column; 5] =
    [Column::BestMove, Column::Eval, Column::Mate, Column::Result, Column::Board];

/// In which order rows come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoaderOptions {
    /// What the random order comes from; nothing to have rows in the order of the files.
    pub seed: Option<u64>,
    /// How many rows are put in order together.
    pub window_rows: u64,
    /// How many threads decode files ahead; with none, they are decoded when rows are asked for.
    pub threads: usize,
}

impl Default for LoaderOptions {
    fn default() -> Self {
        Self { seed: Some(1), window_rows: 1 << 18, threads: 1 }
    }
}

/// How many rows were used, and how many were not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LoaderCounts {
    /// Positions given.
    pub used: u64,
    /// Rows without a move.
    pub without_move: u64,
    /// Rows whose board is no position.
    pub damaged: u64,
    /// Rows whose move is none of the legal ones.
    pub illegal: u64,
}

impl LoaderCounts {
    /// Rows that were not used.
    pub const fn left_out(&self) -> u64 {
        self.without_move + self.damaged + self.illegal
    }

    /// These and others.
    #[must_use]
    pub const fn plus(&self, other: &Self) -> Self {
        Self {
            used: self.used + other.used,
            without_move: self.without_move + other.without_move,
            damaged: self.damaged + other.damaged,
            illegal: self.illegal + other.illegal,
        }
    }
}

/// Why there are no batches.
#[derive(Debug, thiserror::Error)]
pub enum LoaderError {
    /// The files could not be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// There are no rows.
    #[error("there are no rows for {split} in {}", path.display())]
    NoRows {
        /// The data set.
        path: PathBuf,
        /// The part of it.
        split: Split,
    },
    /// There are rows, and none of them can be used.
    #[error(
        "none of the {rows} rows for {split} in {} can be learned from: {} without a move, {} damaged, {} with an illegal move",
        path.display(), counts.without_move, counts.damaged, counts.illegal
    )]
    NothingUsed {
        /// The data set.
        path: PathBuf,
        /// The part of it.
        split: Split,
        /// How many rows it has.
        rows: u64,
        /// What is wrong with them.
        counts: LoaderCounts,
    },
}

/// Gives batches of a data set without end.
///
/// ```no_run
/// use data::{ReaderPosition, Split};
/// use pra::{Batch, Config, Loader, LoaderOptions};
/// let (config, start) = (Config::new(4, 96), ReaderPosition::default());
/// let folder = "positions".as_ref();
/// let mut loader = Loader::open(folder, Split::Train, &config, LoaderOptions::default(), start)?;
/// let mut batch = Batch::default();
/// loader.next_batch(256, &mut batch)?;
/// assert_eq!(batch.len(), 256);
/// # Ok::<(), pra::LoaderError>(())
/// ```
#[derive(Debug)]
pub struct Loader {
    folder: PathBuf,
    config: Config,
    options: ReaderOptions,
    reader: Reader,
    counts: LoaderCounts,
    /// What had been used when the epoch began.
    used_before: u64,
}

impl Loader {
    /// Opens one part of a data set; the first row is the one at `start`.
    pub fn open(
        folder: &Path,
        split: Split,
        config: &Config,
        options: LoaderOptions,
        start: ReaderPosition,
    ) -> Result<Self, LoaderError> {
        let there = Manifest::open(folder)?.column_list()?;
        let mut columns: Vec<Column> =
            WANTED.into_iter().filter(|column| there.contains(column)).collect();
        // Moves are missed by the reader, which names the file. Boards can be made of FENs.
        for (needed, instead) in
            [(Column::BestMove, Column::BestMove), (Column::Board, Column::Fen)]
        {
            if !there.contains(&needed) {
                columns.push(instead);
            }
        }
        let options = ReaderOptions {
            split,
            columns,
            seed: options.seed,
            buffer_rows: options.window_rows,
            threads: options.threads,
            start,
            ..ReaderOptions::default()
        };
        let reader = Reader::open(folder, &options)?;
        if reader.rows() == 0 {
            return Err(LoaderError::NoRows { path: folder.to_owned(), split });
        }
        let (folder, counts) = (folder.to_owned(), LoaderCounts::default());
        Ok(Self { folder, config: *config, options, reader, counts, used_before: 0 })
    }

    /// How many rows an epoch has, used or not.
    pub const fn rows(&self) -> u64 {
        self.reader.rows()
    }

    /// Where another one has to start to go on after the last batch.
    pub const fn position(&self) -> ReaderPosition {
        self.reader.position()
    }

    /// Rows used and left out since it was opened.
    pub const fn counts(&self) -> &LoaderCounts {
        &self.counts
    }

    /// The next positions, so many, in place of what is in the batch.
    pub fn next_batch(&mut self, count: usize, batch: &mut Batch) -> Result<(), LoaderError> {
        batch.clear();
        while !self.fill(count, batch)? {
            self.next_epoch()?;
        }
        Ok(())
    }

    /// Adds positions until there are so many, or the epoch is over; tells whether there are.
    fn fill(&mut self, count: usize, batch: &mut Batch) -> Result<bool, LoaderError> {
        while batch.len() < count {
            let Some(row) = self.reader.next_row() else { return Ok(false) };
            add(&self.config, row?, batch, &mut self.counts);
        }
        Ok(true)
    }

    fn next_epoch(&mut self) -> Result<(), LoaderError> {
        let ReaderPosition { epoch, .. } = self.position();
        if self.counts.used == self.used_before && self.counts.left_out() >= self.rows() {
            let (path, split) = (self.folder.clone(), self.options.split);
            return Err(LoaderError::NothingUsed {
                path,
                split,
                rows: self.rows(),
                counts: self.counts,
            });
        }
        self.used_before = self.counts.used;
        self.options.start = ReaderPosition { epoch: epoch + 1, row: 0 };
        self.reader = Reader::open(&self.folder, &self.options)?;
        Ok(())
    }
}

/// Positions from all over one part of a data set, so many or as many as there are, in batches of such
/// a size: always the same.
pub fn sample(
    folder: &Path,
    split: Split,
    config: &Config,
    (count, size): (usize, usize),
) -> Result<Vec<Batch>, LoaderError> {
    let options = LoaderOptions { seed: Some(0), ..LoaderOptions::default() };
    let mut loader = Loader::open(folder, split, config, options, ReaderPosition::default())?;
    let (mut batches, mut left) = (Vec::new(), count);
    while left > 0 {
        let mut batch = Batch::default();
        let is_full = loader.fill(size.clamp(1, left), &mut batch)?;
        left -= batch.len();
        if !batch.is_empty() {
            batches.push(batch);
        }
        if !is_full {
            break;
        }
    }
    Ok(batches)
}

/// Adds the position of a row, or counts why not.
#[inline]
fn add(config: &Config, row: RowView<'_>, batch: &mut Batch, counts: &mut LoaderCounts) {
    let Some(text) = row.best_move() else {
        counts.without_move += 1;
        return;
    };
    let Some(position) = position(row) else {
        counts.damaged += 1;
        return;
    };
    let Ok(played) = position.parse_uci(text) else {
        counts.illegal += 1;
        return;
    };
    let turn = position.turn();
    let outcome = config.outcome(turn, row.score(turn), row.game_result());
    let legal = config.legal_moves(&position).map(|(_, index)| index);
    batch.push(config.tokens(&position), legal, config.move_index(turn, played), outcome);
    counts.used += 1;
}

/// The position of a row, checked.
fn position(row: RowView<'_>) -> Option<Position> {
    match row.board() {
        Some(board) => board.position().ok(),
        None => row.fen()?.parse().ok(),
    }
}
