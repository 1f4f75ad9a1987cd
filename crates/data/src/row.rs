//! A row on its way from a game to a file: 56 bytes, from which every column can be made.

use std::fmt;
use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, Int64Type};
use arrow_array::{ArrayRef, FixedSizeBinaryArray, PrimitiveArray, StringArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use chess::pgn::{GameResult, Score};
use chess::{CastlingStyle, Color, FenStyle, FenWriter, Move, PackedError, PackedRow};
use serde::{Deserialize, Serialize};

use crate::Column;

/// What part of the data a row belongs to. All rows of a game are in the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// To be learned from.
    Train,
    /// To be measured with.
    Validation,
}

impl Split {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Train, Self::Validation];

    /// The name of its folder.
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

/// From whose view evaluations are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PointOfView {
    /// White's.
    #[default]
    White,
    /// That of the player to move.
    Mover,
}

impl PointOfView {
    /// The name in options and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Mover => "mover",
        }
    }
}

/// The bits of a game's id that are the number of the game; the rest is the number of its input.
pub const GAME_BITS: u32 = 40;

/// Stands for "not known" where a number cannot be negative.
pub const UNKNOWN: i32 = -1;

/// One position of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// Position, move, score and result.
    pub packed: PackedRow,
    /// The id of the game.
    pub game: i64,
    /// Half moves before.
    pub ply: u32,
    /// Milliseconds, or [`UNKNOWN`].
    pub clock: i32,
    /// White's rating and Black's, or [`UNKNOWN`].
    pub elo: [i16; 2],
    /// Where it belongs.
    pub split: Split,
    /// Whether castling is written as king takes rook, whatever the squares.
    pub chess960: bool,
}

impl Row {
    /// The row of a packed one, of whose game nothing else is known.
    pub fn of_packed(packed: PackedRow) -> Self {
        // Castling from other squares than those of chess is written as king takes rook anyway.
        Self {
            packed,
            game: 0,
            ply: 0,
            clock: UNKNOWN,
            elo: [UNKNOWN as i16; 2],
            split: Split::Train,
            chess960: false,
        }
    }

    /// How many bytes a row has when it waits in a file.
    pub(crate) const SIZE: usize = 56;

    /// The row as bytes, for a file of our own that only we read.
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
        bytes
    }

    /// The row of such bytes.
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
        }
    }
}

/// What a score is in the columns `eval` and `mate`, seen by this side.
#[inline]
pub(crate) fn seen_by(score: Score, view: PointOfView, turn: impl FnOnce() -> Color) -> Score {
    // The turn is looked for among the pieces: only where it matters.
    if view == PointOfView::White || turn() == Color::White {
        return score;
    }
    match score {
        Score::Centipawns(value) => Score::Centipawns(-value),
        Score::Mate(moves) => Score::Mate(-moves),
    }
}

/// A result as the column has it.
pub(crate) const fn result_number(result: GameResult) -> Option<i8> {
    match result {
        GameResult::WhiteWins => Some(1),
        GameResult::Draw => Some(0),
        GameResult::BlackWins => Some(-1),
        GameResult::Unknown => None,
    }
}

/// Appends a move as UCI writes it.
#[inline]
fn append_uci(m: Move, chess960: bool, bytes: &mut Vec<u8>) {
    let style = if chess960 { CastlingStyle::Chess960 } else { CastlingStyle::Standard };
    // Positions are not asked for anything but the kind of move, which it knows itself.
    chess::Position::INITIAL.append_uci_bytes(m, style, bytes);
}

/// One column of these rows.
pub(crate) fn array(
    rows: &[Row],
    column: Column,
    view: PointOfView,
) -> Result<ArrayRef, PackedError> {
    let elo = |n: usize| numbers::<Int16Type>(rows, |row| Some(row.elo[n]).filter(|&elo| elo >= 0));
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
        Column::Result => numbers::<Int8Type>(rows, |row| result_number(row.packed.result())),
        Column::Ply => whole::<Int32Type>(rows, |row| i32::try_from(row.ply).unwrap_or(i32::MAX)),
        Column::WhiteElo => elo(0),
        Column::BlackElo => elo(1),
        Column::Game => whole::<Int64Type>(rows, |row| row.game),
        Column::Clock => numbers::<Int32Type>(rows, |row| Some(row.clock).filter(|&n| n >= 0)),
        Column::Board => boards(rows),
    })
}

