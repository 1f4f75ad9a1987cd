//! Data loader: streams the rows of a split with a shuffle buffer, prefetch and sharding among readers.
//!
//! The rows of a split are ordered by shard and row. Reader *i* of *n* takes the *i*-th of *n* equal parts,
//! independent of the row groups, so every reader has rows. It visits its row groups in random order, fills
//! the shuffle buffer with as many as fit, and returns the rows of the buffer in random order. The order
//! depends on seed and epoch only; a [`ReaderPosition`] is enough to resume.
//!
//! Access is zero-copy: a [`RowView`] is a reference to the decoded columns and an index.

mod batch;
mod catch_panic;
mod foreign;
mod pack;
mod pages;
mod prefetch;
mod shard;

use std::path::Path;
use std::sync::Arc;

use chess::rng::{Rng, mix};

pub use batch::{RowBatch, RowView};
pub use shard::Shard;

use crate::{Column, DataError, DataSet, Split};
use prefetch::Prefetch;

/// Options of a [`Reader`].
#[derive(Clone, PartialEq, Debug)]
pub struct ReaderOptions {
    /// The split.
    pub split: Split,
    /// Columns to decode.
    pub columns: Vec<Column>,
    /// Random seed of the order; none to read in the order of the files.
    pub seed: Option<u64>,
    /// Minimum number of rows of the shuffle buffer.
    pub buffer_rows: u64,
    /// Index of this reader, counted from 0, and number of readers.
    pub reader: (u64, u64),
    /// Number of prefetch threads; with 0, rows are decoded on demand.
    pub threads: usize,
    /// Start position.
    pub start: ReaderPosition,
}

impl Default for ReaderOptions {
    /// All columns of the training split, in order, one reader, one prefetch thread.
    fn default() -> Self {
        Self {
            split: Split::Train,
            columns: Column::ALL.to_vec(),
            seed: None,
            buffer_rows: 1 << 17,
            reader: (0, 1),
            threads: 1,
            start: ReaderPosition::default(),
        }
    }
}

/// Position of a reader.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReaderPosition {
    /// Epoch; each has an order of its own.
    pub epoch: u64,
    /// Number of rows read in this epoch.
    pub row: u64,
}

/// A part of a row group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Segment {
    shard: usize,
    row_group: usize,
    from: u64,
    to: u64,
}

impl Segment {
    const fn len(&self) -> u64 {
        self.to - self.from
    }
}

/// A filled shuffle buffer: rows in the order in which they are read.
#[derive(Debug)]
pub struct ShuffleBuffer {
    batches: Vec<Arc<RowBatch>>,
    /// Index of the batch, and of the row in it.
    order: Vec<(u32, u32)>,
}

impl ShuffleBuffer {
    /// Number of rows.
    pub const fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there are no rows.
    pub const fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Iterates over the rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = RowView<'_>> {
        self.order.iter().map(|&(batch, row)| self.batches[batch as usize].row(row as usize))
    }
}

/// Streams the rows of a split for one epoch.
///
/// ```no_run
/// use tabiya_data::{Column, Reader, ReaderOptions};
/// let columns = vec![Column::Board, Column::BestMove];
/// let options = ReaderOptions { columns, seed: Some(1), ..ReaderOptions::default() };
/// let mut reader = Reader::open("positions".as_ref(), &options)?;
/// while let Some(row) = reader.next_row() {
///     let row = row?;
///     println!("{:?} {:?}", row.board(), row.best_move());
/// }
/// # Ok::<(), tabiya_data::DataError>(())
/// ```
#[derive(Debug)]
pub struct Reader {
    segments: Prefetch,
    /// Number of segments of each shuffle buffer.
    buffers: std::vec::IntoIter<usize>,
    seed: Option<u64>,
    position: ReaderPosition,
    /// Rows to skip in the next buffer: they are before the start position.
    skip: usize,
    rows: u64,
    /// The current buffer, and the number of rows read from it.
    current: Option<(ShuffleBuffer, usize)>,
}

impl Reader {
    /// Opens a complete data set, or Parquet files of other programs ([`DataSet`]).
    pub fn open(path: &Path, options: &ReaderOptions) -> Result<Self, DataError> {
        Self::from_shards(DataSet::open(path)?.shards(options.split)?, options)
    }

