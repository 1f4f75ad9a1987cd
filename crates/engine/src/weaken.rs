//! Limited strength (`UCI_LimitStrength`): a small node limit, and a move sampled from the best candidates
//! with softmax weights of their scores. Moves that lose outright by the short search are practically never
//! sampled and mates are played, so that blunders come from a shallow search, as people's do.

use crate::search::RootMove;
use crate::value::{self, Value};

/// Number of candidate moves.
pub const CANDIDATES: usize = 6;

/// The strength to play at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weakening {
    /// The target Elo.
    pub elo: u32,
    /// 64 random bits, which choose among the candidates.
    pub random: u64,
}

impl Weakening {
    /// The lines that a search for a weakened move needs (MultiPV).
    pub const CANDIDATES: usize = CANDIDATES;

    /// The node limit of such a search.
    pub fn nodes(self) -> u64 {
        nodes(self.elo)
    }
}

/// The node limit at an Elo: doubled every 130 points, a guess that no games have confirmed.
pub fn nodes(elo: u32) -> u64 {
    let doublings = f64::from(elo.saturating_sub(800)) / 130.0;
    (60.0 * doublings.exp2()) as u64
}

/// The temperature of the softmax at an Elo, in internal units.
fn temperature(elo: u32) -> f64 {
    let weakness = f64::from(2800u32.saturating_sub(elo)) / 2000.0;
    6.0 + 110.0 * weakness * weakness
}

/// The index of the move to play among the best ones.
pub fn choose(moves: &[RootMove], Weakening { elo, random }: Weakening) -> usize {
    let score = |m: &RootMove| m.reported().map(|result| result.score);
    let scores: Vec<Value> = moves.iter().take(CANDIDATES).map_while(score).collect();
    let Some(&best) = scores.first() else { return 0 };
    if value::is_mate(best) && best > 0 {
        return 0;
    }
    // Play is looser in won and lost positions.
    let temperature = temperature(elo) * (1.0 + f64::from(best.abs().min(1000)) / 500.0);
    let weights: Vec<f64> = scores
        .iter()
        .map(|&score| (-f64::from(best.saturating_sub(score).max(0)) / temperature).exp())
        .collect();
    let mut left = (random >> 11) as f64 / (1u64 << 53) as f64 * weights.iter().sum::<f64>();
    for (n, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return n;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::RootResult;
    use crate::table::Bound;
    use chess::Position;
    use chess::rng::mix;

    fn moves(scores: &[Value]) -> Vec<RootMove> {
        let legal = Position::INITIAL.legal_moves();
        let result = |score| RootResult { depth: 1, seldepth: 1, score, bound: Bound::Exact };
        let root_move = |(&score, m)| RootMove { result: Some(result(score)), ..RootMove::new(m) };
        scores.iter().zip(legal).map(root_move).collect()
    }

    fn counts(scores: &[Value], elo: u32) -> [usize; CANDIDATES] {
        let moves = moves(scores);
        let mut counts = [0; CANDIDATES];
        for n in 0..10_000 {
            counts[choose(&moves, Weakening { elo, random: mix(n) })] += 1;
        }
        counts
    }

    #[test]
    fn a_lower_elo_plays_lesser_moves_more_often() {
        let scores = [30, 10, -20, -100, -900];
        let (weak, strong) = (counts(&scores, 800), counts(&scores, 2600));
        assert!(weak[0] < strong[0] && strong[0] > 9000, "{weak:?} {strong:?}");
        assert!(weak[0] > weak[1] && weak[1] > weak[2] && weak[2] > weak[3], "{weak:?}");
        assert!(weak[4] < 30, "a queen is not given away: {weak:?}");
    }

    #[test]
    fn a_mate_is_played() {
        assert_eq!(counts(&[value::mate_in(1), 500, 400], 800)[0], 10_000);
        assert_eq!(choose(&[], Weakening { elo: 800, random: 0 }), 0);
    }
}
