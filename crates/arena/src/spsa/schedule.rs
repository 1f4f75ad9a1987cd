//! The step sizes of SPSA, and one trial with the update that follows from it.

use chess::rng::Rng;

use super::Parameter;

/// Exponent of the learning rate.
const ALPHA: f64 = 0.602;
/// Exponent of the perturbation.
const GAMMA: f64 = 0.101;
/// The stability constant A as a share of the iterations.
const STABILITY: f64 = 0.1;

/// The parameters and how often they are changed.
#[derive(Clone, PartialEq, Debug)]
pub struct GainSchedule {
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// All iterations.
    pub iterations: u32,
    /// The random seed of perturbations.
    pub seed: u64,
}

/// The two sets of values of an iteration.
#[derive(Clone, PartialEq, Debug)]
pub struct Trial {
    /// The iteration, from 1.
    pub iteration: u32,
    /// Of the first engine.
    pub plus: Vec<f64>,
    /// Of the second engine.
    pub minus: Vec<f64>,
    /// The direction of each parameter: 1 or −1.
    signs: Vec<f64>,
}

impl GainSchedule {
    /// The values before the first iteration.
    pub fn start(&self) -> Vec<f64> {
        self.parameters.iter().map(|parameter| parameter.start).collect()
    }

    /// Perturbation and learning rate of a parameter in an iteration, from 1.
    pub fn gains(&self, parameter: &Parameter, iteration: u32) -> (f64, f64) {
        let (n, k) = (f64::from(self.iterations), f64::from(iteration.max(1)));
        let stability = STABILITY * n;
        let c = parameter.c * (n / k).powf(GAMMA);
        let a = parameter.r * parameter.c.powi(2) * ((stability + n) / (stability + k)).powf(ALPHA);
        (c, a / c.powi(2))
    }

    /// The trial of an iteration around these values. It depends on nothing but them, the seed and the number.
    pub fn trial(&self, values: &[f64], iteration: u32) -> Trial {
        let mut rng = Rng::new(self.seed, u64::from(iteration));
        let (mut plus, mut minus, mut signs) = (vec![], vec![], vec![]);
        for (parameter, value) in self.parameters.iter().zip(values) {
            let (c, _) = self.gains(parameter, iteration);
            let sign = if rng.random_bool(0.5) { 1.0 } else { -1.0 };
            // The same sample for both: they stay 2 c apart but for the rounding.
            let uniform = f64::from(rng.next_f32());
            plus.push(parameter.rounded(value + sign * c, uniform));
            minus.push(parameter.rounded(value - sign * c, uniform));
            signs.push(sign);
        }
        Trial { iteration, plus, minus, signs }
    }

    /// Moves the values by the result of a trial: wins minus losses of its first engine.
    pub fn update(&self, values: &mut [f64], trial: &Trial, result: i32) {
        for ((parameter, value), sign) in self.parameters.iter().zip(values).zip(&trial.signs) {
            let (c, r) = self.gains(parameter, trial.iteration);
            let moved = *value + r * c * f64::from(result) * sign;
            *value = moved.clamp(parameter.min, parameter.max);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(iterations: u32) -> GainSchedule {
        let parameters =
            Parameter::parse_lines("x, float, 10, 0, 100, 4, 0.05\ny, float, 80, 0, 100, 4, 0.05")
                .unwrap();
        GainSchedule { parameters, iterations, seed: 1 }
    }

    #[test]
    fn the_last_iteration_has_the_given_gains_and_the_first_larger_ones() {
        let schedule = schedule(1000);
        let parameter = &schedule.parameters[0];
        let (c, r) = schedule.gains(parameter, 1000);
        assert!((c - 4.0).abs() < 1e-12 && (r - 0.05).abs() < 1e-12);
        let (c, r) = schedule.gains(parameter, 1);
        // By hand: 4 · 1000^0.101, and 0.05 · 16 · (1100 / 101)^0.602 / c².
        assert!((c - 8.0366).abs() < 1e-3, "{c}");
        assert!((r - 0.05 * 16.0 * (1100f64 / 101.0).powf(0.602) / (c * c)).abs() < 1e-12, "{r}");
    }

    #[test]
    fn trials_are_opposite_and_depend_on_seed_and_number_alone() {
        let schedule = schedule(100);
        let values = schedule.start();
        let trial = schedule.trial(&values, 7);
        assert_eq!(trial, schedule.trial(&values, 7));
        for (value, (plus, minus)) in values.iter().zip(trial.plus.iter().zip(&trial.minus)) {
            assert!((plus + minus - 2.0 * value).abs() < 1e-9);
        }
        let signs: Vec<Vec<f64>> = (1..20).map(|k| schedule.trial(&values, k).signs).collect();
        assert!(signs.iter().any(|s| s[0] != s[1]) && signs.iter().any(|s| s[0] == s[1]));
        let mut moved = values.clone();
        schedule.update(&mut moved, &trial, 2);
        let toward = |n: usize| (moved[n] - values[n]) * (trial.plus[n] - trial.minus[n]);
        assert!(toward(0) > 0.0 && toward(1) > 0.0);
    }

    #[test]
    fn parameters_move_to_the_optimum_of_noisy_games() {
        // The stronger copy is the one nearer to (60, 30); the probability of a win follows a logistic curve.
        let schedule = schedule(4000);
        let mut values = schedule.start();
        let mut rng = Rng::new(3, 3);
        let strength = |v: &[f64]| -((v[0] - 60.0).powi(2) + (v[1] - 30.0).powi(2)) / 400.0;
        for k in 1..=4000 {
            let trial = schedule.trial(&values, k);
            let difference = strength(&trial.plus) - strength(&trial.minus);
            let wins = 1.0 / (1.0 + (-difference).exp());
            let game = |rng: &mut Rng| if rng.random_bool(wins) { 1 } else { -1 };
            let result = game(&mut rng) + game(&mut rng);
            schedule.update(&mut values, &trial, result);
        }
        assert!((values[0] - 60.0).abs() < 12.0 && (values[1] - 30.0).abs() < 12.0, "{values:?}");
    }
}
