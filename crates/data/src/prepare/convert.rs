//! A data set in another format: packed rows of Parquet, or Parquet of packed rows.
//!
//! The files have the same rows in the same order. Packed rows know position, move, evaluation, mate and
//! result; Parquet made of them has these columns, and `board`.

use std::path::{Path, PathBuf};

use chess::pgn::Score;

use super::folder::{Found, Workplace};
use super::games::Rows;
use super::ledger::{Event, Ledger, Made, Mark, Place};
use super::options::FileFormat;
use super::progress::{Recorder, Stage};
use super::runs::counts_before_merge;
use super::shards::Shards;
use super::{InputFile, PrepareOptions, Prepared};
use crate::manifest::{VERSION, notes};
use crate::plan::Plan;
use crate::pool::{self, Feed};
use crate::reader::Shard;
use crate::{Column, DataError, Manifest, PointOfView, Row, Split, Workers, files};

/// Writes a data set anew in another format, in another folder. Resumes a run that was killed or
/// [stopped](Workers::until).
pub fn convert<'a, 'w>(
    from: &Path,
    folder: &Path,
    format: FileFormat,
    workers: impl Into<Workers<'w>>,
    observer: impl FnMut(Event<'_>) + Send + 'a,
) -> Result<Prepared, DataError> {
    files::ensure_apart(folder, [from])?;
    let source = Manifest::open(from)?;
    let columns = source.column_list()?;
    if !columns.contains(&Column::Board) && !columns.contains(&Column::Fen) {
        let reason = "it has neither a column 'board' nor 'fen'".to_owned();
        return Err(DataError::NotADataSet { path: from.to_owned(), reason });
    }
    // Whatever cannot be told of packed rows is not promised.
    let options = PrepareOptions {
        format,
        pov: PointOfView::White,
        columns: Column::PACKED.map(|column| column.name().to_owned()).to_vec(),
        ..source.options.clone()
    };
    let path = Manifest::path(from);
    let hashed = files::hash(&path)?;
    let name = path.display().to_string();
    let input = InputFile { name, bytes: Some(hashed.bytes), blake3: Some(hashed.blake3) };
    let plan = Plan::new(vec![input], &options, source.made.clone());
    let (workplace, found) = Workplace::enter(folder, &plan)?;
    let counts = counts_before_merge(&source.counts);
    let begin = Mark { counts, problems: source.problems, ..Mark::begin(Place::Block(0)) };
    let (mark, done, was_resumed) = match found {
        Found::Finished(manifest) => {
            return Ok(Prepared { manifest: *manifest, was_complete: true, was_resumed: false });
        }
        Found::Unfinished(progress) => match progress.stage {
            Stage::Writing { files, .. } => (progress.mark, files, true),
            Stage::Sorting { .. } => (begin, Vec::new(), false),
        },
        Found::Nothing => (begin, Vec::new(), false),
    };
    let recorder = || Recorder::new(folder, plan.clone());
    let stage = Stage::Writing { runs: None, files: done.clone() };
    recorder().record(stage, mark, &source.first_problems)?;
    let problems = source.first_problems.clone();
    let ledger = Ledger::new(Vec::new(), None, mark, problems, Box::new(observer));
    let shards = Shards::new(folder, &options, &done, ledger, recorder(), None)?;
    let blocks = Blocks::new(from, &source, mark.place)?;
    let work = |(number, shard, block): (u64, usize, usize)| {
        let (shard, split) = &blocks.shards[shard];
        let rows = rows(shard, block, *split)?;
        Ok(Made { place: Place::Block(number), rows, failure: None, read: 0 })
    };
    let shards =
        pool::run(workers.into(), Numbers { blocks: &blocks, next: blocks.first }, work, shards)?;
    let now = &shards.ledger.now;
    let manifest = Manifest {
        version: VERSION,
        tabiya: plan.tabiya.clone(),
        inputs: plan.inputs.clone(),
        columns: notes(&Column::PACKED),
        counts: now.counts,
        rows: now.rows,
        problems: source.problems,
        first_problems: source.first_problems,
        files: shards.finished(),
        made: source.made,
        options,
    };
    manifest.write(folder)?;
    workplace.clean_up()?;
    Ok(Prepared { manifest, was_complete: false, was_resumed })
}

/// All blocks of a data set.
struct Blocks {
    shards: Vec<(Shard, Split)>,
    /// Each block: in which file, and which one there.
    list: Vec<(usize, usize)>,
    first: u64,
}

impl Blocks {
    fn new(folder: &Path, manifest: &Manifest, place: Place) -> Result<Self, DataError> {
        let mut shards = Vec::new();
        let mut list = Vec::new();
        for file in &manifest.files {
            let path: PathBuf = folder.join(&file.path);
            let shard = Shard::open(&path)?;
            if shard.rows() != file.rows {
                let reason = format!("it has {} rows, not {}", shard.rows(), file.rows);
                return Err(DataError::damaged(&path, reason));
            }
            list.extend((0..shard.blocks().len()).map(|block| (shards.len(), block)));
            shards.push((shard, file.split));
        }
        let first = match place {
            Place::Block(first) => first,
            _ => list.len() as u64,
        };
        Ok(Self { shards, list, first })
    }
}

struct Numbers<'a> {
    blocks: &'a Blocks,
    next: u64,
}

impl Feed for Numbers<'_> {
    type Item = (u64, usize, usize);

    fn take(&mut self) -> Option<Self::Item> {
        let number = self.next;
        let &(shard, block) = self.blocks.list.get(usize::try_from(number).ok()?)?;
        self.next += 1;
        Some((number, shard, block))
    }
}

/// The rows of a block, each of them checked.
fn rows(shard: &Shard, block: usize, split: Split) -> Result<Rows, DataError> {
    let first: u64 = shard.blocks()[..block].iter().sum();
    let mut packed = Vec::new();
    shard.read_rows(first..first + shard.blocks()[block], &mut packed)?;
    let mut made = Rows::default();
    for (packed, number) in packed.into_iter().zip(first..) {
        packed
            .unpack()
            .map_err(|error| DataError::damaged(shard.path(), format!("row {number}: {error}")))?;
        match packed.score() {
            Ok(Some(Score::Centipawns(_))) => made.counts.evals += 1,
            Ok(Some(Score::Mate(_))) => made.counts.mates += 1,
            _ => {}
        }
        made.rows.push(Row { split, ..Row::of_packed(packed) });
    }
    Ok(made)
}
