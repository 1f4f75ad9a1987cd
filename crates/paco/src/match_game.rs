//! Games between players, turn by turn.

use alloc::vec::Vec;

use crate::{Action, Game, Player, Position, Rng, greedy_turn, random_turn};

/// How a player of a match chooses its turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Alpha-beta search over turns.
    Search,
    /// The turn with the best static evaluation.
    Greedy,
    /// Random actions.
    Random,
}

impl Strategy {
    /// The names of all strategies.
    pub const NAMES: [&str; 3] = ["search", "greedy", "random"];

    /// The strategy of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::Search, Self::Greedy, Self::Random];
        Self::NAMES.iter().position(|&known| known == name).map(|n| all[n])
    }

    /// Chooses a turn; `None` if there is none. `player` searches to `depth`, or until `stop`, and
    /// avoids positions with the keys `seen`.
    pub fn choose(
        self,
        position: &Position,
        player: &mut Player,
        depth: u32,
        seen: &[u64],
        rng: &mut Rng,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Vec<Action>> {
        match self {
            Self::Random => random_turn(position, rng),
            Self::Greedy => greedy_turn(position, rng),
            Self::Search => {
                player.avoid(seen.iter().copied());
                player.choose(position, depth, stop).map(|choice| choice.actions)
            }
        }
    }
}

/// Plays a game from the start position, at most `max_turns` turns. `choose` gets the number of the
/// turn from 0, the position and the keys of the positions after earlier turns; without a legal turn
/// the game stops.
pub fn play_turns(
    max_turns: usize,
    mut choose: impl FnMut(usize, &Position, &[u64]) -> Option<Vec<Action>>,
) -> Game {
    let mut game = Game::default();
    let mut keys: Vec<u64> = Vec::new();
    while game.outcome().is_none() && keys.len() < max_turns {
        let Some(actions) = choose(keys.len(), game.position(), &keys) else { break };
        if actions.into_iter().any(|action| game.play(action).is_err()) {
            break;
        }
        keys.push(game.position().key());
    }
    game
}
