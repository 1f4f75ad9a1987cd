//! The positions of games as Arrow record batches in memory, without files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::convert_games::GameConverter;
use super::counts::Counts;
use super::options::{PrepareOptions, RowOrder};
use super::source::{self, PipeHashes};
use super::tracker::{ConvertedChunk, Cursor, PrepareEvent, ResumePoint, Tracker};
use super::{GameSource, RowSource, TextCursor, chunk_size, expand};
use crate::pipeline::{self, Sink, Task, Tasks};
use crate::{DataError, PointOfView, Workers, columns, row};

/// The positions of games.
#[derive(Clone, Debug)]
pub struct PositionTable {
    /// Columns.
    pub schema: SchemaRef,
    /// Rows, in the order of the games.
    pub batches: Vec<RecordBatch>,
    /// Games, moves, positions, and what was left out.
    pub counts: Counts,
    /// Number of problems: broken games and damaged files.
    pub problems: u64,
    /// The first of them.
    pub first_problems: Vec<String>,
}

/// Reads the games of these files into memory: the rows that [`prepare`](super::prepare) writes for the same options,
/// in the order of the games. The observer receives problems and progress, from any thread.
pub fn read_table<'a, 'w>(
    inputs: &[PathBuf],
    options: &PrepareOptions,
    workers: impl Into<Workers<'w>>,
    observer: impl FnMut(PrepareEvent<'_>) + Send + 'a,
) -> Result<PositionTable, DataError> {
    let options = PrepareOptions { order: RowOrder::Games, ..options.clone() };
    let converter = GameConverter::new(&options)?;
    let files = expand(inputs)?;
    source::check(&files)?;
    let names = files.iter().map(|file| file.display().to_string()).collect();
    let workers = workers.into();
    let hashes = PipeHashes::default();
    let chunk_bytes = chunk_size(workers);
    let source = GameSource { converter, files, chunk_bytes, hashes, cache: None };
    let start = Cursor::Text(TextCursor::default());
    let point = ResumePoint::start(start);
    let tracker = Tracker::new(names, options.max_positions, point, Vec::new(), Box::new(observer));
    let columns = options.columns()?;
    let schema = columns::schema(&columns);
    let collector = Collector {
        tracker,
        columns: columns.into(),
        schema,
        view: options.pov,
        next: 0,
        batches: BTreeMap::new(),
    };
    let collector =
        pipeline::run(workers, source.items(start), |item| source.convert(item), collector)?;
    let Collector { tracker, schema, batches, .. } = collector;
    Ok(PositionTable {
        schema,
        batches: batches.into_values().collect(),
        counts: tracker.now.counts,
        problems: tracker.now.problems,
        first_problems: tracker.first_problems,
    })
}

/// Numbers the chunks in order, and collects their columns, which any worker computes.
struct Collector<'a> {
    tracker: Tracker<'a>,
    columns: Arc<[crate::Column]>,
    schema: SchemaRef,
    view: PointOfView,
    next: usize,
    batches: BTreeMap<usize, RecordBatch>,
}

impl Sink for Collector<'_> {
    type Item = ConvertedChunk;
    type Done = (usize, RecordBatch);

    fn consume(&mut self, chunk: ConvertedChunk) -> Tasks<Self::Done> {
        let (_, rows) = self.tracker.add(chunk);
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let number = self.next;
        self.next += 1;
        let (columns, schema, view) = (self.columns.clone(), self.schema.clone(), self.view);
        let task: Task<Self::Done> = Box::new(move || {
            let damaged = |reason: String| DataError::Damaged { path: PathBuf::new(), reason };
            let arrays = columns.iter().map(|&column| row::array(&rows, column, view));
            let arrays = arrays.collect::<Result<Vec<_>, _>>();
            let arrays = arrays.map_err(|error| damaged(error.to_string()))?;
            let batch = RecordBatch::try_new(schema, arrays);
            Ok((number, batch.map_err(|error| damaged(error.to_string()))?))
        });
        Ok(vec![task])
    }

    fn task_done(&mut self, (number, batch): Self::Done) -> Tasks<Self::Done> {
        self.batches.insert(number, batch);
        Ok(Vec::new())
    }

    fn is_full(&self) -> bool {
        self.tracker.is_full()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZero;

    #[test]
    fn a_table_has_the_rows_of_the_games_with_any_number_of_threads() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let game = "[Event \"?\"]\n[Result \"1-0\"]\n\n1. e4 { [%eval 0.3] } e5 2. Nf3 1-0\n\n";
        std::fs::write(&path, game.repeat(3000) + "[Event \"?\"]\n\n1. e5 *\n").unwrap();
        let options = PrepareOptions { with_eval: true, ..PrepareOptions::default() };
        let read = |threads| {
            let threads = NonZero::new(threads).unwrap();
            read_table(std::slice::from_ref(&path), &options, threads, |_| {}).unwrap()
        };
        let (one, three) = (read(1), read(3));
        assert_eq!(one.counts.positions, 9000);
        assert_eq!(one.problems, 1);
        let all = |table: &PositionTable| {
            let rows = table.batches.iter().map(RecordBatch::num_rows).sum::<usize>();
            (rows, table.counts, table.first_problems.clone())
        };
        assert_eq!(all(&one), all(&three));
        assert_eq!(one.batches[0].num_columns(), crate::Column::ALL.len());
        let limited = PrepareOptions { max_positions: Some(10), ..options.clone() };
        let limited = read_table(&[path], &limited, NonZero::<usize>::MIN, |_| {}).unwrap();
        assert_eq!(limited.counts.positions, 10);
    }
}
