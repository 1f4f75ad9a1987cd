//! Decoded rows, and how they are looked at without being copied.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int16Type, Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, FixedSizeBinaryArray, Int8Array, Int16Array, Int32Array, Int64Array,
    PrimitiveArray, RecordBatch, StringArray,
};
use chess::pgn::{GameResult, Score};
use chess::{Color, PackedError, PackedRow};

use crate::row::seen_by;
use crate::{Column, PointOfView, Row, row};

/// Some rows with the columns that were asked for.
#[derive(Debug)]
pub struct Block {
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
}

impl Block {
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
        }
    }

    /// The columns of a batch whose schema has been checked.
    pub(super) fn from_batch(batch: &RecordBatch, columns: &[Column], view: PointOfView) -> Self {
        let mut block = Self::empty(batch.num_rows(), view);
        for &column in columns {
            if let Some(array) = batch.column_by_name(column.name()) {
                block.set(column, array);
            }
        }
        block
    }

    /// The columns of packed rows, each of which is checked.
    pub(super) fn from_packed(
        rows: &[PackedRow],
        columns: &[Column],
    ) -> Result<Self, (usize, PackedError)> {
        let mut full = Vec::with_capacity(rows.len());
        for (n, packed) in rows.iter().enumerate() {
            packed.unpack().map_err(|error| (n, error))?;
            full.push(Row::of_packed(*packed));
        }
        let mut block = Self::empty(rows.len(), PointOfView::White);
        for &column in columns {
            let array =
                row::array(&full, column, PointOfView::White).map_err(|error| (0, error))?;
            block.set(column, &array);
        }
        Ok(block)
    }

    /// How many rows there are.
    pub const fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// From whose view `eval` and `mate` are.
    pub const fn view(&self) -> PointOfView {
        self.view
    }

    /// A row; its number must be less than [`Block::len`].
    pub const fn row(&self, index: usize) -> RowView<'_> {
        RowView { block: self, index }
    }

    /// All rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = RowView<'_>> {
        (0..self.rows).map(|index| self.row(index))
    }
}

/// A row of a [`Block`]: a reference and a number. What it gives is nothing where the column was not
/// asked for, or has no value.
#[derive(Clone, Copy, Debug)]
pub struct RowView<'a> {
    block: &'a Block,
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

fn text(column: Option<&StringArray>, index: usize) -> Option<&str> {
    column
        .filter(|column| index < column.len() && column.is_valid(index))
        .map(|column| column.value(index))
}

impl<'a> RowView<'a> {
    /// The position as FEN.
    pub fn fen(self) -> Option<&'a str> {
        text(self.block.fen.as_ref(), self.index)
    }

    /// The move that was played, in UCI. The column has no gaps: where there is no move, it is empty.
    pub fn best_move(self) -> Option<&'a str> {
        text(self.block.best_move.as_ref(), self.index).filter(|text| !text.is_empty())
    }

    /// The evaluation in centipawns, from the view of the data set.
    pub fn eval(self) -> Option<i32> {
        number(self.block.eval.as_ref(), self.index)
    }

    /// Moves to mate, from the view of the data set.
    pub fn mate(self) -> Option<i8> {
        number(self.block.mate.as_ref(), self.index)
    }

    /// 1, 0 or −1, White's view.
    pub fn result(self) -> Option<i8> {
        number(self.block.result.as_ref(), self.index)
    }

    /// Half moves before.
    pub fn ply(self) -> Option<i32> {
        number(self.block.ply.as_ref(), self.index)
    }

    /// White's rating.
    pub fn white_elo(self) -> Option<i16> {
        number(self.block.white_elo.as_ref(), self.index)
    }

    /// Black's rating.
    pub fn black_elo(self) -> Option<i16> {
        number(self.block.black_elo.as_ref(), self.index)
    }

    /// The id of the game.
    pub fn game(self) -> Option<i64> {
        number(self.block.game.as_ref(), self.index)
    }

    /// Milliseconds left.
    pub fn clock(self) -> Option<i32> {
        number(self.block.clock.as_ref(), self.index)
    }

    /// The 32 bytes of the position, unchecked: [`PackedRow::position`] checks.
    pub fn board(self) -> Option<PackedRow> {
        let column = self.block.board.as_ref()?;
        if self.index >= column.len() || column.is_null(self.index) {
            return None;
        }
        column.value(self.index).first_chunk().map(|bytes| PackedRow::from_bytes(*bytes))
    }

    /// Evaluation or mate from White's view, whatever the view of the data set: it must be known who is
    /// to move, by `board` or by `fen`.
    pub fn score(self, turn: Color) -> Option<Score> {
        let score = match (self.eval(), self.mate()) {
            (_, Some(moves)) => Score::Mate(moves.into()),
            (Some(value), None) => Score::Centipawns(value),
            (None, None) => return None,
        };
        // Seeing it from the other side is its own opposite.
        Some(seen_by(score, self.block.view, || turn))
    }

    /// How the game ended.
    pub fn game_result(self) -> GameResult {
        match self.result() {
            Some(1) => GameResult::WhiteWins,
            Some(0) => GameResult::Draw,
            Some(-1) => GameResult::BlackWins,
            _ => GameResult::Unknown,
        }
    }
}
