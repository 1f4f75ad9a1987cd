//! The data loader: batches from the rows of a data set, epoch after epoch, resumable at any row.
//!
//! The order of rows depends on seed and epoch alone ([`data::Reader`]), so a [`ReaderPosition`] is the
//! whole resume cursor. Unusable rows are skipped and counted: those without a move, with an invalid
//! board, or with an illegal move.

use std::path::{Path, PathBuf};

use chess::Position;
use chess::rng::{Rng, mix};
use data::{
    Column, DataError, DataSet, EarlierBoards, Reader, ReaderOptions, ReaderPosition, RowView,
    Split,
};
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::encode::{self, Context};
use crate::model::Batch;

/// The columns to read, where the data set has them.
const WANTED: [Column; 8] = [
    Column::BestMove,
    Column::Eval,
    Column::Mate,
    Column::Result,
    Column::WhiteElo,
    Column::BlackElo,
    Column::Board,
    Column::History,
];

/// Options of a [`Loader`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LoaderOptions {
    /// Random seed of the shuffle; `None` reads rows in file order.
    pub seed: Option<u64>,
    /// Rows of the shuffle window.
    pub window_rows: u64,
    /// Threads that decode ahead; with 0, rows are decoded on demand.
    pub threads: usize,
    /// Probability with which the history and each rating of a position are left out, by seed and row.
    pub input_dropout: f64,
}

impl Default for LoaderOptions {
    fn default() -> Self {
        Self { seed: Some(1), window_rows: 1 << 18, threads: 1, input_dropout: 0.0 }
    }
}

/// Rows used and skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LoaderCounts {
    /// Rows used.
    pub used: u64,
    /// Rows without a move.
    pub without_move: u64,
    /// Rows with an invalid board.
    pub damaged: u64,
    /// Rows with an illegal move.
    pub illegal: u64,
}

impl LoaderCounts {
    /// Rows skipped.
    pub const fn left_out(&self) -> u64 {
        self.without_move + self.damaged + self.illegal
    }

    /// The sum of both.
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

/// Why no batch could be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoaderError {
    /// The data set could not be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The split is empty.
    #[error("there are no rows for {split} in {}", path.display())]
    NoRows {
        /// The data set.
        path: PathBuf,
        /// The split.
        split: Split,
    },
    /// No row is usable.
    #[error(
        "none of the {rows} rows for {split} in {} is usable: {} without a move, {} damaged, {} with an illegal move",
        path.display(), counts.without_move, counts.damaged, counts.illegal
    )]
    NothingUsed {
        /// The data set.
        path: PathBuf,
        /// The split.
        split: Split,
        /// The number of rows.
        rows: u64,
        /// Why they are unusable.
        counts: LoaderCounts,
    },
}

/// Loads batches of a data set without end.
///
/// ```no_run
/// use tabiya_pra::data::{ReaderPosition, Split};
/// use tabiya_pra::{Batch, Config, Loader, LoaderOptions};
/// let (config, start) = (Config::new(4, 96), ReaderPosition::default());
/// let folder = "positions".as_ref();
/// let mut loader = Loader::open(folder, Split::Train, &config, LoaderOptions::default(), start)?;
/// let mut batch = Batch::default();
/// loader.next_batch(256, &mut batch)?;
/// assert_eq!(batch.len(), 256);
/// # Ok::<(), tabiya_pra::LoaderError>(())
/// ```
#[derive(Debug)]
pub struct Loader {
    folder: PathBuf,
    config: Config,
    options: ReaderOptions,
    input_dropout: f64,
    reader: Reader,
    counts: LoaderCounts,
    /// Rows used when the epoch began.
    used_before: u64,
}

impl Loader {
    /// Opens one split of a data set at the row `start`.
    pub fn open(
        folder: &Path,
        split: Split,
        config: &Config,
        options: LoaderOptions,
        start: ReaderPosition,
    ) -> Result<Self, LoaderError> {
        let there = DataSet::open(folder)?.columns().to_vec();
        let is_read = |column: &Column| match column {
            Column::WhiteElo | Column::BlackElo => config.ratings,
            Column::History => config.history,
            _ => true,
        };
        let mut columns: Vec<Column> =
            WANTED.into_iter().filter(|c| there.contains(c) && is_read(c)).collect();
        // The reader reports a missing move column with the file name. FENs replace boards.
        for (needed, instead) in
            [(Column::BestMove, Column::BestMove), (Column::Board, Column::Fen)]
        {
            if !there.contains(&needed) {
                columns.push(instead);
            }
        }
        let input_dropout = options.input_dropout;
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
        Ok(Self { folder, config: *config, options, input_dropout, reader, counts, used_before: 0 })
    }

    /// Rows of an epoch, used or not.
    pub const fn rows(&self) -> u64 {
        self.reader.rows()
    }

