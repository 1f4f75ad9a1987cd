//! Elo with error bars and likelihood of superiority (LOS) from the results of pairs.
//!
//! The games of a pair are not independent (an opening that is good for White gives each player a win),
//! pairs are. So the five possible results of a pair are counted (the pentanomial distribution), and error
//! bars come from its variance. See M. Van den Bergh, "A practical introduction to the GSPRT", 2020.

use std::cmp::Ordering;
use std::f64::consts::{LN_10, PI, SQRT_2};

/// The number of pairs with 0, ½, 1, 1½, 2 points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pentanomial(pub [u32; 5]);

/// The strength of a player, estimated from its pairs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Points per game, from 0 to 1.
    pub score: f64,
    /// The Elo difference; infinite for a perfect score.
    pub elo: f64,
    /// The lower end of the 95 % confidence interval.
    pub low: f64,
    /// The upper end of the 95 % confidence interval.
    pub high: f64,
    /// Normalized Elo: the difference in units of the standard deviation of a game, so that it does not
    /// depend on the draw rate.
    pub normalized: f64,
    /// Likelihood of superiority.
    pub los: f64,
}

impl Estimate {
    /// Half of the confidence interval; infinite if one end is.
    pub fn error(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

impl Pentanomial {
    /// The number of pairs.
    pub fn pairs(&self) -> u32 {
        self.0.iter().sum()
    }

    /// From the opponent's point of view.
    pub fn reversed(mut self) -> Self {
        self.0.reverse();
        self
    }

    /// Adds the counts of another.
    pub fn add(&mut self, other: Self) {
        for (here, there) in self.0.iter_mut().zip(other.0) {
            *here += there;
        }
    }

    /// Mean and variance of the points per game of a pair.
    fn moments(&self) -> (f64, f64) {
        let pairs = f64::from(self.pairs());
        let share = |n: usize| f64::from(self.0[n]) / pairs;
        let mean: f64 = (0..5).map(|n| share(n) * SCORES[n]).sum();
        let variance = (0..5).map(|n| share(n) * (SCORES[n] - mean).powi(2)).sum();
        (mean, variance)
    }

    /// The estimate; `None` without pairs.
    pub fn estimate(&self) -> Option<Estimate> {
        if self.pairs() == 0 {
            return None;
        }
        let (score, variance) = self.moments();
        let elo = elo(score);
        if variance == 0.0 {
            // Without variance there is no error bar; the sign test still gives a LOS.
            let los = match score.total_cmp(&0.5) {
                Ordering::Less => 0.5f64.powf(f64::from(self.pairs()) + 1.0),
                Ordering::Equal => 0.5,
                Ordering::Greater => 1.0 - 0.5f64.powf(f64::from(self.pairs()) + 1.0),
            };
            let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
            let normalized = if score == 0.5 { 0.0 } else { elo.signum() * f64::INFINITY };
            return Some(Estimate { score, elo, low, high, normalized, los });
        }
        let deviation = (variance / f64::from(self.pairs())).sqrt();
        Some(Estimate {
            score,
            elo,
            low: self::elo((score - CONFIDENCE * deviation).max(0.0)),
            high: self::elo((score + CONFIDENCE * deviation).min(1.0)),
            // The standard deviation of a game is √2 times that of the mean of two.
            normalized: (score - 0.5) / (2.0 * variance).sqrt() * 800.0 / LN_10,
            los: normal((score - 0.5) / deviation),
        })
    }
}

/// Points per game of the five results of a pair.
pub(crate) const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// 95 % of a normal distribution lie within this many standard deviations.
pub(crate) const CONFIDENCE: f64 = 1.959_963_985;

/// The Elo difference with this expected score.
pub fn elo(score: f64) -> f64 {
    // Not -0 for an even score.
    0.0 - 400.0 * (1.0 / score - 1.0).log10()
}

/// The expected score of an Elo difference.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The cumulative distribution function of the standard normal distribution, by the series of the error
/// function near 0 and by its continued fraction farther out.
fn normal(x: f64) -> f64 {
    let z = x.abs() / SQRT_2;
    let tail = if z > 6.0 {
        0.0
    } else if z < 2.0 {
        let (mut term, mut sum) = (z, z);
        for n in 1..60 {
            term *= -z * z / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        0.5 - sum / PI.sqrt()
    } else {
        let mut fraction = z;
        for n in (1..60).rev() {
            fraction = z + f64::from(n) / 2.0 / fraction;
        }
        (-z * z).exp() / fraction / PI.sqrt() / 2.0
    };
    if x < 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-6 * b.abs().max(1.0), "{a} is not {b}");
    }

    /// The expected numbers come from a program in another language, with Newton's method on both
    /// multipliers for the constrained fit.
    #[test]
    fn estimates_agree_with_an_independent_computation() {
        for (counts, score, elo, low, high, normalized, los) in [
            (
                [10, 20, 40, 25, 15],
                0.5340909090909091,
                23.72560048639278,
                -13.32600324960186,
                61.326106582853555,
                29.386998612140772,
                0.8951811737491897,
            ),
            (
                [39, 8843, 21675, 9223, 52],
                0.5025482024502912,
                1.7706877510269958,
                0.6103626505253491,
                2.9310523513739684,
                3.681759139822758,
                0.9986095382212654,
            ),
            (
                [0, 5, 20, 12, 3],
                0.58125,
                56.96325834124342,
                14.097890968607107,
                101.62909621939826,
                101.4532176559361,
                0.9954963845727822,
            ),
        ] {
            let estimate = Pentanomial(counts).estimate().unwrap();
            close(estimate.score, score);
            close(estimate.elo, elo);
            close(estimate.low, low);
            close(estimate.high, high);
            close(estimate.normalized, normalized);
            close(estimate.los, los);
            let mirrored = Pentanomial(counts).reversed().estimate().unwrap();
            close(mirrored.elo, -elo);
            close(mirrored.low, -high);
            close(mirrored.los, 1.0 - los);
        }
    }

    #[test]
    fn elo_and_score_are_inverse_and_perfect_scores_infinite() {
        for difference in [-400.0, -30.0, 0.0, 5.0, 200.0] {
            close(elo(expected_score(difference)), difference);
        }
        close(expected_score(400.0), 10.0 / 11.0);
        let perfect = Pentanomial([0, 0, 0, 0, 3]).estimate().unwrap();
        assert_eq!((perfect.elo, perfect.error()), (f64::INFINITY, f64::INFINITY));
        close(perfect.los, 15.0 / 16.0);
        let level = Pentanomial([0, 0, 3, 0, 0]).estimate().unwrap();
        assert_eq!((level.elo, level.los, level.normalized), (0.0, 0.5, 0.0));
        assert!(level.error().is_infinite(), "no spread, no error bar");
        assert_eq!(Pentanomial::default().estimate(), None);
    }

    #[test]
    fn the_normal_distribution_is_exact_at_known_places() {
        for (x, share) in [
            (0.0, 0.5),
            (1.0, 0.8413447460685429),
            (-1.959963984540054, 0.025),
            (2.5, 0.9937903346742238),
            (3.0, 0.9986501019683699),
            (5.0, 0.9999997133484281),
            (f64::INFINITY, 1.0),
            (f64::NEG_INFINITY, 0.0),
        ] {
            close(normal(x), share);
        }
    }
}
