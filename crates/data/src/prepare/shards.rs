//! Rows to files: row groups filled in order, encoded by any thread, put together in order.
//!
//! Which row comes into which group and file follows from the order of rows alone. Whenever a file is
//! finished, it is noted where the rows begin that are in no finished file: there a later run goes on.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ledger::{Ledger, Made, Mark};
use super::options::{FileFormat, PrepareOptions};
use super::progress::{Recorder, Stage, of_split};
use crate::files::Written;
use crate::manifest::{ShardFile, SplitRows, shard_name};
use crate::packed_file::{self, PackedWriter};
use crate::parquet_file::{Encoder, Group, ParquetWriter};
use crate::pool::{Job, Sink};
use crate::{DataError, Row, Split};

/// What files are written, and how.
#[derive(Debug)]
pub(crate) enum Style {
    Parquet(Box<Encoder>),
    Packed,
}

impl Style {
    pub(crate) fn new(options: &PrepareOptions) -> Result<Self, DataError> {
        Ok(match options.format {
            FileFormat::Packed => Self::Packed,
            FileFormat::Parquet => Self::Parquet(Box::new(Encoder::new(
                &options.columns()?,
                options.pov,
                options.compression,
            )?)),
        })
    }
}

/// A file that is being written.
enum Writer {
    Parquet(Box<ParquetWriter>),
    Packed(Box<PackedWriter>),
}

/// Rows that are ready to be written.
pub(crate) enum Encoded {
    Parquet(Group),
    Packed(Vec<u8>),
    Nothing,
}

impl Writer {
    fn create(path: &Path, style: &Style) -> Result<Self, DataError> {
        Ok(match style {
            Style::Parquet(encoder) => {
                Self::Parquet(Box::new(ParquetWriter::create(path, encoder)?))
            }
            Style::Packed => Self::Packed(Box::new(PackedWriter::create(path)?)),
        })
    }

    fn append(&mut self, encoded: Encoded) -> Result<(), DataError> {
        match (self, encoded) {
            (Self::Parquet(writer), Encoded::Parquet(group)) => writer.append(group),
            (Self::Packed(writer), Encoded::Packed(bytes)) => writer.append(&bytes),
            _ => Ok(()),
        }
    }

    fn finish(self) -> Result<Written, DataError> {
        match self {
            Self::Parquet(writer) => writer.finish(),
            Self::Packed(writer) => writer.finish(),
        }
    }
}

/// Which group of rows: of which split, in which file, the how manieth.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Place {
    shard: usize,
    group: usize,
}

/// What threads do for the files.
pub(crate) enum Task {
    /// Encode rows.
    Encode(EncodeTask),
    /// Bring a file to the disk.
    Close(CloseTask),
}

pub(crate) struct EncodeTask {
    style: Arc<Style>,
    path: PathBuf,
    split: Split,
    place: Place,
    rows: Vec<Row>,
    is_last: bool,
}

pub(crate) struct CloseTask {
    writer: Writer,
    file: ShardFile,
}

/// What they have done.
pub(crate) enum Done {
    Encoded { split: Split, place: Place, rows: u64, is_last: bool, encoded: Encoded },
    Closed(ShardFile),
}

impl Job for Task {
    type Done = Done;

    fn run(self) -> Result<Done, DataError> {
        match self {
            Self::Encode(task) => {
                let EncodeTask { style, path, split, place, rows, is_last } = task;
                let encoded = match &*style {
                    _ if rows.is_empty() => Encoded::Nothing,
                    Style::Parquet(encoder) => Encoded::Parquet(encoder.encode(&rows, &path)?),
                    Style::Packed => Encoded::Packed(packed_file::encode(&rows)),
                };
                Ok(Done::Encoded { split, place, rows: rows.len() as u64, is_last, encoded })
            }
            Self::Close(CloseTask { writer, mut file }) => {
                let written = writer.finish()?;
                (file.bytes, file.blake3) = (written.bytes, written.blake3);
                Ok(Done::Closed(file))
            }
        }
    }
}

/// The files of one split.
struct Files {
    split: Split,
    /// Rows that are in no group yet.
    pending: Vec<Row>,
    /// The group they will be.
    place: Place,
    /// How many rows the current file has, those pending included.
    in_shard: u64,
    /// Rows that are in finished files already, and come again.
    to_drop: u64,
    /// Where each unfinished file begins.
    begins: VecDeque<Mark>,
    /// Groups that wait for those before them.
    waiting: BTreeMap<Place, (Encoded, u64, bool)>,
    next: Place,
    writer: Option<(Writer, u64)>,
    finished: Vec<ShardFile>,
    /// Finished before one that began earlier.
    early: BTreeMap<String, ShardFile>,
}

