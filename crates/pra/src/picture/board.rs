//! SVG fragments of a board: heat map, pieces, arrows.

use std::fmt::Write;

use chess::svg::{piece_defs, piece_svg};
use chess::{Color, Piece, Position, Square};

use super::paint::{ARROW, SQUARE, heat, hex, short};
use crate::attention::AttentionEdge;
use crate::config::SQUARES;

/// Size and orientation of a board.
#[derive(Clone, Copy)]
pub(super) struct Board {
    /// Side length of a square.
    pub square: f32,
    /// The color at the bottom.
    pub orientation: Color,
}

impl Board {
    /// Top left corner of a square.
    pub fn corner(&self, square: Square) -> (f32, f32) {
        let (file, rank) = (square.file().index(), square.rank().index());
        let (x, y) = match self.orientation {
            Color::White => (file, 7 - rank),
            Color::Black => (7 - file, rank),
        };
        (x as f32 * self.square, y as f32 * self.square)
    }

    fn center(&self, square: Square) -> (f32, f32) {
        let (x, y) = self.corner(square);
        (x + self.square / 2.0, y + self.square / 2.0)
    }

    /// Side length of the board.
    pub fn side(&self) -> f32 {
        8.0 * self.square
    }

    /// The heat map: squares in the colors of heats from 0 to 1.
    pub fn heat(&self, heats: &[f32; SQUARES]) -> String {
        let (side, own) = (short(self.side()), short(self.square));
        let mut out = format!(
            r#"<g shape-rendering="crispEdges"><rect width="{side}" height="{side}" fill="{}"/>"#,
            hex(SQUARE)
        );
        for square in Square::all().filter(|square| heats[square.index()] > 0.004) {
            let (x, y) = self.corner(square);
            let color = hex(heat(heats[square.index()]));
            let _ = write!(
                out,
                r#"<rect x="{}" y="{}" width="{own}" height="{own}" fill="{color}"/>"#,
                short(x),
                short(y)
            );
        }
        out + "</g>"
    }

    /// The layer above the heat map: shades of dark squares, border, pieces.
    pub fn pieces(&self, position: &Position) -> String {
        let mut out = String::from(
            r##"<path shape-rendering="crispEdges" fill="#31404a" fill-opacity=".09" d=""##,
        );
        let own = short(self.square);
        for square in chess::Bitboard::DARK_SQUARES {
            let (x, y) = self.corner(square);
            let _ = write!(out, "M{} {}h{own}v{own}h-{own}z", short(x), short(y));
        }
        let side = short(self.side());
        let _ = write!(
            out,
            r##""/><rect width="{side}" height="{side}" fill="none" stroke="#8b979e" stroke-width="{}"/>"##,
            short(self.square * 0.03)
        );
        for (square, piece) in position.board().iter() {
            let (x, y) = self.corner(square);
            out += &piece_svg(piece, x, y, self.square);
        }
        out
    }

    /// An arrow from query to key; width and opacity grow with the attention weight.
    pub fn arrow(&self, edge: &AttentionEdge) -> String {
        let ((x0, y0), (x1, y1)) = (self.center(edge.query), self.center(edge.key));
        let length = (x1 - x0).hypot(y1 - y0).max(1e-3);
        let (ux, uy) = ((x1 - x0) / length, (y1 - y0) / length);
        let weight = edge.weight.clamp(0.0, 1.0).sqrt();
        let width = self.square * (0.05 + 0.12 * weight);
        let opacity = short(0.35 + 0.5 * weight);
        let (tail, tip) = (0.2 * self.square, length - 0.08 * self.square);
        let barb = tip - (2.6 * width).min(0.7 * (tip - tail));
        let (shaft, head) = (0.5 * width, 1.35 * width);
        let outline = [
            (tail, shaft),
            (barb, shaft),
            (barb, head),
            (tip, 0.0),
            (barb, -head),
            (barb, -shaft),
            (tail, -shaft),
        ];
        let mut out = format!(r#"<path fill="{ARROW}" opacity="{opacity}" d=""#);
        for (step, (along, across)) in outline.into_iter().enumerate() {
            let (x, y) = (x0 + along * ux - across * uy, y0 + along * uy + across * ux);
            let _ = write!(out, "{}{} {}", if step == 0 { 'M' } else { 'L' }, short(x), short(y));
        }
        out + r#"z"/>"#
    }

    /// A ring around a square.
    pub fn ring(&self, square: Square) -> String {
        let (x, y) = self.center(square);
        format!(
            r#"<circle cx="{}" cy="{}" r="{}" fill="none" stroke="{ARROW}" stroke-width="{}"/>"#,
            short(x),
            short(y),
            short(0.44 * self.square),
            short(0.07 * self.square)
        )
    }
}

/// SVG definitions of the pieces of a position, once per file.
pub(super) fn definitions(position: &Position) -> String {
    let kinds = position.board().iter().map(|(_, piece): (Square, Piece)| piece.piece_type());
    format!("<defs>{}</defs>", piece_defs(kinds))
}
