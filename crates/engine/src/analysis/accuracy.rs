//! The accuracy of a player: how little his moves lose, from 0 to 100.
//!
//! A move is rated by the curve that Lichess publishes (<https://lichess.org/page/accuracy>),
//! 103.1668 e<sup>−0.04354 *d*</sup> − 3.1669 for a loss of *d* percent. There *d* are winning chances by
//! Lichess's own curve; here they are expected points, so that figures are alike but not the same. The
//! accuracy of a game is the mean over a player's moves, where Lichess weights them by the volatility of the
//! game.

use chess::Color;

use super::game::GameAnalysis;

/// The accuracy of a move that loses so many expected points.
///
/// ```
/// use tabiya_engine::analysis::move_accuracy;
/// assert_eq!(move_accuracy(0.0).round(), 100.0);
/// assert!(move_accuracy(0.2) < 45.0 && move_accuracy(1.0) == 0.0);
/// ```
pub fn move_accuracy(loss: f64) -> f64 {
    (103.1668 * (-4.354 * loss).exp() - 3.1669).clamp(0.0, 100.0)
}

impl GameAnalysis {
    /// The mean accuracy of a player's moves; `None` without a move.
    pub fn accuracy(&self, color: Color) -> Option<f64> {
        let theirs = || self.moves.iter().filter(|judged| judged.before.turn() == color);
        let sum: f64 = theirs().map(|judged| move_accuracy(judged.loss)).sum();
        let count = theirs().count();
        (count > 0).then(|| sum / count as f64)
    }
}
