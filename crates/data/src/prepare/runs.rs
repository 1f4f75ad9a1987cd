//! External merge sort by random keys: shuffles rows and removes duplicates in bounded memory.
//!
//! The key for shuffling is the row number, hashed by a permutation of 64-bit numbers, so all keys differ;
//! the key for deduplication is the hash of the position. Rows are collected up to the memory limit, sorted
//! by key and written to a file, a *run*. The runs are then merged. The result does not depend on the size
//! of the runs.
//!
//! Duplicates have the same key and stay in the order of the games; the first one is kept.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use chess::rng::mix;

use super::convert_games::Rows;
use super::options::{PrepareOptions, RowOrder};
use super::progress_log::{ProgressLog, Stage};
use super::tracker::{ConvertedChunk, Cursor, ResumePoint, Tracker};
use crate::files::OutputFile;
use crate::pipeline::{Sink, Task, Tasks};
use crate::{DataError, Row};

/// Name of the directory of runs.
pub(crate) const RUNS: &str = "_runs";

/// Size of a key and its row in a run.
const RECORD: usize = 8 + Row::SIZE;

/// Rows of all runs in memory: 256 MB.
const MEMORY_ROWS: usize = 4 << 20;

/// Rows merged at a time.
const BATCH: usize = 1 << 15;

fn run_path(folder: &Path, number: usize) -> PathBuf {
    folder.join(RUNS).join(format!("{number:05}.run"))
}

/// Computes sort keys: from the row number for shuffling, from the position for deduplication.
struct SortKeys {
    order: RowOrder,
    seed: u64,
}

impl SortKeys {
    fn of(&self, row: &Row, number: u64) -> u64 {
        match self.order {
            RowOrder::Unique => mix(position_key(row) ^ self.seed),
            _ => mix(number ^ self.seed),
        }
    }
}

/// Hash of the position without its clocks: pieces, castling rights, en passant, side to move.
fn position_key(row: &Row) -> u64 {
    let (words, _) = row.packed.as_bytes()[..24].as_chunks();
    words.iter().fold(0, |key, word| mix(key ^ u64::from_le_bytes(*word)))
}

/// First pass: collects rows into sorted runs.
pub(crate) struct RunWriter<'a> {
    folder: PathBuf,
    keys: SortKeys,
    run_rows: usize,
    pending: Vec<(u64, Row)>,
    /// Number of the next row.
    row: u64,
    /// Index of the next run.
    next: usize,
    /// Rows at the resume point that are in finished runs already.
    to_skip: u64,
    /// Start of each unfinished run.
    starts: BTreeMap<usize, ResumePoint>,
    /// Runs finished before an earlier one.
    out_of_order: Vec<usize>,
    finished: usize,
    pub tracker: Tracker<'a>,
    log: ProgressLog,
}

impl<'a> RunWriter<'a> {
    /// Resumes after `finished` runs, at the point of the tracker.
    pub(crate) fn new(
        folder: &Path,
        options: &PrepareOptions,
        finished: usize,
        threads: usize,
        tracker: Tracker<'a>,
        log: ProgressLog,
    ) -> Result<Self, DataError> {
        crate::files::create_folder(&folder.join(RUNS))?;
        let mut in_runs = 0;
        for number in 0..finished {
            in_runs += RunReader::open(&run_path(folder, number))?.records;
        }
        let row = tracker.now.rows.total();
        let starts = BTreeMap::from([(finished, tracker.now)]);
        Ok(Self {
            folder: folder.to_owned(),
            keys: SortKeys { order: options.order, seed: mix(options.seed ^ 0x5eed) },
            run_rows: (MEMORY_ROWS / (threads + 2)).clamp(1 << 16, 1 << 20),
            pending: Vec::new(),
            row,
            next: finished,
            to_skip: in_runs.saturating_sub(row),
            starts,
            out_of_order: Vec::new(),
            finished,
            tracker,
            log,
        })
    }

    /// Number of finished runs.
    pub(crate) fn finished(&self) -> usize {
        self.finished
    }

    /// The task that sorts and writes the pending rows as a run.
    fn sort(&mut self) -> Task<usize> {
        let index = self.next;
        self.next += 1;
        let (path, mut rows) = (run_path(&self.folder, index), std::mem::take(&mut self.pending));
        Box::new(move || {
            // Stable: duplicates stay in order.
            rows.sort_by_key(|(key, _)| *key);
            let mut file = OutputFile::create(&path)?;
            for (key, row) in &rows {
                file.write_all(&key.to_le_bytes())
                    .and_then(|()| file.write_all(&row.to_bytes()))
                    .map_err(DataError::io("write", &path))?;
            }
            file.finish()?;
            Ok(index)
        })
    }
}

impl Sink for RunWriter<'_> {
    type Item = ConvertedChunk;
    type Done = usize;

    fn consume(&mut self, chunk: ConvertedChunk) -> Tasks<usize> {
        let (start, rows) = self.tracker.add(chunk);
        let mut tasks = Vec::new();
        for row in rows {
            let key = self.keys.of(&row, self.row);
            self.row += 1;
            if self.to_skip > 0 {
                self.to_skip -= 1;
                continue;
            }
            if self.pending.capacity() == 0 {
                self.pending.reserve_exact(self.run_rows);
            }
            self.pending.push((key, row));
            if self.pending.len() == self.run_rows {
                tasks.push(self.sort());
                self.starts.insert(self.next, start);
            }
        }
        Ok(tasks)
    }

    fn task_done(&mut self, index: usize) -> Tasks<usize> {
        self.out_of_order.push(index);
        while let Some(at) = self.out_of_order.iter().position(|&run| run == self.finished) {
            self.out_of_order.swap_remove(at);
            self.starts.remove(&self.finished);
            self.finished += 1;
        }
        let point = *self.starts.get(&self.finished).unwrap_or(&self.tracker.now);
        let stage = Stage::Sorting { runs: self.finished };
        self.log.write(stage, point, self.tracker.problems_before(&point))?;
        Ok(Vec::new())
    }

    fn end(&mut self) -> Tasks<usize> {
        self.tracker.now.cursor = Cursor::End;
        Ok(if self.pending.is_empty() { Vec::new() } else { vec![self.sort()] })
    }

    fn is_full(&self) -> bool {
        self.tracker.is_full()
    }
}

