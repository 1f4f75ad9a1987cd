//! Evaluation of a model on a data set: accuracy of the policy, errors and calibration of the value.
//!
//! The accuracy is that among the legal moves and, as in the reference, that among all from-to pairs.
//! `SampleMetrics` are those of one position, `Metrics` accumulates many, [`evaluate`] runs a model
//! on a data set.

mod metrics;
mod phase;
mod sample;
mod text;
mod value;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chess::Position;
use chess::pgn::GameResult;
use data::{Column, DataError, DataSet, Reader, ReaderOptions, RowView, Shard, Split};
use serde::Serialize;

use metrics::Metrics;
pub use metrics::{Accuracy, GroupAccuracy, RATING_STEP, Report};
pub use phase::Phase;
pub use sample::TEMPERATURES;
use sample::{Labels, SampleMetrics};
pub use text::EvaluationText;
pub use value::{CENTIPAWN_LIMIT, CalibrationBin, EvalError, ResultError, ValueReport};

use crate::loader::RowContext;
use crate::{Config, Transformer, Weights, encode};

/// Positions of an inference batch.
const BATCH: usize = 256;

/// Which positions to evaluate on.
#[derive(Clone, PartialEq, Debug)]
pub struct EvaluateOptions {
    /// The split.
    pub split: Split,
    /// Maximum number of positions: the first, in file order.
    pub max_positions: Option<u64>,
    /// Maximum number of games: those with the lowest ids in the column `game`.
    pub max_games: Option<u64>,
    /// Number of threads.
    pub threads: usize,
    /// Whether the model reads the history of the rows.
    pub history: bool,
    /// Whether the model reads the ratings of the rows.
    pub ratings: bool,
}

impl Default for EvaluateOptions {
    /// The whole validation split.
    fn default() -> Self {
        Self {
            split: Split::Validation,
            max_positions: None,
            max_games: None,
            threads: 1,
            history: true,
            ratings: true,
        }
    }
}

/// Why an evaluation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// The data set could not be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The split has no usable positions.
    #[error("{}: there are no positions with moves in its {split} split", path.display())]
    Empty {
        /// The data set.
        path: PathBuf,
        /// The split.
        split: Split,
    },
    /// An output is NaN or infinite.
    #[error("the outputs of the model are not finite numbers: {}", .0.fen())]
    NotFinite(Box<Position>),
    /// A column is missing.
    #[error("{}: column {column} is missing", path.display())]
    NoColumn {
        /// The data set.
        path: PathBuf,
        /// The column.
        column: &'static str,
    },
}

/// Rows skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct SkippedRows {
    /// Rows without a move, as at the end of a game.
    pub without_move: u64,
    /// Rows with an invalid position or move.
    pub damaged: u64,
}

/// The result of an evaluation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Evaluation {
    /// Number of positions.
    pub positions: u64,
    /// Number of games, if limited.
    pub games: Option<u64>,
    /// Rows skipped.
    #[serde(rename = "left_out")]
    pub skipped: SkippedRows,
    /// The metrics.
    #[serde(flatten)]
    pub report: Report,
}

/// A position with its context and labels.
struct Sample {
    position: Position,
    context: RowContext,
    labels: Labels,
}

impl Sample {
    fn tokens(&self, config: &Config) -> encode::Tokens {
        encode::tokens_in(config, &self.position, &self.context.context())
    }
}

/// The position of a row with its labels; `None` without a move, an error if it is invalid.
fn read(row: RowView<'_>, options: &EvaluateOptions) -> Result<Option<Sample>, ()> {
    let position = row.position().ok_or(())?;
    let Some(text) = row.best_move() else { return Ok(None) };
    let played = position.parse_uci(text).map_err(drop)?;
    let turn = position.turn();
    let is_white = turn == chess::Color::White;
    let points = match row.game_result() {
        GameResult::WhiteWins => Some(1.0),
        GameResult::Draw => Some(0.5),
        GameResult::BlackWins => Some(0.0),
        GameResult::Unknown => None,
    };
    let score = row.score(turn).map(|score| if is_white { score } else { -score });
    let labels = Labels {
        played,
        rating: if is_white { row.white_elo() } else { row.black_elo() }.map(i32::from),
        result: points.map(|points| if is_white { points } else { 1.0 - points }),
        score,
    };
    let mut context = RowContext::new(&position, row);
    context.restrict(options.history, options.ratings);
    Ok(Some(Sample { position, context, labels }))
}

