//! Iterative deepening with aspiration windows, and the list of root moves.

use std::cmp::Reverse;

use chess::{Move, Position};

use super::limits::Limits;
use super::margins::*;
use super::node::Root;
use super::time::IterationStats;
use super::worker::{Searcher, Shared, Variation, set_pv};
use super::{LineReport, Report};
use crate::table::Bound;
use crate::value::{self, INFINITE, MAX_PLY, Value};

/// A legal move at the root and its search results.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub m: Move,
    /// Its score in this iteration; `-INFINITE` while it has none.
    pub(crate) score: Value,
    /// Its score in the previous iteration.
    pub(crate) previous: Value,
    /// The last search that gave it a score of its own; most searches only prove that it is no better
    /// than another move.
    pub result: Option<RootResult>,
    /// Nodes searched below it, over all iterations.
    pub nodes: u64,
    /// Its score averaged over iterations, later ones weighing more.
    pub(crate) average: Value,
    /// Its tablebase rank; it takes precedence over the score.
    #[doc(hidden)] // for the tests
    pub tablebase_rank: i32,
    /// Its tablebase score.
    pub tablebase_score: Option<Value>,
    /// See [`line`](Self::line).
    pub(crate) line: Variation,
}

/// The result of the search of a root move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RootResult {
    /// The iteration.
    pub depth: i32,
    /// The selective depth: the deepest ply reached.
    pub seldepth: usize,
    /// From the side to move's view.
    pub score: Value,
    /// Whether the score is exact.
    pub bound: Bound,
}

impl RootMove {
    /// A move that has not been searched.
    #[doc(hidden)] // for the tests
    pub fn new(m: Move) -> Self {
        Self {
            m,
            score: -INFINITE,
            previous: -INFINITE,
            result: None,
            nodes: 0,
            average: -INFINITE,
            tablebase_rank: 0,
            tablebase_score: None,
            line: Variation::from_iter([m]),
        }
    }

    /// The result to report: the tablebase score if there is one, unless the search has found a mate;
    /// none for a move that was never searched.
    pub fn reported(&self) -> Option<RootResult> {
        match self.tablebase_score {
            Some(score) if !self.result.is_some_and(|result| value::is_mate(result.score)) => {
                // A probe is a search of one ply.
                let (depth, seldepth) = self.result.map_or((1, 1), |r| (r.depth, r.seldepth));
                Some(RootResult { depth, seldepth, score, bound: Bound::Exact })
            }
            _ => self.result,
        }
    }

    /// The principal variation of [`result`](Self::result), which begins with the move.
    pub fn line(&self) -> &[Move] {
        &self.line
    }

    /// The sort key of root moves: tablebase rank, then score.
    fn order(&self, score: Value) -> (i32, Value) {
        (self.tablebase_rank, score)
    }
}

/// Best first, by the scores of this iteration. Stable: moves without a score keep their order.
fn sort(moves: &mut [RootMove]) {
    moves.sort_by_key(|m| Reverse(m.order(m.score)));
}

/// A score this near the average counts as steady.
const STEADY_MARGIN: Value = 8;

/// `currmove` and fail-high or fail-low lines are reported only after this many seconds.
const QUIET_SECONDS: u64 = 3;

