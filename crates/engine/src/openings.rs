//! Random balanced openings: random moves, accepted if a short search finds the position balanced.

use chess::{Game, Position};

use crate::search::{Control, Engine, Limits, Settings};
use chess::rng::mix;

/// Parameters of random openings.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Random plies from the start; one more in every odd opening, so that either color is to move.
    pub plies: usize,
    /// Node limit of the search that tests the balance.
    pub nodes: u64,
    /// The largest absolute score of a balanced opening, in centipawns.
    pub balance: i32,
}

impl Default for Recipe {
    fn default() -> Self {
        Self { plies: 8, nodes: 2000, balance: 120 }
    }
}

/// The `n`th opening of a seed, from one of the start positions; `None` if `control` stops it.
pub fn random(
    engine: &mut Engine,
    starts: &[Position],
    recipe: Recipe,
    seed: u64,
    n: u64,
    control: &Control,
) -> Option<Game> {
    let mut state = mix(seed ^ mix(n));
    let mut next = |below: usize| {
        state = mix(state);
        (state % below.max(1) as u64) as usize
    };
    let limits = Limits { nodes: Some(recipe.nodes), ..Limits::default() };
    while !control.is_stopped() {
        let start = starts.get(next(starts.len())).copied().unwrap_or_default();
        let mut game = Game::new(start);
        for _ in 0..recipe.plies + (n % 2) as usize {
            let moves = game.position().legal_moves();
            if moves.is_empty() || game.play(moves[next(moves.len())]).is_err() {
                break;
            }
        }
        if game.outcome().is_some() || game.position().in_check() {
            continue;
        }
        engine.new_game();
        let found = engine.search(&game, &limits, Settings::default(), control, &|_| {});
        if found.score.abs() <= recipe.balance {
            return Some(game);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_depend_only_on_seed_and_number() {
        let fens = |seed| {
            let mut engine = Engine::new(1).unwrap();
            let control = Control::new(false);
            (0..6)
                .map(|n| {
                    let game = random(&mut engine, &[], Recipe::default(), seed, n, &control);
                    let game = game.unwrap();
                    assert_eq!(game.len(), 8 + n as usize % 2);
                    game.position().fen()
                })
                .collect::<Vec<_>>()
        };
        let first = fens(1);
        assert_eq!(first, fens(1));
        assert_ne!(first, fens(2));
        assert!(first.iter().collect::<std::collections::BTreeSet<_>>().len() == 6);
    }
}
