//! Quiescence: captures and promotions until the position is quiet, all moves if in check.

use chess::{Move, Position};

use super::margins::*;
use super::worker::Searcher;
use crate::history;
use crate::picker::{MovePicker, is_noisy};
use crate::score::{self, INFINITE, MAX_PLY, Score, mated_in};
use crate::table::{Bound, Entry};

/// What pieces are worth when it is asked whether a capture can still help.
const VALUES: [i32; 6] = [100, 320, 330, 500, 950, 0];

impl Searcher<'_> {
    /// The score of a position after all that hangs has been taken.
    pub fn quiescence<const PV: bool>(
        &mut self,
        position: &Position,
        mut alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Score {
        // 1. The end of the line, by the rules or by the limits.
        if self.count_node() {
            return 0;
        }
        if PV {
            self.worker.lines[ply].clear();
            self.seldepth = self.seldepth.max(ply);
        }
        if self.is_draw(position, ply) {
            return self.draw_score();
        }
        let in_check = self.frame(ply).in_check;
        if ply >= MAX_PLY {
            return if in_check { 0 } else { self.worker.evaluator.evaluate(position) };
        }

        // 2. The table: whatever it has is at least as deep, but for what is only an evaluation. The
        //    correction of that is asked for first, so that both come from memory at the same time.
        let correction = if in_check { 0 } else { self.correction(position, ply) };
        let entry = self.shared.table.look_up(position.key(), ply);
        if let Some(entry) = entry
            && !PV
            && entry.depth >= 0
            && allows_cut(&entry, beta)
        {
            return entry.score;
        }

        // 3. Standing pat: the player need not capture.
        let mut best = -INFINITE;
        let mut futility = -INFINITE;
        let mut raw = score::NONE;
        if !in_check {
            raw = match entry {
                Some(entry) if entry.evaluation != score::NONE => entry.evaluation,
                _ => self.worker.evaluator.evaluate(position),
            };
            best = score::clamp_evaluation(raw + correction);
            if let Some(entry) = entry
                && !score::is_decided(entry.score)
                && improves(&entry, best)
            {
                best = entry.score;
            }
            if best >= beta {
                if entry.is_none() {
                    self.remember(position, ply, 0, None, best, raw, Bound::Lower, PV);
                }
                return if score::is_decided(best) { best } else { (best + beta) / 2 };
            }
            alpha = alpha.max(best);
            futility = best + QUIESCENCE_FUTILITY;
        }

        // 4. Captures that do not lose, or evasions.
        let table_move = entry.and_then(|entry| entry.best);
        let mut picker = if in_check {
            MovePicker::all(position, table_move)
        } else {
            MovePicker::captures(position, table_move, QUIESCENCE_EXCHANGE)
        };
        let context = self.quiet_context(position, ply);
        let mut best_move = None;
        let mut bound = Bound::Upper;
        let mut moves = 0;
        while let Some(m) = picker.next(position, &self.worker.history, &context) {
            moves += 1;
            self.prefetch_after(position, m);
            if best > -score::WIN_BOUND {
                if in_check {
                    // One quiet evasion that is not mate is enough.
                    if !is_noisy(m) {
                        picker.skip_quiets();
                        continue;
                    }
                } else if m.promotion().is_none() {
                    // Even for nothing, the captured piece would not bring the score to alpha.
                    let gain = futility + VALUES[history::captured(position, m).index()];
                    if gain <= alpha {
                        best = best.max(gain);
                        continue;
                    }
                    if futility <= alpha && !position.see_reaches(m, 1) {
                        best = best.max(futility);
                        continue;
                    }
                }
            }
            let next = self.play(position, m, ply);
            self.frame_mut(ply + 1).in_check = next.in_check();
            let score = -self.quiescence::<PV>(&next, -beta, -alpha, ply + 1);
            self.take_back();
            if self.stopped {
                return 0;
            }
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
                    alpha = score;
                }
            }
        }
        if in_check && moves == 0 {
            return mated_in(ply);
        }
        self.remember(position, ply, 0, best_move, best, raw, bound, PV);
        best
    }

    #[allow(clippy::too_many_arguments, reason = "they are the fields of the entry")]
    #[inline]
    pub fn remember(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
        best: Option<Move>,
        score: Score,
        evaluation: Score,
        bound: Bound,
        on_pv: bool,
    ) {
        let entry = Entry { best, score, evaluation, depth, bound, on_pv };
        self.shared.table.store(position.key(), ply, entry);
    }
}

/// Whether the entry's score settles a search with a window just below beta.
#[inline(always)]
pub(super) fn allows_cut(entry: &Entry, beta: Score) -> bool {
    match entry.bound {
        Bound::Exact => true,
        Bound::Lower => entry.score >= beta,
        Bound::Upper => entry.score < beta,
    }
}

/// Whether the entry's score is a better estimate than this one.
#[inline(always)]
pub(super) fn improves(entry: &Entry, estimate: Score) -> bool {
    match entry.bound {
        Bound::Exact => true,
        Bound::Lower => entry.score > estimate,
        Bound::Upper => entry.score < estimate,
    }
}
