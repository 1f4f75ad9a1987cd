//! Rows in random order, with bounded memory: sorted runs on the disk, and their merge.
//!
//! Every row gets a key that looks random: for shuffling, its number, mixed by a permutation of all
//! numbers, so that no two are alike; to find duplicates, the hash of its position, mixed. Rows are
//! collected until memory for them is used up, sorted by their keys and written to a file, a *run*. When
//! all are there, the runs are merged: whoever has the smallest key comes next. The result does not
//! depend on how long the runs are.
//!
//! With the same key come the same positions, in the order of the games: the first of them stays.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use chess::pgn::Score;
use chess::rng::mix;

use super::counts::Counts;
use super::games::Rows;
use super::ledger::{Ledger, Made, Mark, Place};
use super::options::RowOrder;
use super::progress::{Recorder, Stage};
use crate::files::{OutputFile, Written};
use crate::pool::{Feed, Job, Sink};
use crate::{DataError, Row};

/// The folder of runs.
pub(crate) const RUNS: &str = "_runs";

/// A row with its key, in a file.
const RECORD: usize = 8 + Row::SIZE;

/// How many rows all runs under construction may have together: 256 MB.
const MEMORY_ROWS: usize = 4 << 20;

/// How many rows are merged at a time.
const BATCH: usize = 1 << 15;

fn run_path(folder: &Path, number: usize) -> PathBuf {
    folder.join(RUNS).join(format!("{number:05}.run"))
}

/// The key of a row: its number if rows are shuffled, its position if they are to be unique.
struct Keys {
    order: RowOrder,
    seed: u64,
}

impl Keys {
    fn of(&self, row: &Row, number: u64) -> u64 {
        match self.order {
            RowOrder::Unique => mix(position_key(row) ^ self.seed),
            _ => mix(number ^ self.seed),
        }
    }
}

/// A hash of what makes a position the same: pieces, castling, en passant, who is to move.
fn position_key(row: &Row) -> u64 {
    let (words, _) = row.packed.as_bytes()[..24].as_chunks();
    words.iter().fold(0, |key, word| mix(key ^ u64::from_le_bytes(*word)))
}

/// Sorts and writes a run.
pub(crate) struct SortTask {
    path: PathBuf,
    number: usize,
    rows: Vec<(u64, Row)>,
}

impl Job for SortTask {
    type Done = usize;

    fn run(mut self) -> Result<usize, DataError> {
        // Rows with the same key stay in order.
        self.rows.sort_by_key(|(key, _)| *key);
        let mut file = OutputFile::create(&self.path)?;
        for (key, row) in &self.rows {
            let fail = DataError::io("write", &self.path);
            file.write_all(&key.to_le_bytes())
                .and_then(|()| file.write_all(&row.to_bytes()))
                .map_err(fail)?;
        }
        let Written { .. } = file.finish()?;
        Ok(self.number)
    }
}

/// Collects rows for runs.
pub(crate) struct Runs<'a> {
    folder: PathBuf,
    keys: Keys,
    run_rows: usize,
    pending: Vec<(u64, Row)>,
    /// The number of the next row, and of the next run.
    row: u64,
    next: usize,
    /// Rows that are in finished runs, and come again.
    to_drop: u64,
    /// Where each unfinished run begins, and those finished before an earlier one.
    begins: BTreeMap<usize, Mark>,
    early: Vec<usize>,
    finished: usize,
    pub ledger: Ledger<'a>,
    recorder: Recorder,
}

impl<'a> Runs<'a> {
    /// Goes on after so many finished runs, from the mark that the ledger is at.
    pub(crate) fn new(
        folder: &Path,
        (order, seed): (RowOrder, u64),
        finished: usize,
        threads: usize,
        ledger: Ledger<'a>,
        recorder: Recorder,
    ) -> Result<Self, DataError> {
        crate::files::create_folder(&folder.join(RUNS))?;
        let mut in_runs = 0;
        for number in 0..finished {
            in_runs += Run::open(&run_path(folder, number))?.records;
        }
        let row = ledger.now.rows.train + ledger.now.rows.validation;
        let begins = BTreeMap::from([(finished, ledger.now)]);
        Ok(Self {
            folder: folder.to_owned(),
            keys: Keys { order, seed: mix(seed ^ 0x5eed) },
            run_rows: (MEMORY_ROWS / (threads + 2)).clamp(1 << 16, 1 << 20),
            pending: Vec::new(),
            row,
            next: finished,
            to_drop: in_runs.saturating_sub(row),
            begins,
            early: Vec::new(),
            finished,
            ledger,
            recorder,
        })
    }

    /// How many runs there are.
    pub(crate) fn finished(&self) -> usize {
        self.finished
    }

    fn seal(&mut self) -> SortTask {
        let number = self.next;
        self.next += 1;
        let rows = std::mem::take(&mut self.pending);
        SortTask { path: run_path(&self.folder, number), number, rows }
    }
}

