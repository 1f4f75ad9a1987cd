//! The sequential probability ratio test (SPRT), generalized to pentanomial results (GSPRT).

use std::str::FromStr;

use crate::pentanomial::{SCORES, expected_score};
use crate::{ParseError, Pentanomial, ensure, parse_fields, parse_number};

/// A sequential test of H1, "the Elo difference is `elo1`", against H0, "it is `elo0`".
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// The difference under H0.
    pub elo0: f64,
    /// The difference under H1.
    pub elo1: f64,
    /// The probability of accepting H1 though H0 is true.
    pub alpha: f64,
    /// The probability of accepting H0 though H1 is true.
    pub beta: f64,
}

/// The state of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// H0 is accepted.
    Reject,
    /// H1 is accepted.
    Accept,
    /// More games are needed.
    Open,
}

impl FromStr for Sprt {
    type Err = ParseError;

    /// Parses `elo0=0,elo1=5,alpha=0.05,beta=0.05`; these are the defaults.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut test = Self { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05 };
        parse_fields(text, &["elo0", "elo1", "alpha", "beta"], |name, value| {
            let number = parse_number(value)?;
            match name {
                "elo0" => test.elo0 = number,
                "elo1" => test.elo1 = number,
                "alpha" => test.alpha = number,
                _ => test.beta = number,
            }
            Ok(())
        })?;
        let is_elo = |elo: f64| elo.abs() <= 1000.0;
        ensure!(is_elo(test.elo0) && is_elo(test.elo1), "elo0 and elo1 lie within ±1000");
        ensure!(test.elo0 < test.elo1, "elo0 must be less than elo1");
        let is_risk = |risk: f64| risk > 0.0 && risk < 0.5;
        ensure!(is_risk(test.alpha) && is_risk(test.beta), "alpha and beta lie between 0 and 0.5");
        Ok(test)
    }
}

impl Sprt {
    /// The test is open while the log-likelihood ratio is between these.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of H1 to H0.
    ///
    /// Each hypothesis fixes only the mean score; its distribution is the maximum-likelihood fit to the
    /// results among those with this mean. A result that has not occurred counts as a thousandth, so that
    /// every mean is attainable.
    pub fn llr(&self, results: &Pentanomial) -> f64 {
        if results.pairs() == 0 {
            return 0.0;
        }
        let counts = results.0.map(|count| f64::from(count).max(1e-3));
        let pairs: f64 = counts.iter().sum();
        let frequencies = counts.map(|count| count / pairs);
        let fit0 = with_mean(&frequencies, expected_score(self.elo0));
        let fit1 = with_mean(&frequencies, expected_score(self.elo1));
        (0..5).map(|n| counts[n] * (fit1[n] / fit0[n]).ln()).sum()
    }

    /// The state of the test with these results.
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

/// The maximum-likelihood distribution with this mean. By Lagrange multipliers its terms are
/// `share / (1 + t·(score − mean))` for the one `t` with the right mean, which decreases with `t` and is
/// found by bisection.
fn with_mean(frequencies: &[f64; 5], mean: f64) -> [f64; 5] {
    let off = SCORES.map(|score| score - mean);
    // All terms are positive between these.
    let (mut low, mut high) = (-1.0 / off[4], -1.0 / off[0]);
    for _ in 0..100 {
        let t = (low + high) / 2.0;
        let excess: f64 = (0..5).map(|n| frequencies[n] * off[n] / (1.0 + t * off[n])).sum();
        if excess > 0.0 {
            low = t;
        } else {
            high = t;
        }
    }
    let t = (low + high) / 2.0;
    std::array::from_fn(|n| frequencies[n] / (1.0 + t * off[n]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pentanomial::tests::close;

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
        let frequencies = [0.1, 0.2, 0.3, 0.25, 0.15];
        for mean in [0.3, 0.5, 0.52, 0.9] {
            let fit = with_mean(&frequencies, mean);
            close(fit.iter().sum(), 1.0);
            close((0..5).map(|n| fit[n] * SCORES[n]).sum(), mean);
            let fitness = |p: [f64; 5]| (0..5).map(|n| frequencies[n] * p[n].ln()).sum::<f64>();
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
}
