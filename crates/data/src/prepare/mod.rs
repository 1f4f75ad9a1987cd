//! From games to a data set: `PGN → rows → shards`, on all cores, in bounded memory.
//!
//! ```text
//! inputs ─Source─▶ text ─GameConverter─▶ rows ─┬──────────────────────────▶ ShardWriter ─▶ train/, validation/
//!                                              └─RunWriter─▶ _runs/ ─Merge─▶   (shuffled, or deduplicated)
//! ```
//!
//! Generated rows ([`generate()`]) take the same path.
//!
//! An interrupted run resumes behind its last finished shard. The files are the same as those of an
//! uninterrupted run, with any number of threads.

mod chunk_cache;
mod convert_games;
mod counts;
mod folder;
mod generate;
mod options;
mod progress_log;
mod repack;
mod report;
mod runs;
mod shard_writer;
mod source;
mod table;
mod time_class;
mod tracker;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

pub use chunk_cache::{CHUNK_BYTES, ChunkConverter, ConvertedChunks, TextChunks, convert_chunks};
pub use counts::{Counts, SkippedGames, SkippedPositions};
pub use generate::{GenerateOptions, Partition, generate};
pub use options::{FileFormat, PrepareOptions, RowOrder, parse_part};
pub(crate) use progress_log::ResumeState;
pub use repack::convert;
pub use report::RunReport;
pub use source::{InputFile, describe, expand};
pub use table::{PositionTable, read_table};
pub use time_class::TimeClass;
pub use tracker::PrepareEvent;
pub(crate) use tracker::ResumePoint;

use crate::plan::DataSetPlan;
use crate::text_reader::Content;
use crate::threads::lock;
use crate::{DataError, Manifest, ReadOptions, Workers, files, pipeline};
use chunk_cache::ChunkCache;
use convert_games::{GameConverter, Rows};
use folder::{FolderState, OutputFolder};
use progress_log::{ProgressLog, Stage};
use runs::{Merge, RunWriter};
use shard_writer::ShardWriter;
use source::{PipeHashes, Source, SourceChunk, TextCursor};
use tracker::{ConvertedChunk, Cursor, Observer, Tracker};

/// Result of a run that writes a data set.
#[derive(Clone, PartialEq, Debug)]
pub struct Prepared {
    /// Manifest of the data set.
    pub manifest: Manifest,
    /// Whether the data set was complete before.
    pub was_complete: bool,
    /// Whether an interrupted run was resumed.
    pub was_resumed: bool,
}

impl Prepared {
    /// Counts and sizes as JSON.
    pub fn to_json(&self) -> Value {
        let Manifest { counts, rows, problems, files, .. } = &self.manifest;
        json!({
            "games": counts.games,
            "moves": counts.moves,
            "positions": counts.positions,
            "train": rows.train,
            "validation": rows.validation,
            "evals": counts.evals,
            "mates": counts.mates,
            "counts": counts,
            "problems": problems,
            "files": files.len(),
            "bytes": self.manifest.bytes(),
            "complete_before": self.was_complete,
            "resumed": self.was_resumed,
        })
    }
}

