//! `go perft`: leaf nodes of the legal move tree, with a stop.

use std::time::Instant;

use chess::{Position, perft};
use uci::Output;

use crate::search::Control;

/// Subtrees up to this depth are counted without polling for a stop.
const BULK_DEPTH: u32 = 3;

/// Counts leaf nodes and sends the count of each root move.
pub fn divide(position: &Position, depth: u32, chess960: bool, control: &Control, output: &Output) {
    let start = Instant::now();
    let mut total = u64::from(depth == 0);
    if depth > 0 {
        for m in position.legal_moves() {
            let nodes = count(&position.after(m), depth - 1, control);
            if control.is_stopped() {
                output.line("info string perft stopped");
                return;
            }
            output.line(format_args!("{}: {nodes}", uci::move_text(position, m, chess960)));
            total += nodes;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    output.line(format_args!("info string {:.0} nodes a second", total as f64 / seconds.max(1e-9)));
    output.line(format_args!("Nodes searched: {total}"));
}

fn count(position: &Position, depth: u32, control: &Control) -> u64 {
    if depth <= BULK_DEPTH {
        return perft::bulk(position, depth);
    }
    let mut sum = 0;
    for m in position.legal_moves() {
        if control.is_stopped() {
            break;
        }
        sum += count(&position.after(m), depth - 1, control);
    }
    sum
}
