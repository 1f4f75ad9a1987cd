//! Players: the levels of the engine and its pace, the ratings of the human-like model and its choice of moves.

use std::time::Duration;

use chess::rng::Rng;
use chess::{Game, Move};
use engine::search::{Limits, Weakening};
use pra::imitation::RATINGS;
use pra::pace::Clock;
use pra::player::at_temperature;
use pra::predict::PositionPrediction;

use super::refusal::Refusal;
use crate::job::{Purpose, Search};
use crate::protocol::{Level, Player};

/// The maximum time for a move of the engine.
const MOST: Duration = Duration::from_secs(3);
/// The time for a move of the engine without a clock.
const UNTIMED: Duration = Duration::from_millis(900);
/// The minimum time before a machine's move is played, so that it can be seen.
const LEAST: Duration = Duration::from_millis(250);

/// Points between two ratings to choose from.
const RATING_STEP: usize = 200;

/// A level: its name, and the strength limit.
struct EngineLevel {
    name: &'static str,
    /// The value of `UCI_Elo`; none: full strength.
    elo: Option<u32>,
}

/// Ordered by strength. The Elo limits are not calibrated by games.
const LEVELS: [EngineLevel; 8] = [
    EngineLevel { name: "Beginner", elo: Some(800) },
    EngineLevel { name: "Easy", elo: Some(1000) },
    EngineLevel { name: "Casual", elo: Some(1250) },
    EngineLevel { name: "Moderate", elo: Some(1500) },
    EngineLevel { name: "Challenging", elo: Some(1800) },
    EngineLevel { name: "Strong", elo: Some(2100) },
    EngineLevel { name: "Very strong", elo: Some(2400) },
    EngineLevel { name: "Full strength", elo: None },
];

impl EngineLevel {
    fn weakening(&self, random: u64) -> Option<Weakening> {
        self.elo.map(|elo| Weakening { elo, random })
    }
}

/// The levels of the engine, from the weakest to full strength.
pub fn levels() -> Vec<Level> {
    let detail = |level: &EngineLevel| match level.weakening(0).map(Weakening::nodes) {
        Some(nodes) => format!(
            "Looks at about {} positions a move, and often plays a weaker one. No rating: not calibrated.",
            rounded(nodes)
        ),
        None => format!(
            "Holds nothing back: {} to {} seconds a move. No rating: not calibrated.",
            UNTIMED.as_secs_f64(),
            MOST.as_secs()
        ),
    };
    let level = |level: &EngineLevel| Level { name: level.name.to_owned(), detail: detail(level) };
    LEVELS.iter().map(level).collect()
}

/// The ratings that the human-like model offers to imitate: the first of each band.
pub fn ratings() -> Vec<u16> {
    (*RATINGS.start()..*RATINGS.end()).step_by(RATING_STEP).collect()
}

/// A number rounded to two significant digits: 2,506 becomes "2,500".
fn rounded(number: u64) -> String {
    let unit = 10_u64.pow(number.max(1).ilog10().saturating_sub(1));
    let number = (number + unit / 2) / unit * unit;
    match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", number / 1_000, number % 1_000),
    }
}

/// Rejects unknown players.
pub fn check(player: Player) -> Result<(), Refusal> {
    match player {
        Player::Person {} => Ok(()),
        Player::Engine { level } if level < LEVELS.len() => Ok(()),
        Player::Engine { level } => Err(Refusal::Level(level)),
        Player::Model { rating, .. } if !RATINGS.contains(&rating) => Err(Refusal::Rating),
        Player::Model { temperature, .. }
            if temperature.is_none_or(|temperature| (0.0..=10.0).contains(&temperature)) =>
        {
            Ok(())
        }
        Player::Model { .. } => Err(Refusal::Temperature),
    }
}

