//! How good a position is for the player to move, without searching.
//!
//! The search knows only [`Evaluator`]: it tells it every move it makes and takes back, and asks for
//! evaluations. What is behind it can be exchanged without touching the search.

pub mod classic;
mod side;
pub mod terms;
pub mod weights;

use chess::{Move, Position};

use crate::score::{Score, clamp_evaluation};

/// An evaluation that keeps in step with a search.
#[derive(Clone)]
pub enum Evaluator {
    /// The hand-written terms of [`classic`], computed afresh each time but for the pawns.
    Classic(classic::PawnCache),
}

impl Default for Evaluator {
    fn default() -> Self {
        Self::Classic(classic::PawnCache::default())
    }
}

impl Evaluator {
    /// A search begins here.
    pub fn reset(&mut self, _root: &Position) {}

    /// The position after a move, which the evaluation now stands at.
    #[inline(always)]
    pub fn play(&mut self, position: &Position, m: Move) -> Position {
        position.after(m)
    }

    /// Back to where it stood before the last [`play`](Evaluator::play).
    #[inline(always)]
    pub fn take_back(&mut self) {}

    /// The evaluation for the player to move, clear of known results.
    pub fn evaluate(&mut self, position: &Position) -> Score {
        let Self::Classic(pawns) = self;
        let score = classic::evaluate(position, pawns);
        // The nearer the fifty-move rule, the nearer a draw.
        let clock = i32::from(position.halfmove_clock().min(100));
        clamp_evaluation(score * (220 - clock) / 220)
    }
}
