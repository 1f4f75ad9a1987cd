//! The schema of a data set: names, types and meanings of the columns.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::MoveHistory;

/// A column. Other tools expect the first three in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Column {
    /// Position as FEN.
    Fen,
    /// Move played from the position, in UCI notation.
    BestMove,
    /// Evaluation in centipawns, or null.
    Eval,
    /// Moves to mate, or null.
    Mate,
    /// Result from White's point of view: 1, 0, −1 or null.
    Result,
    /// Plies played before.
    Ply,
    /// White's rating, or null.
    WhiteElo,
    /// Black's rating, or null.
    BlackElo,
    /// Game id.
    Game,
    /// Clock of the side to move in milliseconds, or null.
    Clock,
    /// Packed position of 32 bytes.
    Board,
    /// The last moves before the position, or null.
    History,
}

impl Column {
    /// All columns, in the order of the schema.
    pub const ALL: [Self; 12] = [
        Self::Fen,
        Self::BestMove,
        Self::Eval,
        Self::Mate,
        Self::Result,
        Self::Ply,
        Self::WhiteElo,
        Self::BlackElo,
        Self::Game,
        Self::Clock,
        Self::Board,
        Self::History,
    ];

    /// The columns of packed rows.
    pub const PACKED: [Self; 6] =
        [Self::Fen, Self::BestMove, Self::Eval, Self::Mate, Self::Result, Self::Board];

    /// Name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fen => "fen",
            Self::BestMove => "best_move",
            Self::Eval => "eval",
            Self::Mate => "mate",
            Self::Result => "result",
            Self::Ply => "ply",
            Self::WhiteElo => "white_elo",
            Self::BlackElo => "black_elo",
            Self::Game => "game",
            Self::Clock => "clock",
            Self::Board => "board",
            Self::History => "history",
        }
    }

    /// Meaning in a sentence, stored in manifests.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Fen => "the position, as FEN; en passant only where such a capture is legal",
            Self::BestMove => {
                "the move that was played from it, in UCI; castling in Chess960 games is king takes rook"
            }
            Self::Eval => {
                "centipawns, evaluation of the position in fen; null where there is none or a mate"
            }
            Self::Mate => {
                "moves to mate, of the position in fen, negative if the one whose view it is gets mated"
            }
            Self::Result => {
                "how the game ended, White's view: 1 won, 0 drawn, -1 lost; null if unknown"
            }
            Self::Ply => "half moves played in the game before this position, 0 in its first",
            Self::WhiteElo => "White's rating; null if unknown",
            Self::BlackElo => "Black's rating; null if unknown",
            Self::Game => {
                "number of the input, counted from 0, times 2^40, plus number of the game in it, counted from 1"
            }
            Self::Clock => {
                "milliseconds that the player to move has left when the position comes up; null if unknown"
            }
            Self::Board => "the position in 32 bytes, as PackedRow without score, move and result",
            Self::History => {
                "the last moves before the position, up to 7, two bytes each, the last first; null at the start of a game"
            }
        }
    }

    /// Arrow data type.
    pub fn data_type(self) -> DataType {
        match self {
            Self::Fen | Self::BestMove => DataType::Utf8,
            Self::Eval | Self::Ply | Self::Clock => DataType::Int32,
            Self::Mate | Self::Result => DataType::Int8,
            Self::WhiteElo | Self::BlackElo => DataType::Int16,
            Self::Game => DataType::Int64,
            Self::Board => DataType::FixedSizeBinary(chess::PackedRow::SIZE as i32),
            Self::History => DataType::FixedSizeBinary(MoveHistory::SIZE as i32),
        }
    }

    /// Whether values may be null.
    pub const fn is_nullable(self) -> bool {
        !matches!(self, Self::Fen | Self::BestMove | Self::Ply | Self::Game | Self::Board)
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A column name that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no column; there are fen, best_move, eval, mate, result, ply, white_elo, black_elo, game, clock, board, history"
)]
pub struct UnknownColumn(String);

impl FromStr for Column {
    type Err = UnknownColumn;

    fn from_str(name: &str) -> Result<Self, UnknownColumn> {
        let found = Self::ALL.into_iter().find(|column| column.name() == name);
        found.ok_or_else(|| UnknownColumn(name.to_owned()))
    }
}

/// The Arrow schema of these columns.
pub fn schema(columns: &[Column]) -> SchemaRef {
    let field =
        |column: &Column| Field::new(column.name(), column.data_type(), column.is_nullable());
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_the_schema_begins_as_other_tools_expect() {
        for column in Column::ALL {
            assert_eq!(column.name().parse(), Ok(column));
        }
        assert!("elo".parse::<Column>().is_err());
        let schema = schema(&Column::ALL);
        let first: Vec<_> = schema.fields().iter().take(3).map(|field| field.name()).collect();
        assert_eq!(first, ["fen", "best_move", "eval"]);
    }
}
