//! Pictures of attention: one head on a board, all heads of a model on a page, and the learned masks of
//! the free heads.
//!
//! The heat map shows how much attention a square receives; an arrow leads from query to key, wider for
//! larger weights. Output is self-contained SVG and HTML.

mod board;
mod head;
mod map_image;
mod page;
mod paint;
mod png;

pub use head::{HeadPicture, View};
pub use page::Overview;

use std::fmt::Write;

use chess::{Position, Square};

use crate::config::SQUARES;

/// A board in text with the percentages of attention weights beside the pieces.
pub fn text_board(position: &Position, weights: &[f32; SQUARES]) -> String {
    let mut out = String::new();
    for rank in (0..8).rev() {
        let _ = write!(out, "{} ", rank + 1);
        for file in 0..8 {
            let square = Square::from_index_wrapping(rank * 8 + file);
            let piece = position.piece_at(square).map_or('·', |piece| piece.symbol());
            let _ = write!(out, " {:5.1} {piece}", 100.0 * weights[square.index()]);
        }
        out.push('\n');
    }
    out + "       a       b       c       d       e       f       g       h\n"
}