/// All files of a data set.
pub(crate) struct Shards<'a> {
    folder: PathBuf,
    style: Arc<Style>,
    format: FileFormat,
    shard_rows: u64,
    group_rows: usize,
    files: [Files; 2],
    pub ledger: Ledger<'a>,
    /// Where the last rows that came began.
    last: Mark,
    recorder: Recorder,
    runs: Option<usize>,
}

impl Files {
    /// Where the rows begin that are in no finished file. If all are, that is where the last came from.
    fn begin<'m>(&'m self, last: &'m Mark) -> &'m Mark {
        let is_idle = self.in_shard == 0 && self.begins.len() == 1;
        self.begins.front().filter(|_| !is_idle).unwrap_or(last)
    }
}

impl<'a> Shards<'a> {
    /// Goes on with files after those that are finished, from the mark that the ledger is at.
    pub(crate) fn new(
        folder: &Path,
        options: &PrepareOptions,
        finished: &[ShardFile],
        ledger: Ledger<'a>,
        recorder: Recorder,
        runs: Option<usize>,
    ) -> Result<Self, DataError> {
        let mark = ledger.now;
        let files = Split::ALL.map(|split| {
            let finished = of_split(finished, split);
            let rows: u64 = finished.iter().map(|file| file.rows).sum();
            let place = Place { shard: finished.len(), group: 0 };
            Files {
                split,
                pending: Vec::new(),
                place,
                in_shard: 0,
                to_drop: rows.saturating_sub(mark.rows.of(split)),
                begins: VecDeque::from([mark]),
                waiting: BTreeMap::new(),
                next: place,
                writer: None,
                finished,
                early: BTreeMap::new(),
            }
        });
        for split in Split::ALL {
            crate::files::create_folder(&folder.join(split.name()))?;
        }
        Ok(Self {
            folder: folder.to_owned(),
            style: Arc::new(Style::new(options)?),
            format: options.format,
            shard_rows: options.shard_rows,
            group_rows: options.group_rows as usize,
            files,
            ledger,
            last: mark,
            recorder,
            runs,
        })
    }

    /// The finished files, training first.
    pub(crate) fn finished(&self) -> Vec<ShardFile> {
        self.files.iter().flat_map(|files| files.finished.clone()).collect()
    }

    fn path(&self, split: Split, shard: usize) -> PathBuf {
        self.folder.join(shard_name(split, shard, self.format))
    }

    /// Makes a group of the pending rows of a split.
    fn seal(&mut self, split: Split, is_last: bool) -> Task {
        let path = self.path(split, self.files[split as usize].place.shard);
        let files = &mut self.files[split as usize];
        let (place, rows) = (files.place, std::mem::take(&mut files.pending));
        files.place.group += 1;
        if is_last {
            files.place = Place { shard: place.shard + 1, group: 0 };
            files.in_shard = 0;
        }
        Task::Encode(EncodeTask {
            style: Arc::clone(&self.style),
            path,
            split,
            place,
            rows,
            is_last,
        })
    }

    /// Appends groups whose turn it is.
    fn write_waiting(&mut self, split: Split, tasks: &mut Vec<Task>) -> Result<(), DataError> {
        loop {
            let path = self.path(split, self.files[split as usize].next.shard);
            let files = &mut self.files[split as usize];
            let Some((encoded, rows, is_last)) = files.waiting.remove(&files.next) else {
                return Ok(());
            };
            let (mut writer, mut total) = match files.writer.take() {
                Some(open) => open,
                None => (Writer::create(&path, &self.style)?, 0),
            };
            writer.append(encoded)?;
            total += rows;
            if is_last {
                let path = shard_name(split, files.next.shard, self.format);
                let blake3 = String::new();
                let file = ShardFile { path, split, rows: total, bytes: 0, blake3 };
                tasks.push(Task::Close(CloseTask { writer, file }));
                files.next = Place { shard: files.next.shard + 1, group: 0 };
            } else {
                files.writer = Some((writer, total));
                files.next.group += 1;
            }
        }
    }

