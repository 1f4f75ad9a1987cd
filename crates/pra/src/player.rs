//! The model as a player: it looks at the position once, without search, and plays what its policy says.
//!
//! A temperature of 1 plays moves as often as the model holds them likely, less makes the likely ones
//! likelier, and 0 always plays the likeliest. Only legal moves are ever considered.

use chess::rng::Rng;
use chess::{Color, Move, Position};

use crate::{Config, Engine, Weights};

/// What a model says of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Opinion {
    /// The legal moves with their probabilities, most likely first.
    pub moves: Vec<(Move, f32)>,
    /// Win, draw and loss of the player to move.
    pub wdl: [f32; 3],
}

impl Opinion {
    /// Whether all of it are finite numbers; see [`crate::Prediction::is_finite`].
    pub fn is_finite(&self) -> bool {
        self.moves.iter().map(|m| m.1).chain(self.wdl).all(f32::is_finite)
    }

    /// Points expected of the game, from 0 to 1, for the player to move.
    pub fn expected(&self) -> f32 {
        expected_score(self.wdl)
    }
}

/// Points expected of win, draw and loss.
pub fn expected_score(wdl: [f32; 3]) -> f32 {
    wdl[0] + wdl[1] / 2.0
}

/// An expected score in centipawns, by the curve that targets are made with: *v* = 2*s* − 1 is
/// *c* / (|*c*| + 1000). Never more than a hundred pawns.
///
/// ```
/// use pra::player::centipawns;
/// assert_eq!((centipawns(0.5), centipawns(0.75), centipawns(0.0)), (0, 1000, -10_000));
/// ```
pub fn centipawns(expected: f32) -> i32 {
    let value = (2.0 * expected - 1.0).clamp(-1.0, 1.0);
    let centipawns = 1000.0 * value / (1.0 - value.abs()).max(1e-6);
    centipawns.clamp(-10_000.0, 10_000.0).round() as i32
}

/// An expected score in centipawns as engines tell them to people: 400 to the power of ten of its odds.
/// Never more than thirty pawns.
///
/// ```
/// use pra::player::score;
/// assert_eq!((score(0.5), score(10.0 / 11.0), score(0.0)), (0, 400, -3000));
/// ```
pub fn score(expected: f32) -> i32 {
    let expected = f64::from(expected).clamp(1e-9, 1.0 - 1e-9);
    let score = 400.0 * (expected / (1.0 - expected)).log10();
    if score.is_nan() { 0 } else { score.clamp(-3000.0, 3000.0).round() as i32 }
}

/// Win, draw and loss as the player to move sees them, from how the model sees the board.
pub fn for_mover(config: &Config, turn: Color, wdl: [f32; 3]) -> [f32; 3] {
    if turn == Color::Black && !config.turned { [wdl[2], wdl[1], wdl[0]] } else { wdl }
}

/// Probabilities at a temperature. At 0 the first of the likeliest has everything.
///
/// ```
/// use pra::player::at_temperature;
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

/// A model that can be asked for opinions and moves.
pub struct Player {
    weights: Weights,
    engine: Engine,
    /// 0 plays the likeliest move.
    pub temperature: f32,
    rng: Rng,
}

impl Player {
    /// Plays with this model, always the likeliest move.
    pub fn new(weights: Weights, threads: usize) -> Self {
        let engine = Engine::new(weights.config(), threads);
        Self { weights, engine, temperature: 0.0, rng: Rng::new(1, 0) }
    }

    /// The model.
    pub const fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Random seed, from now on.
    pub const fn set_seed(&mut self, seed: u64) {
        self.rng = Rng::new(seed, 0);
    }

    /// What the model says of a position.
    pub fn opinion(&mut self, position: &Position) -> Opinion {
        let config = *self.weights.config();
        let mut predictions = self.engine.predict(&self.weights, &[config.tokens(position)]);
        let Some(prediction) = predictions.pop() else {
            return Opinion { moves: Vec::new(), wdl: [0.0, 1.0, 0.0] };
        };
        Opinion {
            moves: prediction.moves(&config, position),
            wdl: for_mover(&config, position.turn(), prediction.outcome),
        }
    }

    /// Chooses among the moves of an opinion, only those that are allowed; nothing if there are none.
    pub fn choose(&mut self, opinion: &Opinion, allowed: impl Fn(Move) -> bool) -> Option<Move> {
        let some: Vec<(Move, f32)> =
            opinion.moves.iter().copied().filter(|&(m, _)| allowed(m)).collect();
        let probabilities: Vec<f32> = some.iter().map(|&(_, p)| p).collect();
        let mut left = self.rng.next_f32();
        for (&(m, _), p) in some.iter().zip(at_temperature(&probabilities, self.temperature)) {
            left -= p;
            if left < 0.0 {
                return Some(m);
            }
        }
        // Roundings have left a crumb.
        some.first().map(|&(m, _)| m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player() -> Player {
        Player::new(Weights::random(&Config::new(1, 12), 1).unwrap(), 1)
    }

    #[test]
    fn moves_come_as_often_as_they_are_likely() {
        let mut player = player();
        let moves = Position::INITIAL.legal_moves();
        let opinion =
            Opinion { moves: vec![(moves[0], 0.7), (moves[1], 0.3)], wdl: [0.2, 0.5, 0.3] };
        assert!((opinion.expected() - 0.45).abs() < 1e-6);
        player.temperature = 1.0;
        let count =
            (0..10_000).filter(|_| player.choose(&opinion, |_| true) == Some(moves[0])).count();
        assert!((6_700..7_300).contains(&count), "{count}");
        player.temperature = 0.5;
        let count =
            (0..10_000).filter(|_| player.choose(&opinion, |_| true) == Some(moves[0])).count();
        // 0.49 to 0.09
        assert!((8_200..8_700).contains(&count), "{count}");
        player.temperature = 0.0;
        assert!((0..100).all(|_| player.choose(&opinion, |_| true) == Some(moves[0])));
        assert_eq!(player.choose(&opinion, |m| m == moves[1]), Some(moves[1]));
        assert_eq!(player.choose(&opinion, |_| false), None);
    }

    #[test]
    fn strange_temperatures_and_probabilities_still_give_probabilities() {
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
    fn every_opinion_is_of_the_legal_moves_only() {
        let mut player = player();
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/5P1k/8/8/8/8/1p6/R3K3 b Q - 0 1",
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        ] {
            let position: Position = fen.parse().unwrap();
            let opinion = player.opinion(&position);
            assert_eq!(opinion.moves.len(), position.count_legal_moves());
            assert!(opinion.moves.iter().all(|&(m, _)| position.is_legal(m)));
            assert!(opinion.moves.is_sorted_by(|a, b| a.1 >= b.1));
            let sum: f32 = opinion.moves.iter().map(|m| m.1).sum();
            assert!(opinion.moves.is_empty() || (sum - 1.0).abs() < 1e-4);
            assert!((opinion.wdl.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        }
    }

    #[test]
    fn the_value_is_turned_only_where_the_board_is_not() {
        let wdl = [0.6, 0.3, 0.1];
        let (ours, reference) = (Config::new(1, 12), Config::reference(1, 12));
        assert_eq!(for_mover(&ours, Color::Black, wdl), wdl);
        assert_eq!(for_mover(&reference, Color::White, wdl), wdl);
        assert_eq!(for_mover(&reference, Color::Black, wdl), [0.1, 0.3, 0.6]);
    }
}
