//! Static evaluation.
//!
//! The search uses only [`Evaluator`], which follows every move made and unmade. Behind it is a network (NNUE) or
//! the classical evaluation (HCE) of [`classic`].

#[doc(hidden)] // for the tuner
pub mod classic;
mod endings;
pub mod file;
mod side;
#[doc(hidden)] // for the tuner
pub mod terms;
#[doc(hidden)] // for the tuner
pub mod weights;

use chess::{Move, PieceType, Position};
use nnue::{AnyNetwork, AnyStack};

use crate::search::margins::{material_base, material_scale};
use crate::value::{Value, clamp_evaluation};
use crate::wdl::to_cp;

/// An evaluation updated incrementally by the search: that of a network, or the classical evaluation.
#[derive(Clone)]
pub struct Evaluator(Kind);

#[derive(Clone)]
enum Kind {
    /// The classical evaluation of [`classic`], from scratch each time but for the pawn cache.
    Classic(classic::PawnCache),
    /// A network with its accumulator stack.
    Network(AnyStack),
}

/// The embedded network if there is one, else the classical evaluation.
impl Default for Evaluator {
    fn default() -> Self {
        Self::new(file::embedded())
    }
}

impl Evaluator {
    /// The evaluator of a network, or the classical evaluation.
    pub fn new(network: Option<AnyNetwork>) -> Self {
        Self(match network {
            None => Kind::Classic(classic::PawnCache::default()),
            Some(network) => Kind::Network(AnyStack::new(network)),
        })
    }

    /// The network; none for the classical evaluation.
    pub fn network(&self) -> Option<AnyNetwork> {
        match &self.0 {
            Kind::Classic(_) => None,
            Kind::Network(accumulators) => Some(accumulators.network()),
        }
    }

    /// Resets the accumulators to the root of a search.
    pub fn reset(&mut self, root: &Position) {
        match &mut self.0 {
            Kind::Classic(_) => {}
            Kind::Network(accumulators) => accumulators.reset(root),
        }
    }

    /// Makes a move: returns the position after it and pushes the accumulators.
    #[inline(always)]
    pub fn make_move(&mut self, position: &Position, m: Move) -> Position {
        match &mut self.0 {
            Kind::Classic(_) => position.after(m),
            Kind::Network(accumulators) => accumulators.make_move(position, m),
        }
    }

    /// Undoes the last [`make_move`](Evaluator::make_move).
    #[inline(always)]
    pub fn unmake_move(&mut self) {
        match &mut self.0 {
            Kind::Classic(_) => {}
            Kind::Network(accumulators) => accumulators.unmake_move(),
        }
    }

    /// The evaluation from the side to move's view, clamped below the tablebase scores. The position is the
    /// current one, or that one after a null move, which changes no piece.
    pub fn evaluate(&mut self, position: &Position) -> Value {
        let score = match &mut self.0 {
            Kind::Classic(pawns) => classic::evaluate(position, pawns),
            Kind::Network(accumulators) => {
                let score = accumulators.evaluate(position).clamp(-MOST, MOST);
                let score = if score.abs() > SATURATED { grown(position, score) } else { score };
                match endings::adjust(position, score) {
                    Ok(score) => score,
                    Err(won) => return clamp_evaluation(won),
                }
            }
        };
        // The nearer the fifty-move rule, the nearer a draw.
        let clock = i32::from(position.halfmove_clock().min(100));
        clamp_evaluation(score.clamp(-MOST, MOST) * (220 - clock) / 220)
    }

    /// The evaluation as the search uses it. That of a network is scaled by material: the more pieces are left,
    /// the more an advantage is worth, so that it is kept rather than traded down.
    #[inline]
    pub(crate) fn evaluate_for_search(&mut self, position: &Position) -> Value {
        let evaluation = self.evaluate(position);
        match self.0 {
            Kind::Classic(_) => evaluation,
            Kind::Network(_) => scaled_by_material(position, evaluation),
        }
    }
}

impl Evaluator {
    /// The evaluation in centipawns, comparable to scores of searches: see
    /// [`wdl`](crate::wdl).
    pub fn centipawns(&mut self, position: &Position) -> Value {
        to_cp(self.evaluate_for_search(position), position)
    }
}

/// From here on a network may be saturated: its training clips scores, or squashes them to nearly 1.
const SATURATED: Value = 500;
/// … and surely is after this many more.
const RAMP: Value = 256;
/// The lead in material that a network still measures.
const QUEEN: Value = 900;

