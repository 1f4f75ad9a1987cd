//! All heads of a model on one page.

use std::fmt::Write;

use chess::svg::BoardPicture;
use chess::{Color, Position};

use super::board::{Board, definitions};
use super::paint::{FONT, INK, SOFT, escaped, percent, short};
use super::pattern;
use crate::attention::{
    Maps, PIECES, Resemblance, closest, free_pattern, heat_received, piece_map, sharpest,
};
use crate::config::{FREE_HEADS, HEADS, PIECE_HEADS};
use crate::masks::head_name;
use crate::{Config, Weights};

/// What there is to see of a model on a position.
#[derive(Clone, Copy, Debug)]
pub struct Overview<'a> {
    /// The model.
    pub weights: &'a Weights,
    /// The position.
    pub position: &'a Position,
    /// Its attention on the position.
    pub maps: &'a Maps,
    /// The mean attention of all heads over some positions, as `attention::mean_attention` gives it.
    pub means: &'a [Vec<f32>],
    /// Over how many.
    pub positions: usize,
    /// How free heads resemble pieces.
    pub resemblances: &'a [Resemblance],
    /// Who is at the lower edge.
    pub below: Color,
}

/// A square of the small boards.
const SQUARE: f32 = 17.0;
/// From one small board to the next, across and down.
const STEP: (f32, f32) = (8.0 * SQUARE + 14.0, 8.0 * SQUARE + 40.0);
const LEFT: f32 = 16.0;
/// Arrows of a small board.
const ARROWS: usize = 4;

