//! The loss of a move in expected points, and its judgement.
//!
//! A win is 1 point, a draw ½. Centipawns are no measure: two pawns decide an equal game and mean
//! nothing in a won one.

use chess::Position;
use chess::pgn::Nag;

use crate::value::Value;
use crate::wdl::expectation;

/// Least loss of a dubious move (?!), in expected points.
pub const DUBIOUS: f64 = 0.05;
/// Least loss of a mistake (?).
pub const MISTAKE: f64 = 0.10;
/// Least loss of a blunder (??).
pub const BLUNDER: f64 = 0.20;

/// The judgement of a move that loses expected points.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "self-explanatory names")]
pub enum Judgement {
    Dubious,
    Mistake,
    Blunder,
}

impl Judgement {
    /// All judgements, the smallest loss first.
    pub const ALL: [Self; 3] = [Self::Dubious, Self::Mistake, Self::Blunder];

    /// The judgement of a loss; `None` below [`DUBIOUS`].
    pub fn of(loss: f64) -> Option<Self> {
        Self::of_estimate(loss, 0.0)
    }

    /// The worst judgement that an estimated loss with this standard deviation supports: the lower bound of a
    /// one-sided confidence interval must reach the threshold, at 95 % for a blunder, 90 % for a mistake
    /// and 69 % for a dubious move.
    pub fn of_estimate(loss: f64, deviation: f64) -> Option<Self> {
        Self::ALL.into_iter().rev().find(|judgement| {
            let (threshold, deviations) = match judgement {
                Self::Dubious => (DUBIOUS, 0.5),
                Self::Mistake => (MISTAKE, 1.28),
                Self::Blunder => (BLUNDER, 1.65),
            };
            loss - deviations * deviation >= threshold
        })
    }

    /// `?!`, `?` or `??`.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Dubious => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }

    /// Its numeric annotation glyph.
    pub const fn nag(self) -> Nag {
        match self {
            Self::Dubious => Nag::DUBIOUS,
            Self::Mistake => Nag::MISTAKE,
            Self::Blunder => Nag::BLUNDER,
        }
    }

    /// Its color in graphs: yellow, orange, red.
    pub const fn color(self) -> &'static str {
        match self {
            Self::Dubious => "#e5b93c",
            Self::Mistake => "#e08432",
            Self::Blunder => "#cf3b33",
        }
    }
}

/// Expected points lost by a move, from the scores of the best move and of the move itself in centipawns, for
/// the player who made it, both in the position before it.
pub fn loss(best: Value, played: Value, before: &Position) -> f64 {
    (expectation(best, before) - expectation(played, before)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{mate_in, mated_in};

    /// With all pieces on the board.
    fn lost(best: Value, played: Value) -> f64 {
        loss(best, played, &Position::INITIAL)
    }

    #[test]
    fn a_pawn_costs_more_in_an_equal_game_than_in_a_won_one() {
        assert!(lost(50, -150) > 2.0 * lost(900, 700));
        assert_eq!(lost(20, 60), 0.0);
    }

    #[test]
    fn judgements_grow_with_the_loss() {
        assert_eq!(Judgement::of(lost(20, 10)), None);
        assert_eq!(Judgement::of(DUBIOUS), Some(Judgement::Dubious));
        assert_eq!(Judgement::of(MISTAKE), Some(Judgement::Mistake));
        assert_eq!(Judgement::of(lost(mate_in(3), 0)), Some(Judgement::Blunder));
        assert_eq!(Judgement::of(lost(0, mated_in(2))), Some(Judgement::Blunder));
        assert_eq!(Judgement::of(lost(mate_in(3), mate_in(9))), None);
    }

    #[test]
    fn an_uncertain_loss_gets_a_milder_judgement() {
        for (deviation, expected) in [
            (0.0, Some(Judgement::Blunder)),
            (0.06, Some(Judgement::Blunder)),
            (0.07, Some(Judgement::Mistake)),
            (0.15, Some(Judgement::Mistake)),
            (0.17, Some(Judgement::Dubious)),
            (0.52, None),
        ] {
            assert_eq!(Judgement::of_estimate(0.305, deviation), expected, "{deviation}");
        }
    }
}
