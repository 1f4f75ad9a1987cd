//! The model as a player: samples a move from the policy, without search.
//!
//! Temperature 1 samples moves with the probabilities of the policy, lower temperatures sharpen the
//! distribution, and 0 plays the most probable move. Only legal moves are considered.

use chess::rng::Rng;
use chess::{Board, Color, Game, Move, Position};

use crate::encode::{Context, earlier_boards, tokens_in, wdl_of_side_to_move};
use crate::predict::PositionPrediction;
use crate::{Transformer, Weights};

/// Expected score of win, draw and loss probabilities.
pub fn expected_score(wdl: [f32; 3]) -> f32 {
    wdl[0] + wdl[1] / 2.0
}

/// An expected score *s* in centipawns *c*, by the curve of the value targets: 2*s* − 1 =
/// *c* / (|*c*| + 1000), clamped to a hundred pawns.
///
/// ```
/// use tabiya_pra::player::centipawns;
/// assert_eq!((centipawns(0.5), centipawns(0.75), centipawns(0.0)), (0, 1000, -10_000));
/// ```
pub fn centipawns(expected: f32) -> i32 {
    let value = (2.0 * expected - 1.0).clamp(-1.0, 1.0);
    let centipawns = 1000.0 * value / (1.0 - value.abs()).max(1e-6);
    centipawns.clamp(-10_000.0, 10_000.0).round() as i32
}

/// An expected score in centipawns as engines report them: 400 times the decimal logarithm of its odds,
/// clamped to thirty pawns.
///
/// ```
/// use tabiya_pra::player::score;
/// assert_eq!((score(0.5), score(10.0 / 11.0), score(0.0)), (0, 400, -3000));
/// ```
pub fn score(expected: f32) -> i32 {
    let expected = f64::from(expected).clamp(1e-9, 1.0 - 1e-9);
    let score = 400.0 * (expected / (1.0 - expected)).log10();
    if score.is_nan() { 0 } else { score.clamp(-3000.0, 3000.0).round() as i32 }
}

/// Probabilities at a temperature. At 0 the first of the most probable has probability 1.
///
/// ```
/// use tabiya_pra::player::at_temperature;
/// assert_eq!(at_temperature(&[0.5, 0.25, 0.25], 1.0), [0.5, 0.25, 0.25]);
/// assert_eq!(at_temperature(&[0.25, 0.5, 0.25], 0.0), [0.0, 1.0, 0.0]);
/// ```
pub fn at_temperature(probabilities: &[f32], temperature: f32) -> Vec<f32> {
    let Some(best) = (0..probabilities.len())
        .reduce(|best, n| if probabilities[n] > probabilities[best] { n } else { best })
    else {
        return Vec::new();
    };
    let top = probabilities[best];
    if temperature.is_nan() || temperature <= 0.001 || top.is_nan() || top <= 0.0 {
        return (0..probabilities.len()).map(|n| f32::from(n == best)).collect();
    }
    let mut all: Vec<f32> =
        probabilities.iter().map(|p| (p / top).max(0.0).powf(1.0 / temperature)).collect();
    let sum: f32 = all.iter().sum();
    all.iter_mut().for_each(|p| *p /= sum);
    all
}

/// A model that plays.
pub struct Player {
    weights: Weights,
    model: Transformer,
    /// Sampling temperature; 0 plays the most probable move.
    pub temperature: f32,
    /// The ratings of the side to move and of the opponent that the model assumes.
    pub ratings: [Option<u16>; 2],
    rng: Rng,
}

impl Player {
    /// Plays with this model at temperature 0.
    pub fn new(weights: Weights, threads: usize) -> Self {
        let model = Transformer::new(weights.config(), threads);
        Self { weights, model, temperature: 0.0, ratings: [None; 2], rng: Rng::new(1, 0) }
    }

    /// The parameters of the model.
    pub const fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Returns the parameters of the model.
    pub fn into_weights(self) -> Weights {
        self.weights
    }

    /// Seeds the sampling.
    pub const fn set_seed(&mut self, seed: u64) {
        self.rng = Rng::new(seed, 0);
    }

    /// The prediction for a position whose history is unknown.
    pub fn predict(&mut self, position: &Position) -> PositionPrediction {
        self.predict_after(position, &[])
    }

    /// The prediction for the position of a game, whose last moves the model sees.
    pub fn predict_game(&mut self, game: &Game) -> PositionPrediction {
        self.predict_after(game.position(), &earlier_boards(game))
    }

