//! Scores: centipawns from the side to move's view, with mate and tablebase scores at both ends.
//!
//! ```text
//! -MATE … -MATE+MAX_PLY   mated in N plies from the root
//! -TABLEBASE_WIN …        lost by the tablebases
//!  …                      evaluations
//!  … TABLEBASE_WIN        won by the tablebases
//!  MATE-MAX_PLY … MATE    mate in N plies from the root
//! ```

/// Centipawns, or a mate or tablebase score; see the [module](self).
pub type Score = i32;

/// The maximum length of a line, in plies from the root.
pub const MAX_PLY: usize = 128;
/// A draw.
pub const DRAW: Score = 0;
/// Mate at ply 0; an upper limit that no search reaches.
pub const MATE: Score = 32_000;
/// Above every score.
pub const INFINITE: Score = 32_001;
/// No evaluation, as in check.
pub const NONE: Score = 32_002;
/// The least mate score.
pub const MATE_BOUND: Score = MATE - MAX_PLY as Score;
/// Tablebase win at ply 0.
pub const TABLEBASE_WIN: Score = 31_000;
/// The least score of a tablebase win or a mate; evaluations are below.
pub const WIN_BOUND: Score = TABLEBASE_WIN - MAX_PLY as Score;

/// The score of a mate given at this ply.
pub const fn mate_in(ply: usize) -> Score {
    MATE - ply as Score
}

/// The score of being mated at this ply.
pub const fn mated_in(ply: usize) -> Score {
    ply as Score - MATE
}

/// Whether the score is a mate or a tablebase result rather than an evaluation.
pub const fn is_decided(score: Score) -> bool {
    score.abs() >= WIN_BOUND
}

/// Whether the score is a mate, for or against.
pub const fn is_mate(score: Score) -> bool {
    score.abs() >= MATE_BOUND
}

/// Clamps an evaluation below the tablebase scores.
pub const fn clamp_evaluation(score: Score) -> Score {
    if score >= WIN_BOUND {
        WIN_BOUND - 1
    } else if score <= -WIN_BOUND {
        1 - WIN_BOUND
    } else {
        score
    }
}

/// A score as UCI has it. A tablebase win without a known mate is 200 pawns or a little less.
pub const fn to_uci(score: Score) -> chess::Score {
    if score >= MATE_BOUND {
        chess::Score::Mate((MATE - score + 1) / 2)
    } else if score <= -MATE_BOUND {
        chess::Score::Mate(-(MATE + score) / 2)
    } else if score >= WIN_BOUND {
        chess::Score::Centipawns(20_000 - (TABLEBASE_WIN - score))
    } else if score <= -WIN_BOUND {
        chess::Score::Centipawns(-20_000 + (TABLEBASE_WIN + score))
    } else {
        chess::Score::Centipawns(score)
    }
}

/// Win, draw and loss probabilities of the side to move in per mille (WDL); their sum is 1,000.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chances {
    /// Wins.
    pub win: u32,
    /// Draws.
    pub draw: u32,
    /// Losses.
    pub loss: u32,
}

/// WDL model: the score with a win probability of one half.
const EVEN_CHANCE: f64 = 130.0;
/// WDL model: the scale of the logistic curves, in centipawns.
const CHANCE_SPREAD: f64 = 75.0;

impl Chances {
    /// Two logistic curves, whose parameters are round numbers by judgement rather than a fit.
    pub fn of(score: Score) -> Self {
        if is_decided(score) {
            let win = if score > 0 { 1000 } else { 0 };
            return Self { win, draw: 0, loss: 1000 - win };
        }
        let chance = |score: f64| 1000.0 / (1.0 + ((EVEN_CHANCE - score) / CHANCE_SPREAD).exp());
        let (win, loss) = (chance(score.into()) as u32, chance(-f64::from(score)) as u32);
        Self { win, draw: 1000 - win - loss, loss }
    }

    /// The expected score of a game, from 0 to 1.
    pub fn expectation(self) -> f64 {
        (f64::from(self.win) + f64::from(self.draw) / 2.0) / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_moves_for_either_side() {
        assert_eq!(to_uci(mate_in(1)), chess::Score::Mate(1));
        assert_eq!(to_uci(mate_in(3)), chess::Score::Mate(2));
        assert_eq!(to_uci(mated_in(2)), chess::Score::Mate(-1));
        assert_eq!(to_uci(mated_in(4)), chess::Score::Mate(-2));
        assert_eq!(to_uci(-45).to_string(), "cp -45");
        assert_eq!(to_uci(TABLEBASE_WIN - 3), chess::Score::Centipawns(19_997));
    }

    #[test]
    fn chances_add_up_and_mirror() {
        for score in (-3000..=3000).step_by(7).chain([mate_in(5), mated_in(6)]) {
            let (here, there) = (Chances::of(score), Chances::of(-score));
            assert_eq!(here.win + here.draw + here.loss, 1000);
            assert_eq!((here.win, here.loss), (there.loss, there.win));
        }
        assert!(Chances::of(100).expectation() > Chances::of(50).expectation());
    }
}