    /// Notes that a file is finished, and where to go on.
    fn close(&mut self, file: ShardFile) -> Result<(), DataError> {
        let files = &mut self.files[file.split as usize];
        files.early.insert(file.path.clone(), file);
        // Files can be finished out of order; only those without a gap before them count.
        loop {
            let name = shard_name(files.split, files.finished.len(), self.format);
            let Some(file) = files.early.remove(&name) else { break };
            files.finished.push(file);
            files.begins.pop_front();
        }
        let begins = self.files.iter().map(|files| files.begin(&self.last));
        let total = |rows: &SplitRows| rows.train + rows.validation;
        let Some(&mark) = begins.min_by_key(|mark| total(&mark.rows)) else { return Ok(()) };
        let stage = Stage::Writing { runs: self.runs, files: self.finished() };
        self.recorder.record(stage, mark, self.ledger.problems_at(&mark))
    }
}

impl Sink for Shards<'_> {
    type Part = Made;
    type Job = Task;

    fn merge(&mut self, made: Made) -> Result<Vec<Task>, DataError> {
        let (mark, rows) = self.ledger.enter(made);
        self.last = mark;
        let mut tasks = Vec::new();
        for row in rows {
            let group_rows = self.group_rows;
            let files = &mut self.files[row.split as usize];
            if files.to_drop > 0 {
                files.to_drop -= 1;
                continue;
            }
            if files.pending.capacity() == 0 {
                // A group ends with its shard.
                let most = usize::try_from(self.shard_rows).unwrap_or(group_rows).min(group_rows);
                files.pending.reserve_exact(most);
            }
            files.pending.push(row);
            files.in_shard += 1;
            let is_last = files.in_shard == self.shard_rows;
            if is_last {
                files.begins.push_back(mark);
            }
            if is_last || files.pending.len() == group_rows {
                tasks.push(self.seal(row.split, is_last));
            }
        }
        Ok(tasks)
    }

    fn finish(&mut self, done: Done) -> Result<Vec<Task>, DataError> {
        let mut tasks = Vec::new();
        match done {
            Done::Encoded { split, place, rows, is_last, encoded } => {
                let files = &mut self.files[split as usize];
                files.waiting.insert(place, (encoded, rows, is_last));
                self.write_waiting(split, &mut tasks)?;
            }
            Done::Closed(file) => self.close(file)?,
        }
        Ok(tasks)
    }

    fn end(&mut self) -> Result<Vec<Task>, DataError> {
        self.ledger.now.place = super::ledger::Place::End;
        self.last = self.ledger.now;
        let is_open = |split: &Split| self.files[*split as usize].in_shard > 0;
        let open: Vec<Split> = Split::ALL.into_iter().filter(is_open).collect();
        let seal = |split: Split| {
            // What would come next: until its last file is finished, the split is not idle.
            self.files[split as usize].begins.push_back(self.last);
            self.seal(split, true)
        };
        Ok(open.into_iter().map(seal).collect())
    }

    fn is_full(&self) -> bool {
        self.ledger.is_full()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::prepare::games::Rows;
    use crate::prepare::ledger;
    use chess::{PackedRow, Position};

    /// A run that is killed between the last files of two splits must read the rows of the second again.
    #[test]
    fn where_to_go_on_is_before_the_rows_of_the_last_file_until_it_is_finished() {
        let folder = std::env::temp_dir().join(format!("tabiya-shards-{}", std::process::id()));
        for split in Split::ALL {
            let file = folder.join(shard_name(split, 0, FileFormat::Packed));
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        }
        let options = PrepareOptions { format: FileFormat::Packed, ..PrepareOptions::default() };
        let recorder = Recorder::new(&folder, Plan::new(Vec::new(), &options, None));
        let begin = Mark::begin(ledger::Place::Block(0));
        let ledger = Ledger::new(Vec::new(), None, begin, Vec::new(), Box::new(|_| {}));
        let mut shards = Shards::new(&folder, &options, &[], ledger, recorder, None).unwrap();
        let row = Row::of_packed(PackedRow::new(&Position::INITIAL).unwrap());
        for block in 0..3 {
            let rows = Split::ALL.map(|split| Row { split, ..row }).to_vec();
            let rows = Rows { rows, ..Rows::default() };
            let place = ledger::Place::Block(block);
            shards.merge(Made { place, rows, failure: None, read: 0 }).unwrap();
        }
        let mut tasks = shards.end().unwrap();
        assert_eq!(tasks.len(), 2);
        for rows_to_come_again in [3, 0] {
            // All that is to be done for one file, from its rows to its closing.
            let mut task = tasks.pop();
            while let Some(next) = task {
                task = shards.finish(next.run().unwrap()).unwrap().pop();
            }
            let progress = std::fs::read(folder.join("_progress.json")).unwrap();
            let progress: serde_json::Value = serde_json::from_slice(&progress).unwrap();
            let read_before = progress["mark"]["rows"]["train"].as_u64().unwrap();
            assert_eq!(3 - read_before, rows_to_come_again);
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
