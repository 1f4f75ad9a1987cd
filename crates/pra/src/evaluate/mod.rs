//! How good a model is: how often it foresees the move that was played, and how far its value is from
//! what came, on positions that it has not learned from.
//!
//! Moves are compared with the legal ones, and, as the reference does it, with all pairs of squares.
//! [`Case`] is one position, [`Tally`] many, [`evaluate`] goes through a data set.

mod case;
mod tally;
mod value;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chess::Position;
use chess::pgn::{GameResult, Score};
use data::{Column, DataError, Manifest, Reader, ReaderOptions, RowView, Shard, Split};
use serde::Serialize;

pub use case::{Case, Known, Phase};
pub use tally::{Accuracy, Part, RATING_STEP, Report, Tally};
pub use value::{Bin, CENTIPAWN_LIMIT, EvalError, ResultError, Value};

use crate::{Engine, Weights};

/// Positions that are looked at together.
const BATCH: usize = 256;

/// Which positions.
#[derive(Clone, PartialEq, Debug)]
pub struct EvaluateOptions {
    /// Rows of which part.
    pub split: Split,
    /// No more than so many positions: the first ones, in the order of the files.
    pub max_positions: Option<u64>,
    /// Only positions of so many games: those whose ids, the numbers in the column `game`, are the
    /// lowest.
    pub max_games: Option<u64>,
    /// How many threads work.
    pub threads: usize,
}

impl Default for EvaluateOptions {
    /// All of the validation split.
    fn default() -> Self {
        Self { split: Split::Validation, max_positions: None, max_games: None, threads: 1 }
    }
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// The data set cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// It has no positions for us.
    #[error("{}: there are no positions with moves in its {split} split", path.display())]
    Empty {
        /// The data set.
        path: PathBuf,
        /// The split.
        split: Split,
    },
    /// The model overflows.
    #[error("the outputs of the model are not finite numbers: {}", .0.fen())]
    NotFinite(Box<Position>),
    /// A column is missing.
    #[error("{}: it has no column {column}", path.display())]
    NoColumn {
        /// The data set.
        path: PathBuf,
        /// What is missing.
        column: &'static str,
    },
}

/// Rows that could not be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct LeftOut {
    /// There is no move, as at the end of a game.
    pub without_move: u64,
    /// The position or the move is none.
    pub damaged: u64,
}

/// What was measured, on what.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Evaluation {
    /// How many positions.
    pub positions: u64,
    /// How many games, if they were chosen.
    pub games: Option<u64>,
    /// Rows that were not used.
    pub left_out: LeftOut,
    /// What was found.
    #[serde(flatten)]
    pub report: Report,
}

/// The position of a row and what is known of it; nothing if it has no move, an error if it is none.
fn read(row: RowView<'_>) -> Result<Option<(Position, Known)>, ()> {
    let position = match (row.board(), row.fen()) {
        (Some(board), _) => board.position().map_err(drop)?,
        (None, Some(fen)) => Position::from_fen(fen).map_err(drop)?,
        (None, None) => return Err(()),
    };
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
    let score = row.score(turn).map(|score| match score {
        score if is_white => score,
        Score::Centipawns(c) => Score::Centipawns(c.saturating_neg()),
        Score::Mate(moves) => Score::Mate(moves.saturating_neg()),
    });
    let known = Known {
        played,
        rating: if is_white { row.white_elo() } else { row.black_elo() }.map(i32::from),
        result: points.map(|points| if is_white { points } else { 1.0 - points }),
        score,
    };
    Ok(Some((position, known)))
}

/// The files of a split, and which of the columns that we want they have.
fn open(folder: &Path, split: Split) -> Result<(Vec<Shard>, Vec<Column>), EvaluateError> {
    let manifest = Manifest::open(folder)?;
    let own = manifest.files.iter().filter(|file| file.split == split);
    let shards: Vec<Shard> =
        own.map(|file| Shard::open(&folder.join(&file.path))).collect::<Result<_, _>>()?;
    let path = || folder.to_owned();
    if shards.iter().all(|shard| shard.rows() == 0) {
        return Err(EvaluateError::Empty { path: path(), split });
    }
    let has = |column: &Column| shards.iter().all(|shard| shard.columns().contains(column));
    let place = [Column::Board, Column::Fen].into_iter().find(has);
    let place = place.ok_or_else(|| EvaluateError::NoColumn { path: path(), column: "board" })?;
    if !has(&Column::BestMove) {
        return Err(EvaluateError::NoColumn { path: path(), column: "best_move" });
    }
    let mut columns = vec![place, Column::BestMove];
    let more = [
        Column::Result,
        Column::Eval,
        Column::Mate,
        Column::WhiteElo,
        Column::BlackElo,
        Column::Game,
    ];
    columns.extend(more.into_iter().filter(has));
    Ok((shards, columns))
}

/// The lowest ids of games of a split.
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

/// Goes through the rows of a data set. How many rows have been looked at, and how many there are, is
/// told now and then.
pub fn evaluate(
    weights: &Weights,
    folder: &Path,
    options: &EvaluateOptions,
    tell: &mut dyn FnMut(u64, u64),
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
    let mut run = Run::new(weights, options.threads);
    let mut left_out = LeftOut::default();
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
        match read(row) {
            Ok(Some((position, known))) => {
                run.push(position, known);
                taken += 1;
            }
            Ok(None) => left_out.without_move += 1,
            Err(()) => left_out.damaged += 1,
        }
        if run.waiting.len() == BATCH {
            run.flush()?;
            // Rows of games that are not asked for cost nothing; positions do.
            if max < total { tell(taken, max) } else { tell(rows, total) }
        }
    }
    run.flush()?;
    if run.tally.positions() == 0 {
        return Err(EvaluateError::Empty { path: folder.to_owned(), split });
    }
    Ok(Evaluation {
        positions: run.tally.positions(),
        games: games.map(|games| games.len() as u64),
        left_out,
        report: run.tally.report(weights.config().light_value),
    })
}

/// A model at work on positions.
struct Run<'a> {
    weights: &'a Weights,
    engine: Engine,
    waiting: Vec<(Position, Known)>,
    tally: Tally,
}

impl<'a> Run<'a> {
    fn new(weights: &'a Weights, threads: usize) -> Self {
        let engine = Engine::new(weights.config(), threads);
        Self { weights, engine, waiting: Vec::with_capacity(BATCH), tally: Tally::default() }
    }

    fn push(&mut self, position: Position, known: Known) {
        self.waiting.push((position, known));
    }

    fn flush(&mut self) -> Result<(), EvaluateError> {
        let config = self.weights.config();
        let tokens: Vec<_> =
            self.waiting.iter().map(|(position, _)| config.tokens(position)).collect();
        let predictions = self.engine.predict(self.weights, &tokens);
        for ((position, known), said) in self.waiting.drain(..).zip(&predictions) {
            if !said.is_finite() {
                return Err(EvaluateError::NotFinite(Box::new(position)));
            }
            let case = Case::of(config, &position, known.played, said);
            self.tally.add(&position, &known, &case);
        }
        Ok(())
    }
}
