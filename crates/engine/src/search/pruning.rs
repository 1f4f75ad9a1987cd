//! Pruning: nodes that fail high or low without a full search (steps 7–10), and moves that are not worth
//! searching (step 13).

use chess::Position;

use super::margins::*;
use super::node::{Candidate, Node, NonPv};
use super::worker::{Searcher, has_non_pawn_material};
use crate::history::{NO_MOVE, QuietContext, captured};
use crate::picker::{CAPTURE_VALUES, MovePicker};
use crate::table::Bound;
use crate::value::{self, Value};

impl Searcher<'_> {
    /// Steps 7–10: the score of a non-PV node that needs no move loop; 0 if the search is stopped.
    #[inline(always)]
    pub(super) fn prune_node(&mut self, node: &Node, alpha: Value, beta: Value) -> Option<Value> {
        let &Node { position, ply, depth, estimate, improving, .. } = node;

        // 7. Razoring: so far below alpha that only captures can help; quiescence decides.
        if depth <= razor_max_depth()
            && self.shared.limits.mate.is_none()
            && estimate + razor_base() + razor_depth() * depth * depth <= alpha
        {
            let score = self.quiescence::<NonPv>(position, alpha, alpha + 1, ply);
            if score <= alpha || self.stopped {
                return Some(score);
            }
        }

        // 8. Reverse futility pruning: so far above beta that the opponent will not catch up. +131 ± 51
        let margin = reverse_futility() * (depth - i32::from(improving))
            + node.correction.abs() * reverse_futility_correction() / 100;
        if depth <= reverse_futility_max_depth()
            && estimate - margin >= beta
            && !value::is_decided(estimate)
            && beta > -value::WIN_BOUND
        {
            return Some((estimate + 2 * beta) / 3);
        }

        // 9. Null-move pruning: if passing still reaches beta, some move will. +19 ± 41
        if depth >= null_min_depth()
            && estimate >= beta
            && node.static_eval >= beta + null_slack() - null_slack_depth() * depth
            && self.earlier(ply, 1).piece_to != NO_MOVE
            && ply >= self.null_from_ply
            && beta > -value::WIN_BOUND
            && has_non_pawn_material(position)
            && let Some(passed) = position.after_null()
            && let Some(score) = self.null_move(node, &passed, beta)
        {
            return Some(score);
        }

        // 10. ProbCut: a capture well above beta at reduced depth will be above beta here.
        let goal = beta + probcut() - 50 * i32::from(improving);
        if depth >= probcut_min_depth()
            && !value::is_decided(beta)
            && !node.entry.is_some_and(|e| e.depth >= depth - 3 && e.score < goal)
            && let Some(score) = self.probcut(node, goal)
        {
            return Some(score);
        }
        // Small ProbCut: a shallower table entry far above beta.
        if let Some(entry) = node.entry
            && entry.depth >= depth - 4
            && entry.bound != Bound::Upper
            && entry.score >= beta + small_probcut()
            && !value::is_decided(beta)
            && !value::is_decided(entry.score)
        {
            return Some(beta + small_probcut());
        }
        self.stopped.then_some(0)
    }

    /// The score if the null move fails high. At high depth it is verified by a search without null
    /// moves, because of zugzwang.
    #[inline(always)]
    fn null_move(&mut self, node: &Node, passed: &Position, beta: Value) -> Option<Value> {
        let &Node { position, ply, depth, estimate, cut_node, .. } = node;
        let reduction = null_reduction()
            + depth / null_depth_divisor()
            + ((estimate - beta) / null_score_divisor()).min(3);
        let depth = depth - reduction;
        self.frame_mut(ply).piece_to = NO_MOVE;
        self.frame_mut(ply).quiet = None;
        self.frame_mut(ply + 1).in_check = false;
        self.worker.keys.push(position.key());
        self.shared.table.prefetch(passed.key());
        let score = -self.search::<NonPv>(passed, -beta, 1 - beta, depth, ply + 1, !cut_node);
        self.worker.keys.pop();
        if self.stopped {
            return Some(0);
        }
        if score < beta {
            return None;
        }
        let score = if value::is_decided(score) { beta } else { score };
        if node.depth < null_verify_depth() || self.null_from_ply > 0 {
            return Some(score);
        }
        self.null_from_ply = ply + (3 * depth / 4).max(1) as usize;
        let verified = self.search::<NonPv>(position, beta - 1, beta, depth, ply, false);
        self.null_from_ply = 0;
        if self.stopped {
            return Some(0);
        }
        (verified >= beta).then_some(score)
    }

    /// The score of a capture that stays above `goal` at reduced depth.
    fn probcut(&mut self, node: &Node, goal: Value) -> Option<Value> {
        let &Node { position, ply, cut_node, .. } = node;
        let depth = node.depth - probcut_reduction();
        let mut picker = MovePicker::captures(position, None, goal - node.static_eval);
        let context = QuietContext::UNUSED;
        while let Some(m) = picker.next(position, &self.worker.history, &context) {
            let next = self.make_move(position, m, ply);
            self.frame_mut(ply + 1).in_check = next.in_check();
            let mut score = -self.quiescence::<NonPv>(&next, -goal, 1 - goal, ply + 1);
            if score >= goal && !self.stopped {
                score = -self.search::<NonPv>(&next, -goal, 1 - goal, depth, ply + 1, !cut_node);
            }
            self.unmake_move();
            if self.stopped {
                return None;
            }
            if score >= goal {
                let raw = node.raw_eval;
                self.store(position, ply, depth + 1, Some(m), score, raw, Bound::Lower, false);
                return Some(score);
            }
        }
        None
    }

    /// Step 13: whether a late, unlikely move is skipped at low depth. Sets `skip_quiets` when the quiet
    /// moves after it are skipped too.
    #[inline(always)]
    pub(super) fn prunes_move(
        node: &Node,
        candidate: &Candidate,
        alpha: Value,
        skip_quiets: &mut bool,
    ) -> bool {
        let &Node { position, depth, in_check, .. } = node;
        let &Candidate { m, history, .. } = candidate;
        if candidate.noisy {
            // Futility pruning of captures: not even the captured piece raises the evaluation to alpha.
            let lmr_depth = (depth - candidate.reduction / 1024).max(0);
            if !in_check
                && lmr_depth <= capture_futility_max_depth()
                && m.promotion().is_none()
                && node.static_eval
                    + capture_futility_base()
                    + capture_futility_depth() * lmr_depth
                    + CAPTURE_VALUES[captured(position, m).index()]
                    + history / 64
                    <= alpha
                && !position.gives_check(m)
            {
                return true;
            }
            // SEE pruning of captures.
            return depth <= see_pruning_max_depth()
                && !position.see_reaches(m, see_pruning_capture() * depth - history / 64);
        }
        // a. Late move pruning (move count): enough quiet moves have been searched. +72 ± 45
        let limit = (late_moves_base() + depth * depth) / (2 - i32::from(node.improving));
        if depth <= late_moves_max_depth() && candidate.number >= limit {
            *skip_quiets = true;
        }
        // b. Futility pruning: a quiet move will not raise the evaluation to alpha. +12 ± 41
        let lmr_depth = (depth - candidate.reduction / 1024).max(0);
        if !in_check
            && lmr_depth <= futility_max_depth()
            && node.static_eval + futility_base() + futility_depth() * lmr_depth + history / 128
                <= alpha
        {
            *skip_quiets = true;
            return true;
        }
        // c. History pruning.
        if lmr_depth <= history_pruning_max_depth() && history < history_pruning() * depth {
            return true;
        }
        // d. SEE pruning of quiet moves.
        lmr_depth <= see_pruning_max_depth()
            && !position.see_reaches(m, see_pruning_quiet() * lmr_depth * lmr_depth)
    }
}
