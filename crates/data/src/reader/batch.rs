//! Decoded rows with zero-copy access.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int16Type, Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, FixedSizeBinaryArray, Int8Array, Int16Array, Int32Array, Int64Array,
    PrimitiveArray, RecordBatch, StringArray,
};
use chess::pgn::{GameResult, Score};
use chess::{Color, PackedError, PackedRow, Position};
use serde_json::Value;

use crate::row::seen_by;
use crate::{Column, MoveHistory, PointOfView, Row, row};

/// A batch of decoded rows with the requested columns.
#[derive(Debug)]
pub struct RowBatch {
    rows: usize,
    view: PointOfView,
    fen: Option<StringArray>,
    best_move: Option<StringArray>,
    eval: Option<Int32Array>,
    mate: Option<Int8Array>,
    result: Option<Int8Array>,
    ply: Option<Int32Array>,
    white_elo: Option<Int16Array>,
    black_elo: Option<Int16Array>,
    game: Option<Int64Array>,
    clock: Option<Int32Array>,
    board: Option<FixedSizeBinaryArray>,
    history: Option<FixedSizeBinaryArray>,
}

impl RowBatch {
    fn empty(rows: usize, view: PointOfView) -> Self {
        Self {
            rows,
            view,
            fen: None,
            best_move: None,
            eval: None,
            mate: None,
            result: None,
            ply: None,
            white_elo: None,
            black_elo: None,
            game: None,
            clock: None,
            board: None,
            history: None,
        }
    }

    fn set(&mut self, column: Column, array: &ArrayRef) {
        match column {
            Column::Fen => self.fen = array.as_string_opt().cloned(),
            Column::BestMove => self.best_move = array.as_string_opt().cloned(),
            Column::Eval => self.eval = array.as_primitive_opt::<Int32Type>().cloned(),
            Column::Mate => self.mate = array.as_primitive_opt::<Int8Type>().cloned(),
            Column::Result => self.result = array.as_primitive_opt::<Int8Type>().cloned(),
            Column::Ply => self.ply = array.as_primitive_opt::<Int32Type>().cloned(),
            Column::WhiteElo => self.white_elo = array.as_primitive_opt::<Int16Type>().cloned(),
            Column::BlackElo => self.black_elo = array.as_primitive_opt::<Int16Type>().cloned(),
            Column::Game => self.game = array.as_primitive_opt::<Int64Type>().cloned(),
            Column::Clock => self.clock = array.as_primitive_opt::<Int32Type>().cloned(),
            Column::Board => self.board = array.as_fixed_size_binary_opt().cloned(),
            Column::History => self.history = array.as_fixed_size_binary_opt().cloned(),
        }
    }

    /// From an Arrow record batch whose schema has been checked.
    pub(super) fn from_batch(batch: &RecordBatch, columns: &[Column], view: PointOfView) -> Self {
        let mut rows = Self::empty(batch.num_rows(), view);
        for &column in columns {
            if let Some(array) = batch.column_by_name(column.name()) {
                rows.set(column, array);
            }
        }
        rows
    }

    /// From packed rows, which are checked.
    pub(super) fn from_packed(
        rows: &[PackedRow],
        columns: &[Column],
    ) -> Result<Self, (usize, PackedError)> {
        let mut full = Vec::with_capacity(rows.len());
        for (n, packed) in rows.iter().enumerate() {
            packed.unpack().map_err(|error| (n, error))?;
            full.push(Row::of_packed(*packed));
        }
        let mut batch = Self::empty(rows.len(), PointOfView::White);
        for &column in columns {
            let array =
                row::array(&full, column, PointOfView::White).map_err(|error| (0, error))?;
            batch.set(column, &array);
        }
        Ok(batch)
    }

    /// Number of rows.
    pub const fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows.
    pub const fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Point of view of `eval` and `mate`.
    pub const fn view(&self) -> PointOfView {
        self.view
    }

    /// A row; the index must be less than [`RowBatch::len`].
    pub const fn row(&self, index: usize) -> RowView<'_> {
        RowView { batch: self, index }
    }

    /// Iterates over the rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = RowView<'_>> {
        (0..self.rows).map(|index| self.row(index))
    }
}

/// A row of a [`RowBatch`]. A value is none where it is null or the column was not requested.
#[derive(Clone, Copy, Debug)]
pub struct RowView<'a> {
    batch: &'a RowBatch,
    index: usize,
}

fn number<T: arrow_array::types::ArrowPrimitiveType>(
    column: Option<&PrimitiveArray<T>>,
    index: usize,
) -> Option<T::Native> {
    column
        .filter(|column| index < column.len() && column.is_valid(index))
        .map(|column| column.value(index))
}