/// Writes a data set of the games in these files. The observer receives problems and progress, from any
/// thread.
///
/// A broken game or a damaged file is not an error: it is reported, counted in [`Manifest::problems`], and
/// the rest is converted. A file that cannot be opened is an error before anything is written. The same
/// call resumes a run that was killed or [stopped](Workers::until).
pub fn prepare<'a, 'w>(
    inputs: &[PathBuf],
    folder: &Path,
    options: &PrepareOptions,
    workers: impl Into<Workers<'w>>,
    observer: impl FnMut(PrepareEvent<'_>) + Send + 'a,
) -> Result<Prepared, DataError> {
    prepare_with_chunks(inputs, folder, options, None, workers, observer)
}

/// [`prepare`], with chunks of the text converted by other processes: directories of files of a [`ChunkConverter`],
/// and the size of chunks given to [`TextChunks::open`]. The data set is the same.
pub fn prepare_with_chunks<'a, 'w>(
    inputs: &[PathBuf],
    folder: &Path,
    options: &PrepareOptions,
    chunks: Option<(&[PathBuf], usize)>,
    workers: impl Into<Workers<'w>>,
    observer: impl FnMut(PrepareEvent<'_>) + Send + 'a,
) -> Result<Prepared, DataError> {
    let converter = GameConverter::new(options)?;
    let files = expand(inputs)?;
    source::check(&files)?;
    files::ensure_apart(folder, files.iter().map(PathBuf::as_path))?;
    let workers = workers.into();
    let described = files.iter().map(|file| source::describe_until(file, workers));
    let described: Vec<InputFile> = described.collect::<Result<_, _>>()?;
    // A pipe cannot be read again.
    let can_resume = described.iter().all(|input| input.bytes.is_some());
    let plan = DataSetPlan::new(described, options, None);
    let hashes = PipeHashes::default();
    let cache = chunks.map(|(folders, _)| ChunkCache::new(folders, options)).transpose()?;
    let chunk_bytes = chunks.map_or_else(|| chunk_size(workers), |(_, bytes)| bytes.max(1));
    let source = GameSource { converter, files, chunk_bytes, hashes, cache };
    Job { folder, plan, source, workers, can_resume }.run(Box::new(observer))
}

/// Target size of a chunk of text. Smaller chunks with many threads bound the memory of all of them.
fn chunk_size(workers: Workers<'_>) -> usize {
    ((8 << 20) / workers.threads().get()).clamp(1 << 17, 1 << 20)
}

/// Where the rows of a data set come from.
trait RowSource: Sync {
    /// Iterates over the input.
    type Items: Iterator + Send;
    /// Start of the input, and the problems reported before it.
    fn start(&self) -> (ResumePoint, Vec<String>);
    /// Whether the rows are in their final order, so that they are not sorted.
    fn is_ordered(&self) -> bool {
        false
    }
    /// The input from a cursor on.
    fn items(&self, from: Cursor) -> Self::Items;
    /// Converts an item to rows.
    fn convert(&self, item: <Self::Items as Iterator>::Item) -> Result<ConvertedChunk, DataError>;
    /// Fills in what is known only at the end.
    fn complete(&self, _manifest: &mut Manifest) {}
}

/// Games in files.
struct GameSource {
    converter: GameConverter,
    files: Vec<PathBuf>,
    /// Target size of a chunk of text.
    chunk_bytes: usize,
    hashes: PipeHashes,
    /// Chunks converted by other processes.
    cache: Option<ChunkCache>,
}

impl RowSource for GameSource {
    type Items = Source;

    fn start(&self) -> (ResumePoint, Vec<String>) {
        (ResumePoint::start(Cursor::Text(TextCursor::default())), Vec::new())
    }

    fn items(&self, from: Cursor) -> Source {
        let start = match from {
            Cursor::Text(cursor) => cursor,
            _ => TextCursor { input: self.files.len(), ..TextCursor::default() },
        };
        Source::new(self.files.clone(), start, self.chunk_bytes, Arc::clone(&self.hashes))
    }

    fn convert(&self, item: SourceChunk) -> Result<ConvertedChunk, DataError> {
        let SourceChunk { input, chunk, bytes_read: read } = item;
        let offset = chunk.offset;
        let cursor = Cursor::Text(TextCursor { input, offset, games: 0 });
        let (rows, error) = match chunk.content {
            Content::Games(text) => {
                let cached = self.cache.as_ref().and_then(|c| c.read(input, offset, &text));
                let convert = || self.converter.rows(&text, input, offset);
                (cached.unwrap_or_else(convert), None)
            }
            Content::TooLong(_) => (Rows::too_long(ReadOptions::default().max_game_bytes), None),
            Content::Damaged(error) => (Rows::default(), Some(error)),
        };
        Ok(ConvertedChunk { cursor, rows, error, read })
    }

    /// Size and hash of pipes.
    fn complete(&self, manifest: &mut Manifest) {
        for (index, hash) in lock(&self.hashes).iter() {
            let hash = lock(hash);
            if let Some(input) = manifest.plan.inputs.get_mut(*index) {
                input.bytes = Some(hash.1);
                input.blake3 = Some(hash.0.finalize().to_hex().to_string());
            }
        }
    }
}

/// A run that writes a data set.
struct Job<'w, S> {
    folder: &'w Path,
    plan: DataSetPlan,
    source: S,
    workers: Workers<'w>,
    can_resume: bool,
}

impl<S: RowSource> Job<'_, S> {
    /// Runs to the end, or resumes an interrupted run.
    fn run(&self, observer: Observer<'_>) -> Result<Prepared, DataError> {
        let (folder, state) = OutputFolder::open(self.folder, &self.plan)?;
        let (stage, point, first_problems, was_resumed) = match state {
            FolderState::Complete(manifest) => {
                let (manifest, was_resumed) = (*manifest, false);
                return Ok(Prepared { manifest, was_complete: true, was_resumed });
            }
            FolderState::Interrupted(state) if self.can_resume => {
                (state.stage, state.point, state.first_problems, true)
            }
            _ => {
                folder.clear()?;
                let is_ordered =
                    self.plan.options.order == RowOrder::Games || self.source.is_ordered();
                let stage = match is_ordered {
                    true => Stage::Writing { runs: None, files: Vec::new() },
                    false => Stage::Sorting { runs: 0 },
                };
                let (point, first_problems) = self.source.start();
                (stage, point, first_problems, false)
            }
        };
        folder.remove_manifest()?;
        self.log().write(stage.clone(), point, &first_problems)?;
        let written = self.run_stage(stage, point, first_problems, observer);
        let mut manifest = written.map_err(|error| match error {
            DataError::Interrupted { .. } => DataError::Interrupted { resumes: self.can_resume },
            error => error,
        })?;
        self.source.complete(&mut manifest);
        manifest.write(self.folder)?;
        folder.clean_up()?;
        Ok(Prepared { manifest, was_complete: false, was_resumed })
    }

    fn log(&self) -> ProgressLog {
        ProgressLog::new(self.folder, self.plan.clone())
    }

    fn run_stage(
        &self,
        stage: Stage,
        point: ResumePoint,
        first_problems: Vec<String>,
        observer: Observer<'_>,
    ) -> Result<Manifest, DataError> {
        let options = &self.plan.options;
        let names = self.plan.inputs.iter().map(|input| input.name.clone()).collect();
        // Sorted rows have been counted before.
        let is_sorted = matches!(point.cursor, Cursor::Key(_));
        let max_positions = options.max_positions.filter(|_| !is_sorted);
        let tracker = Tracker::new(names, max_positions, point, first_problems, observer);
        let convert = |item| self.source.convert(item);
        let items = || self.source.items(point.cursor);
        let writer = match stage {
            Stage::Sorting { runs } => {
                let threads = self.workers.threads().get();
                let writer =
                    RunWriter::new(self.folder, options, runs, threads, tracker, self.log())?;
                let writer = pipeline::run(self.workers, items(), convert, writer)?;
                return self.merge(writer);
            }
            Stage::Writing { runs: None, files } => {
                let writer =
                    ShardWriter::new(self.folder, options, &files, tracker, self.log(), None)?;
                pipeline::run(self.workers, items(), convert, writer)?
            }
            Stage::Writing { runs: Some(runs), files } => {
                let writer = ShardWriter::new(
                    self.folder,
                    options,
                    &files,
                    tracker,
                    self.log(),
                    Some(runs),
                )?;
                let (count, from) = match point.cursor {
                    Cursor::Key(key) => (runs, key),
                    _ => (0, 0),
                };
                let merge = Merge::new(self.folder, count, from, options.order)?;
                let convert = |merged: runs::Merged| {
                    let (key, rows) = merged?;
                    Ok(ConvertedChunk::new(Cursor::Key(key), rows))
                };
                pipeline::run(self.workers, merge, convert, writer)?
            }
        };
        Ok(writer.manifest(&self.plan))
    }

    /// The second pass of the external sort.
    fn merge(&self, writer: RunWriter<'_>) -> Result<Manifest, DataError> {
        let (runs, mut tracker) = (writer.finished(), writer.tracker);
        let now = tracker.now;
        let point = ResumePoint {
            cursor: Cursor::Key(0),
            counts: now.counts.without_rows(),
            rows: Default::default(),
            ..now
        };
        let first_problems = tracker.first_problems.clone();
        let stage = Stage::Writing { runs: Some(runs), files: Vec::new() };
        self.log().write(stage.clone(), point, &first_problems)?;
        tracker.notify(PrepareEvent::Sorting { positions: now.counts.positions });
        self.run_stage(stage, point, first_problems, tracker.into_observer())
    }
}
