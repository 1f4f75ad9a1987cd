//! How good a position is for the player to move, without searching.
//!
//! The search knows only [`Evaluator`]: it tells it every move it makes and takes back, and asks for
//! evaluations. What is behind it, a network or the hand-written terms of [`classic`], can be exchanged
//! without touching the search.

pub mod classic;
pub mod file;
mod side;
pub mod terms;
pub mod weights;

use chess::{Move, Position};
use nnue::{AccumulatorStack, AnyNetwork, halfkp, halfkp_centipawns};

use crate::score::{Score, clamp_evaluation};

/// An evaluation that keeps in step with a search.
#[derive(Clone)]
pub enum Evaluator {
    /// The hand-written terms of [`classic`], computed afresh each time but for the pawns.
    Classic(classic::PawnCache),
    /// A network, with accumulators that follow the moves.
    Network(AccumulatorStack),
    /// One of Stockfish's first networks.
    HalfKp(halfkp::AccumulatorStack),
}

/// The embedded network if there is one, else the hand-written terms.
impl Default for Evaluator {
    fn default() -> Self {
        Self::new(file::embedded())
    }
}

impl Evaluator {
    /// A network's evaluation, or that of the hand-written terms.
    pub fn new(network: Option<AnyNetwork>) -> Self {
        match network {
            None => Self::Classic(classic::PawnCache::default()),
            Some(AnyNetwork::Tabiya(network)) => Self::Network(AccumulatorStack::new(network)),
            Some(AnyNetwork::HalfKp(network)) => {
                Self::HalfKp(halfkp::AccumulatorStack::new(network))
            }
        }
    }

    /// The network behind it; none if it evaluates by hand-written terms.
    pub fn network(&self) -> Option<AnyNetwork> {
        match self {
            Self::Classic(_) => None,
            Self::Network(sums) => Some(AnyNetwork::Tabiya(sums.network().clone())),
            Self::HalfKp(sums) => Some(AnyNetwork::HalfKp(sums.network().clone())),
        }
    }

    /// A search begins here.
    pub fn reset(&mut self, root: &Position) {
        match self {
            Self::Classic(_) => {}
            Self::Network(accumulators) => accumulators.reset(root),
            Self::HalfKp(accumulators) => accumulators.reset(root),
        }
    }

    /// The position after a move, which the evaluation now stands at.
    #[inline(always)]
    pub fn play(&mut self, position: &Position, m: Move) -> Position {
        match self {
            Self::Classic(_) => position.after(m),
            Self::Network(accumulators) => accumulators.make_move(position, m),
            Self::HalfKp(accumulators) => accumulators.make_move(position, m),
        }
    }

    /// Back to where it stood before the last [`play`](Evaluator::play).
    #[inline(always)]
    pub fn take_back(&mut self) {
        match self {
            Self::Classic(_) => {}
            Self::Network(accumulators) => accumulators.unmake_move(),
            Self::HalfKp(accumulators) => accumulators.unmake_move(),
        }
    }

    /// The evaluation for the player to move, clear of known results. The position is the one it
    /// stands at, or that one after a null move, which changes no piece and is not told.
    pub fn evaluate(&mut self, position: &Position) -> Score {
        let score = match self {
            Self::Classic(pawns) => classic::evaluate(position, pawns),
            Self::Network(accumulators) => accumulators.evaluate(position),
            Self::HalfKp(accumulators) => halfkp_centipawns(accumulators.evaluate(position)),
        };
        // The nearer the fifty-move rule, the nearer a draw.
        let clock = i32::from(position.halfmove_clock().min(100));
        clamp_evaluation(score.clamp(-MOST, MOST) * (220 - clock) / 220)
    }
}

/// No evaluation means more than this, and ours stay far below. A network's file may say anything.
const MOST: Score = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use nnue::{Network, Shape};

    #[test]
    fn a_network_gives_the_same_however_a_position_came_about() {
        let shape = Shape { mirrored: true, ..Shape::plain(64) };
        let network = AnyNetwork::from(Network::random(shape, 1).unwrap());
        let mut evaluator = Evaluator::new(Some(network.clone()));
        let mut position = Position::INITIAL;
        evaluator.reset(&position);
        for m in ["e2e4", "e7e5", "e1e2", "e8e7", "e2d3", "e7d6"] {
            position = evaluator.play(&position, position.parse_uci(m).unwrap());
            let mut fresh = Evaluator::new(Some(network.clone()));
            fresh.reset(&position);
            assert_eq!(evaluator.evaluate(&position), fresh.evaluate(&position));
        }
    }

    #[test]
    fn a_network_of_extreme_numbers_stays_clear_of_known_results() {
        let hidden = 2048;
        let network = Network::new(
            Shape::plain(hidden),
            vec![255; 768 * hidden],
            vec![255; hidden],
            vec![127; 2 * hidden],
            vec![i32::MAX],
        );
        let mut evaluator = Evaluator::new(Some(network.unwrap().into()));
        evaluator.reset(&Position::INITIAL);
        let score = evaluator.evaluate(&Position::INITIAL);
        assert_eq!(score, clamp_evaluation(Score::MAX));
    }
}