    /// Reads these shards.
    pub fn from_shards(shards: Vec<Shard>, options: &ReaderOptions) -> Result<Self, DataError> {
        let (reader, readers) = options.reader;
        if reader >= readers {
            return Err(DataError::Options(format!("there is no reader {reader} among {readers}")));
        }
        for shard in &shards {
            if let Some(column) = options.columns.iter().find(|c| !shard.columns().contains(c)) {
                let path = shard.path().to_owned();
                return Err(DataError::NoColumn { path, column: column.name() });
            }
        }
        let mut segments = share(&shards, reader, readers);
        let ReaderPosition { epoch, row } = options.start;
        let mut rng = options.seed.map(|seed| rng_for(seed, epoch, reader));
        if let Some(rng) = &mut rng {
            rng.shuffle(&mut segments);
        }
        let rows = segments.iter().map(Segment::len).sum();
        // Buffers before the start position are not decoded.
        let mut buffers = buffers(&segments, options.buffer_rows);
        let (mut before, mut first) = (0, 0);
        let mut skipped = 0;
        for &count in &buffers {
            let length: u64 = segments[first..first + count].iter().map(Segment::len).sum();
            if before + length > row {
                break;
            }
            (before, first, skipped) = (before + length, first + count, skipped + 1);
        }
        buffers.drain(..skipped);
        segments.drain(..first);
        Ok(Self {
            segments: Prefetch::new(shards, segments, options.columns.clone(), options.threads),
            buffers: buffers.into_iter(),
            seed: options.seed,
            position: ReaderPosition { epoch, row: row.min(rows) },
            skip: row.saturating_sub(before) as usize,
            rows,
            current: None,
        })
    }

    /// Number of rows of this reader per epoch.
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// Position after the last row, to resume from.
    pub const fn position(&self) -> ReaderPosition {
        self.position
    }

    /// The next shuffle buffer, without the rows read before.
    pub fn next_buffer(&mut self) -> Option<Result<ShuffleBuffer, DataError>> {
        if let Some((mut buffer, read)) = self.current.take()
            && read < buffer.len()
        {
            buffer.order.drain(..read);
            self.position.row += buffer.len() as u64;
            return Some(Ok(buffer));
        }
        let buffer = self.load()?;
        if let Ok(buffer) = &buffer {
            self.position.row += buffer.len() as u64;
        }
        Some(buffer)
    }

    /// The next row.
    pub fn next_row(&mut self) -> Option<Result<RowView<'_>, DataError>> {
        while self.current.as_ref().is_none_or(|(buffer, read)| *read >= buffer.len()) {
            match self.load()? {
                Ok(buffer) => self.current = Some((buffer, 0)),
                Err(error) => return Some(Err(error)),
            }
        }
        let (buffer, read) = self.current.as_mut()?;
        let (batch, row) = buffer.order[*read];
        *read += 1;
        self.position.row += 1;
        Some(Ok(buffer.batches[batch as usize].row(row as usize)))
    }

    /// Fills and shuffles the next buffer.
    fn load(&mut self) -> Option<Result<ShuffleBuffer, DataError>> {
        let count = self.buffers.next()?;
        let (mut batches, mut order) = (Vec::with_capacity(count), Vec::new());
        let mut first_group = 0;
        for n in 0..count {
            let (segment, batch) = match self.segments.next()? {
                Ok(decoded) => decoded,
                Err(error) => return Some(Err(error)),
            };
            if n == 0 {
                first_group = (segment.shard as u64) << 32 | segment.row_group as u64;
            }
            order.extend((segment.from..segment.to).map(|row| (n as u32, row as u32)));
            batches.push(Arc::new(batch));
        }
        if let Some(seed) = self.seed {
            // The first row group identifies the buffer.
            rng_for(seed ^ 0x7769_6e64_6f77, self.position.epoch, first_group).shuffle(&mut order);
        }
        order.drain(..self.skip.min(order.len()));
        self.skip = 0;
        Some(Ok(ShuffleBuffer { batches, order }))
    }
}

/// The part of the rows that belongs to a reader.
fn share(shards: &[Shard], reader: u64, readers: u64) -> Vec<Segment> {
    let total: u128 = shards.iter().map(|shard| u128::from(shard.rows())).sum();
    let border = |n: u64| (total * u128::from(n) / u128::from(readers)) as u64;
    let (first, last) = (border(reader), border(reader + 1));
    let mut segments = Vec::new();
    let mut at = 0;
    for (shard, groups) in shards.iter().map(Shard::row_groups).enumerate() {
        for (row_group, &rows) in groups.iter().enumerate() {
            let (from, to) = (first.clamp(at, at + rows) - at, last.clamp(at, at + rows) - at);
            if from < to {
                segments.push(Segment { shard, row_group, from, to });
            }
            at += rows;
        }
    }
    segments
}

/// Number of segments of each shuffle buffer: as few as have enough rows.
fn buffers(segments: &[Segment], rows: u64) -> Vec<usize> {
    let mut buffers = Vec::new();
    let (mut count, mut length) = (0, 0);
    for segment in segments {
        count += 1;
        length += segment.len();
        if length >= rows {
            buffers.push(count);
            (count, length) = (0, 0);
        }
    }
    if count > 0 {
        buffers.push(count);
    }
    buffers
}

/// Random generator of an epoch.
fn rng_for(seed: u64, epoch: u64, number: u64) -> Rng {
    Rng::new(mix(seed) ^ epoch, number)
}
