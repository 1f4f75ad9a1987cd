//! Games that are decided are ended before their time.
//!
//! Both engines must agree, each with its own score: that one of them is wrong about a position is
//! what matches are there to find out.

use anyhow::{Context, bail};
use chess::Color;

/// When a game counts as won: for so many moves in a row the winner sees at least so much, and the
/// loser at most minus so much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resign {
    pub score: i32,
    pub moves: u32,
}

/// When a game counts as drawn: from some move on, for so many moves in a row of each player, no score
/// is further from 0 than so much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Draw {
    pub score: i32,
    pub moves: u32,
    pub from: u32,
}

/// Reads `score=600,moves=4`.
pub fn parse_resign(text: &str) -> anyhow::Result<Resign> {
    let [score, moves] = numbers(text, ["score", "moves"], [600, 4])?;
    Ok(Resign { score: i32::try_from(score)?, moves })
}

/// Reads `score=10,moves=8,from=40`.
pub fn parse_draw(text: &str) -> anyhow::Result<Draw> {
    let [score, moves, from] = numbers(text, ["score", "moves", "from"], [10, 8, 40])?;
    Ok(Draw { score: i32::try_from(score)?, moves, from })
}

fn numbers<const N: usize>(
    text: &str,
    names: [&str; N],
    mut values: [u32; N],
) -> anyhow::Result<[u32; N]> {
    for part in text.split([',', ' ']).filter(|part| !part.is_empty()) {
        let (name, value) =
            part.split_once('=').with_context(|| format!("'{part}' is not NAME=NUMBER"))?;
        let Some(at) = names.iter().position(|&known| known == name) else {
            bail!("'{name}' is none of {}", names.join(", "));
        };
        values[at] = value.parse().with_context(|| format!("'{value}' is not a number"))?;
    }
    Ok(values)
}

/// What the scores say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ruling {
    Win(Color),
    Draw,
}

/// Follows the scores of a game.
#[derive(Clone, Debug, Default)]
pub struct Adjudicator {
    resign: Option<Resign>,
    draw: Option<Draw>,
    /// For how many moves in a row each player has seen itself lost, won, at zero.
    lost: [u32; 2],
    won: [u32; 2],
    level: [u32; 2],
}

impl Adjudicator {
    pub fn new(resign: Option<Resign>, draw: Option<Draw>) -> Self {
        Self { resign, draw, ..Self::default() }
    }

    /// Takes the score that a player gave its move, in hundredths of a pawn from its own view, and the
    /// number of the move. A move without a score breaks every row.
    pub fn judge(&mut self, mover: Color, score: Option<i32>, number: u32) -> Option<Ruling> {
        let us = mover as usize;
        let count = |row: &mut u32, holds: bool| *row = if holds { *row + 1 } else { 0 };
        if let Some(Resign { score: bound, moves }) = self.resign {
            count(&mut self.lost[us], score.is_some_and(|score| score <= -bound));
            count(&mut self.won[us], score.is_some_and(|score| score >= bound));
            for winner in Color::ALL {
                let (won, lost) = (self.won[winner as usize], self.lost[!winner as usize]);
                if won.min(lost) >= moves.max(1) {
                    return Some(Ruling::Win(winner));
                }
            }
        }
        if let Some(Draw { score: bound, moves, from }) = self.draw {
            count(&mut self.level[us], score.is_some_and(|score| score.abs() <= bound));
            if number >= from && self.level[0].min(self.level[1]) >= moves.max(1) {
                return Some(Ruling::Draw);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_with_defaults_for_what_is_missing() {
        assert_eq!(parse_resign("moves=2").unwrap(), Resign { score: 600, moves: 2 });
        assert_eq!(parse_draw("score=5 from=30").unwrap(), Draw { score: 5, moves: 8, from: 30 });
        for bad in ["x", "x=1", "score=-3", "score=", "score=9999999999"] {
            assert!(parse_resign(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_win_takes_both_engines_for_as_many_moves() {
        let mut judge = Adjudicator::new(Some(Resign { score: 600, moves: 2 }), None);
        let mut say = |mover, score| judge.judge(mover, Some(score), 10);
        assert_eq!(say(Color::White, 700), None);
        assert_eq!(say(Color::Black, -700), None);
        assert_eq!(say(Color::White, 700), None, "Black has said so once");
        assert_eq!(say(Color::Black, -599), None, "and not again");
        assert_eq!(say(Color::White, 900), None);
        assert_eq!(say(Color::Black, -600), None);
        assert_eq!(say(Color::White, 100_000), None);
        assert_eq!(say(Color::Black, -600), Some(Ruling::Win(Color::White)));
    }

    #[test]
    fn a_draw_takes_level_scores_after_some_move() {
        let mut judge = Adjudicator::new(None, Some(Draw { score: 10, moves: 2, from: 20 }));
        for number in 10..20 {
            assert_eq!(judge.judge(Color::White, Some(10), number), None);
            assert_eq!(judge.judge(Color::Black, Some(-10), number), None);
        }
        assert_eq!(judge.judge(Color::White, None, 20), None, "no score, no row");
        assert_eq!(judge.judge(Color::Black, Some(0), 20), None);
        assert_eq!(judge.judge(Color::White, Some(0), 21), None);
        assert_eq!(judge.judge(Color::Black, Some(0), 21), None);
        assert_eq!(judge.judge(Color::White, Some(0), 22), Some(Ruling::Draw));
    }

    #[test]
    fn without_rules_nothing_is_ruled() {
        let mut judge = Adjudicator::default();
        for number in 1..100 {
            assert_eq!(judge.judge(Color::White, Some(0), number), None);
            assert_eq!(judge.judge(Color::Black, Some(-9999), number), None);
        }
    }
}
