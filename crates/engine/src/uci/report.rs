//! Search reports as `info` lines.

use chess::Position;
use uci::Info;

use super::options::Options;
use crate::search::{LineReport, Report};
use crate::table::Bound;
use crate::value::to_score;
use crate::wdl::{Chances, to_cp};

/// The `info` line of a report.
pub fn info_line(position: &Position, report: Report<'_>, options: &Options) -> String {
    match report {
        Report::Line(line) => line_info(position, &line, options).to_string(),
        Report::CurrentMove { depth, m, number } => {
            let currmove = uci::move_text(position, m, options.chess960);
            Info {
                depth: Some(depth.unsigned_abs()),
                currmove: Some(currmove),
                currmovenumber: Some(number as u32),
                ..Info::default()
            }
            .to_string()
        }
        Report::MissingThreads { started, wanted } => {
            format!("info string error: only {started} of {wanted} threads can be started")
        }
    }
}

fn line_info(position: &Position, line: &LineReport<'_>, options: &Options) -> Info {
    let score = to_cp(line.score, position);
    let wdl = options.show_wdl.then(|| {
        let Chances { win, draw, loss } = Chances::of(score, position);
        [win, draw, loss]
    });
    Info {
        depth: Some(line.depth.unsigned_abs()),
        seldepth: Some(line.seldepth as u32),
        multipv: Some(line.number as u32),
        score: Some(to_score(score)),
        lowerbound: line.bound == Bound::Lower,
        upperbound: line.bound == Bound::Upper,
        wdl,
        nodes: Some(line.nodes),
        nps: Some((line.nodes as f64 / line.elapsed.as_secs_f64().max(1e-6)) as u64),
        hashfull: Some(line.fullness as u32),
        tbhits: Some(line.tablebase_hits),
        time: Some(line.elapsed),
        pv: uci::pv(position, line.line, options.chess960),
        ..Info::default()
    }
}
