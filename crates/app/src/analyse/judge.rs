//! What a move has cost, and the mark it gets for it.
//!
//! The cost is in points that can be expected of the game: a win is 1, a draw ½. Pawns would not do:
//! two of them decide an even game and mean nothing in one that is won.

use chess::pgn::Nag;
use engine::score::{Chances, Score};

/// From this loss on, in expected points, a move is dubious (?!), a mistake (?), a blunder (??).
pub const DUBIOUS: f64 = 0.05;
pub const MISTAKE: f64 = 0.10;
pub const BLUNDER: f64 = 0.20;

/// A mark for a move that gives something away, the lightest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mark {
    Dubious,
    Mistake,
    Blunder,
}

impl Mark {
    pub const ALL: [Self; 3] = [Self::Dubious, Self::Mistake, Self::Blunder];

    /// The mark for a loss, if it deserves one.
    pub fn of(loss: f64) -> Option<Self> {
        match loss {
            l if l >= BLUNDER => Some(Self::Blunder),
            l if l >= MISTAKE => Some(Self::Mistake),
            l if l >= DUBIOUS => Some(Self::Dubious),
            _ => None,
        }
    }

    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Dubious => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }

    pub const fn nag(self) -> Nag {
        match self {
            Self::Dubious => Nag::DUBIOUS,
            Self::Mistake => Nag::MISTAKE,
            Self::Blunder => Nag::BLUNDER,
        }
    }

    /// Yellow, orange, red: in pictures and on terminals.
    pub const fn color(self) -> &'static str {
        match self {
            Self::Dubious => "#e5b93c",
            Self::Mistake => "#e08432",
            Self::Blunder => "#cf3b33",
        }
    }
}

/// Points to expect of a score, for whoever the score is for.
pub fn expectation(score: Score) -> f64 {
    Chances::of(score).expectation()
}

/// What the player gave away: `before` is the score before the move and `after` the one after it, both
/// for the player.
pub fn loss(before: Score, after: Score) -> f64 {
    (expectation(before) - expectation(after)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::score::{mate_in, mated_in};

    #[test]
    fn the_same_pawn_costs_more_in_an_even_game_than_in_a_won_one() {
        assert!(loss(50, -150) > 2.0 * loss(900, 700));
        assert_eq!(loss(20, 60), 0.0);
    }

    #[test]
    fn marks_grow_with_the_loss() {
        assert_eq!(Mark::of(loss(20, 10)), None);
        assert_eq!(Mark::of(DUBIOUS), Some(Mark::Dubious));
        assert_eq!(Mark::of(MISTAKE), Some(Mark::Mistake));
        assert_eq!(Mark::of(loss(mate_in(3), 0)), Some(Mark::Blunder));
        assert_eq!(Mark::of(loss(0, mated_in(2))), Some(Mark::Blunder));
        assert_eq!(Mark::of(loss(mate_in(3), mate_in(9))), None);
    }
}
