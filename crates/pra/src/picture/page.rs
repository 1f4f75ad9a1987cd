//! All heads of a model on one HTML page.

use std::fmt::Write;

use chess::svg::{BoardPicture, escape_xml};
use chess::{Color, Position};

use super::board::{Board, definitions};
use super::map_image;
use super::paint::{FONT, INK, SOFT, percent, short};
use crate::attention::{
    AttentionMaps, HeadCorrelations, PIECES, free_head_correlations, free_mask, heat_received,
    mean_attention, most_similar, piece_mask, sharpest,
};
use crate::config::{FREE_HEADS, HEADS, PIECE_HEADS};
use crate::masks::head_name;
use crate::{Config, Transformer, Weights};

/// The attention of a model on a position.
#[derive(Clone, Debug)]
pub struct Overview<'a> {
    weights: &'a Weights,
    position: &'a Position,
    maps: AttentionMaps,
    /// Mean attention maps of all heads, in model coordinates.
    means: Vec<Vec<f32>>,
    /// Number of positions of the mean.
    positions: usize,
    correlations: Vec<HeadCorrelations>,
    /// The color at the bottom.
    orientation: Color,
}

/// Side length of a square of the small boards.
const SQUARE: f32 = 17.0;
/// Distance of the small boards, horizontally and vertically.
const STEP: (f32, f32) = (8.0 * SQUARE + 14.0, 8.0 * SQUARE + 40.0);
const LEFT: f32 = 16.0;
/// Height of the name above a small board.
const HEADING: f32 = 20.0;
const LEGEND: &str = "Heat: the attention that a square receives, mean over all queries, from uniform attention to the maximum beside the name. Arrows: the sharpest attention of occupied squares.";
/// Maximum number of arrows on a small board.
const ARROWS: usize = 4;

impl<'a> Overview<'a> {
    /// Runs the model on a position, and on others for the mean attention of the free heads.
    pub fn new(
        model: &mut Transformer,
        weights: &'a Weights,
        position: &'a Position,
        mean_over: &[Position],
    ) -> Self {
        let means = mean_attention(model, weights, mean_over);
        Self {
            weights,
            position,
            maps: AttentionMaps::new(model, weights, position),
            correlations: free_head_correlations(weights, &means),
            means,
            positions: mean_over.len(),
            orientation: position.turn(),
        }
    }

    /// All heads as one SVG: a row for each layer, a column for each head.
    pub fn heads_svg(&self) -> String {
        let board = Board { square: SQUARE, orientation: self.orientation };
        let depth = self.maps.depth();
        let top = 62.0;
        let width = 2.0 * LEFT + HEADS as f32 * STEP.0;
        let height = top + depth as f32 * STEP.1 + 8.0;
        let turn = self.position.turn();
        let mut out = format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" font-family="{FONT}" role="img"><title>Attention of all heads</title>"##,
            short(width),
            short(height)
        );
        out += &self.shared(&board);
        let _ = write!(
            out,
            r##"<rect width="100%" height="100%" fill="#fff"/><text x="{LEFT}" y="24" font-size="17" font-weight="600" fill="{INK}">Attention of every head, {turn} to move</text><text x="{LEFT}" y="44" font-size="12" fill="{SOFT}">{LEGEND}</text>"##
        );
        for layer in 0..depth {
            for head in 0..HEADS {
                let (x, y) = (LEFT + head as f32 * STEP.0, top + layer as f32 * STEP.1);
                let _ = write!(out, r#"<g transform="translate({} {})">"#, short(x), short(y));
                out += &self.small(&board, layer, head);
                out += "</g>";
            }
        }
        out + "</svg>\n"
    }

    /// All heads as a responsive grid for each layer, whose columns divide the twelve heads evenly.
    fn heads_html(&self) -> String {
        let board = Board { square: SQUARE, orientation: self.orientation };
        let (side, height) = (board.side(), board.side() + HEADING);
        let mut out = format!(
            r#"<h2>Attention of every head, {} to move</h2><p>{LEGEND}</p><svg width="0" height="0" style="position:absolute" aria-hidden="true">{}</svg>"#,
            self.position.turn(),
            self.shared(&board)
        );
        for layer in 0..self.maps.depth() {
            out += r#"<div class="heads">"#;
            for head in 0..HEADS {
                let _ = write!(
                    out,
                    r#"<svg viewBox="-1 0 {} {}" font-family="{FONT}" role="img">{}</svg>"#,
                    short(side + 2.0),
                    short(height + 1.0),
                    self.small(&board, layer, head)
                );
            }
            out += "</div>";
        }
        out
    }

