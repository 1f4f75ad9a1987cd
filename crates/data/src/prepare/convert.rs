//! A data set in another format: packed rows of Parquet, or Parquet of packed rows.
//!
//! The files have the same rows in the same order. Packed rows know position, move, evaluation, mate and
//! result; Parquet made of them has these columns, and `board`.

use std::path::{Path, PathBuf};

use chess::pgn::Score;
use chess::{Move, PackedRow, Position};

use super::folder::{Found, Workplace};
use super::games::Rows;
use super::ledger::{Event, Ledger, Made, Mark, Place};
use super::options::FileFormat;
use super::progress::{Recorder, Stage};
use super::runs::counts_before_merge;
use super::shards::Shards;
use super::{InputFile, PrepareOptions, Prepared};
use crate::manifest::{MANIFEST, Plan, VERSION, notes};
use crate::pool::{self, Feed};
use crate::reader::{RowView, Shard};
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
    let hashed = files::hash(&from.join(MANIFEST))?;
    let name = from.join(MANIFEST).display().to_string();
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
    let wanted = blocks.columns.clone();
    let work = |(number, shard, block): (u64, usize, usize)| {
        let (shard, split) = &blocks.shards[shard];
        let rows = rows(shard, block, *split, &wanted)?;
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
    columns: Vec<Column>,
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
        let has = manifest.column_list()?;
        let mut columns =
            vec![if has.contains(&Column::Board) { Column::Board } else { Column::Fen }];
        let more = [Column::BestMove, Column::Eval, Column::Mate, Column::Result];
        columns.extend(more.into_iter().filter(|column| has.contains(column)));
        let first = match place {
            Place::Block(first) => first,
            _ => list.len() as u64,
        };
        Ok(Self { shards, list, columns, first })
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
fn rows(shard: &Shard, block: usize, split: Split, columns: &[Column]) -> Result<Rows, DataError> {
    let mut made = Rows::default();
    let before: u64 = shard.blocks()[..block].iter().sum();
    let mut push = |packed: PackedRow| {
        match packed.score() {
            Ok(Some(Score::Centipawns(_))) => made.counts.evals += 1,
            Ok(Some(Score::Mate(_))) => made.counts.mates += 1,
            _ => {}
        }
        made.rows.push(Row { split, ..Row::of_packed(packed) });
    };
    let damaged = |n: usize, reason: String| {
        DataError::damaged(shard.path(), format!("row {}: {reason}", before + n as u64))
    };
    if shard.is_packed() {
        let mut packed = Vec::new();
        shard.read_packed(block, &mut packed)?;
        for (n, row) in packed.into_iter().enumerate() {
            row.unpack().map_err(|error| damaged(n, error.to_string()))?;
            push(row);
        }
    } else {
        for (n, row) in shard.read(block, columns)?.iter().enumerate() {
            push(pack(row).map_err(|reason| damaged(n, reason))?);
        }
    }
    Ok(made)
}

/// A row of columns, packed.
fn pack(row: RowView<'_>) -> Result<PackedRow, String> {
    let position = match (row.board(), row.fen()) {
        (Some(board), _) => board.position().map_err(|error| error.to_string())?,
        (None, Some(fen)) => Position::from_fen(fen).map_err(|error| error.to_string())?,
        (None, None) => return Err("there is no position".into()),
    };
    let packed = PackedRow::new(&position).ok_or("its clock has no room")?;
    let packed = match row.best_move() {
        Some(text) => packed.with_move(parse(&position, text)?),
        None => packed,
    };
    let score = row.score(position.turn());
    if score.is_some_and(|score| !PackedRow::has_room_for(score)) {
        return Err("its evaluation has no room".into());
    }
    Ok(packed.with_score(score).with_result(row.game_result()))
}

fn parse(position: &Position, text: &str) -> Result<Move, String> {
    position.parse_uci(text).map_err(|error| error.to_string())
}
