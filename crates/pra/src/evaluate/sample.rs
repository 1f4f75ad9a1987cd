//! One position: its labels, and the metrics of a prediction for it.

use std::cmp::Ordering;

use chess::pgn::Score;
use chess::{Move, Position};

use crate::encode::{PLAIN_MOVES, legal_moves, move_index, wdl_of_side_to_move};
use crate::{Config, Prediction};

/// Sampling temperatures whose likelihood is measured, to find the one that fits best.
pub const TEMPERATURES: [f64; 9] = [0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4];

/// The labels of a position, from the perspective of the side to move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Labels {
    /// The move played.
    pub played: Move,
    /// The rating of the player.
    pub rating: Option<i32>,
    /// The result in points: 1, ½ or 0.
    pub result: Option<f32>,
    /// The evaluation.
    pub score: Option<Score>,
}

/// The metrics of a prediction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SampleMetrics {
    /// Legal moves with a higher probability than the one played; 0 if the prediction is correct.
    pub rank: usize,
    /// From-to pairs, of all 4096, with a higher logit.
    pub all_rank: usize,
    /// Negative log-likelihood of the move, among the legal ones.
    pub nll: f64,
    /// The same at each of the [`TEMPERATURES`].
    pub nll_at: [f64; TEMPERATURES.len()],
    /// Predicted win, draw and loss probabilities of the side to move.
    pub wdl: [f32; 3],
}

impl SampleMetrics {
    /// Compares a prediction with the move played. Ties rank in the order of the moves, so that a
    /// constant policy is not counted as correct.
    ///
    /// A policy without promotions always promotes to a queen: after an underpromotion none of its legal
    /// moves is correct, but among the 4096 from-to pairs one is, as in the reference.
    pub fn new(
        config: &Config,
        position: &Position,
        played: Move,
        prediction: &Prediction,
    ) -> Self {
        let logits = &prediction.logits;
        let logit = |index: u16| logits.get(usize::from(index)).copied().unwrap_or(f32::MIN);
        let moves: Vec<(Move, f32)> =
            legal_moves(config, position).map(|(m, index)| (m, logit(index))).collect();
        let index = moves.iter().position(|&(m, _)| m == played);
        let rank = index.map_or(moves.len(), |index| rank(moves.iter().map(|m| m.1), index));
        let own = logit(move_index(config, position.turn(), played));
        let top = moves.iter().map(|m| m.1).fold(own, f32::max);
        let nll_at = |temperature: f64| {
            let exp = |logit: f32| (f64::from(logit - top) / temperature).exp();
            let sum: f64 = moves.iter().map(|m| exp(m.1)).sum();
            sum.ln() - f64::from(own - top) / temperature
        };
        let plain = Config { promotions: false, ..*config };
        let plain_place = usize::from(move_index(&plain, position.turn(), played));
        let all = &logits[..PLAIN_MOVES.min(logits.len())];
        Self {
            rank,
            all_rank: self::rank(all.iter().copied(), plain_place),
            nll: nll_at(1.0),
            nll_at: TEMPERATURES.map(nll_at),
            wdl: wdl_of_side_to_move(config, position.turn(), prediction.outcome),
        }
    }
}

/// The rank of an element in descending order, where NaN ranks above everything.
fn rank(values: impl Iterator<Item = f32> + Clone, index: usize) -> usize {
    let Some(own) = values.clone().nth(index) else { return usize::MAX };
    let before = |&(n, value): &(usize, f32)| match value.partial_cmp(&own) {
        Some(Ordering::Less) => false,
        Some(Ordering::Equal) => n < index,
        Some(Ordering::Greater) => true,
        None => n != index,
    };
    values.enumerate().filter(before).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::POLICY;

    fn prediction(config: &Config, position: &Position, logits: &[(&str, f32)]) -> Prediction {
        let mut all = vec![0.0; POLICY];
        for &(text, logit) in logits {
            let m = position.parse_uci(text).unwrap();
            all[usize::from(move_index(config, position.turn(), m))] = logit;
        }
        Prediction { logits: all, outcome: [0.6, 0.3, 0.1] }
    }

    fn metrics(config: &Config, fen: &str, played: &str, logits: &[(&str, f32)]) -> SampleMetrics {
        let position: Position = fen.parse().unwrap();
        let m = position.parse_uci(played).unwrap();
        SampleMetrics::new(config, &position, m, &prediction(config, &position, logits))
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn the_rank_counts_moves_of_higher_probability() {
        for config in [Config::new(1, 12), Config::reference(1, 12)] {
            let logits = [("e2e4", 3.0), ("d2d4", 2.0), ("g1f3", 1.0)];
            let rank = |played: &str| metrics(&config, START, played, &logits).rank;
            assert_eq!((rank("e2e4"), rank("d2d4"), rank("g1f3")), (0, 1, 2));
            // All others are tied, and rank below.
            assert!(rank("a2a3") >= 3 && rank("h2h4") >= 3);
            let ranks: Vec<usize> = (0..8)
                .map(|n| (b'a' + n) as char)
                .map(|file| rank(&format!("{file}2{file}3")))
                .collect();
            let distinct: std::collections::HashSet<&usize> = ranks.iter().collect();
            assert_eq!(distinct.len(), 8, "ties have distinct ranks");
        }
    }

    #[test]
    fn nll_is_that_of_a_softmax_over_the_legal_moves() {
        let config = Config::new(1, 12);
        let sum = 1f64.exp() + 19.0;
        let found = metrics(&config, START, "e2e4", &[("e2e4", 1.0)]);
        assert!((found.nll - (sum.ln() - 1.0)).abs() < 1e-6);
        let found = metrics(&config, START, "d2d4", &[("e2e4", 1.0)]);
        assert!((found.nll - sum.ln()).abs() < 1e-6);
        assert_eq!(found.wdl, [0.6, 0.3, 0.1]);
        for (temperature, nll) in TEMPERATURES.into_iter().zip(found.nll_at) {
            let sum = (1.0 / temperature).exp() + 19.0;
            assert!((nll - sum.ln()).abs() < 1e-6, "{temperature}: {nll}");
        }
    }

    #[test]
    fn a_policy_without_promotions_predicts_the_squares_of_an_underpromotion_only() {
        let fen = "7k/4P3/8/8/8/8/8/K7 w - - 0 1";
        let plain = Config::reference(1, 12);
        let logits = [("e7e8q", 5.0)];
        assert_eq!(metrics(&plain, fen, "e7e8q", &logits).rank, 0);
        let knight = metrics(&plain, fen, "e7e8n", &logits);
        assert_eq!((knight.rank, knight.all_rank), (4, 0));
        let full = Config::new(1, 12);
        let knight = metrics(&full, fen, "e7e8n", &[("e7e8n", 5.0), ("e7e8q", 4.0)]);
        assert_eq!(knight.rank, 0);
        assert_eq!(metrics(&full, fen, "e7e8q", &[("e7e8n", 5.0), ("e7e8q", 4.0)]).rank, 1);
    }

    #[test]
    fn nan_logits_predict_nothing() {
        let config = Config::new(1, 12);
        let position = Position::INITIAL;
        let m = position.parse_uci("a2a3").unwrap();
        let nan = Prediction { logits: vec![f32::NAN; POLICY], outcome: [0.0, 1.0, 0.0] };
        let metrics = SampleMetrics::new(&config, &position, m, &nan);
        assert_eq!((metrics.rank, metrics.all_rank), (19, 4095));
    }
}
