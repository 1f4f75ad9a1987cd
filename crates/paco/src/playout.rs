//! Random playouts.

use crate::{Game, Rng};

/// Plays random legal actions until the game is over, the player to move has no turn, or `max_actions` have
/// been played. At a dead end the turn is rolled back and retried.
///
/// Returns the number of actions played, including rolled-back ones. `seen` is called after each.
///
/// ```
/// use tabiya_paco::{Game, Rng, random_playout};
/// let mut game = Game::default();
/// let played = random_playout(&mut game, &mut Rng::from_seed(1), 10_000, |_| {});
/// assert!(played > 0 && game.outcome().is_some());
/// ```
#[inline]
pub fn random_playout(
    game: &mut Game,
    rng: &mut Rng,
    max_actions: usize,
    mut seen: impl FnMut(&Game),
) -> usize {
    let mut played = 0;
    let mut rolled_back = 0;
    while played < max_actions {
        let legal = game.legal();
        match legal.nth(rng.below(legal.len())) {
            Some(action) => {
                game.play_unchecked(action);
                played += 1;
                seen(game);
            }
            None if game.outcome().is_some() || game.turn_actions().is_empty() => break,
            None => {
                // If every turn is a dead end, retries would never end.
                rolled_back += 1;
                if rolled_back > 10_000 {
                    break;
                }
                game.roll_back();
            }
        }
    }
    played
}
