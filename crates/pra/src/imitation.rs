//! Imitating a player of a given rating: the ratings to choose from, the sampling temperature of each, and the
//! blunders that such a player no longer makes.
//!
//! A model that reads ratings predicts the moves of such players. Its policy may be a little too sharp or too
//! flat, differently from one rating to the next; at the fitted temperature it chooses moves, the weak ones
//! too, as often as they do.
//!
//! A policy does not calculate, so it blunders alike at every rating. What makes a player of a high rating
//! stronger is a search that refuses such moves.

use std::ops::RangeInclusive;

/// Width of a rating band.
const BAND: u16 = 200;

/// The first rating of each band, and the temperature at which the moves of held-out games by players of the
/// band are most likely: the column `fit` of `tabiya pra eval` for the embedded model.
const FITTED: [(u16, f32); 9] = [
    (1000, 1.05),
    (1200, 1.06),
    (1400, 1.01),
    (1600, 1.03),
    (1800, 1.01),
    (2000, 1.01),
    (2200, 1.0),
    (2400, 1.0),
    (2600, 0.99),
];

/// The greatest loss in centipawns, by a short search, that a player of a rating still allows a move. Chosen so that the
/// strength of the player rises evenly (`runs/dial.sh`), not fitted to games of people.
const MAX_LOSS: [(u16, f32); 6] =
    [(1100, 700.0), (1400, 500.0), (1700, 350.0), (2000, 240.0), (2300, 150.0), (2600, 80.0)];

/// The ratings of the players whose games the embedded model is trained on.
pub const RATINGS: RangeInclusive<u16> = FITTED[0].0..=FITTED[FITTED.len() - 1].0 + BAND;

/// The temperature that fits the moves of players of a rating, interpolated between the centers of the bands.
///
/// ```
/// use tabiya_pra::imitation::{RATINGS, fitted_temperature};
/// assert_eq!(fitted_temperature(0), fitted_temperature(*RATINGS.start()));
/// assert_eq!(fitted_temperature(4000), fitted_temperature(*RATINGS.end()));
/// ```
pub fn fitted_temperature(rating: u16) -> f32 {
    interpolate(&FITTED, rating.saturating_sub(BAND / 2))
}

/// The greatest loss of a move in centipawns that a player of a rating allows, interpolated.
///
/// ```
/// use tabiya_pra::imitation::max_loss;
/// assert!(max_loss(1200) > max_loss(1800) && max_loss(2600) > 0);
/// ```
pub fn max_loss(rating: u16) -> i32 {
    interpolate(&MAX_LOSS, rating) as i32
}

/// The value at `x` of the line through these points; constant beyond the first and the last.
fn interpolate(points: &[(u16, f32)], x: u16) -> f32 {
    let above = points.partition_point(|&(from, _)| from <= x);
    match (above.checked_sub(1).and_then(|below| points.get(below)), points.get(above)) {
        (Some(&(x0, y0)), Some(&(x1, y1))) => {
            y0 + (y1 - y0) * f32::from(x - x0) / f32::from(x1 - x0)
        }
        (Some(&(_, y)), None) | (None, Some(&(_, y))) => y,
        (None, None) => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperatures_are_interpolated_between_bands_and_constant_beyond_them() {
        let points = [(1000, 0.9), (1200, 0.7), (1400, 0.8)];
        let near = |x: u16, y: f32| (interpolate(&points, x) - y).abs() < 1e-6;
        assert!(near(0, 0.9) && near(1000, 0.9) && near(1100, 0.8) && near(1200, 0.7));
        assert!(near(1350, 0.775) && near(1400, 0.8) && near(u16::MAX, 0.8));
        assert_eq!(interpolate(&[], 5), 1.0);
    }

    #[test]
    fn bands_follow_one_another_and_their_temperatures_are_usable() {
        assert!(FITTED.windows(2).all(|two| two[0].0 + BAND == two[1].0));
        for rating in RATINGS {
            assert!((0.3..=2.0).contains(&fitted_temperature(rating)), "{rating}");
        }
    }
}
