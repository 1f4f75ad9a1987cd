//! The attention of one head on a board.

use std::fmt::Write;

use chess::svg::escape_xml;
use chess::{Color, File, Position, Rank, Square};

use super::board::{Board, definitions};
use super::paint::{FONT, INK, SOFT, percent, scale_bar, short};
use crate::attention::{
    AttentionEdge, AttentionMap, heat_received, received, sharpest, strongest, weights_of,
};
use crate::config::SQUARES;

/// What is shown of a head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// The attention that each square receives, with the sharpest queries of occupied squares.
    Received,
    /// The attention weights of one query square.
    Query(Square),
}

/// A picture of one head.
#[derive(Clone, Copy, Debug)]
pub struct HeadPicture<'a> {
    /// The position.
    pub position: &'a Position,
    /// The attention map of the head, in board coordinates.
    pub map: &'a AttentionMap,
    /// The name of the head, such as `layer 3, knight 1`.
    pub name: &'a str,
    /// What is shown.
    pub view: View,
    /// The color at the bottom.
    pub orientation: Color,
}

/// Maximum number of arrows.
const ARROWS: usize = 10;
const SQUARE: f32 = 64.0;
const LEFT: f32 = 40.0;
const TOP: f32 = 74.0;

impl HeadPicture<'_> {
    /// Heats of the squares, the largest weight, and arrows.
    fn shown(&self) -> ([f32; SQUARES], f32, Vec<AttentionEdge>) {
        match self.view {
            View::Received => {
                let (heats, most) = heat_received(self.map);
                (heats, most, sharpest(self.map, self.position.occupied(), ARROWS))
            }
            View::Query(square) => {
                let weights = weights_of(self.map, square);
                let most = weights.iter().copied().fold(0.0, f32::max);
                let heats = weights.map(|weight| if most > 0.0 { weight / most } else { 0.0 });
                let edges = strongest(self.map, square, 5);
                (heats, most, edges.into_iter().filter(|edge| edge.weight >= 0.02).collect())
            }
        }
    }

    /// The picture as an SVG file.
    pub fn to_svg(&self) -> String {
        let board = Board { square: SQUARE, orientation: self.orientation };
        let (heats, most, arrows) = self.shown();
        let side = board.side();
        let (width, height) = (LEFT + side + 24.0, TOP + side + 128.0);
        let name = escape_xml(&capital(self.name));
        let what = match self.view {
            View::Received => "attention received by each square".to_owned(),
            View::Query(square) => format!("attention of query {square}"),
        };
        let turn = self.position.turn();
        let mut out = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="{FONT}" role="img"><title>{name}: {what}</title>"#
        );
        out += &definitions(self.position);
        let _ = write!(
            out,
            r##"<rect width="{width}" height="{height}" fill="#fff"/><text x="{LEFT}" y="34" font-size="21" font-weight="600" fill="{INK}">{name}</text><text x="{LEFT}" y="57" font-size="14" fill="{SOFT}">{what} — {turn} to move</text>"##
        );
        let _ = write!(out, r#"<g transform="translate({LEFT} {TOP})">"#);
        out += &board.heat(&heats);
        out += &board.pieces(self.position);
        if let View::Query(square) = self.view {
            out += &board.ring(square);
        }
        // The strongest are drawn last, on top.
        arrows.iter().rev().for_each(|edge| out += &board.arrow(edge));
        out += &self.labels(&board);
        out += &coordinates(&board);
        out += "</g>";
        out += &self.legend(TOP + side + 36.0, most);
        out + "</svg>\n"
    }

    fn legend(&self, y: f32, most: f32) -> String {
        let (least, of, arrows) = match self.view {
            View::Received => (
                1.0 / SQUARES as f32,
                "of the attention of all queries; white is uniform attention, or less",
                "the sharpest attention of occupied squares",
            ),
            View::Query(_) => (0.0, "of the attention of this query", "the largest weights"),
        };
        let least = percent(least);
        let text = |x: f32, y: f32, text: &str| {
            format!(r#"<text x="{}" y="{}">{}</text>"#, short(x), short(y), escape_xml(text))
        };
        let mut out = format!(r#"<g font-size="13" fill="{SOFT}">"#);
        out += &text(LEFT, y + 11.0, &least);
        out += &scale_bar(LEFT + 42.0, y, 110.0, 14.0);
        out += &text(LEFT + 160.0, y + 11.0, &percent(most));
        out += &text(LEFT, y + 32.0, &format!("{least} to {} {of}.", percent(most)));
        out += &text(LEFT, y + 51.0, &format!("Arrows: {arrows}; wider is more."));
        let fen = escape_xml(&self.position.fen());
        let _ = write!(
            out,
            r#"<text x="{LEFT}" y="{}" font-size="11">{fen}</text></g>"#,
            short(y + 74.0)
        );
        out
    }

    /// Percentages in the corners of the squares with the largest weights.
    fn labels(&self, board: &Board) -> String {
        let weights = match self.view {
            View::Received => received(self.map),
            View::Query(square) => weights_of(self.map, square),
        };
        let most = weights.iter().copied().fold(0.0, f32::max);
        let least = match self.view {
            View::Received => (0.5 * most).max(1.5 / SQUARES as f32),
            View::Query(_) => (0.12 * most).max(0.01),
        };
        let mut out = format!(
            r##"<g font-size="11" text-anchor="end" fill="{INK}" stroke="#fff" stroke-opacity=".75" stroke-width="2.6" stroke-linejoin="round" paint-order="stroke">"##
        );
        for square in Square::all().filter(|square| weights[square.index()] >= least) {
            let (x, y) = board.corner(square);
            let label = percent(weights[square.index()]).replace(' ', "");
            let _ = write!(
                out,
                r#"<text x="{}" y="{}">{label}</text>"#,
                short(x + board.square - 3.0),
                short(y + 12.0)
            );
        }
        out + "</g>"
    }
}

fn coordinates(board: &Board) -> String {
    let mut out = format!(r#"<g font-size="14" text-anchor="middle" fill="{SOFT}">"#);
    for file in File::ALL {
        let (x, _) = board.corner(Square::new(file, Rank::First));
        let (x, y) = (short(x + board.square / 2.0), short(board.side() + 19.0));
        let _ = write!(out, r#"<text x="{x}" y="{y}">{}</text>"#, file.letter());
    }
    for rank in Rank::ALL {
        let (_, y) = board.corner(Square::new(File::A, rank));
        let y = short(y + board.square / 2.0 + 5.0);
        let _ = write!(out, r#"<text x="-16" y="{y}">{}</text>"#, rank.digit());
    }
    out + "</g>"
}

/// With a capital first letter.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_shows_the_head_the_pieces_and_the_arrows() {
        let position = Position::INITIAL;
        let mut map = vec![0.0; 4096];
        for row in map.chunks_exact_mut(64) {
            (row[27], row[36]) = (0.75, 0.25);
        }
        let picture = HeadPicture {
            position: &position,
            map: &map,
            name: "layer 1, <free> 2",
            view: View::Query(Square::G1),
            orientation: Color::White,
        };
        let svg = picture.to_svg();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("Layer 1, &lt;free&gt; 2") && svg.contains("attention of query g1"));
        assert_eq!(svg.matches("<use ").count(), 32);
        assert!(svg.contains(">75%<") && svg.contains(">25%<"));
        assert_eq!(svg.matches(r##"<path fill="#2b3f9e""##).count(), 2, "arrows");
        let all =
            HeadPicture { view: View::Received, orientation: Color::Black, ..picture }.to_svg();
        assert_ne!(all, svg);
        // An empty map gives a board without heat, and no division by zero.
        let none = HeadPicture { map: &[], view: View::Received, ..picture }.to_svg();
        assert!(!none.contains("NaN") && none.contains(">0 %<"));
    }
}