fn bytes<const N: usize>(column: Option<&FixedSizeBinaryArray>, index: usize) -> Option<&[u8; N]> {
    column
        .filter(|column| index < column.len() && column.is_valid(index))
        .and_then(|column| column.value(index).first_chunk())
}

fn text(column: Option<&StringArray>, index: usize) -> Option<&str> {
    column
        .filter(|column| index < column.len() && column.is_valid(index))
        .map(|column| column.value(index))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl<'a> RowView<'a> {
    /// Position as FEN.
    pub fn fen(self) -> Option<&'a str> {
        text(self.batch.fen.as_ref(), self.index)
    }

    /// Played move in UCI notation; none if the text is empty.
    pub fn best_move(self) -> Option<&'a str> {
        text(self.batch.best_move.as_ref(), self.index).filter(|text| !text.is_empty())
    }

    /// Evaluation in centipawns, from the point of view of the data set.
    pub fn eval(self) -> Option<i32> {
        number(self.batch.eval.as_ref(), self.index)
    }

    /// Moves to mate, from the point of view of the data set.
    pub fn mate(self) -> Option<i8> {
        number(self.batch.mate.as_ref(), self.index)
    }

    /// 1, 0 or −1, from White's point of view.
    pub fn result(self) -> Option<i8> {
        number(self.batch.result.as_ref(), self.index)
    }

    /// Plies played before.
    pub fn ply(self) -> Option<i32> {
        number(self.batch.ply.as_ref(), self.index)
    }

    /// White's rating.
    pub fn white_elo(self) -> Option<i16> {
        number(self.batch.white_elo.as_ref(), self.index)
    }

    /// Black's rating.
    pub fn black_elo(self) -> Option<i16> {
        number(self.batch.black_elo.as_ref(), self.index)
    }

    /// Game id.
    pub fn game(self) -> Option<i64> {
        number(self.batch.game.as_ref(), self.index)
    }

    /// Clock of the side to move in milliseconds.
    pub fn clock(self) -> Option<i32> {
        number(self.batch.clock.as_ref(), self.index)
    }

    /// Packed position, unchecked: [`PackedRow::position`] checks it.
    pub fn board(self) -> Option<PackedRow> {
        bytes(self.batch.board.as_ref(), self.index).map(|bytes| PackedRow::from_bytes(*bytes))
    }

    /// The last moves before the position, unchecked: [`MoveHistory::boards`] checks them.
    pub fn history(self) -> Option<MoveHistory> {
        bytes(self.batch.history.as_ref(), self.index).map(MoveHistory::from_bytes)
    }

    /// The position, from `board` or `fen`; none if it is missing or invalid.
    pub fn position(self) -> Option<Position> {
        match self.board() {
            Some(board) => board.position().ok(),
            None => self.fen()?.parse().ok(),
        }
    }

    /// Checks ratings, and the history if the position is there.
    pub(super) fn check_inputs(self) -> Result<(), String> {
        for (column, rating) in
            [(Column::WhiteElo, self.white_elo()), (Column::BlackElo, self.black_elo())]
        {
            if let Some(rating) = rating.filter(|&rating| rating <= 0) {
                return Err(format!("{column}: {rating} is no rating"));
            }
        }
        if let Some(history) = self.history()
            && let Some(position) = self.position()
        {
            history.boards(&position).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Evaluation or mate from White's point of view. The side to move is known from `board` or `fen`.
    pub fn score(self, turn: Color) -> Option<Score> {
        let score = match (self.eval(), self.mate()) {
            (_, Some(moves)) => Score::Mate(moves.into()),
            (Some(value), None) => Score::Centipawns(value),
            (None, None) => return None,
        };
        // The change of view is its own inverse.
        Some(seen_by(score, self.batch.view, || turn))
    }

    /// The value of a column as JSON; `board` and `history` in hexadecimal.
    pub fn to_json(self, column: Column) -> Value {
        match column {
            Column::Fen => self.fen().into(),
            Column::BestMove => self.best_move().into(),
            Column::Eval => self.eval().into(),
            Column::Mate => self.mate().into(),
            Column::Result => self.result().into(),
            Column::Ply => self.ply().into(),
            Column::WhiteElo => self.white_elo().into(),
            Column::BlackElo => self.black_elo().into(),
            Column::Game => self.game().into(),
            Column::Clock => self.clock().into(),
            Column::Board => self.board().map(|board| hex(board.as_bytes())).into(),
            Column::History => self.history().map(|history| hex(&history.to_bytes())).into(),
        }
    }

    /// Result of the game.
    pub fn game_result(self) -> GameResult {
        match self.result() {
            Some(1) => GameResult::WhiteWins,
            Some(0) => GameResult::Draw,
            Some(-1) => GameResult::BlackWins,
            _ => GameResult::Unknown,
        }
    }
}
