//! What a search tells, as lines of the protocol.

use std::fmt::Write;

use chess::{CastlingStyle, Move, Position};

use crate::score::{Chances, Reading};
use crate::search::{LineReport, Report};
use crate::table::Bound;

/// How castling is to be written: as the king taking the rook if that is asked for, or if nothing
/// else would be clear.
pub fn castling_style(position: &Position, chess960: bool) -> CastlingStyle {
    if chess960 || position.has_chess960_castling_rights() {
        CastlingStyle::Chess960
    } else {
        CastlingStyle::Standard
    }
}

/// A line of moves from a position.
pub fn moves(position: &Position, line: &[Move], chess960: bool) -> String {
    let mut text = String::new();
    let mut position = *position;
    for &m in line {
        if !position.is_legal(m) {
            debug_assert!(false, "{m} in a line from {position}");
            break;
        }
        let style = castling_style(&position, chess960);
        let _ =
            write!(text, "{}{}", if text.is_empty() { "" } else { " " }, position.uci(m, style));
        position = position.after(m);
    }
    text
}

/// The `info` line of a report.
pub fn info(position: &Position, report: Report<'_>, chess960: bool, show_wdl: bool) -> String {
    match report {
        Report::Line(line) => info_line(position, &line, chess960, show_wdl),
        Report::CurrentMove { depth, m, number } => {
            let m = position.uci(m, castling_style(position, chess960));
            format!("info depth {depth} currmove {m} currmovenumber {number}")
        }
        Report::MissingThreads { started, wanted } => {
            format!("info string error: only {started} of {wanted} threads can be started")
        }
    }
}

fn info_line(position: &Position, line: &LineReport<'_>, chess960: bool, show_wdl: bool) -> String {
    let mut text = format!(
        "info depth {} seldepth {} multipv {} score {}",
        line.depth,
        line.seldepth,
        line.number,
        Reading::of(line.score)
    );
    match line.bound {
        Bound::Exact => {}
        Bound::Lower => text.push_str(" lowerbound"),
        Bound::Upper => text.push_str(" upperbound"),
    }
    if show_wdl {
        let Chances { win, draw, loss } = Chances::of(line.score);
        let _ = write!(text, " wdl {win} {draw} {loss}");
    }
    let rate = (line.nodes as f64 / line.elapsed.as_secs_f64().max(1e-6)) as u64;
    let _ = write!(
        text,
        " nodes {} nps {rate} hashfull {} tbhits {} time {} pv {}",
        line.nodes,
        line.fullness,
        line.tablebase_hits,
        line.elapsed.as_millis(),
        moves(position, line.line, chess960)
    );
    text
}