/// Reads a run.
struct RunReader {
    file: BufReader<File>,
    records: u64,
    left: u64,
    path: PathBuf,
}

impl RunReader {
    fn open(path: &Path) -> Result<Self, DataError> {
        let file = regular::open(path).map_err(DataError::io("open", path))?;
        let bytes = file.metadata().map_err(DataError::io("read", path))?.len();
        if !bytes.is_multiple_of(RECORD as u64) {
            return Err(DataError::damaged(
                path,
                format!("{bytes} bytes are not a multiple of the row size"),
            ));
        }
        let records = bytes / RECORD as u64;
        Ok(Self { file: BufReader::new(file), records, left: records, path: path.to_owned() })
    }

    /// Seeks to the first row with this key or a larger one, by binary search.
    fn seek(self, key: u64, buffer: usize) -> Result<Self, DataError> {
        let fail = DataError::io("read", &self.path);
        let mut file = self.file.into_inner();
        let (mut low, mut high) = (0, self.records);
        let mut search = || {
            while low < high && key > 0 {
                let middle = low + (high - low) / 2;
                file.seek(SeekFrom::Start(middle * RECORD as u64))?;
                let mut found = [0; 8];
                file.read_exact(&mut found)?;
                if u64::from_le_bytes(found) < key {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            file.seek(SeekFrom::Start(low * RECORD as u64))
        };
        search().map_err(fail)?;
        let left = self.records - low;
        Ok(Self { file: BufReader::with_capacity(buffer, file), left, ..self })
    }

    fn next(&mut self) -> Result<Option<(u64, Row)>, DataError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let (mut key, mut row) = ([0; 8], [0; Row::SIZE]);
        self.file
            .read_exact(&mut key)
            .and_then(|()| self.file.read_exact(&mut row))
            .map_err(DataError::io("read", &self.path))?;
        Ok(Some((u64::from_le_bytes(key), Row::from_bytes(&row))))
    }
}

/// Second pass: merges runs.
pub(crate) struct Merge {
    runs: Vec<RunReader>,
    /// Key of the next row of each run, and the index of the run.
    heap: BinaryHeap<Reverse<(u64, usize)>>,
    heads: Vec<Option<Row>>,
    is_unique: bool,
    failed: bool,
}

/// A batch of merged rows with its first key.
pub(crate) type Merged = Result<(u64, Rows), DataError>;

impl Merge {
    /// Merges `count` runs, from a key on.
    pub(crate) fn new(
        folder: &Path,
        count: usize,
        from: u64,
        order: RowOrder,
    ) -> Result<Self, DataError> {
        // All buffers together take 64 MB, unless there are very many runs.
        let buffer = ((64 << 20) / count.max(1)).clamp(1 << 13, 1 << 20);
        let mut runs = Vec::new();
        let (mut heap, mut heads) = (BinaryHeap::new(), Vec::new());
        for number in 0..count {
            let mut run = RunReader::open(&run_path(folder, number))?.seek(from, buffer)?;
            let first = run.next()?;
            if let Some((key, _)) = first {
                heap.push(Reverse((key, number)));
            }
            heads.push(first.map(|(_, row)| row));
            runs.push(run);
        }
        Ok(Self { runs, heap, heads, is_unique: order == RowOrder::Unique, failed: false })
    }

    fn pop(&mut self) -> Result<Option<(u64, Row)>, DataError> {
        let Some(Reverse((key, number))) = self.heap.pop() else { return Ok(None) };
        let row = self.heads[number].take();
        if let Some((next, head)) = self.runs[number].next()? {
            self.heap.push(Reverse((next, number)));
            self.heads[number] = Some(head);
        }
        Ok(row.map(|row| (key, row)))
    }

    /// The next batch; it holds all rows of its last key.
    fn batch(&mut self) -> Result<Option<(u64, Rows)>, DataError> {
        let mut batch = Rows::default();
        let mut first = None;
        let mut last = None;
        // Index of the first row with the last key.
        let mut first_of_key = 0;
        loop {
            let next_key = self.heap.peek().map(|Reverse((key, _))| *key);
            if batch.rows.len() >= BATCH && next_key != last {
                break;
            }
            let Some((key, row)) = self.pop()? else { break };
            first.get_or_insert(key);
            if last != Some(key) {
                last = Some(key);
                first_of_key = batch.rows.len();
            }
            if self.is_unique && batch.rows[first_of_key..].iter().any(|other| is_same(other, &row))
            {
                batch.counts.skipped_positions.duplicate += 1;
                continue;
            }
            batch.counts.add_score(row.packed);
            batch.rows.push(row);
        }
        Ok(first.map(|key| (key, batch)))
    }
}

/// Whether two rows have the same position, clocks aside.
fn is_same(a: &Row, b: &Row) -> bool {
    a.packed.as_bytes()[..24] == b.packed.as_bytes()[..24]
}

impl Iterator for Merge {
    type Item = Merged;

    fn next(&mut self) -> Option<Merged> {
        if self.failed {
            return None;
        }
        let batch = self.batch();
        self.failed = batch.is_err();
        batch.transpose()
    }
}
