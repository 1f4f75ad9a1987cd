//! Updates after a node: histories, correction history, TT store.

use chess::{Move, Position};

use super::margins::*;
use super::node::Node;
use super::worker::Searcher;
use crate::history::QuietContext;
use crate::picker::is_noisy;
use crate::table::{Bound, Entry};
use crate::value::{self, Value};

/// The history bonus of a beta cutoff at a depth.
pub(super) fn bonus(depth: i32) -> i32 {
    (bonus_depth() * depth - bonus_offset()).min(bonus_max())
}

impl Searcher<'_> {
    /// Rewards the move that failed high and penalizes those searched before it.
    pub(super) fn update_histories(
        &mut self,
        node: &Node,
        best: Move,
        context: &QuietContext,
        quiets: &[Move],
        captures: &[Move],
    ) {
        let &Node { position, depth, .. } = node;
        let bonus = bonus(depth);
        let history = &mut self.worker.history;
        if is_noisy(best) {
            history.update_capture(position, best, bonus);
        } else {
            // At low depth a first move that fails high carries no information about the order.
            if depth > 2 || !quiets.is_empty() {
                history.update_quiet(position, context, best, bonus);
            }
            let mut malus = bonus;
            for &m in quiets {
                malus = malus * malus_decay() / 1024;
                history.update_quiet(position, context, m, -malus);
            }
        }
        for &m in captures {
            history.update_capture(position, m, -bonus);
        }
        if !is_noisy(best) {
            self.frame_mut(node.ply).killer = Some(best);
        }
    }

    /// Updates the correction history if the score is informative about the static evaluation: the best
    /// move is quiet and the bound lies on the informative side.
    #[inline(always)]
    pub(super) fn update_correction(
        &mut self,
        node: &Node,
        best_move: Option<Move>,
        best: Value,
        bound: Bound,
    ) {
        let &Node { position, ply, depth, static_eval, .. } = node;
        let informative = match bound {
            Bound::Lower => best > static_eval,
            Bound::Upper => best < static_eval,
            Bound::Exact => true,
        };
        if !node.in_check
            && best_move.is_none_or(|m| !is_noisy(m))
            && informative
            && !value::is_decided(best)
        {
            let last_two = [1, 2].map(|back| self.earlier(ply, back).piece_to);
            let error = best - static_eval;
            self.shared.correction.update(position, last_two, depth, error);
        }
    }

    /// Stores a table entry.
    #[allow(clippy::too_many_arguments, reason = "they are the fields of the entry")]
    #[inline]
    pub(super) fn store(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
        best: Option<Move>,
        score: Value,
        evaluation: Value,
        bound: Bound,
        on_pv: bool,
    ) {
        let entry = Entry { best, score, evaluation, depth, bound, on_pv };
        self.shared.table.store(position.key(), ply, entry);
    }
}
