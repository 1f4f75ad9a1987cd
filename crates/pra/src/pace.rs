//! Human-like thinking times.
//!
//! People think long where many moves are plausible, so the time grows with the entropy of the predicted
//! move probabilities. They are quick in the opening, at recaptures, and where there is only one move; they
//! budget the clock; and no two moves take the same time.

use std::time::Duration;

use chess::rng::Rng;
use chess::{Game, Move};

use crate::predict::PositionPrediction;

/// Seconds for a move that is certain, and for each nat of entropy beyond.
const BASE: f64 = 0.5;
const PER_NAT: f64 = 1.3;
/// Factors for a recapture, for the only legal move, and for a move of the opening.
const RECAPTURE: f64 = 0.4;
const FORCED: f64 = 0.3;
const OPENING: f64 = 0.5;
/// The last move of the opening.
const OPENING_MOVES: u32 = 6;
/// Spread of the times: the standard deviation of their logarithm is 0.7 times this.
const SPREAD: f64 = 0.6;
/// Seconds that a move takes on average without a clock, and the least and the most.
const MEAN: f64 = 2.5;
const UNTIMED: (f64, f64) = (0.35, 6.0);
/// Moves that the clock must last for, unless `movestogo` asks for fewer; the part of the increment that is
/// spent.
const HORIZON: f64 = 40.0;
const INCREMENT: f64 = 0.8;
/// The greatest part of the clock for one move, and the most seconds.
const SHARE: f64 = 0.1;
const MOST: f64 = 20.0;
/// The least seconds, if the clock allows.
const LEAST: f64 = 0.2;
/// A long time control slows the pace at most by this factor.
const SLOWEST: f64 = 6.0;

/// The clock of the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// Time left.
    pub remaining: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// Moves to the next time control, if there is one.
    pub moves_to_go: Option<u32>,
}

/// The time that a person might think about the chosen move: at most a tenth of the clock, never more with
/// less time on it, and the same for the same state of the generator.
///
/// ```
/// use std::time::Duration;
/// use tabiya_pra::chess::{Game, Position, rng::Rng};
/// use tabiya_pra::pace::{Clock, thinking_time};
/// use tabiya_pra::predict::PositionPrediction;
///
/// let position = Position::INITIAL;
/// let m = position.parse_uci("e2e4").unwrap();
/// let prediction = PositionPrediction { position, moves: vec![(m, 1.0)], wdl: [0.3, 0.4, 0.3] };
/// let clock = Clock { remaining: Duration::from_secs(60), ..Clock::default() };
/// let time = thinking_time(&prediction, &Game::default(), m, Some(clock), &mut Rng::new(1, 0));
/// assert!(time <= Duration::from_secs(6));
/// ```
pub fn thinking_time(
    prediction: &PositionPrediction,
    game: &Game,
    chosen: Move,
    clock: Option<Clock>,
    rng: &mut Rng,
) -> Duration {
    let mut seconds = BASE + PER_NAT * entropy(prediction);
    let last = game.moves().last();
    if chosen.is_capture() && last.is_some_and(|m| m.is_capture() && m.to() == chosen.to()) {
        seconds *= RECAPTURE;
    }
    if prediction.moves.len() <= 1 {
        seconds *= FORCED;
    }
    if u32::from(game.position().fullmove_number()) <= OPENING_MOVES {
        seconds *= OPENING;
    }
    // Approximately log-normal, by a sum of uniform samples.
    let normal = (0..6).map(|_| f64::from(rng.next_f32())).sum::<f64>() - 3.0;
    seconds *= (SPREAD * normal).exp();
    let (least, most) = match clock {
        None => UNTIMED,
        Some(Clock { remaining, increment, moves_to_go }) => {
            let (left, increment) = (remaining.as_secs_f64(), increment.as_secs_f64());
            let moves = moves_to_go.map_or(HORIZON, |moves| HORIZON.min(f64::from(moves.max(1))));
            seconds *= ((left / moves + INCREMENT * increment) / MEAN).min(SLOWEST);
            let most = (SHARE * left).min(MOST);
            (LEAST.min(most), most)
        }
    };
    Duration::try_from_secs_f64(seconds.clamp(least, most)).unwrap_or_default()
}