/// The name of a player in the tags of a game.
pub fn name(player: Player) -> String {
    match player {
        Player::Person {} => "Person".to_owned(),
        Player::Engine { level } => match LEVELS.get(level) {
            Some(level) => format!("Tabiya ({})", level.name),
            None => "Tabiya".to_owned(),
        },
        Player::Model { rating, temperature: None } => {
            format!("Tabiya (like people rated {rating})")
        }
        Player::Model { rating, temperature: Some(temperature) } => {
            format!("Tabiya (like people rated {rating}, temperature {temperature})")
        }
    }
}

/// The search for a move of the engine at a level.
pub fn engine_search(game: Game, level: usize, time: Option<Clock>, random: u64) -> Search {
    let move_time = match time {
        None => UNTIMED,
        Some(Clock { remaining, increment, .. }) => {
            let planned = remaining / 25 + increment.mul_f64(0.7);
            planned.min(remaining / 3).min(MOST).max(Duration::from_millis(5))
        }
    };
    let weakening = LEVELS.get(level).and_then(|level| level.weakening(random));
    Search {
        purpose: Purpose::Play,
        game,
        limits: Limits {
            move_time: Some(move_time),
            nodes: weakening.map(Weakening::nodes),
            ..Limits::default()
        },
        multi_pv: if weakening.is_some() { Weakening::CANDIDATES } else { 1 },
        weakening,
    }
}

/// The minimum time before a move of the engine is played.
pub fn engine_pause(time: Option<Clock>) -> Duration {
    time.map_or(LEAST, |time| LEAST.min(time.remaining / 20))
}

/// Samples a move from the predicted probabilities at a temperature.
pub fn sample(prediction: &PositionPrediction, temperature: f32, rng: &mut Rng) -> Option<Move> {
    let probabilities: Vec<f32> = prediction.moves.iter().map(|&(_, p)| p).collect();
    let mut left = rng.next_f32();
    for (&(m, _), p) in prediction.moves.iter().zip(at_temperature(&probabilities, temperature)) {
        left -= p;
        if left < 0.0 {
            return Some(m);
        }
    }
    // Reached only by rounding.
    prediction.moves.first().map(|&(m, _)| m)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;

    fn prediction(probabilities: &[f32]) -> PositionPrediction {
        let legal = Position::INITIAL.legal_moves();
        let moves = legal.into_iter().zip(probabilities.iter().copied()).collect();
        PositionPrediction { position: Position::INITIAL, moves, wdl: [0.3, 0.4, 0.3] }
    }

    #[test]
    fn details_of_levels_have_round_numbers() {
        assert_eq!(
            [7, 96, 450, 2_506, 9_960, 123_456].map(rounded),
            ["7", "96", "450", "2,500", "10,000", "120,000"]
        );
    }

    #[test]
    fn a_temperature_of_zero_plays_the_likeliest_move() {
        let prediction = prediction(&[0.2, 0.5, 0.3]);
        let mut rng = Rng::from_seed(1);
        assert!((0..50).all(|_| sample(&prediction, 0.0, &mut rng) == Some(prediction.moves[1].0)));
        let count = (0..1000)
            .filter(|_| sample(&prediction, 1.0, &mut rng) == Some(prediction.moves[1].0))
            .count();
        assert!((430..570).contains(&count), "{count}");
    }

    #[test]
    fn searches_for_a_move_are_bounded() {
        for level in 0..LEVELS.len() {
            for remaining in [1, 500, 60_000, 80_000_000] {
                let increment = Duration::from_secs(3600);
                let remaining = Duration::from_millis(remaining);
                let time = Clock { remaining, increment, moves_to_go: None };
                let search = engine_search(Game::default(), level, Some(time), 1);
                let bound = search.limits.move_time.unwrap();
                assert!(bound <= MOST && (bound <= time.remaining / 3 || bound.as_millis() <= 5));
            }
            let nodes = engine_search(Game::default(), level, None, 1).limits.nodes;
            assert_eq!(nodes.is_none(), level == LEVELS.len() - 1);
        }
    }
}
