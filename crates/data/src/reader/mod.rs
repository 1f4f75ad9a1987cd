//! Rows for trainers: streamed from all files of a split, in windows that are shuffled, by readers that
//! share the rows among themselves, decoded ahead by threads.
//!
//! The rows of a split have an order: that of the files and of the rows in them. Reader *i* of *n* takes
//! the *i*-th of *n* equal parts of it, whatever the row groups are, so that nobody is left without rows.
//! It takes its blocks in random order, as many at a time as its buffer has room for (a *window*), and
//! gives the rows of a window in random order. The order follows from seed and epoch alone; a
//! [`ReaderPosition`] is enough to go on with the row after the last.
//!
//! Rows are looked at where the decoder has put them: a [`RowView`] is a reference and a number.

mod block;
mod guard;
mod pack;
mod pages;
mod prefetch;
mod shard;

use std::path::Path;
use std::sync::Arc;

use chess::rng::{Rng, mix};

pub use block::{Block, RowView};
pub use shard::Shard;

use crate::{Column, DataError, Manifest, Split};
use prefetch::Prefetch;

/// What is read, and in which order.
#[derive(Clone, PartialEq, Debug)]
pub struct ReaderOptions {
    /// What the rows are for.
    pub split: Split,
    /// The columns that are decoded.
    pub columns: Vec<Column>,
    /// What the random order comes from; nothing to have rows in the order of the files.
    pub seed: Option<u64>,
    /// How many rows a window has at least, if there are as many.
    pub window_rows: u64,
    /// Which of how many readers this is, counted from 0.
    pub reader: (u64, u64),
    /// How many threads decode ahead; with none, rows are decoded when they are asked for.
    pub threads: usize,
    /// Where to begin.
    pub start: ReaderPosition,
}

impl Default for ReaderOptions {
    /// All columns of the training rows, in order, one reader, one thread.
    fn default() -> Self {
        Self {
            split: Split::Train,
            columns: Column::ALL.to_vec(),
            seed: None,
            window_rows: 1 << 17,
            reader: (0, 1),
            threads: 1,
            start: ReaderPosition::default(),
        }
    }
}

/// How far a reader has come: which time through the rows it is, and how many have been given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReaderPosition {
    /// Which time; each has an order of its own.
    pub epoch: u64,
    /// How many rows.
    pub row: u64,
}

/// A part of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Segment {
    shard: usize,
    block: usize,
    from: u64,
    to: u64,
}

impl Segment {
    const fn len(&self) -> u64 {
        self.to - self.from
    }
}

/// Rows that are in memory together, in the order in which they are given.
#[derive(Debug)]
pub struct Window {
    blocks: Vec<Arc<Block>>,
    order: Vec<(u32, u32)>,
}

impl Window {
    /// How many rows.
    pub const fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = RowView<'_>> {
        self.order.iter().map(|&(block, row)| self.blocks[block as usize].row(row as usize))
    }
}

/// Streams the rows of a data set, once.
///
/// ```no_run
/// use data::{Column, Reader, ReaderOptions};
/// let columns = vec![Column::Board, Column::BestMove];
/// let options = ReaderOptions { columns, seed: Some(1), ..ReaderOptions::default() };
/// let mut reader = Reader::open("positions".as_ref(), &options)?;
/// while let Some(row) = reader.next_row() {
///     let row = row?;
///     println!("{:?} {:?}", row.board(), row.best_move());
/// }
/// # Ok::<(), data::DataError>(())
/// ```
#[derive(Debug)]
pub struct Reader {
    segments: Prefetch,
    /// How many segments each window has.
    windows: std::vec::IntoIter<usize>,
    seed: Option<u64>,
    position: ReaderPosition,
    /// How many rows of the next window have been given before.
    skip: usize,
    rows: u64,
    current: Option<(Window, usize)>,
}

impl Reader {
    /// Opens a finished data set.
    pub fn open(folder: &Path, options: &ReaderOptions) -> Result<Self, DataError> {
        let manifest = Manifest::open(folder)?;
        let own = manifest.files.iter().filter(|file| file.split == options.split);
        let shards = own.map(|file| Shard::open(&folder.join(&file.path)));
        Self::from_shards(shards.collect::<Result<_, _>>()?, options)
    }

