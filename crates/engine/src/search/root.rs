//! Iterative deepening: the root, searched again and again, each time a ply deeper.

use std::cmp::Reverse;

use chess::{Move, Position};

use super::limits::Limits;
use super::margins::*;
use super::node::reduction;
use super::time::Progress;
use super::worker::{Line, Searcher, Shared};
use super::{LineReport, Report};
use crate::picker::is_noisy;
use crate::score::{self, INFINITE, MAX_PLY, Score};
use crate::table::Bound;

/// A move at the root and what is known of it.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub m: Move,
    /// Its score in this iteration; `-INFINITE` while it has none.
    pub score: Score,
    /// Its score in the last iteration.
    pub previous: Score,
    /// The last search that gave it a score of its own; most only show that it is no better than
    /// another.
    pub result: Option<RootResult>,
    /// How many positions were looked at behind it, in all.
    pub nodes: u64,
    /// What the tablebases know of it: better moves come first whatever the search thinks.
    pub tablebase_rank: i32,
    /// Its score by the tablebases.
    pub tablebase_score: Option<Score>,
    /// The move and what follows, as the search behind `result` found it.
    pub line: Line,
}

/// What a search found out about a move at the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RootResult {
    /// The iteration.
    pub depth: i32,
    /// The deepest ply that was looked at.
    pub seldepth: usize,
    /// For the player to move.
    pub score: Score,
    /// What the score says.
    pub bound: Bound,
}

impl RootMove {
    /// A move of which nothing is known.
    pub fn new(m: Move) -> Self {
        Self {
            m,
            score: -INFINITE,
            previous: -INFINITE,
            result: None,
            nodes: 0,
            tablebase_rank: 0,
            tablebase_score: None,
            line: Line::from_iter([m]),
        }
    }

    /// What to report: the tablebases' score where they know the move, unless the search sees a mate;
    /// nothing for a move that was never searched.
    pub fn reported(&self) -> Option<RootResult> {
        match self.tablebase_score {
            Some(score) if !self.result.is_some_and(|result| score::is_mate(result.score)) => {
                // A probe looks one ply ahead.
                let (depth, seldepth) = self.result.map_or((1, 1), |r| (r.depth, r.seldepth));
                Some(RootResult { depth, seldepth, score, bound: Bound::Exact })
            }
            _ => self.result,
        }
    }

    /// The one order of moves at the root, by what is greater: the tablebases' rank, then a score.
    fn order(&self, score: Score) -> (i32, Score) {
        (self.tablebase_rank, score)
    }

    /// The same with the score that is reported, to compare the best moves of threads.
    pub(super) fn reported_order(&self) -> (i32, Score) {
        self.order(self.reported().map_or(-INFINITE, |result| result.score))
    }
}

/// Best first, by the scores of this iteration. Stable, so that moves without a score keep their order.
fn sort(moves: &mut [RootMove]) {
    moves.sort_by_key(|m| Reverse(m.order(m.score)));
}

/// Scores are told while an iteration runs, and moves at the root, only after this many seconds.
const QUIET_SECONDS: u64 = 3;

