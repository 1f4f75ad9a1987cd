//! A row in memory: 72 bytes, from which every column is computed.

use std::fmt;
use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, Int64Type};
use arrow_array::{ArrayRef, FixedSizeBinaryArray, PrimitiveArray, StringArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use chess::pgn::{GameResult, Score};
use chess::{CastlingStyle, Color, FenStyle, FenWriter, Move, PackedError, PackedRow};
use serde::{Deserialize, Serialize};

use crate::{Column, MoveHistory};

/// Training or validation split. All rows of a game are in the same split.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// Training.
    Train,
    /// Validation.
    Validation,
}

impl Split {
    /// Both splits.
    pub const ALL: [Self; 2] = [Self::Train, Self::Validation];

    /// Name of its directory.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Validation => "validation",
        }
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Point of view of evaluations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PointOfView {
    /// White's.
    #[default]
    White,
    /// That of the side to move.
    Mover,
}

impl PointOfView {
    /// Name in options and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Mover => "mover",
        }
    }
}

/// Number of low bits of a game id that hold the game number; the others hold the input index.
pub const GAME_BITS: u32 = 40;

/// Unknown clock or rating.
pub const UNKNOWN: i32 = -1;

/// A position of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// Position, move, score and result.
    pub packed: PackedRow,
    /// Game id.
    pub game: i64,
    /// Plies played before.
    pub ply: u32,
    /// Clock in milliseconds, or [`UNKNOWN`].
    pub clock: i32,
    /// Ratings of White and Black, or [`UNKNOWN`].
    pub elo: [i16; 2],
    /// The split.
    pub split: Split,
    /// Whether castling is always written as king takes rook.
    pub chess960: bool,
    /// The last moves before.
    pub history: MoveHistory,
}

impl Row {
    /// A row without game, ply, clock, ratings and history.
    pub fn of_packed(packed: PackedRow) -> Self {
        // Castling from non-standard squares is written as king takes rook anyway.
        Self {
            packed,
            game: 0,
            ply: 0,
            clock: UNKNOWN,
            elo: [UNKNOWN as i16; 2],
            split: Split::Train,
            chess960: false,
            history: MoveHistory::default(),
        }
    }

    /// Size of an encoded row.
    pub(crate) const SIZE: usize = 72;

    /// Encodes the row for a sorted run.
    pub(crate) fn to_bytes(self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..32].copy_from_slice(self.packed.as_bytes());
        bytes[32..40].copy_from_slice(&self.game.to_le_bytes());
        bytes[40..44].copy_from_slice(&self.ply.to_le_bytes());
        bytes[44..48].copy_from_slice(&self.clock.to_le_bytes());
        bytes[48..50].copy_from_slice(&self.elo[0].to_le_bytes());
        bytes[50..52].copy_from_slice(&self.elo[1].to_le_bytes());
        bytes[52] = self.split as u8;
        bytes[53] = self.chess960.into();
        bytes[54..54 + MoveHistory::SIZE].copy_from_slice(&self.history.to_bytes());
        bytes
    }

    /// Decodes a row of a sorted run.
    pub(crate) fn from_bytes(bytes: &[u8; Self::SIZE]) -> Self {
        fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
            bytes[at..].first_chunk().copied().unwrap_or([0; N])
        }
        Self {
            packed: PackedRow::from_bytes(part(bytes, 0)),
            game: i64::from_le_bytes(part(bytes, 32)),
            ply: u32::from_le_bytes(part(bytes, 40)),
            clock: i32::from_le_bytes(part(bytes, 44)),
            elo: [48, 50].map(|at| i16::from_le_bytes(part(bytes, at))),
            split: if bytes[52] == 0 { Split::Train } else { Split::Validation },
            chess960: bytes[53] != 0,
            history: MoveHistory::from_bytes(&part(bytes, 54)),
        }
    }
}

/// Converts a score between White's point of view and another one.
#[inline]
pub(crate) fn seen_by(score: Score, view: PointOfView, turn: impl FnOnce() -> Color) -> Score {
    // Lazy: finding the side to move takes time.
    if view == PointOfView::White || turn() == Color::White { score } else { -score }
}

/// Value of the column `result`.
pub(crate) const fn result_number(result: GameResult) -> Option<i8> {
    match result {
        GameResult::WhiteWins => Some(1),
        GameResult::Draw => Some(0),
        GameResult::BlackWins => Some(-1),
        GameResult::Unknown => None,
    }
}

/// Appends a move in UCI notation.
#[inline]
fn append_uci(m: Move, chess960: bool, bytes: &mut Vec<u8>) {
    let style = if chess960 { CastlingStyle::Chess960 } else { CastlingStyle::Standard };
    // Any position will do: the move holds its own kind.
    chess::Position::INITIAL.append_uci_bytes(m, style, bytes);
}

