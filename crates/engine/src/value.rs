//! Values of the search, from the side to move's view: evaluations in internal units, with mate and tablebase
//! values at both ends. [`wdl::to_cp`](crate::wdl::to_cp) makes centipawns of evaluations; outside the engine
//! both are a [`Score`], by [`to_score`].
//!
//! ```text
//! -MATE … -MATE+MAX_PLY   mated in N plies from the root
//! -TABLEBASE_WIN …        lost by the tablebases
//!  …                      evaluations
//!  … TABLEBASE_WIN        won by the tablebases
//!  MATE-MAX_PLY … MATE    mate in N plies from the root
//! ```

use chess::{Color, Score};

/// An evaluation, in internal units or centipawns, or a mate or tablebase value; see the [module](self).
pub type Value = i32;

/// The maximum length of a line, in plies from the root.
pub const MAX_PLY: usize = 128;
/// A draw.
pub const DRAW: Value = 0;
/// Mate at ply 0; an upper limit that no search reaches.
pub const MATE: Value = 32_000;
/// Above every value.
pub(crate) const INFINITE: Value = 32_001;
/// No evaluation, as in check.
pub(crate) const NONE: Value = 32_002;
/// The least value of a mate.
pub const MATE_BOUND: Value = MATE - MAX_PLY as Value;
/// Tablebase win at ply 0.
pub const TABLEBASE_WIN: Value = 31_000;
/// The least value of a tablebase win or a mate; evaluations are below.
pub const WIN_BOUND: Value = TABLEBASE_WIN - MAX_PLY as Value;

/// The value of a mate given at this ply.
pub const fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// The value of being mated at this ply.
pub const fn mated_in(ply: usize) -> Value {
    ply as Value - MATE
}

/// Whether the value is a mate or a tablebase result rather than an evaluation.
pub const fn is_decided(value: Value) -> bool {
    value.abs() >= WIN_BOUND
}

/// Whether the value is a mate, for or against.
pub const fn is_mate(value: Value) -> bool {
    value.abs() >= MATE_BOUND
}

/// Clamps an evaluation below the tablebase values.
pub(crate) const fn clamp_evaluation(value: Value) -> Value {
    if value >= WIN_BOUND {
        WIN_BOUND - 1
    } else if value <= -WIN_BOUND {
        1 - WIN_BOUND
    } else {
        value
    }
}

/// The value from White's point of view of a value for the side to move.
pub const fn white_pov(value: Value, turn: Color) -> Value {
    if turn.is_white() { value } else { -value }
}

/// Centipawns or moves to mate, with the point of view unchanged. The plies of a mate are rounded up to
/// moves; a tablebase win without a known mate is 200 pawns or a little less.
pub const fn to_score(value: Value) -> Score {
    let sign = value.signum();
    if is_mate(value) {
        Score::Mate(sign * ((MATE - value.abs() + 1) / 2))
    } else if is_decided(value) {
        Score::Centipawns(sign * (20_000 - (TABLEBASE_WIN - value.abs())))
    } else {
        Score::Centipawns(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_moves_for_either_side() {
        assert_eq!(to_score(mate_in(1)), Score::Mate(1));
        assert_eq!(to_score(mate_in(3)), Score::Mate(2));
        assert_eq!(to_score(mated_in(2)), Score::Mate(-1));
        assert_eq!(to_score(mated_in(4)), Score::Mate(-2));
        assert_eq!(to_score(mated_in(0)), Score::Mate(0));
        // From White's point of view, when Black mates in two moves and has the move.
        assert_eq!(to_score(white_pov(mate_in(3), Color::Black)), Score::Mate(-2));
        assert_eq!(to_score(-45).to_string(), "cp -45");
        assert_eq!(to_score(TABLEBASE_WIN - 3), Score::Centipawns(19_997));
    }
}
