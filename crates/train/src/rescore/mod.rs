//! Scoring the positions of a data set anew, by any evaluation that we can run.
//!
//! Rows keep position, move and result; the score becomes the teacher's. Beside each row there can be
//! others that were never played (see [`vary`]): they have a score, but no move and no result. Positions
//! in check are left out, since evaluations say nothing of them, and so are those where the game is over.
//!
//! The unit of work is a block of the input. What comes of it depends on its number and the seed alone,
//! so the files are the same whatever the threads, and after a kill: [`data::generate`] sees to that.

pub mod source;
pub mod teacher;
pub mod vary;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use chess::{PackedError, PackedRow, Position};
use data::{
    Column, Counts, DataError, FileFormat, GenerateOptions, Partition, PrepareEvent,
    PrepareOptions, Prepared, Row, RowOrder, Workers,
};
use serde_json::json;

use chess::rng::Rng;
pub use source::Source;
pub use teacher::{Look, Scorer, Teacher};

/// Which rows there are to be.
#[derive(Clone, PartialEq, Debug)]
pub struct RescoreOptions {
    /// How closely the teacher looks.
    pub look: Look,
    /// How many positions there are to be beside each.
    pub vary: u32,
    /// Random seed.
    pub seed: u64,
    /// Whether positions in check stay.
    pub keep_checks: bool,
    /// Whether positions from which a capture was played are left out.
    pub no_captures: bool,
    /// The order of rows: as they come, shuffled, or each position once.
    pub order: RowOrder,
    /// Enough rows.
    pub max_positions: Option<u64>,
    /// How many rows a file has.
    pub shard_rows: u64,
}

impl Default for RescoreOptions {
    fn default() -> Self {
        Self {
            look: Look::Static,
            vary: 0,
            seed: 0,
            keep_checks: false,
            no_captures: false,
            order: RowOrder::Games,
            max_positions: None,
            shard_rows: 1 << 20,
        }
    }
}

/// Writes a data set with the rows of another, scored by a teacher. Resumes a run that was killed or stopped.
/// The observer is told how many rows of the source have been read.
pub fn rescore<'a, 'w>(
    source: &Source,
    folder: &Path,
    teacher: &Teacher,
    options: &RescoreOptions,
    workers: impl Into<Workers<'w>>,
    observer: impl FnMut(PrepareEvent<'_>) + Send + 'a,
) -> Result<Prepared, DataError> {
    data::ensure_apart(folder, [source.path.as_path()])?;
    let making = GenerateOptions {
        inputs: vec![source.input.clone()],
        options: PrepareOptions {
            format: FileFormat::Packed,
            columns: Column::PACKED.map(|column| column.name().to_owned()).to_vec(),
            order: options.order,
            seed: options.seed,
            no_checks: !options.keep_checks,
            no_captures: options.no_captures,
            max_positions: options.max_positions,
            shard_rows: options.shard_rows,
            ..PrepareOptions::default()
        },
        generator: json!({
            "by": "rescore",
            "teacher": teacher.described(options.look),
            "vary": options.vary,
            "source": source.made,
        }),
        partitions: source.blocks(),
    };
    let workers = workers.into();
    let scorers = Scorers { teacher, look: options.look, idle: Mutex::default() };
    let unit = |number: u64| {
        let mut scorer = scorers.take()?;
        let made = match options.look {
            Look::Static => block(source, number, &mut scorer, options, workers),
            // Deep lines need a deep stack.
            _ => engine::search::with_deep_stack(|| {
                block(source, number, &mut scorer, options, workers)
            })
            .ok_or(DataError::Panicked)?,
        };
        scorers.put_back(scorer);
        made
    };
    data::generate(folder, &making, workers, unit, observer)
}

/// Scorers that nobody uses: as many as threads have needed at the same time.
struct Scorers<'t> {
    teacher: &'t Teacher,
    look: Look,
    idle: Mutex<Vec<Scorer>>,
}

impl Scorers<'_> {
    fn take(&self) -> Result<Scorer, DataError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let new = || self.teacher.scorer(self.look);
        idle.map_or_else(new, Ok).map_err(|error| DataError::Options(error.to_string()))
    }

    fn put_back(&self, scorer: Scorer) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(scorer);
    }
}

/// The rows of a block.
fn block(
    source: &Source,
    number: u64,
    scorer: &mut Scorer,
    options: &RescoreOptions,
    workers: Workers<'_>,
) -> Result<Partition, DataError> {
    let Some((block, shard, split)) = source.block(number) else { return Ok(Partition::default()) };
    scorer.start();
    let mut packed = Vec::new();
    shard.read_rows(block.range(), &mut packed)?;
    let mut maker = Maker {
        options,
        scorer,
        rows: Vec::with_capacity(packed.len() * (1 + options.vary as usize)),
        counts: Counts::default(),
    };
    for (row, number) in packed.into_iter().zip(block.first..) {
        if workers.are_stopped() {
            return Err(DataError::Interrupted { resumes: true });
        }
        maker.add(row, number).map_err(|error| {
            let reason = format!("row {}: {error}", number - block.first_of_file);
            DataError::Damaged { path: shard.path().to_owned(), reason }
        })?;
    }
    let Maker { rows, mut counts, .. } = maker;
    if number == 0 {
        // The games are those of the source; they are counted with the first block.
        counts.games += source.counts.games;
        counts.moves += source.counts.moves;
    }
    let mut rows: Vec<Row> =
        rows.into_iter().map(|packed| Row { split, ..Row::of_packed(packed) }).collect();
    if options.vary > 0 {
        // What belongs together must not stay together.
        Rng::new(!options.seed, number).shuffle(&mut rows);
    }
    Ok(Partition { rows, counts, read: block.first + block.rows })
}

/// Makes rows of rows.
struct Maker<'m> {
    options: &'m RescoreOptions,
    scorer: &'m mut Scorer,
    rows: Vec<PackedRow>,
    counts: Counts,
}

impl Maker<'_> {
    /// Takes a row, checks it, and makes others of it.
    fn add(&mut self, row: PackedRow, number: u64) -> Result<(), PackedError> {
        let position = row.position()?;
        let best_move = row.best_move();
        if let Some(m) = best_move.filter(|&m| !position.is_legal(m)) {
            return Err(PackedError::Move(m));
        }
        if self.options.no_captures && best_move.is_some_and(|m| m.is_capture()) {
            self.counts.skipped_positions.capture += 1;
            return Ok(());
        }
        self.scorer.go_to(&position);
        let is_over = best_move.is_none() && !position.has_legal_move();
        self.keep(row, &position, is_over);
        let mut rng = Rng::new(self.options.seed, number);
        for _ in 0..self.options.vary {
            let scorer = &mut *self.scorer;
            let (other, made) =
                vary::stray(&position, &mut rng, |position, m| scorer.play(position, m));
            if made > 0
                && let Some(row) = PackedRow::new(&other)
            {
                self.keep(row, &other, !other.has_legal_move());
            }
            (0..made).for_each(|_| self.scorer.take_back());
        }
        Ok(())
    }

    /// Keeps a row with its new score, unless it is to be left out.
    fn keep(&mut self, row: PackedRow, position: &Position, is_over: bool) {
        if is_over || !self.options.keep_checks && position.in_check() {
            self.counts.skipped_positions.check += u64::from(!is_over);
            return;
        }
        let score = self.scorer.score(position);
        self.rows.push(row.with_score(Some(score)));
    }
}
