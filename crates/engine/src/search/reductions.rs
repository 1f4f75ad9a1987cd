//! Late move reductions (step 15), in 1024ths of a ply.

use std::sync::LazyLock;

use super::margins::*;
use super::node::{Candidate, Node, NodeType};
use super::worker::Searcher;

/// By depth and move number.
static REDUCTIONS: LazyLock<Box<[[i32; 64]; 64]>> = LazyLock::new(|| {
    let mut table = Box::new([[0; 64]; 64]);
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (number, reduction) in row.iter_mut().enumerate().skip(1) {
            let product = (depth as f64).ln() * (number as f64).ln();
            *reduction = ((REDUCTION_BASE + product / REDUCTION_DIVISOR) * 1024.0) as i32;
        }
    }
    table
});

/// The reduction by depth and move number alone.
#[inline(always)]
pub(super) fn base(depth: i32, number: i32) -> i32 {
    REDUCTIONS[depth.clamp(0, 63) as usize][number.clamp(0, 63) as usize]
}

/// Whether a move is late enough and the node deep enough for a reduction.
#[inline(always)]
pub(super) const fn applies<N: NodeType>(depth: i32, number: i32) -> bool {
    if N::ROOT {
        depth >= ROOT_REDUCTION_MIN_DEPTH && number > ROOT_REDUCTION_MOVES
    } else {
        depth >= REDUCTION_MIN_DEPTH && number > 1 + N::PV as i32
    }
}

impl Searcher<'_> {
    /// By how much the search of a late move is reduced.
    #[inline(always)]
    pub(super) fn late_move_reduction<N: NodeType>(
        &self,
        node: &Node,
        candidate: &Candidate,
        killer: bool,
        gives_check: bool,
        tt_noisy: bool,
    ) -> i32 {
        let &Candidate { noisy, history, mut reduction, .. } = candidate;
        if N::ROOT {
            reduction += REDUCTION_ON_PV;
            return if noisy || gives_check { reduction / 2 } else { reduction }.max(0);
        }
        if noisy {
            reduction = reduction * 2 / 3 - history * 1024 / REDUCTION_CAPTURE_HISTORY;
        } else {
            reduction -= history * 1024 / REDUCTION_HISTORY;
            reduction += REDUCTION_KILLER * i32::from(killer);
        }
        reduction
            + REDUCTION_CUT_NODE * i32::from(node.cut_node)
            + REDUCTION_ON_PV * i32::from(node.on_pv)
            + REDUCTION_IMPROVING * i32::from(node.improving)
            + REDUCTION_TABLE_CAPTURE * i32::from(tt_noisy && !noisy)
            + REDUCTION_CHECK * i32::from(gives_check)
            + REDUCTION_CUTOFFS * i32::from(self.frame(node.ply + 1).cutoffs > 3)
    }
}