/// The entropy of the predicted moves in nats.
fn entropy(prediction: &PositionPrediction) -> f64 {
    let of = |&(_, p): &(Move, f32)| if p > 0.0 { -f64::from(p) * f64::from(p).ln() } else { 0.0 };
    prediction.moves.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;

    const SURE: [f32; 4] = [0.97, 0.01, 0.01, 0.01];
    const UNSURE: [f32; 8] = [0.125; 8];

    fn prediction(probabilities: &[f32]) -> PositionPrediction {
        let legal = Position::INITIAL.legal_moves();
        let moves = legal.into_iter().zip(probabilities.iter().copied()).collect();
        PositionPrediction { position: Position::INITIAL, moves, wdl: [0.3, 0.4, 0.3] }
    }

    fn time(probabilities: &[f32], clock: Option<Clock>, seed: u64) -> Duration {
        let prediction = prediction(probabilities);
        let (game, mut rng) = (Game::default(), Rng::new(seed, 0));
        thinking_time(&prediction, &game, prediction.moves[0].0, clock, &mut rng)
    }

    fn mean(probabilities: &[f32], clock: Option<Clock>) -> f64 {
        (0..300).map(|seed| time(probabilities, clock, seed).as_secs_f64()).sum::<f64>() / 300.0
    }

    fn clock(milliseconds: u64) -> Clock {
        Clock { remaining: Duration::from_millis(milliseconds), ..Clock::default() }
    }

    #[test]
    fn times_are_a_small_share_of_any_clock_and_grow_with_it() {
        let increments = [0, 100, 3_600_000].map(Duration::from_millis);
        for seed in 0..40 {
            for probabilities in [&SURE[..], &UNSURE, &[1.0], &[f32::NAN; 3], &[f32::INFINITY; 2]] {
                for increment in increments {
                    for moves_to_go in [None, Some(0), Some(1), Some(30), Some(u32::MAX)] {
                        let mut last = Duration::ZERO;
                        for remaining in
                            [0, 1, 50, 1_000, 10_000, 60_000, 900_000, 86_400_000, u64::MAX]
                        {
                            let clock = Clock { increment, moves_to_go, ..clock(remaining) };
                            let time = time(probabilities, Some(clock), seed);
                            assert!(time <= clock.remaining.div_f64(9.9), "{clock:?} {time:?}");
                            assert!(time >= last && time.as_secs() <= 20, "{clock:?} {time:?}");
                            last = time;
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn times_without_a_clock_are_those_of_a_casual_game() {
        for seed in 0..300 {
            let times = [&SURE[..], &UNSURE].map(|p| time(p, None, seed).as_secs_f64());
            assert!(times.iter().all(|seconds| (0.35..=6.0).contains(seconds)), "{times:?}");
        }
    }

    #[test]
    fn the_spread_comes_from_the_seed() {
        let at = Some(clock(180_000));
        assert!((0..50).all(|seed| time(&UNSURE, at, seed) == time(&UNSURE, at, seed)));
        let mut times: Vec<Duration> = (0..50).map(|seed| time(&UNSURE, at, seed)).collect();
        times.sort_unstable();
        times.dedup();
        assert!(times.len() > 40 && times[0] * 2 < times[times.len() - 1], "{times:?}");
    }

    #[test]
    fn an_unsure_player_and_one_with_time_think_longer() {
        assert!(mean(&SURE, None) < 0.5 * mean(&UNSURE, None));
        let at = |seconds: u64| mean(&UNSURE, Some(clock(1000 * seconds)));
        assert!(at(60) < 1.5 && at(900) > 3.0 * at(60), "{} {}", at(60), at(900));
        let soon = Clock { moves_to_go: Some(8), ..clock(60_000) };
        assert!(mean(&UNSURE, Some(soon)) > 1.5 * at(60));
        let increment = Clock { increment: Duration::from_secs(2), ..clock(60_000) };
        assert!(mean(&UNSURE, Some(increment)) > 1.5 * at(60));
    }

    #[test]
    fn recaptures_only_moves_and_the_opening_are_quick() {
        let mean = |game: &Game, uci: &str, others: usize| {
            let position = *game.position();
            let m = position.parse_uci(uci).unwrap();
            let other = position.legal_moves().into_iter().filter(|&other| other != m);
            let moves: Vec<_> = std::iter::once(m).chain(other.take(others)).collect();
            let p = 1.0 / moves.len() as f32;
            let moves = moves.into_iter().map(|m| (m, p)).collect();
            let prediction = PositionPrediction { position, moves, wdl: [0.3, 0.4, 0.3] };
            let mut rng = Rng::new(3, 0);
            let time = |_| thinking_time(&prediction, game, m, None, &mut rng).as_secs_f64();
            (0..300).map(time).sum::<f64>() / 300.0
        };
        let start = |number| {
            let fen = format!("4k3/8/8/3p4/4P3/8/8/4K2R b - - 0 {number}");
            let mut game = Game::new(fen.parse().unwrap());
            game.play(game.position().parse_uci("d5e4").unwrap()).unwrap();
            game
        };
        let (opening, later) = (start(5), start(30));
        assert!(mean(&opening, "h1h2", 3) < 0.7 * mean(&later, "h1h2", 3));
        assert!(mean(&later, "h1h2", 0) < 0.7 * mean(&later, "h1h2", 1));
        let mut exchange = Game::new("4k3/8/8/3p4/4P3/5P2/8/4K2R b - - 0 30".parse().unwrap());
        exchange.play(exchange.position().parse_uci("d5e4").unwrap()).unwrap();
        assert!(mean(&exchange, "f3e4", 3) < 0.6 * mean(&exchange, "h1h2", 3));
    }
}
