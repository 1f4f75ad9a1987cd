//! Converts a data set between Parquet and packed rows.
//!
//! The shards have the same rows in the same order. Packed rows store position, move, evaluation, mate and
//! result; Parquet converted from them has these columns and `board`.

use std::ops::Range;
use std::path::Path;

use super::convert_games::Rows;
use super::options::FileFormat;
use super::tracker::{ConvertedChunk, Cursor, PrepareEvent};
use super::{InputFile, Job, PrepareOptions, Prepared, ResumePoint, RowSource};
use crate::plan::DataSetPlan;
use crate::reader::Shard;
use crate::{Column, DataError, Manifest, PointOfView, Row, Split, Workers, files};

/// Converts a data set to another format, into another directory. Resumes a run that was killed or
/// [stopped](Workers::until).
pub fn convert<'a, 'w>(
    from: &Path,
    folder: &Path,
    format: FileFormat,
    workers: impl Into<Workers<'w>>,
    observer: impl FnMut(PrepareEvent<'_>) + Send + 'a,
) -> Result<Prepared, DataError> {
    files::ensure_apart(folder, [from])?;
    let manifest = Manifest::open(from)?;
    let columns = manifest.column_list()?;
    if !columns.contains(&Column::Board) && !columns.contains(&Column::Fen) {
        let reason = "it has neither a column 'board' nor 'fen'".to_owned();
        return Err(DataError::NotADataSet { path: from.to_owned(), reason });
    }
    let options = PrepareOptions {
        format,
        pov: PointOfView::White,
        columns: Column::PACKED.map(|column| column.name().to_owned()).to_vec(),
        ..manifest.plan.options.clone()
    };
    let path = Manifest::path(from);
    let hashed = files::hash(&path)?;
    let name = path.display().to_string();
    let input = InputFile { name, bytes: Some(hashed.bytes), blake3: Some(hashed.blake3) };
    let plan = DataSetPlan::new(vec![input], &options, manifest.plan.generator.clone());
    let source = RowGroups::open(from, manifest)?;
    let job = Job { folder, plan, source, workers: workers.into(), can_resume: true };
    job.run(Box::new(observer))
}

/// All row groups of a data set.
struct RowGroups {
    manifest: Manifest,
    shards: Vec<(Shard, Split)>,
    /// Index of the shard, and of the row group in it.
    groups: Vec<(usize, usize)>,
}

impl RowGroups {
    fn open(folder: &Path, manifest: Manifest) -> Result<Self, DataError> {
        let (mut shards, mut groups) = (Vec::new(), Vec::new());
        for file in &manifest.files {
            let path = folder.join(&file.path);
            let shard = Shard::open(&path)?;
            shard.check_rows(file.rows)?;
            groups.extend((0..shard.row_groups().len()).map(|group| (shards.len(), group)));
            shards.push((shard, file.split));
        }
        Ok(Self { manifest, shards, groups })
    }
}

impl RowSource for RowGroups {
    type Items = Range<u64>;

    fn start(&self) -> (ResumePoint, Vec<String>) {
        let Manifest { counts, problems, first_problems, .. } = &self.manifest;
        let start = ResumePoint::start(Cursor::Partition(0));
        let point = ResumePoint { counts: counts.without_rows(), problems: *problems, ..start };
        (point, first_problems.clone())
    }

    fn is_ordered(&self) -> bool {
        true
    }

    fn items(&self, from: Cursor) -> Range<u64> {
        let end = self.groups.len() as u64;
        match from {
            Cursor::Partition(first) => first..end,
            _ => end..end,
        }
    }

    /// Reads and checks the rows of a row group.
    fn convert(&self, index: u64) -> Result<ConvertedChunk, DataError> {
        let (shard, group) = self.groups[index as usize];
        let (shard, split) = &self.shards[shard];
        let range = shard.rows_of(group);
        let mut packed = Vec::new();
        shard.read_rows(range.clone(), &mut packed)?;
        let mut rows = Rows::default();
        for (packed, number) in packed.into_iter().zip(range) {
            packed.unpack().map_err(|error| {
                DataError::damaged(shard.path(), format!("row {number}: {error}"))
            })?;
            rows.counts.add_score(packed);
            rows.rows.push(Row { split: *split, ..Row::of_packed(packed) });
        }
        Ok(ConvertedChunk::new(Cursor::Partition(index), rows))
    }
}
