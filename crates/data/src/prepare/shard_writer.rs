//! Rows to shards: row groups are filled in order, encoded by any worker, and appended in order.
//!
//! The order of the rows alone determines the row group and shard of each of them. Whenever a shard is
//! finished, the progress log stores the start of the rows that are in no finished shard: a later run
//! resumes there.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::options::{FileFormat, PrepareOptions};
use super::progress_log::{ProgressLog, Stage};
use super::tracker::{ConvertedChunk, Cursor, ResumePoint, Tracker};
use crate::files::Written;
use crate::manifest::{ShardFile, shard_name};
use crate::packed_file::{self, PackedWriter};
use crate::parquet_file::{Encoder, ParquetWriter, RowGroup};
use crate::pipeline::{Sink, Task, Tasks};
use crate::plan::DataSetPlan;
use crate::{DataError, Manifest, Row, Split};

/// Encodes row groups.
#[derive(Debug)]
enum RowGroupEncoder {
    Parquet(Box<Encoder>),
    Packed,
}

impl RowGroupEncoder {
    fn new(options: &PrepareOptions) -> Result<Self, DataError> {
        Ok(match options.format {
            FileFormat::Packed => Self::Packed,
            FileFormat::Parquet => Self::Parquet(Box::new(Encoder::new(
                &options.columns()?,
                options.pov,
                options.compression,
            )?)),
        })
    }

    fn encode(&self, rows: &[Row], path: &Path) -> Result<Encoded, DataError> {
        Ok(match self {
            _ if rows.is_empty() => Encoded::Nothing,
            Self::Parquet(encoder) => Encoded::Parquet(encoder.encode(rows, path)?),
            Self::Packed => Encoded::Packed(packed_file::encode(rows)),
        })
    }
}

/// An encoded row group.
enum Encoded {
    Parquet(RowGroup),
    Packed(Vec<u8>),
    Nothing,
}

/// An open shard.
enum Writer {
    Parquet(Box<ParquetWriter>),
    Packed(Box<PackedWriter>),
}