impl Sink for Runs<'_> {
    type Part = Made;
    type Job = SortTask;

    fn merge(&mut self, made: Made) -> Result<Vec<SortTask>, DataError> {
        let (mark, rows) = self.ledger.enter(made);
        let mut tasks = Vec::new();
        for row in rows {
            let key = self.keys.of(&row, self.row);
            self.row += 1;
            if self.to_drop > 0 {
                self.to_drop -= 1;
                continue;
            }
            if self.pending.capacity() == 0 {
                self.pending.reserve_exact(self.run_rows);
            }
            self.pending.push((key, row));
            if self.pending.len() == self.run_rows {
                tasks.push(self.seal());
                self.begins.insert(self.next, mark);
            }
        }
        Ok(tasks)
    }

    fn finish(&mut self, number: usize) -> Result<Vec<SortTask>, DataError> {
        self.early.push(number);
        while let Some(at) = self.early.iter().position(|&number| number == self.finished) {
            self.early.swap_remove(at);
            self.begins.remove(&self.finished);
            self.finished += 1;
        }
        let mark = *self.begins.get(&self.finished).unwrap_or(&self.ledger.now);
        let stage = Stage::Sorting { runs: self.finished };
        self.recorder.record(stage, mark, self.ledger.problems_at(&mark))?;
        Ok(Vec::new())
    }

    fn end(&mut self) -> Result<Vec<SortTask>, DataError> {
        self.ledger.now.place = Place::End;
        Ok(if self.pending.is_empty() { Vec::new() } else { vec![self.seal()] })
    }

    fn is_full(&self) -> bool {
        self.ledger.is_full()
    }
}

/// A run that is being read.
struct Run {
    file: BufReader<File>,
    records: u64,
    left: u64,
    path: PathBuf,
}

impl Run {
    fn open(path: &Path) -> Result<Self, DataError> {
        let file = regular::open(path).map_err(DataError::io("open", path))?;
        let bytes = file.metadata().map_err(DataError::io("read", path))?.len();
        if !bytes.is_multiple_of(RECORD as u64) {
            return Err(DataError::damaged(path, format!("{bytes} bytes are no whole rows")));
        }
        let records = bytes / RECORD as u64;
        Ok(Self { file: BufReader::new(file), records, left: records, path: path.to_owned() })
    }

    /// Goes to the first row with this key or above, with a buffer of this size from there on.
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

/// Merges runs.
pub(crate) struct Merge {
    runs: Vec<Run>,
    /// The first row of each run, by its key and the number of the run.
    heap: BinaryHeap<Reverse<(u64, usize)>>,
    heads: Vec<Option<Row>>,
    is_unique: bool,
    failed: bool,
}

/// A batch of merged rows, or why there is none.
pub(crate) type Merged = Result<(u64, Rows), DataError>;

impl Merge {
    /// Merges so many runs, from this key on.
    pub(crate) fn new(
        folder: &Path,
        count: usize,
        from: u64,
        order: RowOrder,
    ) -> Result<Self, DataError> {
        // All buffers together take 64 MB, if there are not very many runs.
        let buffer = ((64 << 20) / count.max(1)).clamp(1 << 13, 1 << 20);
        let mut runs = Vec::new();
        let (mut heap, mut heads) = (BinaryHeap::new(), Vec::new());
        for number in 0..count {
            let mut run = Run::open(&run_path(folder, number))?.seek(from, buffer)?;
            let first = run.next()?;
            if let Some((key, _)) = first {
                heap.push(Reverse((key, number)));
            }
            heads.push(first.map(|(_, row)| row));
            runs.push(run);
        }
        Ok(Self { runs, heap, heads, is_unique: order == RowOrder::Unique, failed: false })
    }

    fn next(&mut self) -> Result<Option<(u64, Row)>, DataError> {
        let Some(Reverse((key, number))) = self.heap.pop() else { return Ok(None) };
        let row = self.heads[number].take();
        if let Some((next, head)) = self.runs[number].next()? {
            self.heap.push(Reverse((next, number)));
            self.heads[number] = Some(head);
        }
        Ok(row.map(|row| (key, row)))
    }

    /// The next rows; all with the same key are in one batch.
    fn batch(&mut self) -> Result<Option<(u64, Rows)>, DataError> {
        let mut made = Rows::default();
        let mut first = None;
        let mut last = None;
        // Where the rows with the last key begin.
        let mut alike = 0;
        loop {
            let same = |heap: &BinaryHeap<Reverse<(u64, usize)>>| {
                heap.peek().map(|Reverse((key, _))| *key) == last
            };
            if made.rows.len() >= BATCH && !same(&self.heap) {
                break;
            }
            let Some((key, row)) = self.next()? else { break };
            first.get_or_insert(key);
            if last != Some(key) {
                last = Some(key);
                alike = made.rows.len();
            }
            if self.is_unique && made.rows[alike..].iter().any(|other| is_same(other, &row)) {
                made.counts.skipped_positions.duplicate += 1;
                continue;
            }
            match row.packed.score() {
                Ok(Some(Score::Centipawns(_))) => made.counts.evals += 1,
                Ok(Some(Score::Mate(_))) => made.counts.mates += 1,
                _ => {}
            }
            made.rows.push(row);
        }
        Ok(first.map(|key| (key, made)))
    }
}

/// Whether two rows are of the same position, whatever their clocks.
fn is_same(a: &Row, b: &Row) -> bool {
    a.packed.as_bytes()[..24] == b.packed.as_bytes()[..24]
}

impl Feed for Merge {
    type Item = Merged;

    fn take(&mut self) -> Option<Merged> {
        if self.failed {
            return None;
        }
        let batch = self.batch();
        self.failed = batch.is_err();
        batch.transpose()
    }
}

/// The counts that the merge counts anew.
pub(crate) fn counts_before_merge(counts: &Counts) -> Counts {
    Counts { positions: 0, evals: 0, mates: 0, ..*counts }
}
