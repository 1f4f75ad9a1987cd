//! Packs rows of columns.

use chess::{Move, PackedRow, Position};

use super::RowView;
use crate::Column;

/// The available columns that a packed row is made of; none without a position.
pub(super) fn columns(available: &[Column]) -> Option<Vec<Column>> {
    let has = |column: &Column| available.contains(column);
    let position = [Column::Board, Column::Fen].into_iter().find(has)?;
    let more = [Column::BestMove, Column::Eval, Column::Mate, Column::Result];
    Some([position].into_iter().chain(more.into_iter().filter(has)).collect())
}

/// Packs a row.
pub(super) fn pack(row: RowView<'_>) -> Result<PackedRow, String> {
    let position = match (row.board(), row.fen()) {
        (Some(board), _) => board.position().map_err(|error| error.to_string())?,
        (None, Some(fen)) => Position::from_fen(fen).map_err(|error| error.to_string())?,
        (None, None) => return Err("there is no position".into()),
    };
    let packed = PackedRow::new(&position).ok_or("its clock is out of range")?;
    let packed = match row.best_move() {
        Some(text) => packed.with_move(parse(&position, text)?),
        None => packed,
    };
    let score = row.score(position.turn());
    if score.is_some_and(|score| !PackedRow::has_room_for(score)) {
        return Err("its evaluation is out of range".into());
    }
    Ok(packed.with_score(score).with_result(row.game_result()))
}

fn parse(position: &Position, text: &str) -> Result<Move, String> {
    position.parse_uci(text).map_err(|error| error.to_string())
}
