//! Data sets of generated rows: rescored positions, self-play.
//!
//! The rows are divided into partitions. The rows of a partition depend on its index alone, so the files do
//! not depend on the threads, and an interrupted run resumes with the first partition whose rows are in no
//! finished shard.

use std::ops::Range;
use std::path::Path;

use serde_json::Value;

use super::convert_games::Rows;
use super::tracker::{ConvertedChunk, Cursor, PrepareEvent};
use super::{InputFile, Job, PrepareOptions, Prepared, ResumePoint, RowSource};
use crate::plan::DataSetPlan;
use crate::{Counts, DataError, Row, Workers};

/// Everything that determines a generated data set. Only the same parameters resume an interrupted run.
#[derive(Clone, PartialEq, Debug)]
pub struct GenerateOptions {
    /// Inputs of the generator.
    pub inputs: Vec<InputFile>,
    /// Format, order, seed, shard sizes and maximum number of positions; filters are ignored.
    pub options: PrepareOptions,
    /// All other parameters of the generator, stored in the manifest.
    pub generator: Value,
    /// Number of partitions.
    pub partitions: u64,
}

/// The rows of a partition.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Partition {
    /// The rows.
    pub rows: Vec<Row>,
    /// Counts of games, moves and filtered positions; rows are counted by [`generate`].
    pub counts: Counts,
    /// Progress after this partition, for [`PrepareEvent::Progress`].
    pub read: u64,
}

/// Writes a data set of generated rows. The observer receives progress events.
///
/// ```
/// use tabiya_data::chess::{PackedRow, Position};
/// use tabiya_data::{FileFormat, GenerateOptions, Partition, PrepareOptions, Row};
/// let folder = std::env::temp_dir().join(format!("tabiya-generate-{}", std::process::id()));
/// let options = PrepareOptions { format: FileFormat::Packed, ..PrepareOptions::default() };
/// let generator = serde_json::json!({ "by": "an example" });
/// let options = GenerateOptions { inputs: Vec::new(), options, generator, partitions: 3 };
/// let partition = |_index| {
///     let packed = PackedRow::new(&Position::INITIAL).unwrap();
///     Ok(Partition { rows: vec![Row::of_packed(packed)], ..Partition::default() })
/// };
/// let threads = std::num::NonZero::<usize>::MIN;
/// let prepared = tabiya_data::generate(&folder, &options, threads, partition, |_| {})?;
/// assert_eq!(prepared.manifest.rows.train, 3);
/// # std::fs::remove_dir_all(folder).unwrap();
/// # Ok::<(), tabiya_data::DataError>(())
/// ```
pub fn generate<'a, 'w>(
    folder: &Path,
    options: &GenerateOptions,
    workers: impl Into<Workers<'w>>,
    partition: impl Fn(u64) -> Result<Partition, DataError> + Sync,
    observer: impl FnMut(PrepareEvent<'_>) + Send + 'a,
) -> Result<Prepared, DataError> {
    let GenerateOptions { inputs, options, generator, partitions } = options;
    options.check()?;
    let plan = DataSetPlan::new(inputs.clone(), options, Some(generator.clone()));
    let source = Partitions { count: *partitions, partition };
    let job = Job { folder, plan, source, workers: workers.into(), can_resume: true };
    job.run(Box::new(observer))
}

/// Rows of partitions.
struct Partitions<P> {
    count: u64,
    partition: P,
}

impl<P: Fn(u64) -> Result<Partition, DataError> + Sync> RowSource for Partitions<P> {
    type Items = Range<u64>;

    fn start(&self) -> (ResumePoint, Vec<String>) {
        (ResumePoint::start(Cursor::Partition(0)), Vec::new())
    }

    fn items(&self, from: Cursor) -> Range<u64> {
        match from {
            Cursor::Partition(next) => next..self.count,
            _ => self.count..self.count,
        }
    }

    fn convert(&self, index: u64) -> Result<ConvertedChunk, DataError> {
        let Partition { rows, mut counts, read } = (self.partition)(index)?;
        rows.iter().for_each(|row| counts.add_score(row.packed));
        let rows = Rows { rows, counts, ..Rows::default() };
        Ok(ConvertedChunk { read, ..ConvertedChunk::new(Cursor::Partition(index), rows) })
    }
}