/// Computes a column.
pub(crate) fn array(
    rows: &[Row],
    column: Column,
    view: PointOfView,
) -> Result<ArrayRef, PackedError> {
    let elo =
        |n: usize| nullable::<Int16Type>(rows, |row| Some(row.elo[n]).filter(|&elo| elo >= 0));
    Ok(match column {
        Column::Fen => fens(rows)?,
        Column::BestMove => moves(rows),
        Column::Eval => scores::<Int32Type>(rows, view, |score| match score {
            Score::Centipawns(value) => Some(value),
            Score::Mate(_) => None,
        })?,
        Column::Mate => scores::<Int8Type>(rows, view, |score| match score {
            Score::Centipawns(_) => None,
            Score::Mate(moves) => i8::try_from(moves).ok(),
        })?,
        Column::Result => nullable::<Int8Type>(rows, |row| result_number(row.packed.result())),
        Column::Ply => {
            required::<Int32Type>(rows, |row| i32::try_from(row.ply).unwrap_or(i32::MAX))
        }
        Column::WhiteElo => elo(0),
        Column::BlackElo => elo(1),
        Column::Game => required::<Int64Type>(rows, |row| row.game),
        Column::Clock => nullable::<Int32Type>(rows, |row| Some(row.clock).filter(|&n| n >= 0)),
        Column::Board => boards(rows),
        Column::History => histories(rows),
    })
}

/// A column without nulls.
fn required<T: ArrowPrimitiveType>(rows: &[Row], value: impl Fn(&Row) -> T::Native) -> ArrayRef {
    let values: ScalarBuffer<T::Native> = rows.iter().map(value).collect();
    Arc::new(PrimitiveArray::<T>::new(values, None))
}

/// A nullable column.
fn nullable<T: ArrowPrimitiveType>(
    rows: &[Row],
    mut value: impl FnMut(&Row) -> Option<T::Native>,
) -> ArrayRef {
    let mut validity = Vec::with_capacity(rows.len());
    let values: ScalarBuffer<T::Native> = rows
        .iter()
        .map(|row| {
            let value = value(row);
            validity.push(value.is_some());
            value.unwrap_or_default()
        })
        .collect();
    Arc::new(PrimitiveArray::<T>::new(values, Some(NullBuffer::from(validity))))
}

fn scores<T: ArrowPrimitiveType>(
    rows: &[Row],
    view: PointOfView,
    value: impl Fn(Score) -> Option<T::Native>,
) -> Result<ArrayRef, PackedError> {
    let mut first_error = None;
    let array = nullable::<T>(rows, |row| match row.packed.score() {
        Ok(score) => score.and_then(|score| value(seen_by(score, view, || row.packed.turn()))),
        Err(error) => {
            first_error.get_or_insert(error);
            None
        }
    });
    first_error.map_or(Ok(array), Err)
}

fn boards(rows: &[Row]) -> ArrayRef {
    let mut bytes = Vec::with_capacity(rows.len() * PackedRow::SIZE);
    for row in rows {
        bytes.extend_from_slice(row.packed.position_only().as_bytes());
    }
    Arc::new(FixedSizeBinaryArray::new(PackedRow::SIZE as i32, Buffer::from_vec(bytes), None))
}

fn histories(rows: &[Row]) -> ArrayRef {
    let bytes: Vec<u8> = rows.iter().flat_map(|row| row.history.to_bytes()).collect();
    let validity = rows.iter().map(|row| !row.history.is_empty()).collect::<Vec<_>>();
    let (bytes, validity) = (Buffer::from_vec(bytes), NullBuffer::from(validity));
    Arc::new(FixedSizeBinaryArray::new(MoveHistory::SIZE as i32, bytes, Some(validity)))
}

/// Builds a string column from bytes and offsets.
struct StringBuilder {
    bytes: Vec<u8>,
    offsets: Vec<i32>,
}

impl StringBuilder {
    fn new(count: usize, length: usize) -> Self {
        let mut offsets = Vec::with_capacity(count + 1);
        offsets.push(0);
        Self { bytes: Vec::with_capacity(count * length + 128), offsets }
    }

    /// Ends the current string.
    fn end(&mut self) {
        self.offsets.push(i32::try_from(self.bytes.len()).unwrap_or(i32::MAX));
    }

    fn array(self) -> ArrayRef {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(self.offsets));
        Arc::new(StringArray::new(offsets, Buffer::from_vec(self.bytes), None))
    }
}

fn fens(rows: &[Row]) -> Result<ArrayRef, PackedError> {
    let mut texts = StringBuilder::new(rows.len(), 64);
    let mut writer = FenWriter::new(FenStyle::Standard);
    for row in rows {
        writer.append_setup(&row.packed.setup()?, &mut texts.bytes);
        texts.end();
    }
    Ok(texts.array())
}

fn moves(rows: &[Row]) -> ArrayRef {
    let mut texts = StringBuilder::new(rows.len(), 5);
    for row in rows {
        if let Some(m) = row.packed.best_move() {
            append_uci(m, row.chess960, &mut texts.bytes);
        }
        texts.end();
    }
    texts.array()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;

    #[test]
    fn encoded_rows_round_trip() {
        let packed = PackedRow::new(&Position::INITIAL).unwrap();
        let row = Row {
            packed,
            game: (3 << GAME_BITS) + 77,
            ply: 70_000,
            clock: 12_345,
            elo: [2_800, -1],
            split: Split::Validation,
            chess960: true,
            history: MoveHistory::from_bytes(&std::array::from_fn(|n| n as u8)),
        };
        assert_eq!(Row::from_bytes(&row.to_bytes()), row);
        let other = Row { split: Split::Train, chess960: false, ..row };
        assert_eq!(Row::from_bytes(&other.to_bytes()), other);
    }
}
