//! What the free heads have learned, as a table and as JSON.

use chess::Position;
use layout::{Table, wrap};
use serde_json::{Value, json};

use super::{HeadCorrelations, PIECES, free_head_correlations, mean_attention, most_similar};
use crate::{Transformer, Weights};

/// Correlations of the free heads with the masks of the pieces.
#[derive(Clone, PartialEq, Debug)]
pub struct FreeHeads {
    /// Number of positions of the mean attention.
    pub positions: usize,
    /// The free heads of all layers.
    pub heads: Vec<HeadCorrelations>,
}

impl FreeHeads {
    /// Correlates learned masks, and the mean attention over positions, with the masks of the pieces.
    pub fn new(model: &mut Transformer, weights: &Weights, positions: &[Position]) -> Self {
        let means = mean_attention(model, weights, positions);
        let heads = free_head_correlations(weights, &means);
        Self { positions: positions.len(), heads }
    }

    /// The correlations in the order of the pieces.
    pub fn to_json(&self) -> Value {
        let pieces = PIECES.map(|piece| piece.to_string());
        json!({ "positions": self.positions, "pieces": pieces, "heads": self.heads })
    }

    /// A table with two rows per head, and what it shows.
    pub fn to_text(&self, columns: usize) -> String {
        let about = format!(
            "Correlation, over all pairs of different squares, of the learned mask and of the mean \
             attention over {} positions with the mask of each piece",
            self.positions
        );
        self.table().without(&[1], columns) + &wrap(&about, columns, 2) + "\n"
    }

    fn table(&self) -> Table {
        let pieces = PIECES.map(|piece| piece.to_string());
        let heading = ["head", "range", ""].map(str::to_owned).into_iter().chain(pieces);
        let mut table = Table::new(heading.chain(["closest".to_owned()]), &[0, 1, 2, 9], 3);
        for head in &self.heads {
            let range = format!("{:.3}–{:.3}", head.range[0], head.range[1]);
            let name = format!("layer {}, free {}", head.layer, head.head);
            for (name, range, what, correlations) in [
                (name.as_str(), range.as_str(), "mask", &head.mask),
                ("", "", "attention", &head.attention),
            ] {
                let closest = most_similar(correlations);
                let mut cells = [name, range, what].map(str::to_owned).to_vec();
                cells.extend(correlations.iter().map(|correlation| format!("{correlation:.2}")));
                cells.push(closest.map_or("–".to_owned(), |piece| piece.to_string()));
                table.row(cells);
            }
        }
        table
    }
}