impl Writer {
    fn create(path: &Path, encoder: &RowGroupEncoder) -> Result<Self, DataError> {
        Ok(match encoder {
            RowGroupEncoder::Parquet(encoder) => {
                Self::Parquet(Box::new(ParquetWriter::create(path, encoder)?))
            }
            RowGroupEncoder::Packed => Self::Packed(Box::new(PackedWriter::create(path)?)),
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

/// Index of a row group within a split.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct RowGroupIndex {
    shard: usize,
    group: usize,
}

impl RowGroupIndex {
    /// The index after this row group.
    fn next(self, ends_shard: bool) -> Self {
        match ends_shard {
            true => Self { shard: self.shard + 1, group: 0 },
            false => Self { group: self.group + 1, ..self },
        }
    }
}

/// An encoded row group that is not written yet.
pub(crate) struct EncodedGroup {
    split: Split,
    index: RowGroupIndex,
    rows: u64,
    /// Whether it is the last of its shard.
    ends_shard: bool,
    encoded: Encoded,
}

/// Result of a task.
pub(crate) enum Done {
    Encoded(EncodedGroup),
    Closed(ShardFile),
}

/// The shards of one split.
struct SplitShards {
    split: Split,
    /// Rows of the next row group.
    pending: Vec<Row>,
    /// Index of that row group.
    index: RowGroupIndex,
    /// Rows of the current shard, pending ones included.
    in_shard: u64,
    /// Rows at the resume point that are in finished shards already.
    to_skip: u64,
    /// Start of each unfinished shard.
    starts: VecDeque<ResumePoint>,
    /// Encoded row groups that wait for earlier ones.
    waiting: BTreeMap<RowGroupIndex, EncodedGroup>,
    /// Index of the next row group to write.
    next: RowGroupIndex,
    /// The open shard and its number of rows.
    writer: Option<(Writer, u64)>,
    finished: Vec<ShardFile>,
    /// Shards finished before an earlier one.
    out_of_order: BTreeMap<String, ShardFile>,
}

impl SplitShards {
    fn new(split: Split, finished: &[ShardFile], point: ResumePoint) -> Self {
        let finished: Vec<ShardFile> =
            finished.iter().filter(|file| file.split == split).cloned().collect();
        let rows: u64 = finished.iter().map(|file| file.rows).sum();
        let index = RowGroupIndex { shard: finished.len(), group: 0 };
        Self {
            split,
            pending: Vec::new(),
            index,
            in_shard: 0,
            to_skip: rows.saturating_sub(point.rows.of(split)),
            starts: VecDeque::from([point]),
            waiting: BTreeMap::new(),
            next: index,
            writer: None,
            finished,
            out_of_order: BTreeMap::new(),
        }
    }

    /// Start of the rows that are in no finished shard; `last`, the start of the last chunk, if there are
    /// none.
    fn start<'p>(&'p self, last: &'p ResumePoint) -> &'p ResumePoint {
        let is_idle = self.in_shard == 0 && self.starts.len() == 1;
        self.starts.front().filter(|_| !is_idle).unwrap_or(last)
    }
}

/// Writes the shards of a data set.
pub(crate) struct ShardWriter<'a> {
    folder: PathBuf,
    encoder: Arc<RowGroupEncoder>,
    format: FileFormat,
    shard_rows: u64,
    group_rows: usize,
    splits: [SplitShards; 2],
    tracker: Tracker<'a>,
    /// Start of the last chunk.
    last: ResumePoint,
    log: ProgressLog,
    /// Number of sorted runs the rows come from.
    runs: Option<usize>,
}

impl<'a> ShardWriter<'a> {
    /// Resumes after the finished shards, at the point of the tracker.
    pub(crate) fn new(
        folder: &Path,
        options: &PrepareOptions,
        finished: &[ShardFile],
        tracker: Tracker<'a>,
        log: ProgressLog,
        runs: Option<usize>,
    ) -> Result<Self, DataError> {
        for split in Split::ALL {
            crate::files::create_folder(&folder.join(split.name()))?;
        }
        let last = tracker.now;
        Ok(Self {
            folder: folder.to_owned(),
            encoder: Arc::new(RowGroupEncoder::new(options)?),
            format: options.format,
            shard_rows: options.shard_rows,
            group_rows: options.group_rows as usize,
            splits: Split::ALL.map(|split| SplitShards::new(split, finished, last)),
            tracker,
            last,
            log,
            runs,
        })
    }

    /// The manifest of the finished data set.
    pub(crate) fn manifest(&self, plan: &DataSetPlan) -> Manifest {
        let Tracker { now, first_problems, .. } = &self.tracker;
        Manifest::new(plan.clone(), now, first_problems, self.finished())
    }

    /// The finished shards, training first.
    fn finished(&self) -> Vec<ShardFile> {
        self.splits.iter().flat_map(|split| split.finished.clone()).collect()
    }

    fn path(&self, split: Split, shard: usize) -> PathBuf {
        self.folder.join(shard_name(split, shard, self.format))
    }

    /// The task that encodes the pending rows of a split as a row group.
    fn encode(&mut self, split: Split, ends_shard: bool) -> Task<Done> {
        let path = self.path(split, self.splits[split as usize].index.shard);
        let shards = &mut self.splits[split as usize];
        let (index, rows) = (shards.index, std::mem::take(&mut shards.pending));
        shards.index = index.next(ends_shard);
        if ends_shard {
            shards.in_shard = 0;
        }
        let encoder = Arc::clone(&self.encoder);
        Box::new(move || {
            let encoded = encoder.encode(&rows, &path)?;
            let rows = rows.len() as u64;
            Ok(Done::Encoded(EncodedGroup { split, index, rows, ends_shard, encoded }))
        })
    }

    /// Appends the encoded row groups whose turn it is.
    fn write_waiting(&mut self, split: Split) -> Tasks<Done> {
        let mut tasks: Vec<Task<Done>> = Vec::new();
        loop {
            let shard = self.splits[split as usize].next.shard;
            let path = self.path(split, shard);
            let shards = &mut self.splits[split as usize];
            let Some(group) = shards.waiting.remove(&shards.next) else { return Ok(tasks) };
            let (mut writer, mut rows) = match shards.writer.take() {
                Some(open) => open,
                None => (Writer::create(&path, &self.encoder)?, 0),
            };
            writer.append(group.encoded)?;
            rows += group.rows;
            shards.next = shards.next.next(group.ends_shard);
            if group.ends_shard {
                let path = shard_name(split, shard, self.format);
                tasks.push(Box::new(move || {
                    let Written { bytes, blake3 } = writer.finish()?;
                    Ok(Done::Closed(ShardFile { path, split, rows, bytes, blake3 }))
                }));
            } else {
                shards.writer = Some((writer, rows));
            }
        }
    }

    /// Adds a finished shard to the progress log.
    fn close(&mut self, file: ShardFile) -> Result<(), DataError> {
        let shards = &mut self.splits[file.split as usize];
        shards.out_of_order.insert(file.path.clone(), file);
        // A shard counts as finished when all shards before it are.
        loop {
            let name = shard_name(shards.split, shards.finished.len(), self.format);
            let Some(file) = shards.out_of_order.remove(&name) else { break };
            shards.finished.push(file);
            shards.starts.pop_front();
        }
        let starts = self.splits.iter().map(|shards| shards.start(&self.last));
        let Some(&point) = starts.min_by_key(|point| point.rows.total()) else { return Ok(()) };
        let stage = Stage::Writing { runs: self.runs, files: self.finished() };
        self.log.write(stage, point, self.tracker.problems_before(&point))
    }
}

impl Sink for ShardWriter<'_> {
    type Item = ConvertedChunk;
    type Done = Done;

    fn consume(&mut self, chunk: ConvertedChunk) -> Tasks<Done> {
        let (start, rows) = self.tracker.add(chunk);
        self.last = start;
        let mut tasks = Vec::new();
        for row in rows {
            let group_rows = self.group_rows;
            let shards = &mut self.splits[row.split as usize];
            if shards.to_skip > 0 {
                shards.to_skip -= 1;
                continue;
            }
            if shards.pending.capacity() == 0 {
                // A row group ends with its shard.
                let most = usize::try_from(self.shard_rows).unwrap_or(group_rows).min(group_rows);
                shards.pending.reserve_exact(most);
            }
            shards.pending.push(row);
            shards.in_shard += 1;
            let ends_shard = shards.in_shard == self.shard_rows;
            if ends_shard {
                shards.starts.push_back(start);
            }
            if ends_shard || shards.pending.len() == group_rows {
                tasks.push(self.encode(row.split, ends_shard));
            }
        }
        Ok(tasks)
    }

    fn task_done(&mut self, done: Done) -> Tasks<Done> {
        match done {
            Done::Encoded(group) => {
                let split = group.split;
                self.splits[split as usize].waiting.insert(group.index, group);
                self.write_waiting(split)
            }
            Done::Closed(file) => self.close(file).map(|()| Vec::new()),
        }
    }

    fn end(&mut self) -> Tasks<Done> {
        self.tracker.now.cursor = Cursor::End;
        self.last = self.tracker.now;
        let is_open = |split: &Split| self.splits[*split as usize].in_shard > 0;
        let open: Vec<Split> = Split::ALL.into_iter().filter(is_open).collect();
        let encode = |split: Split| {
            // Keeps the split from being idle until its last shard is finished.
            self.splits[split as usize].starts.push_back(self.last);
            self.encode(split, true)
        };
        Ok(open.into_iter().map(encode).collect())
    }

    fn is_full(&self) -> bool {
        self.tracker.is_full()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::DataSetPlan;
    use crate::prepare::convert_games::Rows;
    use chess::{PackedRow, Position};

    /// A run that is killed between the last shards of two splits reads the rows of the second again.
    #[test]
    fn the_resume_point_is_before_the_last_shard_until_it_is_finished() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path();
        for split in Split::ALL {
            let file = folder.join(shard_name(split, 0, FileFormat::Packed));
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        }
        let options = PrepareOptions { format: FileFormat::Packed, ..PrepareOptions::default() };
        let log = ProgressLog::new(folder, DataSetPlan::new(Vec::new(), &options, None));
        let start = ResumePoint::start(Cursor::Partition(0));
        let tracker = Tracker::new(Vec::new(), None, start, Vec::new(), Box::new(|_| {}));
        let mut writer = ShardWriter::new(folder, &options, &[], tracker, log, None).unwrap();
        let row = Row::of_packed(PackedRow::new(&Position::INITIAL).unwrap());
        for index in 0..3 {
            let rows = Split::ALL.map(|split| Row { split, ..row }).to_vec();
            let rows = Rows { rows, ..Rows::default() };
            writer.consume(ConvertedChunk::new(Cursor::Partition(index), rows)).unwrap();
        }
        let mut tasks = writer.end().unwrap();
        assert_eq!(tasks.len(), 2);
        for rows_to_read_again in [3, 0] {
            // All tasks of one shard, from encoding to closing.
            let mut task = tasks.pop();
            while let Some(next) = task {
                task = writer.task_done(next().unwrap()).unwrap().pop();
            }
            let progress = std::fs::read(folder.join("_progress.json")).unwrap();
            let progress: serde_json::Value = serde_json::from_slice(&progress).unwrap();
            let read_before = progress["mark"]["rows"]["train"].as_u64().unwrap();
            assert_eq!(3 - read_before, rows_to_read_again);
        }
    }
}