    /// The resume cursor: the row after the last batch.
    pub const fn position(&self) -> ReaderPosition {
        self.reader.position()
    }

    /// Rows used and skipped since it was opened.
    pub const fn counts(&self) -> &LoaderCounts {
        &self.counts
    }

    /// Replaces the content of `batch` with the next `count` positions.
    pub fn next_batch(&mut self, count: usize, batch: &mut Batch) -> Result<(), LoaderError> {
        batch.clear();
        while !self.fill(count, batch)? {
            self.next_epoch()?;
        }
        Ok(())
    }

    /// Adds positions until there are `count`, or the epoch ends; returns whether the batch is full.
    fn fill(&mut self, count: usize, batch: &mut Batch) -> Result<bool, LoaderError> {
        while batch.len() < count {
            let ReaderPosition { epoch, row } = self.reader.position();
            let mut dropout = Dropout {
                rng: Rng::new(mix(self.options.seed.unwrap_or_default() ^ DROPOUT) ^ epoch, row),
                probability: self.input_dropout,
            };
            let Some(row) = self.reader.next_row() else { return Ok(false) };
            add(&self.config, row?, &mut dropout, batch, &mut self.counts);
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

/// A fixed random sample of at most `count` positions of a split, in batches of `size`.
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

/// The first `count` valid positions of a split, in file order.
pub fn first_positions(
    folder: &Path,
    split: Split,
    count: usize,
) -> Result<Vec<Position>, LoaderError> {
    let has_board = DataSet::open(folder)?.columns().contains(&Column::Board);
    let column = if has_board { Column::Board } else { Column::Fen };
    let options = ReaderOptions { split, columns: vec![column], ..ReaderOptions::default() };
    let mut reader = Reader::open(folder, &options)?;
    let mut positions = Vec::new();
    while positions.len() < count
        && let Some(row) = reader.next_row()
    {
        positions.extend(row?.position());
    }
    if positions.is_empty() {
        return Err(LoaderError::NoRows { path: folder.to_owned(), split });
    }
    Ok(positions)
}

/// Adds the position of a row, or counts why it is skipped.
#[inline]
fn add(
    config: &Config,
    row: RowView<'_>,
    dropout: &mut Dropout,
    batch: &mut Batch,
    counts: &mut LoaderCounts,
) {
    let Some(text) = row.best_move() else {
        counts.without_move += 1;
        return;
    };
    let Some(position) = row.position() else {
        counts.damaged += 1;
        return;
    };
    let Ok(played) = position.parse_uci(text) else {
        counts.illegal += 1;
        return;
    };
    let turn = position.turn();
    let outcome = encode::outcome(config, turn, row.score(turn), row.game_result());
    let legal = encode::legal_moves(config, &position).map(|(_, index)| index);
    let target = encode::move_index(config, turn, played);
    let mut context = RowContext::new(&position, row);
    dropout.apply(&mut context);
    let tokens = encode::tokens_in(config, &position, &context.context());
    batch.push(tokens, legal, target, outcome);
    counts.used += 1;
}

/// The context of a row.
#[derive(Debug)]
pub(crate) struct RowContext {
    earlier: Option<EarlierBoards>,
    ratings: [Option<u16>; 2],
}

impl RowContext {
    /// The reader has checked ratings and history.
    pub(crate) fn new(position: &Position, row: RowView<'_>) -> Self {
        let rating = |rating: Option<i16>| rating.and_then(|rating| u16::try_from(rating).ok());
        Self {
            earlier: row.history().and_then(|history| history.boards(position).ok()),
            ratings: [row.white_elo(), row.black_elo()].map(rating),
        }
    }

    /// Leaves out the history, or the ratings.
    pub(crate) fn restrict(&mut self, history: bool, ratings: bool) {
        self.earlier = self.earlier.filter(|_| history);
        self.ratings = self.ratings.map(|rating| rating.filter(|_| ratings));
    }

    /// The context, to encode the position with.
    pub(crate) fn context(&self) -> Context<'_> {
        let earlier = self.earlier.as_ref().map_or(&[][..], EarlierBoards::as_slice);
        Context { earlier, ratings: self.ratings }
    }
}

/// Mixed into the seed of the dropout.
const DROPOUT: u64 = 0x6472_6f70_6f75_7400;

/// Leaves out inputs at random, so that the model works without them.
struct Dropout {
    rng: Rng,
    probability: f64,
}

impl Dropout {
    fn apply(&mut self, context: &mut RowContext) {
        if self.probability > 0.0 {
            if self.rng.random_bool(self.probability) {
                context.earlier = None;
            }
            for rating in &mut context.ratings {
                *rating = rating.filter(|_| !self.rng.random_bool(self.probability));
            }
        }
    }
}