impl Searcher<'_> {
    /// Iterative deepening until a limit is reached.
    pub fn deepen(&mut self) {
        let limits = self.shared.limits;
        let position = *self.shared.root;
        self.frame_mut(0).in_check = position.in_check();
        let deepest =
            limits.depth.map_or(MAX_PLY as i32 - 1, |d| (d.min(MAX_PLY as u32 - 1) as i32).max(1));
        let lines = self.shared.multi_pv.min(self.worker.root_moves.len());
        let mut stability = 0;
        let mut steady = 0;
        let mut best = None;
        let mut scores: Vec<Value> = Vec::new();
        for depth in 1..=deepest {
            self.root_depth = depth;
            self.best_move_changes /= 2.0;
            for root_move in &mut self.worker.root_moves {
                root_move.previous = root_move.score;
            }
            for pv_index in 0..lines {
                self.pv_index = pv_index;
                self.seldepth = 0;
                self.aspiration_search(&position, depth);
                // Only finished lines are sorted, so that a stopped search keeps the others in place.
                sort(&mut self.worker.root_moves[..=pv_index]);
                if self.stopped {
                    break;
                }
                self.publish_counters();
            }
            if self.stopped {
                break;
            }
            self.worker.completed_depth = depth;
            if self.id != 0 {
                continue;
            }
            self.report_lines();

            let top = &self.worker.root_moves[0];
            stability = if best == Some(top.m) { stability + 1 } else { 0 };
            best = Some(top.m);
            let score = top.score;
            scores.push(score);
            let near = (score - top.average).abs() <= STEADY_MARGIN;
            steady = if near { steady + 1 } else { 0 };
            let score_drop = scores.iter().rev().nth(2).map_or(0, |earlier| earlier - score);
            if self.is_mate_found(limits, score, depth) {
                break;
            }
            if self.shared.time.is_limited() && !self.shared.control.is_pondering() {
                let effort = top.nodes as f64 / self.nodes.max(1) as f64;
                let elapsed = self.shared.control.clock_elapsed();
                let forced = self.worker.root_moves.len() == 1 && limits.clock.is_some();
                let changes = self.best_move_changes;
                let stats = IterationStats { stability, effort, score_drop, steady, changes };
                if forced || self.shared.time.is_enough(elapsed, stats) {
                    break;
                }
            }
        }
        self.publish_counters();
    }

    /// Whether the requested mate is found, or the game's clock is better saved than spent on a shorter one.
    fn is_mate_found(&self, limits: &Limits, score: Value, depth: i32) -> bool {
        if let Some(moves) = limits.mate {
            return score > value::MATE - 2 * moves as Value;
        }
        // A mate confirmed well beyond its length is played.
        limits.clock.is_some()
            && value::is_mate(score)
            && depth > 2 * (value::MATE - score.abs()) + 4
    }

    /// Searches with an aspiration window around the averaged score, widened after each fail high or low.
    fn aspiration_search(&mut self, position: &Position, depth: i32) {
        // `go mate`: first a window that only the requested mate exceeds. With an open window a won
        // position hides the mate behind other winning moves.
        if let Some(moves) = self.shared.limits.mate
            && self.pv_index == 0
        {
            let bound = (value::MATE - 2 * moves as Value).max(value::MATE_BOUND);
            let score = self.search_root(position, bound, INFINITE, depth);
            sort(&mut self.worker.root_moves);
            if self.stopped || score > bound {
                return;
            }
        }
        let RootMove { previous, average, .. } = self.worker.root_moves[self.pv_index];
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        // The windows of the threads differ a little, and with them the trees.
        let mut delta = aspiration() + average.abs().min(2000) / 64 + (self.id % 8) as Value;
        if depth >= aspiration_depth() && previous != -INFINITE && !value::is_decided(average) {
            (alpha, beta) = (average - delta, average + delta);
        }
        let mut reduction = 0;
        loop {
            let score = self.search_root(position, alpha, beta, (depth - reduction).max(1));
            sort(&mut self.worker.root_moves[self.pv_index..]);
            if self.stopped {
                return;
            }
            if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (score - delta).max(-INFINITE);
                reduction = 0;
            } else if score >= beta {
                beta = (score + delta).min(INFINITE);
                reduction = (reduction + 1).min(3);
            } else {
                return;
            }
            let late = self.shared.control.elapsed().as_secs() >= QUIET_SECONDS;
            if self.id == 0 && self.shared.multi_pv == 1 && late {
                self.report_lines();
            }
            delta += delta / 2;
            if delta > 600 || value::is_decided(score) {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Searches the root moves from `pv_index` on.
    fn search_root(&mut self, position: &Position, alpha: Value, beta: Value, depth: i32) -> Value {
        for root_move in &mut self.worker.root_moves[self.pv_index..] {
            root_move.score = -INFINITE;
        }
        self.root_window = beta - alpha;
        self.search::<Root>(position, alpha, beta, depth, 0, false)
    }

    /// The root move after the first `searched` from `pv_index` on; none where the tablebases rank it
    /// below the first: it throws the result away.
    pub(super) fn next_root_move(&self, depth: i32, searched: usize) -> Option<Move> {
        let moves = &self.worker.root_moves[self.pv_index..];
        let next = moves.get(searched)?;
        if next.tablebase_rank != moves[0].tablebase_rank {
            return None;
        }
        if self.id == 0 && self.shared.control.elapsed().as_secs() >= QUIET_SECONDS {
            let number = searched + 1;
            (self.shared.report)(Report::CurrentMove { depth, m: next.m, number });
        }
        Some(next.m)
    }

    /// Updates the `number`th root move after its search: a score and a PV only for the first move and
    /// for one that beats alpha, since any other has no more than an upper bound.
    pub(super) fn update_root_move(
        &mut self,
        number: usize,
        nodes: u64,
        score: Value,
        alpha: Value,
        beta: Value,
    ) {
        let (depth, seldepth) = (self.root_depth, self.seldepth);
        let root_move = &mut self.worker.root_moves[self.pv_index + number - 1];
        root_move.nodes += nodes;
        if self.stopped || (number > 1 && score <= alpha) {
            return;
        }
        let bound = if score >= beta {
            Bound::Lower
        } else if score <= alpha {
            Bound::Upper
        } else {
            Bound::Exact
        };
        if number > 1 && self.pv_index == 0 {
            self.best_move_changes += 1.0;
        }
        root_move.score = score;
        root_move.average = match root_move.average {
            average if average == -INFINITE || value::is_decided(score) => score,
            average => (2 * score + average) / 3,
        };
        root_move.result = Some(RootResult { depth, seldepth, score, bound });
        set_pv(&mut root_move.line, root_move.m, &self.worker.pv_table[1]);
    }

    /// Reports the current lines, and saves the first.
    fn report_lines(&mut self) {
        self.publish_counters();
        self.shared.report_lines(&self.worker.root_moves, false);
        self.worker.reported.clone_from(&self.worker.root_moves[0].line);
    }
}

impl Shared<'_> {
    /// Reports the best `multi_pv` moves, as far as they have a score.
    pub fn report_lines(&self, moves: &[RootMove], is_last: bool) {
        for (n, root_move) in moves.iter().take(self.multi_pv).enumerate() {
            let Some(RootResult { depth, seldepth, score, bound }) = root_move.reported() else {
                break;
            };
            (self.report)(Report::Line(LineReport {
                depth,
                seldepth: seldepth.max(1),
                number: n + 1,
                score,
                bound,
                is_last,
                nodes: self.nodes(),
                tablebase_hits: self.tablebase_hits(),
                fullness: self.table.fullness(),
                elapsed: self.control.elapsed(),
                line: &root_move.line,
            }));
        }
    }
}