/// The shards of a split, and the columns to read from them.
fn open(folder: &Path, split: Split) -> Result<(Vec<Shard>, Vec<Column>), EvaluateError> {
    let shards = DataSet::open(folder)?.shards(split)?;
    let path = || folder.to_owned();
    if shards.iter().all(|shard| shard.rows() == 0) {
        return Err(EvaluateError::Empty { path: path(), split });
    }
    let has = |column: &Column| shards.iter().all(|shard| shard.columns().contains(column));
    let board = [Column::Board, Column::Fen].into_iter().find(has);
    let board = board.ok_or_else(|| EvaluateError::NoColumn { path: path(), column: "board" })?;
    if !has(&Column::BestMove) {
        return Err(EvaluateError::NoColumn { path: path(), column: "best_move" });
    }
    let mut columns = vec![board, Column::BestMove];
    let optional = [
        Column::Result,
        Column::Eval,
        Column::Mate,
        Column::WhiteElo,
        Column::BlackElo,
        Column::Game,
        Column::History,
    ];
    columns.extend(optional.into_iter().filter(has));
    Ok((shards, columns))
}

/// The lowest game ids of a split.
fn first_games(folder: &Path, split: Split, count: u64) -> Result<BTreeSet<i64>, EvaluateError> {
    let options = ReaderOptions { split, columns: vec![Column::Game], ..ReaderOptions::default() };
    let mut reader = Reader::open(folder, &options)?;
    let mut games = BTreeSet::new();
    while let Some(row) = reader.next_row() {
        if let Some(game) = row?.game() {
            if games.last().is_none_or(|&last| games.len() as u64 != count || game < last) {
                games.insert(game);
            }
            while games.len() as u64 > count {
                games.pop_last();
            }
        }
    }
    Ok(games)
}

/// Evaluates a model on a data set. `on_progress` gets the rows done and their total after each batch.
pub fn evaluate(
    weights: &Weights,
    folder: &Path,
    options: &EvaluateOptions,
    on_progress: &mut dyn FnMut(u64, u64),
) -> Result<Evaluation, EvaluateError> {
    let split = options.split;
    let (shards, columns) = open(folder, split)?;
    if options.max_games.is_some() && !columns.contains(&Column::Game) {
        return Err(EvaluateError::NoColumn { path: folder.to_owned(), column: "game" });
    }
    let games = options.max_games.map(|count| first_games(folder, split, count)).transpose()?;
    let reader_options = ReaderOptions { split, columns, ..ReaderOptions::default() };
    let mut reader = Reader::from_shards(shards, &reader_options)?;
    let total = reader.rows();
    let max = options.max_positions.unwrap_or(u64::MAX);
    let mut evaluator = Evaluator::new(weights, options.threads);
    let mut skipped = SkippedRows::default();
    let (mut taken, mut rows) = (0, 0);
    while taken < max
        && let Some(row) = reader.next_row()
    {
        let row = row?;
        rows += 1;
        if let Some(games) = &games
            && !row.game().is_some_and(|game| games.contains(&game))
        {
            continue;
        }
        match read(row, options) {
            Ok(Some(sample)) => {
                evaluator.pending.push(sample);
                taken += 1;
            }
            Ok(None) => skipped.without_move += 1,
            Err(()) => skipped.damaged += 1,
        }
        if evaluator.pending.len() == BATCH {
            evaluator.flush()?;
            // Filtered rows cost nothing, so positions measure the progress where they are limited.
            if max < total { on_progress(taken, max) } else { on_progress(rows, total) }
        }
    }
    evaluator.flush()?;
    let metrics = evaluator.metrics;
    if metrics.positions() == 0 {
        return Err(EvaluateError::Empty { path: folder.to_owned(), split });
    }
    Ok(Evaluation {
        positions: metrics.positions(),
        games: games.map(|games| games.len() as u64),
        skipped,
        report: metrics.report(weights.config().light_value),
    })
}

/// Runs a model on batches of positions.
struct Evaluator<'a> {
    weights: &'a Weights,
    model: Transformer,
    pending: Vec<Sample>,
    metrics: Metrics,
}

impl<'a> Evaluator<'a> {
    fn new(weights: &'a Weights, threads: usize) -> Self {
        let model = Transformer::new(weights.config(), threads);
        Self { weights, model, pending: Vec::with_capacity(BATCH), metrics: Metrics::default() }
    }

    fn flush(&mut self) -> Result<(), EvaluateError> {
        let config = self.weights.config();
        let tokens: Vec<_> = self.pending.iter().map(|sample| sample.tokens(config)).collect();
        let predictions = self.model.predict(self.weights, &tokens);
        for (sample, prediction) in self.pending.drain(..).zip(&predictions) {
            let Sample { position, labels, .. } = sample;
            if !prediction.is_finite() {
                return Err(EvaluateError::NotFinite(Box::new(position)));
            }
            let sample = SampleMetrics::new(config, &position, labels.played, prediction);
            self.metrics.add(&position, &labels, &sample);
        }
        Ok(())
    }
}