impl Searcher<'_> {
    /// Searches deeper and deeper until a limit is reached.
    pub fn deepen(&mut self) {
        let limits = self.shared.limits;
        let position = *self.shared.root;
        self.frame_mut(0).in_check = position.in_check();
        let deepest =
            limits.depth.map_or(MAX_PLY as i32 - 1, |d| (d.min(MAX_PLY as u32 - 1) as i32).max(1));
        let lines = self.shared.multi_pv.min(self.worker.root_moves.len());
        let mut stability = 0;
        let mut best = None;
        let mut scores: Vec<Score> = Vec::new();
        for depth in 1..=deepest {
            self.root_depth = depth;
            for root_move in &mut self.worker.root_moves {
                root_move.previous = root_move.score;
            }
            for first in 0..lines {
                self.seldepth = 0;
                self.aspire(&position, depth, first);
                // Lines that are done come in order; those before the break-off keep their place.
                sort(&mut self.worker.root_moves[..=first]);
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
            let fallen = scores.iter().rev().nth(2).map_or(0, |earlier| earlier - score);
            if self.is_mate_found(limits, score, depth) {
                break;
            }
            if self.shared.time.is_limited() && !self.shared.control.is_pondering() {
                let effort = top.nodes as f64 / self.nodes.max(1) as f64;
                let elapsed = self.shared.control.clock_elapsed();
                let alone = self.worker.root_moves.len() == 1 && limits.clock.is_some();
                if alone
                    || self.shared.time.is_enough(elapsed, Progress { stability, effort, fallen })
                {
                    break;
                }
            }
        }
        self.publish_counters();
    }

    /// Whether the mate that was asked for is found, or there is no point in looking for a shorter one.
    fn is_mate_found(&self, limits: &Limits, score: Score, depth: i32) -> bool {
        if let Some(moves) = limits.mate {
            return score > score::MATE - 2 * moves as Score;
        }
        // By the clock: a mate that has been confirmed well beyond its length is played.
        limits.clock.is_some()
            && score::is_mate(score)
            && depth > 2 * (score::MATE - score.abs()) + 4
    }

    /// Searches with a narrow window around the last score, wider each time the score is outside.
    fn aspire(&mut self, position: &Position, depth: i32, first: usize) {
        // A mate is asked for: first of all nothing less will do, so that a line is over once it can
        // no longer be that mate. Otherwise a won position hides it: everything is good enough.
        if let Some(moves) = self.shared.limits.mate
            && first == 0
        {
            let bound = (score::MATE - 2 * moves as Score).max(score::MATE_BOUND);
            let score = self.search_root(position, bound, INFINITE, depth, 0);
            sort(&mut self.worker.root_moves);
            if self.stopped || score > bound {
                return;
            }
        }
        let previous = self.worker.root_moves[first].previous;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut delta = ASPIRATION + previous.abs().min(2000) / 64;
        if depth >= ASPIRATION_DEPTH && previous != -INFINITE && !score::is_decided(previous) {
            (alpha, beta) = (previous - delta, previous + delta);
        }
        let mut reduced = 0;
        loop {
            let score = self.search_root(position, alpha, beta, (depth - reduced).max(1), first);
            sort(&mut self.worker.root_moves[first..]);
            if self.stopped {
                return;
            }
            if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (score - delta).max(-INFINITE);
                reduced = 0;
            } else if score >= beta {
                beta = (score + delta).min(INFINITE);
                reduced = (reduced + 1).min(3);
            } else {
                return;
            }
            let late = self.shared.control.elapsed().as_secs() >= QUIET_SECONDS;
            if self.id == 0 && self.shared.multi_pv == 1 && late {
                self.report_lines();
            }
            delta += delta / 2;
            if delta > 600 || score::is_decided(score) {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// One search of the root moves from `first` on.
    fn search_root(
        &mut self,
        position: &Position,
        mut alpha: Score,
        beta: Score,
        depth: i32,
        first: usize,
    ) -> Score {
        let in_check = self.frame(0).in_check;
        let evaluation = if in_check {
            score::NONE
        } else {
            let raw = self.worker.evaluator.evaluate(position);
            score::clamp_evaluation(raw + self.correction(position, 0))
        };
        self.frame_mut(0).evaluation = evaluation;
        for ply in 1..=2 {
            self.frame_mut(ply).killer = None;
            self.frame_mut(ply).cutoffs = 0;
        }
        let mut best = -INFINITE;
        let mut best_move = None;
        let mut bound = Bound::Upper;
        let count = self.worker.root_moves.len();
        for index in first..count {
            self.worker.root_moves[index].score = -INFINITE;
        }
        let best_rank = self.worker.root_moves[first].tablebase_rank;
        for index in first..count {
            let RootMove { m, tablebase_rank, .. } = self.worker.root_moves[index];
            if tablebase_rank != best_rank {
                break; // the tablebases say that it throws the result away
            }
            let number = (index - first + 1) as i32;
            if self.id == 0 && self.shared.control.elapsed().as_secs() >= QUIET_SECONDS {
                (self.shared.report)(Report::CurrentMove { depth, m, number: number as usize });
            }
            let nodes_before = self.nodes;
            let next = self.play(position, m, 0);
            let gives_check = next.in_check();
            self.frame_mut(1).in_check = gives_check;
            let new_depth = depth - 1;
            let mut score = -INFINITE;
            if number > 1 {
                let mut reduced = new_depth;
                if depth >= 3 && number > 3 {
                    let mut lessened = reduction(depth, number) + REDUCTION_ON_PV;
                    if is_noisy(m) || gives_check {
                        lessened /= 2;
                    }
                    reduced = (new_depth - lessened.max(0) / 1024).max(1);
                }
                score = -self.search::<false>(&next, -alpha - 1, -alpha, reduced, 1, true);
                if score > alpha && reduced < new_depth {
                    score = -self.search::<false>(&next, -alpha - 1, -alpha, new_depth, 1, false);
                }
            }
            if number == 1 || score > alpha {
                score = -self.search::<true>(&next, -beta, -alpha, new_depth, 1, false);
            }
            self.take_back();
            let nodes = self.nodes - nodes_before;
            let (iteration, seldepth) = (self.root_depth, self.seldepth);
            let root_move = &mut self.worker.root_moves[index];
            root_move.nodes += nodes;
            if self.stopped {
                return 0;
            }
            if number == 1 || score > alpha {
                root_move.score = score;
                let bound = if score >= beta {
                    Bound::Lower
                } else if score <= alpha {
                    Bound::Upper
                } else {
                    Bound::Exact
                };
                root_move.result = Some(RootResult { depth: iteration, seldepth, score, bound });
                root_move.line.clear();
                root_move.line.push(m);
                let room = root_move.line.remaining_capacity();
                root_move.line.extend(self.worker.lines[1].iter().copied().take(room));
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(m);
                    if score >= beta {
                        bound = Bound::Lower;
                        break;
                    }
                    bound = Bound::Exact;
                    alpha = score;
                }
            }
        }
        if first == 0 && self.shared.limits.moves.is_empty() {
            self.remember(position, 0, depth, best_move, best, score::NONE, bound, true);
        }
        best
    }

    /// Reports the lines found so far, and remembers the first.
    fn report_lines(&mut self) {
        self.publish_counters();
        self.shared.report_lines(&self.worker.root_moves);
        self.worker.reported.clone_from(&self.worker.root_moves[0].line);
    }
}

impl Shared<'_> {
    /// Reports the best moves, as many as were asked for and have a score.
    pub fn report_lines(&self, moves: &[RootMove]) {
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
                nodes: self.nodes(),
                tablebase_hits: self.tablebase_hits(),
                fullness: self.table.fullness(),
                elapsed: self.control.elapsed(),
                line: &root_move.line,
            }));
        }
    }
}