/// A column without gaps.
fn whole<T: ArrowPrimitiveType>(rows: &[Row], value: impl Fn(&Row) -> T::Native) -> ArrayRef {
    let values: ScalarBuffer<T::Native> = rows.iter().map(value).collect();
    Arc::new(PrimitiveArray::<T>::new(values, None))
}

/// A column with gaps.
fn numbers<T: ArrowPrimitiveType>(
    rows: &[Row],
    mut value: impl FnMut(&Row) -> Option<T::Native>,
) -> ArrayRef {
    let mut known = Vec::with_capacity(rows.len());
    let values: ScalarBuffer<T::Native> = rows
        .iter()
        .map(|row| {
            let value = value(row);
            known.push(value.is_some());
            value.unwrap_or_default()
        })
        .collect();
    Arc::new(PrimitiveArray::<T>::new(values, Some(NullBuffer::from(known))))
}

fn scores<T: ArrowPrimitiveType>(
    rows: &[Row],
    view: PointOfView,
    value: impl Fn(Score) -> Option<T::Native>,
) -> Result<ArrayRef, PackedError> {
    let mut problem = None;
    let array = numbers::<T>(rows, |row| match row.packed.score() {
        Ok(score) => score.and_then(|score| value(seen_by(score, view, || row.packed.turn()))),
        Err(error) => {
            problem.get_or_insert(error);
            None
        }
    });
    problem.map_or(Ok(array), Err)
}

fn boards(rows: &[Row]) -> ArrayRef {
    let mut bytes = Vec::with_capacity(rows.len() * PackedRow::SIZE);
    for row in rows {
        bytes.extend_from_slice(row.packed.position_only().as_bytes());
    }
    Arc::new(FixedSizeBinaryArray::new(PackedRow::SIZE as i32, Buffer::from_vec(bytes), None))
}

/// Texts one after the other, and where each of them ends.
struct Texts {
    bytes: Vec<u8>,
    ends: Vec<i32>,
}

impl Texts {
    fn new(count: usize, length: usize) -> Self {
        let mut ends = Vec::with_capacity(count + 1);
        ends.push(0);
        Self { bytes: Vec::with_capacity(count * length + 128), ends }
    }

    /// The text written last is complete.
    fn end(&mut self) {
        self.ends.push(i32::try_from(self.bytes.len()).unwrap_or(i32::MAX));
    }

    fn array(self) -> ArrayRef {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(self.ends));
        Arc::new(StringArray::new(offsets, Buffer::from_vec(self.bytes), None))
    }
}

fn fens(rows: &[Row]) -> Result<ArrayRef, PackedError> {
    let mut texts = Texts::new(rows.len(), 64);
    let mut writer = FenWriter::new(FenStyle::Standard);
    for row in rows {
        writer.append_setup(&row.packed.setup()?, &mut texts.bytes);
        texts.end();
    }
    Ok(texts.array())
}

fn moves(rows: &[Row]) -> ArrayRef {
    let mut texts = Texts::new(rows.len(), 5);
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
    fn a_row_survives_its_bytes() {
        let packed = PackedRow::new(&Position::INITIAL).unwrap();
        let row = Row {
            packed,
            game: (3 << GAME_BITS) + 77,
            ply: 70_000,
            clock: 12_345,
            elo: [2_800, -1],
            split: Split::Validation,
            chess960: true,
        };
        assert_eq!(Row::from_bytes(&row.to_bytes()), row);
        let other = Row { split: Split::Train, chess960: false, ..row };
        assert_eq!(Row::from_bytes(&other.to_bytes()), other);
    }
}
