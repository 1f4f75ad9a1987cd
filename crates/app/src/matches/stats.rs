//! What results are worth: Elo with error bars, likelihood of superiority, sequential tests.
//!
//! The unit is the *pair*: two games with one opening and colors reversed. The games of a pair are not
//! independent (an opening that is good for White gives each player a win), pairs are. So the five
//! possible results of a pair are counted, 0 to 2 points in halves, and all error bars come from how
//! these are spread. See M. Van den Bergh, "A practical introduction to the GSPRT", 2020.

use std::cmp::Ordering;
use std::f64::consts::{LN_10, PI, SQRT_2};

use anyhow::{Context, bail, ensure};

/// How many pairs gave 0, ½, 1, 1½, 2 points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pentanomial(pub [u32; 5]);

/// What can be said about a player from its pairs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Points per game, from 0 to 1.
    pub score: f64,
    /// The difference in Elo; infinite for a perfect score.
    pub elo: f64,
    /// The ends of the interval that holds the true difference with 95 %.
    pub low: f64,
    pub high: f64,
    /// The difference in units of the spread of results: independent of how drawish the games are.
    pub normalized: f64,
    /// How likely the player is the better one.
    pub los: f64,
}

impl Estimate {
    /// Half of the interval; infinite if an end of it is.
    pub fn error(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

impl Pentanomial {
    pub fn pairs(&self) -> u32 {
        self.0.iter().sum()
    }

    /// Seen from the other side.
    pub fn reversed(mut self) -> Self {
        self.0.reverse();
        self
    }

    pub fn add(&mut self, other: Self) {
        for (here, there) in self.0.iter_mut().zip(other.0) {
            *here += there;
        }
    }

    /// Points per game and the variance of this, for one pair.
    fn moments(&self) -> (f64, f64) {
        let pairs = f64::from(self.pairs());
        let share = |n: usize| f64::from(self.0[n]) / pairs;
        let mean: f64 = (0..5).map(|n| share(n) * SCORES[n]).sum();
        let variance = (0..5).map(|n| share(n) * (SCORES[n] - mean).powi(2)).sum();
        (mean, variance)
    }

    /// What the pairs say; nothing if there are none.
    pub fn estimate(&self) -> Option<Estimate> {
        if self.pairs() == 0 {
            return None;
        }
        let (score, variance) = self.moments();
        let elo = elo(score);
        if variance == 0.0 {
            // Pairs that are all alike say nothing about their spread. What is left is the sign test.
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
            // Two games make a pair: the spread of one is √2 times that of their mean.
            normalized: (score - 0.5) / (2.0 * variance).sqrt() * 800.0 / LN_10,
            los: normal((score - 0.5) / deviation),
        })
    }
}

/// Points per game of the five results.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// 95 % of a normal distribution lie within so many deviations.
const CONFIDENCE: f64 = 1.959_963_985;

/// The difference in Elo that gives a score on average.
pub fn elo(score: f64) -> f64 {
    // Not -0 for an even score.
    0.0 - 400.0 * (1.0 / score - 1.0).log10()
}

/// The score that a difference in Elo gives on average.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The share of a normal distribution below `x`. The error function is summed up by its series where
/// that converges fast, and by its continued fraction farther out.
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

/// A sequential test of "the difference is at least `elo1`" against "it is at most `elo0`".
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    pub elo0: f64,
    pub elo1: f64,
    /// How often it may accept `elo1` though `elo0` is true.
    pub alpha: f64,
    /// How often it may accept `elo0` though `elo1` is true.
    pub beta: f64,
}

/// What a test has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The difference is `elo0` or less.
    Reject,
    /// It is `elo1` or more.
    Accept,
    /// More games are needed.
    Open,
}

impl std::str::FromStr for Sprt {
    type Err = anyhow::Error;

    /// Reads `elo0=0,elo1=5,alpha=0.05,beta=0.05`.
    fn from_str(text: &str) -> anyhow::Result<Self> {
        let mut test = Self { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05 };
        for part in text.split([',', ' ']).filter(|part| !part.is_empty()) {
            let (name, value) =
                part.split_once('=').with_context(|| format!("'{part}' is not NAME=NUMBER"))?;
            let number: f64 =
                value.parse().with_context(|| format!("'{value}' is not a number"))?;
            match name {
                "elo0" => test.elo0 = number,
                "elo1" => test.elo1 = number,
                "alpha" => test.alpha = number,
                "beta" => test.beta = number,
                _ => bail!("'{name}' is none of elo0, elo1, alpha, beta"),
            }
        }
        let is_elo = |elo: f64| elo.abs() <= 1000.0;
        ensure!(is_elo(test.elo0) && is_elo(test.elo1), "elo0 and elo1 lie within ±1000");
        ensure!(test.elo0 < test.elo1, "elo0 must be less than elo1");
        let is_risk = |risk: f64| risk > 0.0 && risk < 0.5;
        ensure!(is_risk(test.alpha) && is_risk(test.beta), "alpha and beta lie between 0 and 0.5");
        Ok(test)
    }
}