    fn predict_after(&mut self, position: &Position, earlier: &[Board]) -> PositionPrediction {
        let config = self.weights.config();
        let [own, opponent] = self.ratings;
        let ratings =
            if position.turn() == Color::White { [own, opponent] } else { [opponent, own] };
        let tokens = tokens_in(config, position, &Context { earlier, ratings });
        let mut predictions = self.model.predict(&self.weights, &[tokens]);
        let (moves, wdl) = match predictions.pop() {
            Some(prediction) => (
                prediction.moves(config, position),
                wdl_of_side_to_move(config, position.turn(), prediction.outcome),
            ),
            None => (Vec::new(), [0.0, 1.0, 0.0]),
        };
        PositionPrediction { position: *position, moves, wdl }
    }

    /// Samples one of the allowed moves of a prediction; `None` if there are none.
    pub fn choose(
        &mut self,
        prediction: &PositionPrediction,
        allowed: impl Fn(Move) -> bool,
    ) -> Option<Move> {
        let some: Vec<(Move, f32)> =
            prediction.moves.iter().copied().filter(|&(m, _)| allowed(m)).collect();
        let probabilities: Vec<f32> = some.iter().map(|&(_, p)| p).collect();
        let mut left = self.rng.next_f32();
        for (&(m, _), p) in some.iter().zip(at_temperature(&probabilities, self.temperature)) {
            left -= p;
            if left < 0.0 {
                return Some(m);
            }
        }
        // Only rounding leads here.
        some.first().map(|&(m, _)| m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    fn player() -> Player {
        Player::new(Weights::random(&Config::new(1, 12), 1).unwrap(), 1)
    }

    #[test]
    fn moves_are_sampled_with_their_probabilities() {
        let mut player = player();
        let moves = Position::INITIAL.legal_moves();
        let prediction = PositionPrediction {
            position: Position::INITIAL,
            moves: vec![(moves[0], 0.7), (moves[1], 0.3)],
            wdl: [0.2, 0.5, 0.3],
        };
        assert!((prediction.expected_score() - 0.45).abs() < 1e-6);
        player.temperature = 1.0;
        let count =
            (0..10_000).filter(|_| player.choose(&prediction, |_| true) == Some(moves[0])).count();
        assert!((6_700..7_300).contains(&count), "{count}");
        player.temperature = 0.5;
        let count =
            (0..10_000).filter(|_| player.choose(&prediction, |_| true) == Some(moves[0])).count();
        // 0.49 : 0.09
        assert!((8_200..8_700).contains(&count), "{count}");
        player.temperature = 0.0;
        assert!((0..100).all(|_| player.choose(&prediction, |_| true) == Some(moves[0])));
        assert_eq!(player.choose(&prediction, |m| m == moves[1]), Some(moves[1]));
        assert_eq!(player.choose(&prediction, |_| false), None);
    }

    #[test]
    fn extreme_temperatures_and_probabilities_still_give_a_distribution() {
        for temperature in [-1.0, 0.0, 1e-6, 0.002, 1.0, 1e9, f32::INFINITY, f32::NAN] {
            for given in
                [&[0.0, 0.0][..], &[1.0, 0.0], &[0.6, 0.4], &[1e-30, 1e-38], &[f32::NAN; 2]]
            {
                let all = at_temperature(given, temperature);
                assert!(all.iter().all(|p| (0.0..=1.0).contains(p)), "{temperature} {all:?}");
                assert!((all.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{temperature} {all:?}");
            }
        }
        assert!(at_temperature(&[], 1.0).is_empty());
    }

    #[test]
    fn predictions_cover_the_legal_moves_and_no_others() {
        let mut player = player();
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/5P1k/8/8/8/8/1p6/R3K3 b Q - 0 1",
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        ] {
            let position: Position = fen.parse().unwrap();
            let prediction = player.predict(&position);
            assert_eq!(prediction.moves.len(), position.count_legal_moves());
            assert!(prediction.moves.iter().all(|&(m, _)| position.is_legal(m)));
            assert!(prediction.moves.is_sorted_by(|a, b| a.1 >= b.1));
            let sum: f32 = prediction.moves.iter().map(|m| m.1).sum();
            assert!(prediction.moves.is_empty() || (sum - 1.0).abs() < 1e-4);
            assert!((prediction.wdl.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        }
    }
}
