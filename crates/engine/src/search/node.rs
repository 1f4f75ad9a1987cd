//! The search of a node in numbered steps: principal variation search (PVS) with pruning, extensions and
//! reductions.
//!
//! Scores are from the side to move's view and *fail soft*: a score outside the window is a bound that may
//! lie beyond the window's edge. PV nodes have an open window, all others a null window. A *cut node* is
//! expected to fail high. Root, PV and non-PV nodes are one function, compiled for each [`NodeType`].
//!
//! | file | steps |
//! |---|---|
//! | `node` | 1–6 cutoffs before the static evaluation, 11–12 the move loop, 16–19 the result |
//! | `pruning` | 7–10 razoring, reverse futility, null move, ProbCut; 13 move pruning |
//! | `singular` | 14 singular extensions and multicut |
//! | `reductions` | 15 late move reductions |
//! | `update` | histories, correction history, transposition table |
//! | `previous` | history updates for the previous move, hindsight depth adjustments |
//!
//! An Elo figure after a step is what the engine loses without it: 200 games at 8,000 nodes a move between
//! the engine and a build without the step, both with the classical evaluation
//! (`tabiya match ./tabiya ./without --nodes 8000 --games 200`). Such a match takes minutes; its error of
//! ±40 to 50 Elo identifies the steps that carry the search and leaves the small ones open. What was tried
//! with the network, gains and failures, is in `docs/src/strength.md`.

use std::ops::ControlFlow;

use arrayvec::ArrayVec;
use chess::{Move, Position};

use super::margins::*;
use super::reductions;
use super::update::bonus;
use super::worker::{Searcher, has_non_pawn_material};
use crate::history::butterfly;
use crate::picker::{MovePicker, is_noisy};
use crate::repetition;
use crate::table::{Bound, Entry};
use crate::value::{self, DRAW, INFINITE, MAX_PLY, Value, mate_in, mated_in};

/// The kind of a node, known at compile time.
pub(super) trait NodeType {
    /// The root: moves come from the list of root moves, and nothing is pruned.
    const ROOT: bool;
    /// A node with an open window.
    const PV: bool;
}

/// The root of the search tree; a PV node.
pub(super) struct Root;
/// A node with an open window.
pub(super) struct Pv;
/// A node with a null window.
pub(super) struct NonPv;

impl NodeType for Root {
    const ROOT: bool = true;
    const PV: bool = true;
}

impl NodeType for Pv {
    const ROOT: bool = false;
    const PV: bool = true;
}

impl NodeType for NonPv {
    const ROOT: bool = false;
    const PV: bool = false;
}

/// A node and what the first steps find out about it.
pub(super) struct Node<'a> {
    pub position: &'a Position,
    pub ply: usize,
    pub depth: i32,
    pub cut_node: bool,
    pub in_check: bool,
    /// The move left out by a singular search.
    pub excluded: Option<Move>,
    pub entry: Option<Entry>,
    /// On a principal variation, now or when the entry was stored.
    pub on_pv: bool,
    /// The static evaluation before correction.
    pub raw_eval: Value,
    /// The static evaluation after correction.
    pub static_eval: Value,
    /// The static evaluation, or the entry's score where that is the better estimate.
    pub estimate: Value,
    /// Whether the static evaluation has risen since the player's last move (or the one before).
    pub improving: bool,
    /// The correction history's correction of the static evaluation.
    pub correction: Value,
}

/// A move that is about to be searched.
pub(super) struct Candidate {
    pub m: Move,
    /// Its place in the order, from 1.
    pub number: i32,
    pub noisy: bool,
    pub history: i32,
    pub killer: bool,
    /// The late move reduction by depth and number alone, in 1024ths of a ply.
    pub reduction: i32,
}

/// Moves that were searched without failing high.
pub(super) type Searched = ArrayVec<Move, 64>;

