//! A match between two strategies, with alternating colors.
//!
//! The crate reads no clock: the caller passes one.

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::time::Duration;

use chess::Color;
use serde_json::{Value, json};

use crate::{Outcome, Player, Rng, Strategy, play_turns};

/// Longer games are adjudicated as draws.
const MAX_TURNS: usize = 2000;

/// Players and limits of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MatchOptions {
    /// The first player and the second.
    pub strategies: [Strategy; 2],
    /// Depth limit of a search in turns.
    pub depth: u32,
    /// Time limit of a turn.
    pub time: Duration,
    /// Number of random turns at the start of each game.
    pub random_turns: usize,
    /// Random seed.
    pub seed: u64,
}

/// A running match and its score.
pub struct Match {
    options: MatchOptions,
    players: [Player; 2],
    rng: Rng,
    games: u32,
    /// Games won, drawn and lost by the first player.
    wins: u32,
    draws: u32,
    losses: u32,
    turns: u32,
    slowest: Duration,
}

impl Match {
    /// A match before its first game.
    pub fn new(options: MatchOptions) -> Self {
        let players = [Player::new(options.seed), Player::new(options.seed.wrapping_add(1))];
        let [games, wins, draws, losses, turns] = [0; 5];
        let (rng, slowest) = (Rng::from_seed(options.seed), Duration::ZERO);
        Self { options, players, rng, games, wins, draws, losses, turns, slowest }
    }

    /// Plays the next game; the first player is White in the first game. `clock` runs forward.
    pub fn play(&mut self, clock: &dyn Fn() -> Duration) {
        let MatchOptions { strategies, depth, time, random_turns, .. } = self.options;
        let first = if self.games.is_multiple_of(2) { Color::White } else { Color::Black };
        let game = play_turns(MAX_TURNS, |turn, position, keys| {
            let seat = usize::from(position.player() != first);
            let strategy = if turn < random_turns { Strategy::Random } else { strategies[seat] };
            let start = clock();
            let mut stop = || clock() - start >= time;
            let player = &mut self.players[seat];
            let actions = strategy.choose(position, player, depth, keys, &mut self.rng, &mut stop);
            if strategy == Strategy::Search {
                self.slowest = self.slowest.max(clock() - start);
            }
            self.turns += u32::from(actions.is_some());
            actions
        });
        self.games += 1;
        match game.outcome().and_then(Outcome::winner) {
            Some(winner) if winner == first => self.wins += 1,
            Some(_) => self.losses += 1,
            None => self.draws += 1,
        }
    }

    /// Wins, draws and losses of the first player: `+3 =1 -2`.
    pub fn score(&self) -> String {
        format!("+{} ={} -{}", self.wins, self.draws, self.losses)
    }

    fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }

    /// Players and score as JSON.
    pub fn to_json(&self) -> Value {
        let [first, second] =
            self.options.strategies.map(|player| format!("{player:?}").to_lowercase());
        json!({
            "first": first, "second": second, "games": self.games,
            "wins": self.wins, "draws": self.draws, "losses": self.losses,
            "score": self.points(), "turns": self.turns,
            "slowest_seconds": self.slowest.as_secs_f64(),
        })
    }
}

impl fmt::Display for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, wins, draws, losses, turns, .. } = *self;
        let ([first, second], points) = (self.options.strategies, self.points());
        let length = f64::from(turns) / f64::from(games.max(1));
        let slowest = self.slowest.as_secs_f64();
        write!(
            f,
            "{first:?} against {second:?}: {wins} won, {draws} drawn, {losses} lost, {points} of \
             {games} points; {length:.1} turns a game, slowest turn {slowest:.3} s"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_alternate_and_every_game_counts_once() {
        let strategies = [Strategy::Greedy, Strategy::Random];
        let time = Duration::from_secs(1);
        let options = MatchOptions { strategies, depth: 1, time, random_turns: 2, seed: 7 };
        let mut played = Match::new(options);
        for _ in 0..4 {
            played.play(&|| Duration::ZERO);
        }
        assert_eq!(played.wins + played.draws + played.losses, 4);
        assert!(played.wins >= 3, "{played}");
        assert_eq!(played.to_json()["score"], played.points());
        assert!(played.to_string().starts_with("Greedy against Random: "));
    }
}
