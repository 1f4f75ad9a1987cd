//! Adjudication: games end early once they are decided.

use chess::pgn::GameResult;
use serde::{Deserialize, Serialize};

/// The rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdjudicationRules {
    /// A game is won if the score is at least this, in centipawns, for the same side …
    pub win_score: i32,
    /// … during this many plies.
    pub win_plies: u32,
    /// It is drawn if the absolute score is at most this …
    pub draw_score: i32,
    /// … during this many plies …
    pub draw_plies: u32,
    /// … from this ply of the game on.
    pub draw_after: u32,
    /// It is drawn at this ply.
    pub max_plies: u32,
}

impl Default for AdjudicationRules {
    fn default() -> Self {
        Self {
            win_score: 2_000,
            win_plies: 4,
            draw_score: 10,
            draw_plies: 8,
            draw_after: 80,
            max_plies: 400,
        }
    }
}

/// Adjudicates one game.
#[derive(Clone, Debug)]
pub struct Adjudicator {
    rules: AdjudicationRules,
    /// Consecutive plies with a winning score for White, for Black, and with a drawn score.
    white: u32,
    black: u32,
    draw: u32,
}

impl Adjudicator {
    /// At the start of a game.
    pub const fn new(rules: AdjudicationRules) -> Self {
        Self { rules, white: 0, black: 0, draw: 0 }
    }

    /// Adds the score of a position, from White's point of view, at this ply; returns the result if the game
    /// is adjudicated.
    pub fn add(&mut self, score: i32, ply: u32) -> Option<GameResult> {
        let rules = &self.rules;
        let longer = |count: u32, holds: bool| if holds { count + 1 } else { 0 };
        self.white = longer(self.white, score >= rules.win_score);
        self.black = longer(self.black, score <= -rules.win_score);
        self.draw = longer(self.draw, ply >= rules.draw_after && score.abs() <= rules.draw_score);
        if self.white >= rules.win_plies {
            Some(GameResult::WhiteWins)
        } else if self.black >= rules.win_plies {
            Some(GameResult::BlackWins)
        } else if self.draw >= rules.draw_plies || ply >= rules.max_plies {
            Some(GameResult::Draw)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ply and the result of the adjudication of these scores.
    fn end(scores: impl IntoIterator<Item = i32>) -> Option<(u32, GameResult)> {
        let mut adjudicator = Adjudicator::new(AdjudicationRules::default());
        scores
            .into_iter()
            .zip(0..)
            .find_map(|(score, ply)| Some((ply, adjudicator.add(score, ply)?)))
    }

    #[test]
    fn a_lasting_advantage_wins() {
        assert_eq!(end([0, 2_500, 2_500, 2_500, 1_999]), None);
        assert_eq!(end([0, 2_500, 2_500, 2_500, 2_000]), Some((4, GameResult::WhiteWins)));
        assert_eq!(end([-2_500, 2_500, -2_500, 2_500, -2_000]), None);
        assert_eq!(end([-31_000; 4]), Some((3, GameResult::BlackWins)));
    }

    #[test]
    fn lasting_equality_and_length_draw() {
        assert_eq!(end([0; 200]), Some((87, GameResult::Draw)));
        assert_eq!(end((0..200).map(|n| n % 7 * 3)), None);
        assert_eq!(end([50; 500]), Some((400, GameResult::Draw)));
    }
}