impl Searcher<'_> {
    /// The score of a position to a depth; see the [module](self).
    pub fn search<N: NodeType>(
        &mut self,
        position: &Position,
        mut alpha: Value,
        mut beta: Value,
        mut depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Value {
        // 1. Quiescence search at the horizon.
        if !N::ROOT {
            if depth <= 0 {
                return self.quiescence::<N>(position, alpha, beta, ply);
            }
            if self.count_node() {
                return 0;
            }
        }
        if N::PV {
            self.worker.pv_table[ply].clear();
            self.seldepth = self.seldepth.max(ply);
        }
        let in_check = self.frame(ply).in_check;
        let excluded = self.frame(ply).excluded;

        if !N::ROOT {
            // 2. Draws; an upcoming repetition raises alpha to a draw.
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
                return if in_check { 0 } else { self.evaluate(position) };
            }

            // 3. Mate distance pruning: a shorter mate is already known.
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        // 4. Transposition table cutoff, but not near the fifty-move rule. The correction history of
        //    step 6 is read first, so that both cache misses overlap.
        let correction = if in_check { 0 } else { self.correction(position, ply) };
        let entry = match excluded {
            None if !N::ROOT => self.shared.table.probe(position.key(), ply),
            _ => None,
        };
        let tt_move = entry.and_then(|entry| entry.best);
        let on_pv = N::PV || entry.is_some_and(|entry| entry.on_pv);
        if let Some(entry) = entry
            && !N::PV
            && entry.depth >= depth + i32::from(entry.score > beta)
            && entry.allows_cutoff(beta)
            && (cut_node == (entry.score >= beta) || depth > 5)
            && position.halfmove_clock() < 90
        {
            if let Some(m) = tt_move
                && entry.score >= beta
                && !is_noisy(m)
                && position.is_legal(m)
            {
                let context = self.quiet_context(position, ply);
                self.worker.history.update_quiet(position, &context, m, bonus(depth));
            }
            if entry.score >= beta {
                self.penalize_previous(ply, depth);
            }
            return entry.score;
        }

        // 5. Syzygy tablebases.
        let (mut min_score, mut max_score) = (-INFINITE, INFINITE);
        if !N::ROOT
            && excluded.is_none()
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
                let depth = (depth + 6).min(MAX_PLY as i32 - 1);
                self.store(position, ply, depth, None, score, value::NONE, bound, on_pv);
                return score;
            }
            if N::PV {
                match bound {
                    Bound::Lower => {
                        min_score = score;
                        alpha = alpha.max(score);
                    }
                    _ => max_score = score,
                }
            }
        }

        // 6. Static evaluation, corrected by the correction history and by the table entry.
        let (raw_eval, static_eval, estimate) = if in_check {
            (value::NONE, value::NONE, value::NONE)
        } else if excluded.is_some() {
            let static_eval = self.frame(ply).static_eval;
            (value::NONE, static_eval, static_eval)
        } else {
            let raw = match entry {
                Some(entry) if entry.evaluation != value::NONE => entry.evaluation,
                _ => self.evaluate(position),
            };
            let static_eval = value::clamp_evaluation(raw + correction);
            match entry {
                None => {
                    if !N::ROOT {
                        self.store(position, ply, -1, None, static_eval, raw, Bound::Upper, on_pv);
                    }
                    (raw, static_eval, static_eval)
                }
                Some(entry) if entry.improves(static_eval) => (raw, static_eval, entry.score),
                Some(_) => (raw, static_eval, static_eval),
            }
        };
        self.frame_mut(ply).static_eval = static_eval;
        self.frame_mut(ply).double_extensions = self.earlier(ply, 1).double_extensions;
        self.frame_mut(ply + 1).excluded = None;
        if N::ROOT {
            self.frame_mut(ply + 1).clear_cutoffs();
        }
        self.frame_mut(ply + 2).clear_cutoffs();
        let improving = !in_check && {
            let earlier = match self.earlier(ply, 2).static_eval {
                value::NONE => self.earlier(ply, 4).static_eval,
                static_eval => static_eval,
            };
            earlier == value::NONE || static_eval > earlier
        };
        let mut node = Node {
            position,
            ply,
            depth,
            cut_node,
            in_check,
            excluded,
            entry,
            on_pv,
            raw_eval,
            static_eval,
            estimate,
            improving,
            correction,
        };

        // The opponent's move in hindsight: its history, and its reduction.
        if !N::ROOT && excluded.is_none() {
            self.rate_by_evaluation(&node);
            depth += self.hindsight(&node);
            node.depth = depth;
        }

        // 7–10. Node pruning.
        if !N::PV
            && !in_check
            && excluded.is_none()
            && let Some(score) = self.prune_node(&node, alpha, beta)
        {
            return score;
        }

        // 11. Internal iterative reduction (IIR): without a table move, a shallower search finds one
        //     for the next visit.
        if !N::ROOT
            && tt_move.is_none()
            && depth >= iir_min_depth()
            && (N::PV || cut_node)
            && excluded.is_none()
        {
            depth -= 1 + i32::from(cut_node && depth >= iir_twice_min_depth());
            node.depth = depth;
        }

        // 12. The move loop, best move first.
        let context = self.quiet_context(position, ply);
        let mut picker = MovePicker::all(position, tt_move);
        let tt_move = picker.tt_move();
        let (mut quiets, mut captures) = (Searched::new(), Searched::new());
        let mut best = -INFINITE;
        let mut best_move = None;
        let mut bound = Bound::Upper;
        let mut moves = 0;
        let mut raises = 0;
        let mut skip_quiets = false;
        let may_prune = !N::ROOT && has_non_pawn_material(position);
        // A mate search prunes no checks: it is always far from mate by the static evaluation.
        let mate_search = self.shared.limits.mate.is_some();

        loop {
            let next = if N::ROOT {
                self.next_root_move(depth, moves as usize)
            } else {
                picker.next(position, &self.worker.history, &context)
            };
            let Some(m) = next else { break };
            if Some(m) == excluded {
                continue;
            }
            moves += 1;
            let noisy = is_noisy(m);
            let exempt = mate_search && position.gives_check(m);
            if skip_quiets && !noisy && !exempt {
                if !mate_search {
                    picker.skip_quiets();
                }
                continue;
            }
            self.prefetch_after(position, m);
            let history = if noisy {
                self.worker.history.capture(position, m)
            } else {
                self.worker.history.quiets(position, &context).of(position, m)
            };
            let reduction = reductions::base(depth, moves);
            let killer = context.killer == Some(m);
            let candidate = Candidate { m, number: moves, noisy, history, killer, reduction };

            // 13. Move pruning, once there is a move that does not lose.
            if may_prune
                && best > -value::WIN_BOUND
                && !exempt
                && Self::prunes_move(&node, &candidate, alpha, &mut skip_quiets)
            {
                continue;
            }

            // 14. Singular extensions and multicut.
            let mut extension = 0;
            if Some(m) == tt_move
                && let Some(entry) = self.singular_candidate(&node)
            {
                match self.singular_extension::<N>(&node, entry, m, beta) {
                    ControlFlow::Continue(plies) => extension = plies,
                    ControlFlow::Break(score) => return score,
                }
            }

            let nodes_before = self.nodes;
            let next = self.make_move(position, m, ply);
            let gives_check = next.in_check();
            self.frame_mut(ply + 1).in_check = gives_check;
            if !noisy {
                self.frame_mut(ply).quiet = Some(butterfly(position, &context, m));
                self.frame_mut(ply).number = moves;
            }
            let new_depth = depth - 1 + extension;

            // 15. Late move reductions (LMR): late moves are searched to a reduced depth, and again if
            //     they beat alpha. +119 ± 47
            let mut score = -INFINITE;
            if reductions::applies::<N>(depth, moves) {
                let window = reductions::Window { alpha, beta, raises };
                let reduction =
                    self.late_move_reduction::<N>(&node, &candidate, gives_check, tt_move, window);
                let reduced = (new_depth - reduction / 1024).clamp(1, new_depth.max(1));
                self.frame_mut(ply).reduction = new_depth - reduced;
                score = -self.search::<NonPv>(&next, -alpha - 1, -alpha, reduced, ply + 1, true);
                self.frame_mut(ply).reduction = 0;
                if score > alpha && reduced < new_depth {
                    let deeper = i32::from(!N::ROOT && score > best + 40 + 2 * new_depth);
                    let shallower = i32::from(!N::ROOT && score < best + new_depth);
                    let again = new_depth + deeper - shallower;
                    if again > reduced {
                        score = -self.search::<NonPv>(
                            &next,
                            -alpha - 1,
                            -alpha,
                            again,
                            ply + 1,
                            !N::ROOT && !cut_node,
                        );
                    }
                    if !N::ROOT && !noisy && !self.stopped {
                        let bonus = if score > alpha { bonus(depth) } else { -bonus(depth) };
                        let (earlier, piece_to) = (&context.continuation, self.frame(ply).piece_to);
                        self.worker.history.update_continuations(earlier, piece_to, bonus);
                    }
                }
            } else if !N::PV || moves > 1 {
                // 16. Principal variation search: a null window, and an open one for the first move of
                //     a PV node and for those that beat alpha.
                score =
                    -self.search::<NonPv>(&next, -alpha - 1, -alpha, new_depth, ply + 1, !cut_node);
            }
            if N::PV && (moves == 1 || score > alpha) {
                score = -self.search::<Pv>(&next, -beta, -alpha, new_depth, ply + 1, false);
            }
            self.unmake_move();
            if N::ROOT {
                self.update_root_move(
                    moves as usize,
                    self.nodes - nodes_before,
                    score,
                    alpha,
                    beta,
                );
            }
            if self.stopped {
                return 0;
            }

            // 17. A new best move, or a beta cutoff.
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(m);
                    if N::PV {
                        self.update_pv(ply, m);
                    }
                    if score >= beta {
                        bound = Bound::Lower;
                        break;
                    }
                    bound = Bound::Exact;
                    alpha = score;
                    raises += 1;
                    // Later moves of this node rarely beat it again.
                    if !N::ROOT
                        && (3..=raised_max_depth()).contains(&depth)
                        && !value::is_decided(score)
                    {
                        depth -= 1;
                    }
                }
            }
            if best_move != Some(m) {
                let searched = if noisy { &mut captures } else { &mut quiets };
                let _ = searched.try_push(m);
            }
        }

        // 18. No legal move: checkmate, stalemate, or only the excluded move.
        if moves == 0 {
            return match excluded {
                Some(_) => alpha,
                None if in_check => mated_in(ply),
                None => DRAW,
            };
        }

        // 19. Histories, the transposition table, the correction history.
        if N::ROOT {
            if self.pv_index == 0 && self.shared.limits.moves.is_empty() {
                self.store(position, ply, depth, best_move, best, raw_eval, bound, true);
            }
            return best;
        }
        if bound == Bound::Lower {
            let frame = self.frame_mut(ply);
            frame.cutoffs = frame.cutoffs.saturating_add(1);
            if let Some(m) = best_move {
                self.update_histories(&node, m, &context, &quiets, &captures);
                self.penalize_previous(ply, depth);
            }
            if !value::is_decided(best) {
                best = (best * depth + beta) / (depth + 1);
            }
        }
        if bound == Bound::Upper && excluded.is_none() {
            self.reward_previous(&node);
        }
        best = best.max(min_score).min(max_score);
        if excluded.is_none() {
            self.store(position, ply, depth, best_move, best, raw_eval, bound, on_pv);
            self.update_correction(&node, best_move, best, bound);
        }
        best
    }
}
