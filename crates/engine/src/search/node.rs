//! The search of a node, step by step: principal variation search with what makes it selective.
//!
//! Scores are for the player to move and *fail soft*: a score outside the window is a bound that may lie
//! beyond the window's edge. `PV` nodes have an open window; all others are asked only whether they
//! reach beta. A *cut node* is expected to.
//!
//! Where a step has an Elo behind it, that is what the engine loses by leaving it out: 200 games at 8,000
//! nodes a move between the engine and a build without the step, both with the classic evaluation
//! (`tabiya match ./tabiya ./without --nodes 8000 --games 200`). Such a match takes minutes; its error of
//! ±40 to 50 says which steps carry the search, and leaves the small ones open.

use std::sync::LazyLock;

use arrayvec::ArrayVec;
use chess::{Move, Position};

use super::margins::*;
use super::quiescence::{allows_cut, improves};
use super::worker::{Searcher, has_pieces};
use crate::history::NO_MOVE;
use crate::picker::{MovePicker, QuietContext, is_noisy};
use crate::repetition;
use crate::score::{self, DRAW, INFINITE, MAX_PLY, Score, mate_in, mated_in};
use crate::table::Bound;

/// By depth and number of the move, in 1024ths of a ply.
static REDUCTIONS: LazyLock<Box<[[i32; 64]; 64]>> = LazyLock::new(|| {
    let mut table = Box::new([[0; 64]; 64]);
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (moves, reduction) in row.iter_mut().enumerate().skip(1) {
            let product = (depth as f64).ln() * (moves as f64).ln();
            *reduction = ((REDUCTION_BASE + product / REDUCTION_DIVISOR) * 1024.0) as i32;
        }
    }
    table
});

/// How much less deeply a late move is searched.
pub(super) fn reduction(depth: i32, moves: i32) -> i32 {
    REDUCTIONS[depth.clamp(0, 63) as usize][moves.clamp(0, 63) as usize]
}

/// What success at a depth is worth in the histories.
fn bonus(depth: i32) -> i32 {
    (BONUS_DEPTH * depth - BONUS_OFFSET).min(BONUS_MAX)
}

/// Moves that were tried and did not fail high.
type Tried = ArrayVec<Move, 64>;

