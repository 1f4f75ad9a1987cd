//! How rates change from the first step of a training to the last, as in the reference.

/// The share of the steps in which the learning rate rises.
const WARM_UP: f64 = 0.02;
/// The share of the steps in which it falls to nothing.
const COOL_DOWN: f64 = 0.3;
/// Muon's momentum, at first and after so many steps.
const MOMENTUM: (f64, f64, f64) = (0.85, 0.95, 300.0);
/// The batch for which the learning rates are meant.
const BATCH: f64 = 16_384.0;

/// What learning rates are multiplied by in a step, counted from 0, of so many.
///
/// ```
/// let at = |step| pra::optim::multiplier(step, 1000);
/// assert_eq!([at(0), at(19), at(700), at(850), at(999)], [0.05, 1.0, 1.0, 0.5, 1.0 / 300.0]);
/// ```
pub fn multiplier(step: u64, steps: u64) -> f64 {
    let part = |share: f64| (share * steps as f64).round_ties_even() as u64;
    let (up, down) = (part(WARM_UP), part(COOL_DOWN));
    if step < up {
        (step + 1) as f64 / up as f64
    } else if step + down <= steps {
        1.0
    } else {
        steps.saturating_sub(step) as f64 / down as f64
    }
}

/// How much of the last gradients Muon keeps.
pub(super) fn momentum(step: u64) -> f64 {
    let (first, last, steps) = MOMENTUM;
    let way = (step as f64 / steps).min(1.0);
    (1.0 - way) * first + way * last
}

/// The share of the weight decay that is left.
pub(super) fn decay(step: u64, steps: u64) -> f64 {
    1.0 - step as f64 / steps.max(1) as f64
}

/// What learning rates are multiplied by for a batch of another size.
pub(super) fn batch_scale(batch: usize) -> f64 {
    (batch as f64 / BATCH).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_learning_rate_rises_stays_and_falls_to_nothing() {
        let all: Vec<f64> = (0..1_000).map(|step| multiplier(step, 1_000)).collect();
        assert!(all[..20].is_sorted() && all[0] == 0.05 && all[19] == 1.0);
        assert!(all[20..=700].iter().all(|&m| m == 1.0));
        assert!(all[700..].is_sorted_by(|a, b| a > b) && all[701] == 299.0 / 300.0);
        // Trainings too short for a warm-up begin at once; one of a single step takes it.
        assert_eq!([0, 1, 2].map(|step| multiplier(step, 3)), [1.0, 1.0, 1.0]);
        assert_eq!(multiplier(0, 1), 1.0);
        assert_eq!(multiplier(9, 10), 1.0 / 3.0);
    }

    #[test]
    fn momentum_grows_and_decay_goes() {
        assert_eq!((momentum(0), momentum(300), momentum(9_000)), (0.85, 0.95, 0.95));
        assert!((momentum(150) - 0.9).abs() < 1e-12);
        assert_eq!((decay(0, 10), decay(5, 10), decay(10, 10)), (1.0, 0.5, 0.0));
        assert_eq!((batch_scale(16_384), batch_scale(4_096)), (1.0, 0.5));
    }
}
