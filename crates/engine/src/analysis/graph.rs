//! The evaluation graph of a game as SVG.
//!
//! The y axis is White's expected points, so that the difference between equal and a pawn up is large
//! and the one between five pawns and nine is small; the scale at the right is in pawns, exact for the
//! pieces of the start. The area below the curve is White's share. Marked moves have a dot; every move has a
//! tooltip.

use std::fmt::Write;

use chess::svg::escape_xml;
use chess::{Color, Position};

use super::game::{GameAnalysis, MoveAnalysis};
use super::judge::Judgement;
use super::notation::pawns;
use crate::value::{MATE, Value};
use crate::wdl::expectation;

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 54.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 52.0;
/// Characters of the title that fit beside the result.
pub const GRAPH_TITLE_WIDTH: usize = 86;
/// Ticks of the scale, in centipawns.
const TICKS: [Value; 9] = [-400, -200, -100, -50, 0, 50, 100, 200, 400];

/// Draws the graph under a title of at most [`GRAPH_TITLE_WIDTH`] characters.
pub fn evaluation_graph(analysis: &GameAnalysis, title: &str) -> String {
    let expected = |score: Value, position: &Position| expectation(clamped(score), position);
    let start = analysis.tree.root().position();
    let after = |judged: &MoveAnalysis| expected(judged.white, &judged.before.after(judged.m));
    let points: Vec<f64> = std::iter::once(expected(analysis.start, start))
        .chain(analysis.moves.iter().map(after))
        .collect();
    let steps = (points.len() - 1).max(1) as f64;
    let x = |n: usize| LEFT + (WIDTH - LEFT - RIGHT) * n as f64 / steps;
    let y = |expected: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - expected);
    let (top, bottom) = (TOP, HEIGHT - BOTTOM);
    let right = WIDTH - RIGHT;
    let mut svg = String::new();
    // Writing to a string does not fail.
    let _ = write!(
        svg,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-family="'DejaVu Sans', 'Segoe UI', sans-serif" role="img">
<title>{title}</title>
<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#f6f3ec"/>
<text x="{LEFT}" y="30" font-size="17" font-weight="600" fill="#2f3a3d">{title}</text>
<text x="{right}" y="30" font-size="17" text-anchor="end" fill="#2f3a3d">{result}</text>
<rect x="{LEFT}" y="{top}" width="{w}" height="{h}" fill="#46555a"/>
"##,
        title = escape_xml(title),
        result = analysis.tree.result,
        w = right - LEFT,
        h = bottom - top,
    );
    // White's share of the points.
    let mut area = format!("M{LEFT:.1} {bottom:.1}");
    let mut curve = String::new();
    for (n, &point) in points.iter().enumerate() {
        let _ = write!(area, "L{:.1} {:.1}", x(n), y(point));
        let _ = write!(curve, "{:.1},{:.1} ", x(n), y(point));
    }
    let _ = writeln!(
        svg,
        r##"<path d="{area}L{:.1} {bottom:.1}Z" fill="#efe9dc"/>"##,
        x(points.len() - 1)
    );
    scale(&mut svg, |score| y(expectation(score, start)), right);
    numbers(&mut svg, analysis, x, bottom);
    let _ = writeln!(
        svg,
        r##"<polyline points="{}" fill="none" stroke="#7d949a" stroke-width="2" stroke-linejoin="round"/>"##,
        curve.trim_end()
    );
    dots(&mut svg, analysis, x, |n| y(points[n]));
    legend(&mut svg, analysis);
    svg.push_str("</svg>\n");
    svg
}

/// Keeps a checkmate on the board inside the plot.
fn clamped(score: Value) -> Value {
    score.clamp(1 - MATE, MATE - 1)
}

/// Grid lines at the ticks, labeled at the right.
fn scale(svg: &mut String, y: impl Fn(Value) -> f64, right: f64) {
    for score in TICKS {
        let at = y(score);
        let (width, opacity) = if score == 0 { (1.4, 0.9) } else { (0.7, 0.45) };
        let name = match score {
            0 => "even".to_owned(),
            _ if score % 100 == 0 => format!("{:+}", score / 100),
            _ => format!("{:+.1}", f64::from(score) / 100.0),
        };
        let _ = writeln!(
            svg,
            r##"<path d="M{LEFT} {at:.1}H{right}" stroke="#a9825a" stroke-width="{width}" opacity="{opacity}"/><text x="{:.1}" y="{:.1}" font-size="11" fill="#5c6a6d">{name}</text>"##,
            right + 8.0,
            at + 4.0
        );
    }
    for (share, name) in [(1.0, "100 %"), (0.5, "50 %"), (0.0, "0 %")] {
        let at = TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - share);
        let _ = writeln!(
            svg,
            r##"<text x="{:.1}" y="{:.1}" font-size="11" text-anchor="end" fill="#5c6a6d">{name}</text>"##,
            LEFT - 6.0,
            at + 4.0
        );
    }
}