    /// Board and pieces, defined once for all heads.
    fn shared(&self, board: &Board) -> String {
        let pieces = board.pieces(self.position);
        format!(r#"{}<defs><g id="pra-pieces">{pieces}</g></defs>"#, definitions(self.position))
    }

    /// The board of a head, with its name.
    fn small(&self, board: &Board, layer: usize, head: usize) -> String {
        let map = self.maps.map(layer, head);
        let (heats, most) = heat_received(map);
        let mut out = format!(
            r##"<text y="14" font-size="11.5" fill="{INK}">layer {}, {}</text><text x="{}" y="14" font-size="10" text-anchor="end" fill="{SOFT}">{}</text><g transform="translate(0 {HEADING})">"##,
            layer + 1,
            head_name(head),
            short(board.side()),
            percent(most)
        );
        out += &board.heat(&heats);
        out += r##"<use href="#pra-pieces"/>"##;
        let edges = sharpest(map, self.position.occupied(), ARROWS);
        edges.iter().rev().for_each(|edge| out += &board.arrow(edge));
        out + "</g>"
    }

    /// The page: the position, all heads, and the masks of the free heads.
    pub fn html(&self) -> String {
        let config = self.weights.config();
        let mut out = format!(
            r##"<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Attention of a piece-routed model</title>
<style>
body{{font:15px/1.5 {FONT};color:{INK};background:#fff;max-width:1860px;margin:24px auto;padding:0 20px}}
h1{{font-size:26px;margin:0 0 4px}} h2{{font-size:20px;margin:36px 0 6px}} p{{max-width:80ch;margin:6px 0 14px}}
.heads{{display:grid;grid-template-columns:repeat(12,1fr);gap:14px;margin-bottom:18px}} .heads svg{{display:block;width:100%;height:auto}}
@media (max-width:1700px){{.heads{{grid-template-columns:repeat(6,1fr)}}}}
@media (max-width:640px){{body{{padding:0 12px}} .heads{{grid-template-columns:repeat(3,1fr);gap:8px}}}}
@media (max-width:440px){{.heads{{grid-template-columns:repeat(2,1fr)}}}}
.soft{{color:{SOFT}}} .wide{{overflow-x:auto}} .row{{display:flex;flex-wrap:wrap;gap:18px;align-items:flex-start}}
table{{border-collapse:collapse;font-variant-numeric:tabular-nums}} th,td{{padding:3px 10px;text-align:right}}
th{{font-weight:600;border-bottom:1px solid #c9d0d4}} td:first-child,th:first-child{{text-align:left}}
td.best{{font-weight:700;background:#fde8bd}} code{{font-size:13px;overflow-wrap:anywhere}} svg{{max-width:100%}} .row>*{{min-width:0}} .row>svg{{height:auto}}
</style></head><body>
<h1>Attention of a piece-routed model</h1>
<p class="soft">{} layers of {HEADS} heads, embedding dimension {}, {} parameters.</p>
"##,
            config.depth,
            config.n_embd,
            grouped(config.parameters())
        );
        let picture = BoardPicture {
            orientation: self.orientation,
            size: 320,
            title: self.position.fen(),
            ..BoardPicture::of(|square| self.position.piece_at(square))
        };
        let _ = write!(
            out,
            "<div class=\"row\">{}<div><p>{} to move. <br><code>{}</code></p><p>The first nine heads of a layer attend only to the squares that a piece reaches on the empty board: knight, bishop and rook twice, then queen, king and pawn. The last three are free: their masks are learned.</p></div></div>",
            picture.to_svg(),
            self.position.turn(),
            escape_xml(&self.position.fen())
        );
        out += &self.heads_html();
        out += &self.free_section(config);
        out + "</body></html>\n"
    }

    fn free_section(&self, config: &Config) -> String {
        let view = if config.flipped {
            "The board is flipped for Black: the lowest rank is the first of the side to move."
        } else {
            "The lowest rank is White's first."
        };
        let mut out = format!(
            "<h2>What the free heads have learned</h2><p>Each image is a board of boards: every query square holds a small board of its key squares. {view} First, for comparison, the masks of the pieces. Then, for each free head, its learned mask and its mean attention over {} positions; the color scales, given below the images, end at the 99th percentile.</p><div class=\"row\">",
            grouped(self.positions)
        );
        for piece in PIECES {
            let map = piece_mask(piece);
            out +=
                &map_image::svg(&map_image::image(&map, 0.0, 1.0), &piece.to_string(), "mask", 150);
        }
        out += "</div>";
        for layer in 0..config.depth {
            let _ = write!(out, "<h3>Layer {}</h3><div class=\"row\">", layer + 1);
            for head in 0..FREE_HEADS {
                out += &self.free_head(layer, head);
            }
            out += "</div>";
        }
        out += &self.table();
        out
    }

    fn free_head(&self, layer: usize, head: usize) -> String {
        let map = free_mask(self.weights, layer, head);
        let (low, high) = map_image::range(&map);
        let found = self.correlations.get(layer * FREE_HEADS + head);
        let like = |numbers: Option<&[f64; 6]>| {
            let named = numbers.and_then(|all| {
                let piece = most_similar(all)?;
                let at = PIECES.iter().position(|&other| other == piece)?;
                Some(format!(", like a {piece} ({:.2})", all[at]))
            });
            named.unwrap_or_default()
        };
        let note = format!("{low:.2} to {high:.2}{}", like(found.map(|found| &found.mask)));
        let name = format!("free {}: mask", head + 1);
        let mut out = map_image::svg(&map_image::image(&map, low, high), &name, &note, 240);
        if let Some(mean) = self.means.get(layer * HEADS + PIECE_HEADS + head) {
            let (_, high) = map_image::range(mean);
            let note =
                format!("0 to {}{}", percent(high), like(found.map(|found| &found.attention)));
            let name = format!("free {}: mean attention", head + 1);
            out += &map_image::svg(&map_image::image(mean, 0.0, high), &name, &note, 240);
        }
        out
    }

    fn table(&self) -> String {
        let mut out = String::from(
            "<h2>Which piece a free head resembles</h2><p>Pearson correlation, over all pairs of different squares, of the learned mask and of the mean attention with the mask of each piece.</p><div class=\"wide\"><table><tr><th>head</th><th></th>",
        );
        for piece in PIECES {
            let _ = write!(out, "<th>{piece}</th>");
        }
        out += "</tr>";
        for found in &self.correlations {
            let rows = [("mask", &found.mask), ("attention", &found.attention)];
            for (what, numbers) in rows {
                let _ = write!(
                    out,
                    "<tr><td>layer {}, free {}</td><td>{what}</td>",
                    found.layer, found.head
                );
                let best = most_similar(numbers);
                for (piece, number) in PIECES.iter().zip(numbers) {
                    let class = if best == Some(*piece) { " class=\"best\"" } else { "" };
                    let _ = write!(out, "<td{class}>{}</td>", signed(*number));
                }
                out += "</tr>";
            }
        }
        out + "</table></div>"
    }
}

/// Two decimals, with a true minus sign and no negative zero.
fn signed(number: f64) -> String {
    let text = format!("{number:.2}");
    if text == "-0.00" { "0.00".to_owned() } else { text.replace('-', "−") }
}

/// With thousands separators.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_head_and_is_self_contained() {
        let config = Config::new(2, 12);
        let weights = Weights::random(&config, 1).unwrap();
        let mut model = Transformer::new(&config, 1);
        let position = Position::INITIAL;
        let overview = Overview::new(&mut model, &weights, &position, &[position]);
        let (svg, html) = (overview.heads_svg(), overview.html());
        for layer in 1..=2 {
            for head in 0..HEADS {
                let name = format!(">layer {layer}, {}<", head_name(head));
                assert!(svg.contains(&name) && html.contains(&name), "{name}");
            }
        }
        assert!(html.ends_with("</body></html>\n"));
        // Every head is an element of a grid that wraps; none is in a part that scrolls.
        let grids: Vec<&str> = html.split(r#"<div class="heads">"#).skip(1).collect();
        assert_eq!(grids.len(), 2);
        for grid in grids {
            let grid = grid.split("</div>").next().unwrap();
            assert_eq!(grid.matches("<svg ").count(), HEADS);
        }
        let scrolling = html.split(r#"<div class="wide">"#).skip(1);
        assert!(
            scrolling
                .map(|part| part.split("</div>").next().unwrap())
                .all(|part| !part.contains("<svg"))
        );
        assert_eq!(html.matches("<image ").count(), 6 + 2 * 3 * 2);
        let outside = html.replace("http://www.w3.org/2000/svg", "");
        assert!(
            !outside.contains("http") && !outside.contains("NaN") && !outside.contains("script")
        );
    }

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(
            (grouped(7), grouped(1234), grouped(6_085_632)),
            ("7".into(), "1,234".into(), "6,085,632".into())
        );
        assert_eq!((signed(-0.001), signed(-0.25)), ("0.00".into(), "−0.25".into()));
    }
}
