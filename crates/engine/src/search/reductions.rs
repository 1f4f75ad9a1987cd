//! Late move reductions (step 15), in 1024ths of a ply.

use std::sync::LazyLock;

use chess::Move;

use super::margins::*;
use super::node::{Candidate, Node, NodeType};
use super::worker::Searcher;
use crate::picker::is_noisy;
use crate::value::Value;

/// By depth and move number.
#[cfg(not(feature = "tune"))]
static REDUCTIONS: LazyLock<Box<[[i32; 64]; 64]>> = LazyLock::new(|| {
    let mut table = Box::new([[0; 64]; 64]);
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (number, reduction) in row.iter_mut().enumerate().skip(1) {
            *reduction = formula((depth as f64).ln(), (number as f64).ln());
        }
    }
    table
});

/// The reduction by the logarithms of depth and move number.
#[inline(always)]
fn formula(depth: f64, number: f64) -> i32 {
    let (constant, divisor) =
        (f64::from(reduction_base()) / 100.0, f64::from(reduction_divisor()) / 100.0);
    ((constant + depth * number / divisor) * 1024.0) as i32
}

/// The reduction by depth and move number alone.
#[cfg(not(feature = "tune"))]
#[inline(always)]
pub(super) fn base(depth: i32, number: i32) -> i32 {
    REDUCTIONS[depth.clamp(0, 63) as usize][number.clamp(0, 63) as usize]
}

/// The reduction by depth and move number alone, by the current values of its parameters.
#[cfg(feature = "tune")]
pub(super) fn base(depth: i32, number: i32) -> i32 {
    static LOGARITHMS: LazyLock<[f64; 64]> =
        LazyLock::new(|| std::array::from_fn(|n| (n as f64).ln()));
    let (depth, number) = (depth.clamp(0, 63) as usize, number.clamp(0, 63) as usize);
    if depth == 0 || number == 0 { 0 } else { formula(LOGARITHMS[depth], LOGARITHMS[number]) }
}

/// Whether a move is late enough and the node deep enough for a reduction.
#[inline(always)]
pub(super) fn applies<N: NodeType>(depth: i32, number: i32) -> bool {
    if N::ROOT {
        depth >= root_reduction_min_depth() && number > root_reduction_moves()
    } else {
        depth >= reduction_min_depth() && number > 1 + N::PV as i32
    }
}

/// The current window, and how often alpha has been raised in this node.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub alpha: Value,
    pub beta: Value,
    pub raises: i32,
}

impl Searcher<'_> {
    /// By how much the search of a late move is reduced.
    #[inline(always)]
    pub(super) fn late_move_reduction<N: NodeType>(
        &self,
        node: &Node,
        candidate: &Candidate,
        gives_check: bool,
        tt_move: Option<Move>,
        window: Window,
    ) -> i32 {
        let &Candidate { noisy, history, killer, mut reduction, .. } = candidate;
        let Window { alpha, beta, raises } = window;
        if N::ROOT {
            reduction += reduction_on_pv();
            return if noisy || gives_check { reduction / 2 } else { reduction }.max(0);
        }
        if noisy {
            reduction = reduction * 2 / 3 - history * 1024 / reduction_capture_history();
        } else {
            reduction -= history * 1024 / reduction_history();
            reduction += reduction_killer() * i32::from(killer);
        }
        reduction
            + reduction_cut_node() * i32::from(node.cut_node)
            + reduction_on_pv() * i32::from(node.on_pv)
            + reduction_improving() * i32::from(node.improving)
            + reduction_table_capture() * i32::from(tt_move.is_some_and(is_noisy) && !noisy)
            + reduction_check() * i32::from(gives_check)
            + reduction_no_table_move() * i32::from(node.cut_node && tt_move.is_none())
            + reduction_correction() * node.correction.abs()
            + if N::PV { reduction_window() * (beta - alpha) / self.root_window } else { 0 }
            + reduction_alpha_raises() * raises
            + node.entry.filter(|_| node.on_pv).map_or(0, |entry| {
                reduction_table()
                    * (i32::from(entry.score > alpha) + i32::from(entry.depth >= node.depth))
            })
            + reduction_cutoffs()
                * i32::from(self.frame(node.ply + 1).cutoffs > reduction_cutoff_count() as u8)
    }
}
