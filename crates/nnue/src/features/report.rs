//! The bitboards and features of a position as text and as JSON.

use std::fmt;

use ::layout::wrap;
use chess::{Bitboard, Color, File, PieceType, Position, Rank, Square};
use serde_json::{Value, json};

use super::{BLACK, Bitboards, Features, WHITE, offset};

/// Columns of a small board with the space before it.
const BOARD_COLUMNS: usize = 17;

/// The features of a position, as text of limited width or as JSON.
#[derive(Clone, Copy, Debug)]
pub struct FeatureReport<'a> {
    /// The position.
    pub position: &'a Position,
    /// The width of the text.
    pub columns: usize,
}

impl FeatureReport<'_> {
    /// Active features in both orders, pieces and material.
    pub fn to_json(&self) -> Value {
        let position = self.position;
        let bitboards = Bitboards::of(position.board());
        let material = bitboards.material();
        let counts = bitboards.counts();
        let by_type = |color: usize| -> Value {
            let named = PieceType::ALL.into_iter().zip(counts[color]);
            named.map(|(piece_type, count)| (piece_type.to_string(), json!(count))).collect()
        };
        json!({
            "fen": position.fen(),
            "turn": position.turn().letter(),
            "active": Features::of(position.board()).iter().collect::<Vec<_>>(),
            "mover": Features::for_mover(position).iter().collect::<Vec<_>>(),
            "pieces": bitboards.len(),
            "counts": { "black": by_type(BLACK), "white": by_type(WHITE) },
            "material": {
                "white": material.white,
                "black": material.black,
                "balance": material.balance(),
            },
        })
    }
}

impl fmt::Display for FeatureReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { position, columns } = *self;
        let bitboards = Bitboards::of(position.board());
        writeln!(f, "{}\n", position.fen())?;
        for color in [Color::Black, Color::White] {
            let boards = PieceType::ALL.map(|piece_type| {
                let first = offset(color, piece_type);
                (format!("{piece_type} {first}"), bitboards.pieces(color, piece_type))
            });
            writeln!(f, "{color}")?;
            for row in boards.chunks(boards_in_a_row(columns)) {
                side_by_side(row, f)?;
                writeln!(f)?;
            }
        }
        let active = list(&Features::of(position.board()));
        let mover = list(&Features::for_mover(position));
        writeln!(f, "{}", wrap(&format!("Active      {active}"), columns, 2))?;
        writeln!(f, "{}", wrap(&format!("For mover   {mover}"), columns, 2))?;
        let [black, white] = bitboards.counts().map(|counts| counts.iter().sum::<usize>());
        writeln!(f, "Pieces      {} (White {white}, Black {black})", bitboards.len())?;
        let material = bitboards.material();
        let (white, black, balance) = (material.white, material.black, material.balance());
        writeln!(f, "Material    White {white}, Black {black}, balance {balance:+}")?;
        writeln!(f, "To move     {}", position.turn())
    }
}

/// How many of the six boards fit side by side, in rows of equal length.
fn boards_in_a_row(columns: usize) -> usize {
    [6, 3, 2].into_iter().find(|boards| BOARD_COLUMNS * boards <= columns).unwrap_or(1)
}

/// Small boards in a row, each below its name.
fn side_by_side(boards: &[(String, Bitboard)], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let names: Vec<String> = boards.iter().map(|(name, _)| format!("{name:<15}")).collect();
    writeln!(f, "  {}", names.join("  ").trim_end())?;
    for rank in (0..8).rev().map(Rank::from_index_wrapping) {
        let rows: Vec<String> = boards.iter().map(|&(_, set)| row(set, rank)).collect();
        writeln!(f, "{} {}", rank.digit(), rows.join("  "))?;
    }
    Ok(())
}

fn row(set: Bitboard, rank: Rank) -> String {
    let marks = (0..8).map(|file| {
        let square = Square::new(File::from_index_wrapping(file), rank);
        if set.has(square) { "1" } else { "·" }
    });
    marks.collect::<Vec<_>>().join(" ")
}

fn list(features: &Features) -> String {
    features.iter().map(|feature| feature.to_string()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_fits_any_width() {
        for columns in [20, 40, 60, 80, 120] {
            let report = FeatureReport { position: &Position::INITIAL, columns }.to_string();
            // The FEN stays whole.
            let widest = report.lines().skip(1).map(|line| line.chars().count()).max();
            assert!(widest.is_some_and(|widest| widest <= columns.max(43)), "{columns}");
        }
    }
}