impl Searcher<'_> {
    /// The score of a position to a depth; see the [module](self).
    pub fn search<const PV: bool>(
        &mut self,
        position: &Position,
        mut alpha: Score,
        mut beta: Score,
        mut depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        // 1. At the horizon, only captures.
        if depth <= 0 {
            return self.quiescence::<PV>(position, alpha, beta, ply);
        }
        if self.count_node() {
            return 0;
        }
        if PV {
            self.worker.lines[ply].clear();
            self.seldepth = self.seldepth.max(ply);
        }
        let in_check = self.frame(ply).in_check;
        let excluded = self.frame(ply).excluded;

        // 2. Draws; and a player who can repeat a position has at least one.
        if excluded.is_none() {
            if self.is_draw(position, ply) {
                return self.draw_score();
            }
            if alpha < DRAW && repetition::can_repeat(position, &self.worker.keys, ply) {
                alpha = self.draw_score();
                if alpha >= beta {
                    return alpha;
                }
            }
        }
        if ply >= MAX_PLY - 1 {
            return if in_check { 0 } else { self.worker.evaluator.evaluate(position) };
        }

        // 3. Mate distance: a shorter mate is already known on one side or the other.
        alpha = alpha.max(mated_in(ply));
        beta = beta.min(mate_in(ply + 1));
        if alpha >= beta {
            return alpha;
        }

        // 4. The table. Its result stands if it is deep enough, but not near the fifty-move rule. The
        //    correction of the evaluation (step 6) is asked for first, so that both come from memory
        //    at the same time.
        let correction = if in_check { 0 } else { self.correction(position, ply) };
        let entry = match excluded {
            None => self.shared.table.look_up(position.key(), ply),
            Some(_) => None,
        };
        let table_move = entry.and_then(|entry| entry.best);
        let on_pv = PV || entry.is_some_and(|entry| entry.on_pv);
        if let Some(entry) = entry
            && !PV
            && entry.depth >= depth
            && allows_cut(&entry, beta)
            && position.halfmove_clock() < 90
        {
            if let Some(m) = table_move
                && entry.score >= beta
                && !is_noisy(m)
                && position.is_legal(m)
            {
                let context = self.quiet_context(position, ply);
                let (threats, before) = (context.pawn_threats, context.before);
                let bonus = bonus(depth);
                self.worker.history.update_quiet(position, threats, &before, m, bonus);
            }
            return entry.score;
        }

        // 5. Tablebases.
        let (mut best_at_least, mut best_at_most) = (-INFINITE, INFINITE);
        if excluded.is_none()
            && let Some(tablebases) = self.shared.tablebases
            && let Some(score) = tablebases.score(position, ply)
        {
            self.tablebase_hits += 1;
            let bound = match score {
                s if s > DRAW => Bound::Lower,
                s if s < DRAW => Bound::Upper,
                _ => Bound::Exact,
            };
            if bound == Bound::Exact
                || (bound == Bound::Lower && score >= beta)
                || (bound == Bound::Upper && score <= alpha)
            {
                let deeper = (depth + 6).min(MAX_PLY as i32 - 1);
                self.remember(position, ply, deeper, None, score, score::NONE, bound, on_pv);
                return score;
            }
            if PV {
                match bound {
                    Bound::Lower => {
                        best_at_least = score;
                        alpha = alpha.max(score);
                    }
                    _ => best_at_most = score,
                }
            }
        }

        // 6. The static evaluation, corrected by experience, and by the table where it knows better.
        let (raw, evaluation, estimate) = if in_check {
            (score::NONE, score::NONE, score::NONE)
        } else if excluded.is_some() {
            let evaluation = self.frame(ply).evaluation;
            (score::NONE, evaluation, evaluation)
        } else {
            let raw = match entry {
                Some(entry) if entry.evaluation != score::NONE => entry.evaluation,
                _ => self.worker.evaluator.evaluate(position),
            };
            let evaluation = score::clamp_evaluation(raw + correction);
            match entry {
                None => {
                    self.remember(position, ply, -1, None, evaluation, raw, Bound::Upper, on_pv);
                    (raw, evaluation, evaluation)
                }
                Some(entry) if !score::is_decided(entry.score) && improves(&entry, evaluation) => {
                    (raw, evaluation, entry.score)
                }
                Some(_) => (raw, evaluation, evaluation),
            }
        };
        self.frame_mut(ply).evaluation = evaluation;
        self.frame_mut(ply + 1).excluded = None;
        self.frame_mut(ply + 2).killer = None;
        self.frame_mut(ply + 2).cutoffs = 0;
        self.frame_mut(ply).double_extensions = self.earlier(ply, 1).double_extensions;
        // Whether the player stands better than two plies (or four) ago.
        let improving = !in_check && {
            let earlier = match self.earlier(ply, 2).evaluation {
                score::NONE => self.earlier(ply, 4).evaluation,
                evaluation => evaluation,
            };
            earlier == score::NONE || evaluation > earlier
        };

        // Who looks for a mate is always far from it by the evaluation: that is no reason to give up.
        let mate_asked = self.shared.limits.mate.is_some();
        if !PV && !in_check && excluded.is_none() {
            // 7. Razoring: so far below alpha that only captures could help, and they do not.
            if depth <= RAZOR_MAX_DEPTH
                && !mate_asked
                && estimate + RAZOR_BASE + RAZOR_DEPTH * depth * depth <= alpha
            {
                let score = self.quiescence::<false>(position, alpha, alpha + 1, ply);
                if score <= alpha || self.stopped {
                    return score;
                }
            }

            // 8. Reverse futility: so far above beta that the opponent will not catch up. +131 ± 51
            let margin = REVERSE_FUTILITY * (depth - i32::from(improving));
            if depth <= REVERSE_FUTILITY_MAX_DEPTH
                && estimate - margin >= beta
                && !score::is_decided(estimate)
                && beta > -score::WIN_BOUND
            {
                return (estimate + 2 * beta) / 3;
            }

            // 9. Null move: if passing still reaches beta, some move will. Deep down it is verified
            //    without null moves, because of zugzwang. +19 ± 41
            if depth >= NULL_MIN_DEPTH
                && estimate >= beta
                && evaluation >= beta + NULL_SLACK - NULL_SLACK_DEPTH * depth
                && self.earlier(ply, 1).arrival != NO_MOVE
                && ply >= self.null_from_ply
                && beta > -score::WIN_BOUND
                && has_pieces(position)
                && let Some(passed) = position.after_null()
            {
                let reduction = NULL_REDUCTION
                    + depth / NULL_DEPTH_DIVISOR
                    + ((estimate - beta) / NULL_SCORE_DIVISOR).min(3);
                self.frame_mut(ply).arrival = NO_MOVE;
                self.frame_mut(ply + 1).in_check = false;
                self.worker.keys.push(position.key());
                self.shared.table.prefetch(passed.key());
                let score = -self.search::<false>(
                    &passed,
                    -beta,
                    1 - beta,
                    depth - reduction,
                    ply + 1,
                    !cut_node,
                );
                self.worker.keys.pop();
                if self.stopped {
                    return 0;
                }
                if score >= beta {
                    let score = if score::is_decided(score) { beta } else { score };
                    if depth < NULL_VERIFY_DEPTH || self.null_from_ply > 0 {
                        return score;
                    }
                    self.null_from_ply = ply + (3 * (depth - reduction) / 4).max(1) as usize;
                    let verified = self.search::<false>(
                        position,
                        beta - 1,
                        beta,
                        depth - reduction,
                        ply,
                        false,
                    );
                    self.null_from_ply = 0;
                    if self.stopped {
                        return 0;
                    }
                    if verified >= beta {
                        return score;
                    }
                }
            }

            // 10. ProbCut: a capture that is well above beta at less depth will be above it here.
            let goal = beta + PROBCUT - 50 * i32::from(improving);
            if depth >= PROBCUT_MIN_DEPTH
                && !score::is_decided(beta)
                && !entry.is_some_and(|e| e.depth >= depth - 3 && e.score < goal)
                && let Some(score) =
                    self.probcut(position, goal, depth, ply, cut_node, (raw, evaluation))
            {
                return score;
            }
        }
        if self.stopped {
            return 0;
        }

        // 11. Without a move from the table, a full search is wasteful: a shallower one finds a move
        //     for the next time.
        if table_move.is_none()
            && depth >= INTERNAL_REDUCTION_DEPTH
            && (PV || cut_node)
            && excluded.is_none()
        {
            depth -= 1;
        }

        // 12. The moves, best first.
        let context = self.quiet_context(position, ply);
        let mut picker = MovePicker::all(position, table_move);
        let table_noisy = picker.table_move().is_some_and(is_noisy);
        let (mut quiets, mut captures) = (Tried::new(), Tried::new());
        let mut best = -INFINITE;
        let mut best_move = None;
        let mut bound = Bound::Upper;
        let mut moves = 0;
        let mut quiets_over = false;
        let may_prune = has_pieces(position);

        while let Some(m) = picker.next(position, &self.worker.history, &context) {
            if Some(m) == excluded {
                continue;
            }
            moves += 1;
            let noisy = is_noisy(m);
            let spared = mate_asked && position.gives_check(m);
            if quiets_over && !noisy && !spared {
                if !mate_asked {
                    picker.skip_quiets();
                }
                continue;
            }
            self.prefetch_after(position, m);
            let history = if noisy {
                self.worker.history.capture(position, m)
            } else {
                let (threats, before) = (context.pawn_threats, &context.before);
                self.worker.history.quiets(position, threats, before).of(position, m)
            };
            let mut lessened = reduction(depth, moves);

            // 13. At low depth, late and unlikely moves are not looked at, once there is a line that
            //     does not lose.
            if best > -score::WIN_BOUND && may_prune && !spared {
                let shallow = (depth - lessened / 1024).max(0);
                if noisy {
                    if depth <= EXCHANGE_MAX_DEPTH
                        && !position.see_reaches(m, CAPTURE_EXCHANGE * depth - history / 64)
                    {
                        continue;
                    }
                } else {
                    // a. Late move pruning: so many quiet moves have failed already. +72 ± 45
                    let enough = (LATE_MOVES_BASE + depth * depth) / (2 - i32::from(improving));
                    if depth <= LATE_MOVES_MAX_DEPTH && moves >= enough {
                        quiets_over = true;
                    }
                    // b. Futility: a quiet move will not gain what is missing to alpha. +12 ± 41
                    if !in_check
                        && shallow <= FUTILITY_MAX_DEPTH
                        && evaluation + FUTILITY_BASE + FUTILITY_DEPTH * shallow + history / 128
                            <= alpha
                    {
                        quiets_over = true;
                        continue;
                    }
                    // c. History: it has failed too often elsewhere.
                    if shallow <= HISTORY_PRUNING_MAX_DEPTH && history < HISTORY_PRUNING * depth {
                        continue;
                    }
                    // d. It loses material at once.
                    if shallow <= EXCHANGE_MAX_DEPTH
                        && !position.see_reaches(m, QUIET_EXCHANGE * shallow * shallow)
                    {
                        continue;
                    }
                }
            }

            // 14. Singular extension: if all other moves stay well below the table's, it is searched
            //     more deeply; if even they reach beta, the node is cut at once (multicut). +70 ± 43
            let mut extension = 0;
            if let Some(entry) = entry
                && Some(m) == table_move
                && excluded.is_none()
                && depth >= SINGULAR_MIN_DEPTH
                && entry.depth >= depth - SINGULAR_TABLE_DEPTH
                && entry.bound != Bound::Upper
                && !score::is_decided(entry.score)
                && (ply as i32) < 2 * self.root_depth
            {
                let margin = SINGULAR_MARGIN * depth * (1 + i32::from(on_pv && !PV)) / 2;
                let limit = entry.score - margin.max(depth);
                self.frame_mut(ply).excluded = Some(m);
                let others = self.search::<false>(
                    position,
                    limit - 1,
                    limit,
                    (depth - 1) / 2,
                    ply,
                    cut_node,
                );
                self.frame_mut(ply).excluded = None;
                if self.stopped {
                    return 0;
                }
                if others < limit {
                    extension = 1;
                    if !PV
                        && others < limit - DOUBLE_MARGIN
                        && self.frame(ply).double_extensions < DOUBLE_LIMIT
                    {
                        extension = 2;
                        self.frame_mut(ply).double_extensions += 1;
                    }
                } else if limit >= beta {
                    return limit;
                } else if entry.score >= beta {
                    extension = -2; // negative extension: others are good too
                } else if cut_node {
                    extension = -1;
                }
            }

            let next = self.play(position, m, ply);
            let gives_check = next.in_check();
            self.frame_mut(ply + 1).in_check = gives_check;
            let new_depth = depth - 1 + extension;

            // 15. Late moves are searched less deeply, and again in full if they surprise. +119 ± 47
            let mut score = -INFINITE;
            if depth >= REDUCTION_MIN_DEPTH && moves > 1 + i32::from(PV) {
                if noisy {
                    lessened = lessened * 2 / 3 - history * 1024 / REDUCTION_CAPTURE_HISTORY;
                } else {
                    lessened -= history * 1024 / REDUCTION_HISTORY;
                    lessened += REDUCTION_KILLER * i32::from(context.killer == Some(m));
                }
                lessened += REDUCTION_CUT_NODE * i32::from(cut_node)
                    + REDUCTION_ON_PV * i32::from(on_pv)
                    + REDUCTION_IMPROVING * i32::from(improving)
                    + REDUCTION_TABLE_CAPTURE * i32::from(table_noisy && !noisy)
                    + REDUCTION_CHECK * i32::from(gives_check)
                    + REDUCTION_CUTOFFS * i32::from(self.frame(ply + 1).cutoffs > 3);
                let reduced = (new_depth - lessened / 1024).clamp(1, new_depth.max(1));
                score = -self.search::<false>(&next, -alpha - 1, -alpha, reduced, ply + 1, true);
                if score > alpha && reduced < new_depth {
                    let deeper = i32::from(score > best + 40 + 2 * new_depth);
                    let shallower = i32::from(score < best + new_depth);
                    let again = new_depth + deeper - shallower;
                    if again > reduced {
                        score = -self.search::<false>(
                            &next,
                            -alpha - 1,
                            -alpha,
                            again,
                            ply + 1,
                            !cut_node,
                        );
                    }
                    if !noisy && !self.stopped {
                        let bonus = if score > alpha { bonus(depth) } else { -bonus(depth) };
                        let arrival = self.frame(ply).arrival;
                        let before = context.before;
                        self.worker.history.update_continuations(&before, arrival, bonus);
                    }
                }
            } else if !PV || moves > 1 {
                // 16. All but the first move of a PV node are only asked whether they beat it.
                score =
                    -self.search::<false>(&next, -alpha - 1, -alpha, new_depth, ply + 1, !cut_node);
            }
            if PV && (moves == 1 || score > alpha) {
                score = -self.search::<true>(&next, -beta, -alpha, new_depth, ply + 1, false);
            }
            self.take_back();
            if self.stopped {
                return 0;
            }

            // 17. A new best move, perhaps one that refutes the move that led here.
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(m);
                    if PV {
                        self.update_line(ply, m);
                    }
                    if score >= beta {
                        bound = Bound::Lower;
                        break;
                    }
                    bound = Bound::Exact;
                    alpha = score;
                }
            }
            if best_move != Some(m) {
                let tried = if noisy { &mut captures } else { &mut quiets };
                let _ = tried.try_push(m);
            }
        }

        // 18. No move: mate, stalemate, or nothing but the excluded move.
        if moves == 0 {
            return match excluded {
                Some(_) => alpha,
                None if in_check => mated_in(ply),
                None => DRAW,
            };
        }

        // 19. What was learnt: histories, the table, the error of the evaluation.
        if bound == Bound::Lower {
            let frame = self.frame_mut(ply);
            frame.cutoffs = frame.cutoffs.saturating_add(1);
            if let Some(m) = best_move {
                self.reward(position, ply, depth, m, &context, &quiets, &captures);
            }
            if !score::is_decided(best) {
                best = (best * depth + beta) / (depth + 1);
            }
        }
        best = best.max(best_at_least).min(best_at_most);
        if excluded.is_none() {
            self.remember(position, ply, depth, best_move, best, raw, bound, on_pv);
            let quiet_best = best_move.is_none_or(|m| !is_noisy(m));
            let informative = match bound {
                Bound::Lower => best > evaluation,
                Bound::Upper => best < evaluation,
                Bound::Exact => true,
            };
            if !in_check && quiet_best && informative && !score::is_decided(best) {
                let (previous, before) =
                    (self.earlier(ply, 1).arrival, self.earlier(ply, 2).arrival);
                let error = best - evaluation;
                self.worker.history.update_correction(position, previous, before, depth, error);
            }
        }
        best
    }

    /// The captures that, at reduced depth, stay above a goal beyond beta.
    fn probcut(
        &mut self,
        position: &Position,
        goal: Score,
        depth: i32,
        ply: usize,
        cut_node: bool,
        (raw, evaluation): (Score, Score),
    ) -> Option<Score> {
        let mut picker = MovePicker::captures(position, None, goal - evaluation);
        let context = self.quiet_context(position, ply);
        while let Some(m) = picker.next(position, &self.worker.history, &context) {
            let next = self.play(position, m, ply);
            self.frame_mut(ply + 1).in_check = next.in_check();
            let mut score = -self.quiescence::<false>(&next, -goal, 1 - goal, ply + 1);
            if score >= goal && !self.stopped {
                let depth = depth - PROBCUT_REDUCTION;
                score = -self.search::<false>(&next, -goal, 1 - goal, depth, ply + 1, !cut_node);
            }
            self.take_back();
            if self.stopped {
                return None;
            }
            if score >= goal {
                let depth = depth - PROBCUT_REDUCTION + 1;
                self.remember(position, ply, depth, Some(m), score, raw, Bound::Lower, false);
                return Some(score);
            }
        }
        None
    }

    /// Credits the move that failed high, at the expense of those tried before it.
    #[allow(clippy::too_many_arguments, reason = "what was tried, and where")]
    fn reward(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
        best: Move,
        context: &QuietContext,
        quiets: &[Move],
        captures: &[Move],
    ) {
        let bonus = bonus(depth);
        let (threats, before) = (context.pawn_threats, &context.before);
        let history = &mut self.worker.history;
        if is_noisy(best) {
            history.update_capture(position, best, bonus);
        } else {
            // At depth 1 a first move that fails high says nothing about the order.
            if depth > 2 || !quiets.is_empty() {
                history.update_quiet(position, threats, before, best, bonus);
            }
            for &m in quiets {
                history.update_quiet(position, threats, before, m, -bonus);
            }
        }
        for &m in captures {
            history.update_capture(position, m, -bonus);
        }
        if !is_noisy(best) {
            self.frame_mut(ply).killer = Some(best);
        }
    }
}
