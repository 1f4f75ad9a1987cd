//! Adjudication by the scores of both engines.
//!
//! Both engines must agree, each with its own score: that one of them misjudges a position is what a
//! match is there to find out.

use std::str::FromStr;

use chess::{Color, Score};

use crate::{ParseError, parse_fields, parse_number};

/// The rule for wins: for this many moves in a row the winner reports at least the score, and the loser at
/// most its negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resign {
    /// In centipawns.
    pub score: i32,
    /// Moves in a row, of each side.
    pub moves: u32,
}

/// The rule for draws: from a move number on, for this many moves in a row of each side, no absolute score
/// exceeds the limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Draw {
    /// In centipawns.
    pub score: i32,
    /// Moves in a row, of each side.
    pub moves: u32,
    /// The first move number.
    pub from: u32,
}

impl FromStr for Resign {
    type Err = ParseError;

    /// Parses `score=600,moves=4`; these are the defaults.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let [score, moves] = parse_numbers(text, ["score", "moves"], [600, 4])?;
        Ok(Self { score: centipawn_limit(score)?, moves })
    }
}

impl FromStr for Draw {
    type Err = ParseError;

    /// Parses `score=10,moves=8,from=40`; these are the defaults.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let [score, moves, from] = parse_numbers(text, ["score", "moves", "from"], [10, 8, 40])?;
        Ok(Self { score: centipawn_limit(score)?, moves, from })
    }
}

fn centipawn_limit(score: u32) -> Result<i32, ParseError> {
    i32::try_from(score).map_err(|_| ParseError(format!("the score {score} is too large")))
}

fn parse_numbers<const N: usize>(
    text: &str,
    names: [&str; N],
    mut values: [u32; N],
) -> Result<[u32; N], ParseError> {
    parse_fields(text, &names, |name, value| {
        for (known, slot) in names.iter().zip(&mut values) {
            if *known == name {
                *slot = parse_number(value)?;
            }
        }
        Ok(())
    })?;
    Ok(values)
}

/// The result of an adjudicated game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "self-explanatory names")]
pub enum Adjudication {
    Win(Color),
    Draw,
}

/// Follows the scores of a game.
#[derive(Clone, Debug, Default)]
pub struct Adjudicator {
    resign: Option<Resign>,
    draw: Option<Draw>,
    /// Moves in a row, by color, with a losing, a winning and a level score.
    lost: [u32; 2],
    won: [u32; 2],
    level: [u32; 2],
}

impl Adjudicator {
    /// With these rules; without any, no game is adjudicated.
    pub fn new(resign: Option<Resign>, draw: Option<Draw>) -> Self {
        Self { resign, draw, ..Self::default() }
    }

    /// Adds the score of a move from its player's point of view. A move without a score ends every row.
    pub fn judge(
        &mut self,
        mover: Color,
        score: Option<Score>,
        move_number: u32,
    ) -> Option<Adjudication> {
        let us = mover as usize;
        let score = score.map(centipawns);
        let count = |row: &mut u32, holds: bool| *row = if holds { *row + 1 } else { 0 };
        if let Some(Resign { score: limit, moves }) = self.resign {
            count(&mut self.lost[us], score.is_some_and(|score| score <= -limit));
            count(&mut self.won[us], score.is_some_and(|score| score >= limit));
            for winner in Color::ALL {
                let (won, lost) = (self.won[winner as usize], self.lost[!winner as usize]);
                if won.min(lost) >= moves.max(1) {
                    return Some(Adjudication::Win(winner));
                }
            }
        }
        if let Some(Draw { score: limit, moves, from }) = self.draw {
            count(&mut self.level[us], score.is_some_and(|score| score.abs() <= limit));
            if move_number >= from && self.level[0].min(self.level[1]) >= moves.max(1) {
                return Some(Adjudication::Draw);
            }
        }
        None
    }
}

/// A score in centipawns, with mates beyond every other score.
fn centipawns(score: Score) -> i32 {
    const MATE: i32 = 100_000;
    match score {
        Score::Centipawns(value) => value.clamp(-MATE / 2, MATE / 2),
        Score::Mate(moves) if moves > 0 => MATE - moves.min(1000),
        Score::Mate(moves) => -MATE - moves.max(-1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_fields_have_defaults() {
        assert_eq!("moves=2".parse::<Resign>().unwrap(), Resign { score: 600, moves: 2 });
        assert_eq!(
            "score=5 from=30".parse::<Draw>().unwrap(),
            Draw { score: 5, moves: 8, from: 30 }
        );
        for bad in ["x", "x=1", "score=-3", "score=", "score=9999999999"] {
            assert!(bad.parse::<Resign>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_win_needs_both_engines_for_all_moves() {
        let mut judge = Adjudicator::new(Some(Resign { score: 600, moves: 2 }), None);
        let mut score = |mover, score| judge.judge(mover, Some(Score::Centipawns(score)), 10);
        assert_eq!(score(Color::White, 700), None);
        assert_eq!(score(Color::Black, -700), None);
        assert_eq!(score(Color::White, 700), None, "Black has reported it once");
        assert_eq!(score(Color::Black, -599), None, "and not again");
        assert_eq!(score(Color::White, 900), None);
        assert_eq!(score(Color::Black, -600), None);
        assert_eq!(score(Color::White, 100_000), None);
        assert_eq!(score(Color::Black, -600), Some(Adjudication::Win(Color::White)));
    }

    #[test]
    fn a_draw_needs_level_scores_after_the_first_move_number() {
        let mut judge = Adjudicator::new(None, Some(Draw { score: 10, moves: 2, from: 20 }));
        for number in 10..20 {
            assert_eq!(judge.judge(Color::White, Some(Score::Centipawns(10)), number), None);
            assert_eq!(judge.judge(Color::Black, Some(Score::Centipawns(-10)), number), None);
        }
        assert_eq!(judge.judge(Color::White, None, 20), None, "no score, no row");
        assert_eq!(judge.judge(Color::Black, Some(Score::Centipawns(0)), 20), None);
        assert_eq!(judge.judge(Color::White, Some(Score::Centipawns(0)), 21), None);
        assert_eq!(judge.judge(Color::Black, Some(Score::Centipawns(0)), 21), None);
        assert_eq!(
            judge.judge(Color::White, Some(Score::Centipawns(0)), 22),
            Some(Adjudication::Draw)
        );
    }

    #[test]
    fn without_rules_nothing_is_adjudicated() {
        let mut judge = Adjudicator::default();
        for number in 1..100 {
            assert_eq!(judge.judge(Color::White, Some(Score::Centipawns(0)), number), None);
            assert_eq!(judge.judge(Color::Black, Some(Score::Centipawns(-9999)), number), None);
        }
    }

    #[test]
    fn mates_are_beyond_all_scores_and_nearer_ones_farther_out() {
        assert!(centipawns(Score::Mate(1)) > centipawns(Score::Mate(5)));
        assert!(centipawns(Score::Mate(5)) > centipawns(Score::Centipawns(i32::MAX)));
        assert!(centipawns(Score::Mate(-1)) < centipawns(Score::Mate(-5)));
        assert!(centipawns(Score::Mate(0)) < centipawns(Score::Centipawns(i32::MIN)));
    }
}