impl Sprt {
    /// Between these the test goes on.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The logarithm of how much likelier the results are with `elo1` than with `elo0`.
    ///
    /// Each hypothesis says what the mean score is, and no more; it is given the distribution that
    /// fits the results best among those with this mean. A result that has not occurred yet is counted
    /// as a thousandth, so that no mean is out of reach.
    pub fn llr(&self, results: &Pentanomial) -> f64 {
        if results.pairs() == 0 {
            return 0.0;
        }
        let counts = results.0.map(|count| f64::from(count).max(1e-3));
        let pairs: f64 = counts.iter().sum();
        let shares = counts.map(|count| count / pairs);
        let fit0 = with_mean(&shares, expected_score(self.elo0));
        let fit1 = with_mean(&shares, expected_score(self.elo1));
        (0..5).map(|n| counts[n] * (fit1[n] / fit0[n]).ln()).sum()
    }

    pub fn verdict(&self, results: &Pentanomial) -> Verdict {
        let (low, high) = self.bounds();
        let llr = self.llr(results);
        if llr >= high {
            Verdict::Accept
        } else if llr <= low {
            Verdict::Reject
        } else {
            Verdict::Open
        }
    }
}

/// The distribution with this mean under which the shares are likeliest. By Lagrange its terms are
/// `share / (1 + t·(score − mean))` for the one `t` that makes the mean right; as the mean falls with
/// `t` it is found by halving.
fn with_mean(shares: &[f64; 5], mean: f64) -> [f64; 5] {
    let off = SCORES.map(|score| score - mean);
    // All terms are positive between these.
    let (mut low, mut high) = (-1.0 / off[4], -1.0 / off[0]);
    for _ in 0..100 {
        let t = (low + high) / 2.0;
        let excess: f64 = (0..5).map(|n| shares[n] * off[n] / (1.0 + t * off[n])).sum();
        if excess > 0.0 {
            low = t;
        } else {
            high = t;
        }
    }
    let t = (low + high) / 2.0;
    std::array::from_fn(|n| shares[n] / (1.0 + t * off[n]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-6 * b.abs().max(1.0), "{a} is not {b}");
    }

    /// The expected numbers were computed by a program in another language, with another method for
    /// the constrained fit (Newton's, on both multipliers).
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
    fn likelihood_ratios_agree_with_an_independent_computation() {
        for (counts, elo0, elo1, llr) in [
            ([10, 20, 40, 25, 15], 0.0, 5.0, 0.29328579093621954),
            ([39, 8843, 21675, 9223, 52], 0.0, 2.0, 4.397508328576105),
            ([39, 8843, 21675, 9223, 52], 0.0, 5.0, -10.402322897659374),
            ([0, 5, 20, 12, 3], -5.0, 0.0, 0.5790396862712751),
            ([0, 0, 0, 0, 7], 0.0, 5.0, 0.10004160399868596),
            ([0, 0, 10, 0, 0], 0.0, 5.0, -0.13942763881540335),
        ] {
            let test = Sprt { elo0, elo1, alpha: 0.05, beta: 0.05 };
            close(test.llr(&Pentanomial(counts)), llr);
        }
    }

    #[test]
    fn a_test_ends_at_its_bounds() {
        let test: Sprt = "elo0=0,elo1=2".parse().unwrap();
        // ln(0.95 / 0.05)
        close(test.bounds().1, 2.9444389791664403);
        close(test.bounds().0, -2.9444389791664403);
        let counts = Pentanomial([39, 8843, 21675, 9223, 52]);
        assert_eq!(test.verdict(&counts), Verdict::Accept);
        assert_eq!(test.verdict(&counts.reversed()), Verdict::Reject);
        assert_eq!(test.verdict(&Pentanomial([0, 5, 20, 12, 3])), Verdict::Open);
        assert_eq!(test.verdict(&Pentanomial::default()), Verdict::Open);
        for bad in ["elo0=5", "elo1=x", "x=1", "alpha=0", "beta=0.7", "elo1=1e9", "elo0=nan", "5"] {
            assert!(bad.parse::<Sprt>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_fitted_distribution_has_its_mean_and_no_other_near_it_fits_better() {
        let shares = [0.1, 0.2, 0.3, 0.25, 0.15];
        for mean in [0.3, 0.5, 0.52, 0.9] {
            let fit = with_mean(&shares, mean);
            close(fit.iter().sum(), 1.0);
            close((0..5).map(|n| fit[n] * SCORES[n]).sum(), mean);
            let fitness = |p: [f64; 5]| (0..5).map(|n| shares[n] * p[n].ln()).sum::<f64>();
            // Moves that keep sum and mean.
            for step in
                [[1.0, -2.0, 1.0, 0.0, 0.0], [0.0, 1.0, -2.0, 1.0, 0.0], [1.0, 0.0, -2.0, 0.0, 1.0]]
            {
                for size in [1e-3, -1e-3] {
                    let other = std::array::from_fn(|n| fit[n] + size * step[n]);
                    assert!(fitness(other) < fitness(fit));
                }
            }
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