    /// Reads these files.
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
        // Windows that have been given are not read at all.
        let mut windows = windows(&segments, options.window_rows);
        let (mut given, mut first) = (0, 0);
        let mut skipped = 0;
        for &count in &windows {
            let length: u64 = segments[first..first + count].iter().map(Segment::len).sum();
            if given + length > row {
                break;
            }
            (given, first, skipped) = (given + length, first + count, skipped + 1);
        }
        windows.drain(..skipped);
        segments.drain(..first);
        Ok(Self {
            segments: Prefetch::new(shards, segments, options.columns.clone(), options.threads),
            windows: windows.into_iter(),
            seed: options.seed,
            position: ReaderPosition { epoch, row: row.min(rows) },
            skip: row.saturating_sub(given) as usize,
            rows,
            current: None,
        })
    }

    /// How many rows this reader gives in an epoch.
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// Where another reader has to start to go on after the last row given.
    pub const fn position(&self) -> ReaderPosition {
        self.position
    }

    /// The next window; rows of it that were given before the start are left out.
    pub fn next_window(&mut self) -> Option<Result<Window, DataError>> {
        if let Some((window, given)) = self.current.take()
            && given < window.len()
        {
            // What is left of a window that was given row by row.
            let Window { blocks, mut order } = window;
            order.drain(..given);
            self.position.row += order.len() as u64;
            return Some(Ok(Window { blocks, order }));
        }
        let window = self.load()?;
        if let Ok(window) = &window {
            self.position.row += window.len() as u64;
        }
        Some(window)
    }

    /// The next row.
    pub fn next_row(&mut self) -> Option<Result<RowView<'_>, DataError>> {
        while self.current.as_ref().is_none_or(|(window, given)| *given >= window.len()) {
            match self.load()? {
                Ok(window) => self.current = Some((window, 0)),
                Err(error) => return Some(Err(error)),
            }
        }
        let (window, given) = self.current.as_mut()?;
        let (block, row) = window.order[*given];
        *given += 1;
        self.position.row += 1;
        Some(Ok(window.blocks[block as usize].row(row as usize)))
    }

    /// Decodes the next window, and puts it in order.
    fn load(&mut self) -> Option<Result<Window, DataError>> {
        let count = self.windows.next()?;
        let (mut blocks, mut order) = (Vec::with_capacity(count), Vec::new());
        let mut number = 0;
        for n in 0..count {
            let (segment, index, block) = match self.segments.next()? {
                Ok(decoded) => decoded,
                Err(error) => return Some(Err(error)),
            };
            if n == 0 {
                number = index;
            }
            order.extend((segment.from..segment.to).map(|row| (n as u32, row as u32)));
            blocks.push(Arc::new(block));
        }
        if let Some(seed) = self.seed {
            // The segments of a window are known by the first of them.
            rng_for(seed ^ 0x7769_6e64_6f77, self.position.epoch, number).shuffle(&mut order);
        }
        order.drain(..self.skip.min(order.len()));
        self.skip = 0;
        Some(Ok(Window { blocks, order }))
    }
}

/// The part of all rows that belongs to a reader.
fn share(shards: &[Shard], reader: u64, readers: u64) -> Vec<Segment> {
    let total: u128 = shards.iter().map(|shard| u128::from(shard.rows())).sum();
    let border = |n: u64| (total * u128::from(n) / u128::from(readers)) as u64;
    let (first, last) = (border(reader), border(reader + 1));
    let mut segments = Vec::new();
    let mut at = 0;
    for (shard, blocks) in shards.iter().map(Shard::blocks).enumerate() {
        for (block, &rows) in blocks.iter().enumerate() {
            let (from, to) = (first.clamp(at, at + rows) - at, last.clamp(at, at + rows) - at);
            if from < to {
                segments.push(Segment { shard, block, from, to });
            }
            at += rows;
        }
    }
    segments
}

/// How many segments make a window each: as many as have enough rows.
fn windows(segments: &[Segment], rows: u64) -> Vec<usize> {
    let mut windows = Vec::new();
    let (mut count, mut length) = (0, 0);
    for segment in segments {
        count += 1;
        length += segment.len();
        if length >= rows {
            windows.push(count);
            (count, length) = (0, 0);
        }
    }
    if count > 0 {
        windows.push(count);
    }
    windows
}

/// What a window of an epoch is shuffled by.
fn rng_for(seed: u64, epoch: u64, number: u64) -> Rng {
    Rng::new(mix(seed) ^ epoch, number)
}