/// An evaluation of a winning position with what the leader is ahead beyond a queen, unless the network
/// gives as much: a second queen more is more, so that the shorter way to win is taken. Monotone in the
/// evaluation.
#[inline(never)]
fn grown(position: &Position, score: Value) -> Value {
    let leader = if score > 0 { position.turn() } else { !position.turn() };
    let lead = endings::material(position, leader) - endings::material(position, !leader);
    let more = (lead - QUEEN).max(0) * (score.abs() - SATURATED).min(RAMP) / RAMP;
    let grown = (score.abs().min(QUEEN) + more).min(endings::WON - 1);
    score.signum() * grown.max(score.abs())
}

/// An evaluation scaled by the material that is left; that of a won ending is not.
#[inline]
fn scaled_by_material(position: &Position, evaluation: Value) -> Value {
    if evaluation.abs() >= endings::WON {
        return evaluation;
    }
    let board = position.board();
    let count = |piece_type| board.piece_type(piece_type).len() as Value;
    let material = 3 * (count(PieceType::Knight) + count(PieceType::Bishop))
        + 5 * count(PieceType::Rook)
        + 9 * count(PieceType::Queen);
    evaluation * (material_base() + material_scale() * material) / 1024
}

/// Limit of a network's output, far above ours: a network file may hold anything.
const MOST: Value = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use nnue::{Network, Shape};

    #[test]
    fn incremental_evaluations_match_fresh_ones() {
        let shape = Shape { mirrored: true, ..Shape::plain(64) };
        let network = AnyNetwork::from(Network::random(shape, 1).unwrap());
        let mut evaluator = Evaluator::new(Some(network.clone()));
        let mut position = Position::INITIAL;
        evaluator.reset(&position);
        for m in ["e2e4", "e7e5", "e1e2", "e8e7", "e2d3", "e7d6"] {
            position = evaluator.make_move(&position, position.parse_uci(m).unwrap());
            let mut fresh = Evaluator::new(Some(network.clone()));
            fresh.reset(&position);
            assert_eq!(evaluator.evaluate(&position), fresh.evaluate(&position));
        }
    }

    #[test]
    fn two_queens_ahead_is_more_than_one_even_for_a_saturated_network() {
        // A network of a bias alone: 7 pawns for the side to move, whatever stands on the board.
        let shape = Shape::plain(64);
        let [features, hidden, outputs] = [768 * 64, 64, 2 * 64];
        let bias = 7 * 16_320 / 4;
        let constant =
            Network::new(shape, vec![0; features], vec![0; hidden], vec![0; outputs], vec![bias]);
        let queens = |white: &str| -> Position {
            let text = format!("r4rk1/5ppp/8/8/8/8/5PPP/{white}RK1 w - - 0 1");
            text.parse().unwrap()
        };
        let [even, one, two, three] = ["R4", "RQ3", "RQQ2", "RQQQ1"].map(queens);
        for network in [Some(constant.unwrap().into()), file::embedded()].into_iter().flatten() {
            let mut evaluator = Evaluator::new(Some(network));
            let mut value = |position| {
                evaluator.reset(position);
                evaluator.evaluate(position)
            };
            let [even, one, two, three] = [&even, &one, &two, &three].map(&mut value);
            assert!(even <= one && one + 400 < two && two + 400 < three, "{one} {two} {three}");
        }
    }

    #[test]
    fn growth_is_monotone_continuous_and_symmetric() {
        let position: Position = "r4rk1/5ppp/8/8/8/8/5PPP/RQQ2RK1 w - - 0 1".parse().unwrap();
        let black_to_move: Position = position.fen().replace(" w ", " b ").parse().unwrap();
        for score in 1..endings::WON {
            let [last, here] = [score - 1, score].map(|score| grown(&position, score));
            assert!(last <= here && here <= last + 10, "{score}: {last} {here}");
            assert!(here >= score && (score > 3000 || here < endings::WON), "{score}: {here}");
            assert_eq!(grown(&black_to_move, -score), -here);
            assert_eq!(grown(&position, -score), -score, "the side behind in material");
        }
    }

    #[test]
    fn extreme_networks_stay_below_tablebase_scores() {
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
        assert_eq!(score, clamp_evaluation(Value::MAX));
    }
}
