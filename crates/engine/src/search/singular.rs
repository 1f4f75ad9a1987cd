//! Singular extensions and multicut (step 14).
//!
//! A search of all moves but the table move, with a window below its score: if they all fail low, the table
//! move is *singular* and extended; if they fail high above beta, several moves refute the node and it is cut
//! at once (multicut). +70 ± 43

use std::ops::ControlFlow;

use chess::Move;

use super::margins::*;
use super::node::{Node, NodeType, NonPv};
use super::worker::Searcher;
use crate::table::{Bound, Entry};
use crate::value::{self, Value};

impl Searcher<'_> {
    /// The table entry, if it is deep and reliable enough for its move to be tested for singularity.
    #[inline(always)]
    pub(super) fn singular_candidate(&self, node: &Node) -> Option<Entry> {
        node.entry.filter(|entry| {
            node.excluded.is_none()
                && node.depth >= singular_min_depth()
                && entry.depth >= node.depth - singular_table_depth()
                && entry.bound != Bound::Upper
                && !value::is_decided(entry.score)
                && (node.ply as i32) < 2 * self.root_depth
        })
    }

    /// Plies to extend the table move by, negative to reduce it; or the score of a multicut, or 0 if the
    /// search is stopped.
    #[inline(always)]
    pub(super) fn singular_extension<N: NodeType>(
        &mut self,
        node: &Node,
        entry: Entry,
        m: Move,
        beta: Value,
    ) -> ControlFlow<Value, i32> {
        let &Node { position, ply, depth, cut_node, on_pv, .. } = node;
        let margin = singular_margin() * depth * (1 + i32::from(on_pv && !N::PV)) / 2;
        let singular_beta = entry.score - margin.max(depth);
        self.frame_mut(ply).excluded = Some(m);
        let score = self.search::<NonPv>(
            position,
            singular_beta - 1,
            singular_beta,
            (depth - 1) / 2,
            ply,
            cut_node,
        );
        self.frame_mut(ply).excluded = None;
        if self.stopped {
            return ControlFlow::Break(0);
        }
        if score < singular_beta {
            let double = !N::PV
                && score < singular_beta - double_margin()
                && self.frame(ply).double_extensions < DOUBLE_LIMIT;
            if double {
                self.frame_mut(ply).double_extensions += 1;
            }
            let triple = double && score < singular_beta - triple_margin();
            return ControlFlow::Continue(1 + i32::from(double) + i32::from(triple));
        }
        if singular_beta >= beta {
            return ControlFlow::Break(singular_beta);
        }
        // Negative extensions: other moves are good too.
        ControlFlow::Continue(if entry.score >= beta { -2 } else { -i32::from(cut_node) })
    }
}