/// Move numbers along the x axis, far enough apart to be legible.
fn numbers(svg: &mut String, analysis: &GameAnalysis, x: impl Fn(usize) -> f64, bottom: f64) {
    let every = (analysis.moves.len() / 2 / 16).max(1).next_multiple_of(5);
    let every = if analysis.moves.len() < 40 { 2 } else { every };
    for (n, judged) in analysis.moves.iter().enumerate() {
        let number = usize::from(judged.before.fullmove_number());
        if judged.before.turn() == Color::White && (number == 1 || number % every == 0) {
            let _ = writeln!(
                svg,
                r##"<path d="M{0:.1} {bottom}v5" stroke="#5c6a6d"/><text x="{0:.1}" y="{1:.1}" font-size="11" text-anchor="middle" fill="#5c6a6d">{number}</text>"##,
                x(n + 1),
                bottom + 17.0
            );
        }
    }
}

/// A dot for each marked move, an invisible one with a tooltip for each other.
fn dots(
    svg: &mut String,
    analysis: &GameAnalysis,
    x: impl Fn(usize) -> f64,
    y: impl Fn(usize) -> f64,
) {
    for (n, judged) in analysis.moves.iter().enumerate() {
        let (cx, cy) = (x(n + 1), y(n + 1));
        let dots = if judged.before.turn() == Color::White { "." } else { "…" };
        let number = judged.before.fullmove_number();
        let san = judged.before.san(judged.m);
        let symbol = judged.judgement.map_or("", Judgement::symbol);
        let mut tooltip = format!("{number}{dots} {san}{symbol}  {}", pawns(judged.white));
        if let (Some(_), Some((line, white))) = (judged.judgement, &judged.better)
            && let Some(&best) = line.first()
        {
            let _ = write!(tooltip, "; better {} {}", judged.before.san(best), pawns(*white));
        }
        let (radius, look) = match judged.judgement {
            Some(judgement) => (
                5.0,
                format!(r##"fill="{}" stroke="#ffffff" stroke-width="1.2""##, judgement.color()),
            ),
            None => (4.0, r##"fill="#000000" fill-opacity="0""##.to_owned()),
        };
        let _ = writeln!(
            svg,
            r##"<circle cx="{cx:.1}" cy="{cy:.1}" r="{radius}" {look}><title>{}</title></circle>"##,
            escape_xml(&tooltip)
        );
        if judged.judgement == Some(Judgement::Blunder) {
            // Above the dot if there is room, below it otherwise.
            let at = if cy - TOP > 24.0 { cy - 10.0 } else { cy + 20.0 };
            let _ = writeln!(
                svg,
                r##"<text x="{cx:.1}" y="{at:.1}" font-size="11" font-weight="600" text-anchor="middle" fill="{}" stroke="#f6f3ec" stroke-width="3" paint-order="stroke">{number}{dots} {san}??</text>"##,
                Judgement::Blunder.color()
            );
        }
    }
}

/// The legend of the dots, with the counts of each player.
fn legend(svg: &mut String, analysis: &GameAnalysis) {
    let ((white, _), (black, _)) = (analysis.tally(Color::White), analysis.tally(Color::Black));
    for (n, judgement) in Judgement::ALL.into_iter().enumerate() {
        let at = LEFT + 6.0 + 200.0 * n as f64;
        let name = ["dubious", "mistake", "blunder"][n];
        let _ = writeln!(
            svg,
            r##"<circle cx="{at:.1}" cy="49" r="5" fill="{}"/><text x="{:.1}" y="53" font-size="12" fill="#5c6a6d">{} {name}: White {}, Black {}</text>"##,
            judgement.color(),
            at + 11.0,
            judgement.symbol(),
            white[n],
            black[n]
        );
    }
    let _ = writeln!(
        svg,
        r##"<text x="{:.1}" y="{:.1}" font-size="11" text-anchor="middle" fill="#5c6a6d">move</text>"##,
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 12.0
    );
}