impl Overview<'_> {
    /// A drawing of all heads: a row for each layer, a column for each head.
    pub fn heads_svg(&self) -> String {
        let board = Board { square: SQUARE, below: self.below };
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
        out += &definitions(self.position);
        // Squares and pieces are drawn once and used by every head.
        let _ =
            write!(out, r#"<defs><g id="pra-pieces">{}</g></defs>"#, board.pieces(self.position));
        let _ = write!(
            out,
            r##"<rect width="100%" height="100%" fill="#fff"/><text x="{LEFT}" y="24" font-size="17" font-weight="600" fill="{INK}">Where every head looks, {turn} to move</text><text x="{LEFT}" y="44" font-size="12" fill="{SOFT}">Heat: the share of the head's attention that a square receives, from an even share to the most, which stands at the right of the name. Arrows: where squares with a piece look most sharply.</text>"##
        );
        for layer in 0..depth {
            for head in 0..HEADS {
                let (x, y) = (LEFT + head as f32 * STEP.0, top + layer as f32 * STEP.1);
                out += &self.small(&board, layer, head, x, y);
            }
        }
        out + "</svg>\n"
    }

    /// One head at a place of the drawing.
    fn small(&self, board: &Board, layer: usize, head: usize, x: f32, y: f32) -> String {
        let map = self.maps.map(layer, head);
        let (heats, most) = heat_received(map);
        let mut out = format!(
            r##"<g transform="translate({} {})"><text y="14" font-size="11.5" fill="{INK}">layer {}, {}</text><text x="{}" y="14" font-size="10" text-anchor="end" fill="{SOFT}">{}</text><g transform="translate(0 20)">"##,
            short(x),
            short(y),
            layer + 1,
            head_name(head),
            short(board.side()),
            percent(most)
        );
        out += &board.heat(&heats);
        out += r##"<use href="#pra-pieces"/>"##;
        let looks = sharpest(map, self.position.occupied(), ARROWS);
        looks.iter().rev().for_each(|look| out += &board.arrow(look));
        out + "</g></g>"
    }

    /// The page: the position, all heads, and what the free heads have learned.
    pub fn html(&self) -> String {
        let config = self.weights.config();
        let mut out = format!(
            r##"<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Attention of a piece-routed model</title>
<style>
body{{font:15px/1.5 {FONT};color:{INK};background:#fff;max-width:1860px;margin:24px auto;padding:0 20px}}
h1{{font-size:26px;margin:0 0 4px}} h2{{font-size:20px;margin:36px 0 6px}} p{{max-width:80ch;margin:6px 0 14px}}
.soft{{color:{SOFT}}} .wide{{overflow-x:auto}} .row{{display:flex;flex-wrap:wrap;gap:18px;align-items:flex-start}}
table{{border-collapse:collapse;font-variant-numeric:tabular-nums}} th,td{{padding:3px 10px;text-align:right}}
th{{font-weight:600;border-bottom:1px solid #c9d0d4}} td:first-child,th:first-child{{text-align:left}}
td.best{{font-weight:700;background:#fde8bd}} code{{font-size:13px}} svg{{max-width:none}}
</style></head><body>
<h1>Where the model looks</h1>
<p class="soft">{} layers of {HEADS} heads, {} numbers a square, {} parameters.</p>
"##,
            config.depth,
            config.n_embd,
            grouped(config.parameters())
        );
        let picture = BoardPicture {
            orientation: self.below,
            size: 320,
            title: self.position.fen(),
            ..BoardPicture::of(|square| self.position.piece_at(square))
        };
        let _ = write!(
            out,
            "<div class=\"row\">{}<div><p>{} to move. <br><code>{}</code></p><p>The first nine heads of a layer see from a square only what a piece would reach from it on the empty board: knight, bishop and rook twice, then queen, king and pawn. The last three are free: they have learned which squares to look at.</p></div></div>",
            picture.to_svg(),
            self.position.turn(),
            escaped(&self.position.fen())
        );
        let _ = write!(out, "<div class=\"wide\">{}</div>", self.heads_svg());
        out += &self.free_section(config);
        out + "</body></html>\n"
    }

    fn free_section(&self, config: &Config) -> String {
        let view = if config.turned {
            "The board is that of the player to move: the lowest rank is his first."
        } else {
            "The lowest rank is White's first."
        };
        let mut out = format!(
            "<h2>What the free heads have learned</h2><p>Each picture is a board of boards: on the square that looks stands a small board of what it looks at. {view} Above, for comparison, what pieces reach; then, for each free head, the pattern that it has learned whatever the position (from its least number to its greatest), and its attention, the mean over {} positions.</p><div class=\"row\">",
            grouped(self.positions)
        );
        for piece in PIECES {
            let map = piece_map(piece);
            out += &pattern::svg(&pattern::image(&map, 0.0, 1.0), &piece.to_string(), "reach", 150);
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
        let map = free_pattern(self.weights, layer, head);
        let low = map.iter().copied().fold(1.0, f32::min);
        let high = map.iter().copied().fold(0.0, f32::max);
        let found = self.resemblances.get(layer * FREE_HEADS + head);
        let like = |numbers: Option<&[f64; 6]>| {
            let named = numbers.and_then(|all| {
                let piece = closest(all)?;
                let at = PIECES.iter().position(|&other| other == piece)?;
                Some(format!(", like a {piece} ({:.2})", all[at]))
            });
            named.unwrap_or_default()
        };
        let note = format!("{low:.2} to {high:.2}{}", like(found.map(|found| &found.pattern)));
        let name = format!("free {}: pattern", head + 1);
        let mut out = pattern::svg(&pattern::image(&map, low, high), &name, &note, 240);
        if let Some(mean) = self.means.get(layer * HEADS + PIECE_HEADS + head) {
            let high = pattern::most(mean);
            let note =
                format!("0 to {}{}", percent(high), like(found.map(|found| &found.attention)));
            let name = format!("free {}: mean attention", head + 1);
            out += &pattern::svg(&pattern::image(mean, 0.0, high), &name, &note, 240);
        }
        out
    }

    fn table(&self) -> String {
        let mut out = String::from(
            "<h2>Which piece a free head resembles</h2><p>The correlation, over all pairs of different squares, of the learned pattern and of the mean attention with what each piece reaches on the empty board: 1 is the same, 0 nothing in common.</p><table><tr><th>head</th><th></th>",
        );
        for piece in PIECES {
            let _ = write!(out, "<th>{piece}</th>");
        }
        out += "</tr>";
        for found in self.resemblances {
            let rows = [("pattern", &found.pattern), ("attention", &found.attention)];
            for (what, numbers) in rows {
                let _ = write!(
                    out,
                    "<tr><td>layer {}, free {}</td><td>{what}</td>",
                    found.layer, found.head
                );
                let best = closest(numbers);
                for (piece, number) in PIECES.iter().zip(numbers) {
                    let class = if best == Some(*piece) { " class=\"best\"" } else { "" };
                    let _ = write!(out, "<td{class}>{}</td>", signed(*number));
                }
                out += "</tr>";
            }
        }
        out + "</table>"
    }
}

/// Two decimals, and no nought below nought.
fn signed(number: f64) -> String {
    let text = format!("{number:.2}");
    if text == "-0.00" { "0.00".to_owned() } else { text.replace('-', "−") }
}

/// Thousands apart.
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
    use crate::Engine;
    use crate::attention::{mean_attention, resemblances};

    #[test]
    fn the_page_has_every_head_and_needs_nothing_from_outside() {
        let config = Config::new(2, 12);
        let weights = Weights::random(&config, 1).unwrap();
        let mut engine = Engine::new(&config, 1);
        let position = Position::INITIAL;
        let maps = Maps::of(&mut engine, &weights, &position);
        let means = mean_attention(&mut engine, &weights, &[position]);
        let resemblances = resemblances(&weights, &means);
        let overview = Overview {
            weights: &weights,
            position: &position,
            maps: &maps,
            means: &means,
            positions: 1,
            resemblances: &resemblances,
            below: Color::White,
        };
        let svg = overview.heads_svg();
        for layer in 1..=2 {
            for head in 0..HEADS {
                assert!(svg.contains(&format!(">layer {layer}, {}<", head_name(head))));
            }
        }
        let html = overview.html();
        assert!(html.contains(&svg) && html.ends_with("</body></html>\n"));
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
