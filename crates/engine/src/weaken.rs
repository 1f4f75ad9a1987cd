//! Weaker play that looks human: fewer positions are looked at, and among the moves that then seem
//! playable one is chosen at random, the better ones more often. Nothing is played that the short look
//! thinks hopeless, and a quick mate is seldom missed: blunders come from not seeing far, as people's
//! do, rather than from giving a piece away on purpose.

use crate::score::{self, Score};
use crate::search::RootMove;

/// Moves among which a weak player chooses.
pub const CANDIDATES: usize = 6;

/// A player to imitate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weakening {
    /// His strength.
    pub elo: u32,
    /// What decides among the candidates: any number.
    pub random: u64,
}

/// Positions that a player of this Elo looks at: twice as many for each 130 points, which is a guess
/// that no games have confirmed.
pub fn nodes(elo: u32) -> u64 {
    let doublings = f64::from(elo.saturating_sub(800)) / 130.0;
    (60.0 * doublings.exp2()) as u64
}

/// How much worse a move may be to be still played now and then, in centipawns.
fn tolerance(elo: u32) -> f64 {
    let weakness = f64::from(2800u32.saturating_sub(elo)) / 2000.0;
    6.0 + 110.0 * weakness * weakness
}

/// The index of the move to play among the best ones.
pub fn choose(moves: &[RootMove], Weakening { elo, random }: Weakening) -> usize {
    let score = |m: &RootMove| m.reported().map(|result| result.score);
    let scores: Vec<Score> = moves.iter().take(CANDIDATES).map_while(score).collect();
    let Some(&best) = scores.first() else { return 0 };
    if score::is_mate(best) && best > 0 {
        return 0;
    }
    // In a position that is won or lost anyway, people care less.
    let tolerance = tolerance(elo) * (1.0 + f64::from(best.abs().min(1000)) / 500.0);
    let weights: Vec<f64> = scores
        .iter()
        .map(|&score| (-f64::from(best.saturating_sub(score).max(0)) / tolerance).exp())
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

    fn moves(scores: &[Score]) -> Vec<RootMove> {
        let legal = Position::INITIAL.legal_moves();
        let result = |score| RootResult { depth: 1, seldepth: 1, score, bound: Bound::Exact };
        let root_move = |(&score, m)| RootMove { result: Some(result(score)), ..RootMove::new(m) };
        scores.iter().zip(legal).map(root_move).collect()
    }

    fn counts(scores: &[Score], elo: u32) -> [usize; CANDIDATES] {
        let moves = moves(scores);
        let mut counts = [0; CANDIDATES];
        for n in 0..10_000 {
            counts[choose(&moves, Weakening { elo, random: mix(n) })] += 1;
        }
        counts
    }

    #[test]
    fn the_weaker_the_player_the_more_often_a_lesser_move() {
        let scores = [30, 10, -20, -100, -900];
        let (weak, strong) = (counts(&scores, 800), counts(&scores, 2600));
        assert!(weak[0] < strong[0] && strong[0] > 9000, "{weak:?} {strong:?}");
        assert!(weak[0] > weak[1] && weak[1] > weak[2] && weak[2] > weak[3], "{weak:?}");
        assert!(weak[4] < 30, "a queen is not given away: {weak:?}");
    }

    #[test]
    fn a_mate_is_played() {
        assert_eq!(counts(&[score::mate_in(1), 500, 400], 800)[0], 10_000);
        assert_eq!(choose(&[], Weakening { elo: 800, random: 0 }), 0);
    }
}
