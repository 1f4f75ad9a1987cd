//! Rescoring: a data set with the scores of a teacher, which is any evaluation of ours.
//!
//! Rows keep position, move and result; the score becomes the teacher's. Augmentation ([`random_moves`]) adds
//! positions that have a score, but no move and no result. Positions in check are skipped, because static
//! evaluations do not apply to them, and so are finished games.
//!
//! The unit of work is a block of the input. Its rows depend on its index and the seed alone, so the files
//! are the same for any number of threads, and after a kill ([`data::generate`]).

pub mod random_moves;
pub mod report;
pub mod source;
pub mod teacher;

use std::path::Path;

use chess::{PackedError, PackedRow, Position};
use data::{
    Column, Counts, DataError, FileFormat, GenerateOptions, Partition, PrepareEvent,
    PrepareOptions, Prepared, Row, RowOrder, Workers,
};
use serde_json::json;

use crate::pool::Pool;
use chess::rng::Rng;
pub use source::Source;
pub use teacher::{Scorer, SearchDepth, Teacher};

/// Options of [`rescore`].
#[derive(Clone, PartialEq, Debug)]
pub struct RescoreOptions {
    /// How deep the teacher searches.
    pub depth: SearchDepth,
    /// Augmented positions per row.
    pub augment: u32,
    /// Random seed.
    pub seed: u64,
    /// Whether positions in check are kept.
    pub keep_checks: bool,
    /// Whether positions whose move is a capture are skipped.
    pub no_captures: bool,
    /// The order of rows: input order, shuffled, or unique positions.
    pub order: RowOrder,
    /// Rows, at most.
    pub max_positions: Option<u64>,
    /// Rows per file.
    pub shard_rows: u64,
}

impl Default for RescoreOptions {
    fn default() -> Self {
        Self {
            depth: SearchDepth::Static,
            augment: 0,
            seed: 0,
            keep_checks: false,
            no_captures: false,
            order: RowOrder::Games,
            max_positions: None,
            shard_rows: 1 << 20,
        }
    }
}

/// Writes a data set with the rows of another, scored by a teacher. An interrupted or killed run resumes.
/// Progress events count rows of the source.
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
            "teacher": teacher.describe(options.depth),
            "vary": options.augment,
            "source": source.made,
        }),
        partitions: source.blocks(),
    };
    let workers = workers.into();
    let scorers = Pool::default();
    let create = || teacher.scorer(options.depth);
    let unit = |number: u64| {
        let scorer = scorers.take(create);
        let mut scorer = scorer.map_err(|error| DataError::Options(error.to_string()))?;
        let made = match options.depth {
            SearchDepth::Static => block(source, number, &mut scorer, options, workers),
            // The search recurses deeply.
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

/// The rows of a block.
fn block(
    source: &Source,
    number: u64,
    scorer: &mut Scorer,
    options: &RescoreOptions,
    workers: Workers<'_>,
) -> Result<Partition, DataError> {
    let Some((block, shard, split)) = source.block(number) else { return Ok(Partition::default()) };
    scorer.clear();
    let mut packed = Vec::new();
    shard.read_rows(block.range(), &mut packed)?;
    let mut block_rows = BlockRows {
        options,
        scorer,
        rows: Vec::with_capacity(packed.len() * (1 + options.augment as usize)),
        counts: Counts::default(),
    };
    for (row, number) in packed.into_iter().zip(block.first..) {
        if workers.are_stopped() {
            return Err(DataError::Interrupted { resumes: true });
        }
        if shard.is_foreign() && row.position().is_err() {
            // The rows of other programs are unchecked.
            continue;
        }
        block_rows.add(row, number).map_err(|error| {
            let reason = format!("row {}: {error}", number - block.first_of_file);
            DataError::Damaged { path: shard.path().to_owned(), reason }
        })?;
    }
    let BlockRows { rows, mut counts, .. } = block_rows;
    if number == 0 {
        // Games are counted once, with the first block.
        counts.games += source.counts.games;
        counts.moves += source.counts.moves;
    }
    let mut rows: Vec<Row> =
        rows.into_iter().map(|packed| Row { split, ..Row::of_packed(packed) }).collect();
    if options.augment > 0 {
        // Separates a position from its augmentations.
        Rng::new(!options.seed, number).shuffle(&mut rows);
    }
    Ok(Partition { rows, counts, read: block.first + block.rows })
}

/// The output rows of a block.
struct BlockRows<'m> {
    options: &'m RescoreOptions,
    scorer: &'m mut Scorer,
    rows: Vec<PackedRow>,
    counts: Counts,
}

impl BlockRows<'_> {
    /// Validates a row, rescores it, and adds its augmentations.
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
        self.scorer.set_position(&position);
        let is_over = best_move.is_none() && !position.has_legal_move();
        self.push(row, &position, is_over);
        let mut rng = Rng::new(self.options.seed, number);
        for _ in 0..self.options.augment {
            let scorer = &mut *self.scorer;
            let (other, made) =
                random_moves::play_random_moves(&position, &mut rng, |position, m| {
                    scorer.make_move(position, m)
                });
            if made > 0
                && let Some(row) = PackedRow::new(&other)
            {
                self.push(row, &other, !other.has_legal_move());
            }
            (0..made).for_each(|_| self.scorer.unmake_move());
        }
        Ok(())
    }

    /// Adds a row with its new score, unless it is filtered.
    fn push(&mut self, row: PackedRow, position: &Position, is_over: bool) {
        if is_over || !self.options.keep_checks && position.in_check() {
            self.counts.skipped_positions.check += u64::from(!is_over);
            return;
        }
        let score = self.scorer.score(position);
        self.rows.push(row.with_score(Some(score)));
    }
}
