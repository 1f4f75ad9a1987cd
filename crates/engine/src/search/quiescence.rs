//! Quiescence search: captures and promotions until the position is quiet, all evasions in check.

use chess::Position;

use super::margins::*;
use super::node::NodeType;
use super::worker::Searcher;
use crate::history::{self, QuietContext};
use crate::picker::{CAPTURE_VALUES, MovePicker, is_noisy};
use crate::table::Bound;
use crate::value::{self, INFINITE, MAX_PLY, Value, mated_in};

impl Searcher<'_> {
    /// The score of a position when its captures are resolved.
    pub fn quiescence<N: NodeType>(
        &mut self,
        position: &Position,
        mut alpha: Value,
        beta: Value,
        ply: usize,
    ) -> Value {
        // 1. Draws and limits.
        if self.count_node() {
            return 0;
        }
        if N::PV {
            self.worker.pv_table[ply].clear();
            self.seldepth = self.seldepth.max(ply);
        }
        if self.is_draw(position, ply) {
            return self.draw_score();
        }
        let in_check = self.frame(ply).in_check;
        if ply >= MAX_PLY {
            return if in_check { 0 } else { self.evaluate(position) };
        }

        // 2. Transposition table cutoff: every entry is at least as deep, except static evaluations. The
        //    correction history is read first, so that both cache misses overlap.
        let correction = if in_check { 0 } else { self.correction(position, ply) };
        let entry = self.shared.table.probe(position.key(), ply);
        if let Some(entry) = entry
            && !N::PV
            && entry.depth >= 0
            && entry.allows_cutoff(beta)
        {
            return entry.score;
        }

        // 3. Stand pat.
        let mut best = -INFINITE;
        let mut futility = -INFINITE;
        let mut raw = value::NONE;
        if !in_check {
            raw = match entry {
                Some(entry) if entry.evaluation != value::NONE => entry.evaluation,
                _ => self.evaluate(position),
            };
            best = value::clamp_evaluation(raw + correction);
            if let Some(entry) = entry
                && entry.improves(best)
            {
                best = entry.score;
            }
            if best >= beta {
                if entry.is_none() {
                    self.store(position, ply, 0, None, best, raw, Bound::Lower, N::PV);
                }
                return if value::is_decided(best) { best } else { (best + beta) / 2 };
            }
            alpha = alpha.max(best);
            futility = best + quiescence_futility();
        }

        // 4. Captures that do not lose material, or evasions.
        let tt_move = entry.and_then(|entry| entry.best);
        let mut picker = if in_check {
            MovePicker::all(position, tt_move)
        } else {
            MovePicker::captures(position, tt_move, quiescence_see())
        };
        let context =
            if in_check { self.quiet_context(position, ply) } else { QuietContext::UNUSED };
        let mut best_move = None;
        let mut bound = Bound::Upper;
        let mut moves = 0;
        while let Some(m) = picker.next(position, &self.worker.history, &context) {
            moves += 1;
            self.prefetch_after(position, m);
            if best > -value::WIN_BOUND {
                if in_check {
                    // One quiet evasion that does not lose is enough.
                    if !is_noisy(m) {
                        picker.skip_quiets();
                        continue;
                    }
                } else if m.promotion().is_none() {
                    // Delta pruning: even for free, the captured piece would not raise the score to
                    // alpha.
                    let gain = futility + CAPTURE_VALUES[history::captured(position, m).index()];
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
            let next = self.make_move(position, m, ply);
            self.frame_mut(ply + 1).in_check = next.in_check();
            let score = -self.quiescence::<N>(&next, -beta, -alpha, ply + 1);
            self.unmake_move();
            if self.stopped {
                return 0;
            }
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
                    alpha = score;
                }
            }
        }
        if in_check && moves == 0 {
            return mated_in(ply);
        }
        self.store(position, ply, 0, best_move, best, raw, bound, N::PV);
        best
    }
}
