//! When a game is decided though it is not over: playing it out would teach nothing, and takes long.

use chess::pgn::GameResult;

/// When games end early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Adjudication {
    /// A game is won if the score has been at least this, in centipawns, for the same player …
    pub win_score: i32,
    /// … for so many plies.
    pub win_plies: u32,
    /// It is drawn if the score has been no more than this, for either player …
    pub draw_score: i32,
    /// … for so many plies …
    pub draw_plies: u32,
    /// … after this ply of the game.
    pub draw_after: u32,
    /// It is drawn if it has so many plies.
    pub most_plies: u32,
}

impl Default for Adjudication {
    fn default() -> Self {
        Self {
            win_score: 2_000,
            win_plies: 4,
            draw_score: 10,
            draw_plies: 8,
            draw_after: 80,
            most_plies: 400,
        }
    }
}

/// Follows a game.
#[derive(Clone, Debug)]
pub struct Judge {
    rules: Adjudication,
    /// How long White has been winning, Black has been winning, nobody has.
    white: u32,
    black: u32,
    even: u32,
}

impl Judge {
    /// For a game that begins.
    pub const fn new(rules: Adjudication) -> Self {
        Self { rules, white: 0, black: 0, even: 0 }
    }

    /// Hears the score of a position, White's view, with so many plies before it; says how the game ends,
    /// if it is to.
    pub fn hear(&mut self, score: i32, ply: u32) -> Option<GameResult> {
        let rules = &self.rules;
        let longer = |count: u32, holds: bool| if holds { count + 1 } else { 0 };
        self.white = longer(self.white, score >= rules.win_score);
        self.black = longer(self.black, score <= -rules.win_score);
        self.even = longer(self.even, ply >= rules.draw_after && score.abs() <= rules.draw_score);
        if self.white >= rules.win_plies {
            Some(GameResult::WhiteWins)
        } else if self.black >= rules.win_plies {
            Some(GameResult::BlackWins)
        } else if self.even >= rules.draw_plies || ply >= rules.most_plies {
            Some(GameResult::Draw)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When and how a game with these scores ends.
    fn end(scores: impl IntoIterator<Item = i32>) -> Option<(u32, GameResult)> {
        let mut judge = Judge::new(Adjudication::default());
        scores.into_iter().zip(0..).find_map(|(score, ply)| Some((ply, judge.hear(score, ply)?)))
    }

    #[test]
    fn a_game_is_won_when_it_has_been_for_some_time() {
        assert_eq!(end([0, 2_500, 2_500, 2_500, 1_999]), None);
        assert_eq!(end([0, 2_500, 2_500, 2_500, 2_000]), Some((4, GameResult::WhiteWins)));
        assert_eq!(end([-2_500, 2_500, -2_500, 2_500, -2_000]), None);
        assert_eq!(end([-31_000; 4]), Some((3, GameResult::BlackWins)));
    }

    #[test]
    fn a_game_is_drawn_when_nothing_has_happened_for_long_or_it_is_too_long() {
        assert_eq!(end([0; 200]), Some((87, GameResult::Draw)));
        assert_eq!(end((0..200).map(|n| n % 7 * 3)), None);
        assert_eq!(end([50; 500]), Some((400, GameResult::Draw)));
    }
}
