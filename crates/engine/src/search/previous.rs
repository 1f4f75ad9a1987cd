//! History updates for the previous move, hindsight depth adjustments.

use super::margins::*;
use super::node::Node;
use super::update::bonus;
use super::worker::Searcher;
use crate::history::{CONTINUATIONS, PieceTo};
use crate::value::{self, Value};

/// A quiet move is early up to this number in the move order.
const EARLY: i32 = 2;

impl Searcher<'_> {
    /// The sum of the players' static evaluations here and one ply earlier, each from its own view: positive
    /// if the opponent's last move has made the position worse for them. None in check, here or there.
    #[inline(always)]
    fn change_of_evaluation(&self, node: &Node) -> Option<Value> {
        let earlier = self.earlier(node.ply, 1).static_eval;
        (!node.in_check && earlier != value::NONE).then(|| earlier + node.static_eval)
    }

    /// Rates the opponent's quiet move by the change of the static evaluation.
    #[inline(always)]
    pub(super) fn rate_by_evaluation(&mut self, node: &Node) {
        if let Some(change) = self.change_of_evaluation(node)
            && let Some(quiet) = self.earlier(node.ply, 1).quiet
        {
            let limit = evaluation_bonus_limit();
            let bonus =
                evaluation_bonus() * (evaluation_bonus_offset() - change.clamp(-limit, limit));
            self.worker.history.update_butterfly(quiet, bonus);
        }
    }

    /// Plies to search deeper (or less deep) if, in hindsight, the reduction of the opponent's move was too
    /// large (or too small): the move was not as bad (or worse) than the reduction assumed.
    #[inline(always)]
    pub(super) fn hindsight(&self, node: &Node) -> i32 {
        let reduction = self.earlier(node.ply, 1).reduction;
        match self.change_of_evaluation(node) {
            Some(change) if change <= 0 && reduction >= 3 => 1,
            Some(change) if change > hindsight_margin() && reduction >= 2 && node.depth >= 2 => -1,
            _ => 0,
        }
    }

    /// The continuation history's earlier moves, as seen from the opponent's last move.
    #[inline(always)]
    fn previous_continuation(&self, ply: usize) -> [PieceTo; 4] {
        CONTINUATIONS.map(|back| self.earlier(ply, back + 1).piece_to)
    }

    /// Rewards the opponent's quiet move that led to a node which fails low.
    #[inline(always)]
    pub(super) fn reward_previous(&mut self, node: &Node) {
        let previous = self.earlier(node.ply, 1);
        let (Some(quiet), piece_to) = (previous.quiet, previous.piece_to) else { return };
        let continuation = self.previous_continuation(node.ply);
        let bonus = bonus(node.depth) * fail_low_bonus() / 100;
        self.worker.history.update_butterfly(quiet, bonus);
        self.worker.history.update_continuations(&continuation, piece_to, bonus);
    }

    /// Penalizes the opponent's early quiet move that led to a node which fails high.
    #[inline(always)]
    pub(super) fn penalize_previous(&mut self, ply: usize, depth: i32) {
        let previous = self.earlier(ply, 1);
        if previous.quiet.is_none() || previous.number > EARLY {
            return;
        }
        let piece_to = previous.piece_to;
        let continuation = self.previous_continuation(ply);
        let malus = bonus(depth) * refuted_malus() / 100;
        self.worker.history.update_continuations(&continuation, piece_to, -malus);
    }
}
