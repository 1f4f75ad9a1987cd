//! Learning-rate schedules.

use serde::{Deserialize, Serialize};

/// How the learning rate decays from its peak to its final value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decay {
    /// Half a cosine.
    #[default]
    Cosine,
    /// Linear.
    Linear,
    /// Four constant levels in geometric progression.
    Step,
}

/// Linear warmup, then decay.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WarmupDecay {
    /// The learning rate after the warmup.
    pub lr: f64,
    /// The learning rate of the last step.
    pub final_lr: f64,
    /// Steps of the warmup.
    pub warmup_steps: u64,
    /// Steps of the whole run.
    pub steps: u64,
    /// The decay after the warmup.
    pub decay: Decay,
}

impl WarmupDecay {
    /// The learning rate of a step, counted from 0.
    pub fn lr_at(&self, step: u64) -> f64 {
        let Self { lr, final_lr, warmup_steps, steps, decay } = *self;
        if step < warmup_steps {
            return lr * (step + 1) as f64 / warmup_steps as f64;
        }
        let fall = final_lr - lr;
        // From 0 at the end of the warmup to 1 at the last step.
        let last = steps.saturating_sub(1).saturating_sub(warmup_steps).max(1);
        let progress = ((step - warmup_steps) as f64 / last as f64).min(1.0);
        match decay {
            Decay::Cosine => lr + fall * (1.0 - (std::f64::consts::PI * progress).cos()) / 2.0,
            Decay::Linear => lr + fall * progress,
            Decay::Step => {
                let level = (progress * 4.0).floor().min(3.0);
                // A geometric progression cannot end at 0.
                let last = final_lr.max(lr * 1e-6);
                lr * (last / lr).powf(level / 3.0)
            }
        }
    }
}

/// The share of the steps for linear warmup.
const WARMUP: f64 = 0.02;
/// The share of the steps for linear decay to 0.
const WARMDOWN: f64 = 0.3;
/// Muon's momentum: initial, final, and steps between them.
const MOMENTUM: (f64, f64, f64) = (0.85, 0.95, 300.0);
/// The batch size for which learning rates are given.
const BATCH_SIZE: f64 = 16_384.0;

/// The warmup-stable-decay schedule of the reference: what learning rates are multiplied by in a step,
/// counted from 0.
///
/// ```
/// let at = |step| tabiya_learn::schedule::warmup_stable_decay(step, 1000);
/// assert_eq!([at(0), at(19), at(700), at(850), at(999)], [0.05, 1.0, 1.0, 0.5, 1.0 / 300.0]);
/// ```
pub fn warmup_stable_decay(step: u64, steps: u64) -> f64 {
    let (warmup, warmdown) = warmup_and_decay(steps);
    if step < warmup {
        (step + 1) as f64 / warmup as f64
    } else if step + warmdown <= steps {
        1.0
    } else {
        steps.saturating_sub(step) as f64 / warmdown as f64
    }
}

/// The steps of the warmup and of the decay in [`warmup_stable_decay`].
pub fn warmup_and_decay(steps: u64) -> (u64, u64) {
    let part = |share: f64| (share * steps as f64).round_ties_even() as u64;
    (part(WARMUP), part(WARMDOWN))
}

/// The phases of [`warmup_stable_decay`] in words.
pub fn describe_schedule(steps: u64) -> String {
    let (warmup, decay) = warmup_and_decay(steps);
    format!(
        "learning rates: the schedule of {steps} steps; warmup to step {warmup}, constant to step {}, then linear to 0",
        steps - decay
    )
}

/// Muon's momentum in a step: linear warmup over 300 steps.
pub fn muon_momentum(step: u64) -> f64 {
    let (first, last, steps) = MOMENTUM;
    let progress = (step as f64 / steps).min(1.0);
    (1.0 - progress) * first + progress * last
}

/// What Muon's weight decay is multiplied by in a step: linear decay to 0.
pub fn weight_decay_multiplier(step: u64, steps: u64) -> f64 {
    1.0 - step as f64 / steps.max(1) as f64
}

/// What learning rates are multiplied by for a batch size: its square root, relative to 16,384.
pub fn batch_size_scale(batch_size: usize) -> f64 {
    (batch_size as f64 / BATCH_SIZE).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lr_warms_up_and_decays_to_its_final_value() {
        for decay in [Decay::Cosine, Decay::Linear, Decay::Step] {
            let schedule =
                WarmupDecay { lr: 0.1, final_lr: 0.001, warmup_steps: 10, steps: 100, decay };
            let lrs: Vec<f64> = (0..100).map(|step| schedule.lr_at(step)).collect();
            assert!((lrs[0] - 0.01).abs() < 1e-12 && (lrs[9] - 0.1).abs() < 1e-12);
            assert!(lrs[..10].is_sorted() && lrs[10..].is_sorted_by(|a, b| a >= b));
            assert!((lrs[10] - 0.1).abs() < 1e-12 && (lrs[99] - 0.001).abs() < 1e-12);
        }
    }

    #[test]
    fn warmup_stable_decay_has_three_phases() {
        let all: Vec<f64> = (0..1_000).map(|step| warmup_stable_decay(step, 1_000)).collect();
        assert!(all[..20].is_sorted() && all[0] == 0.05 && all[19] == 1.0);
        assert!(all[20..=700].iter().all(|&m| m == 1.0));
        assert!(all[700..].is_sorted_by(|a, b| a > b) && all[701] == 299.0 / 300.0);
        // Runs too short for a warmup start at the full rate; a run of one step takes it.
        assert_eq!([0, 1, 2].map(|step| warmup_stable_decay(step, 3)), [1.0, 1.0, 1.0]);
        assert_eq!(warmup_stable_decay(0, 1), 1.0);
        assert_eq!(warmup_stable_decay(9, 10), 1.0 / 3.0);
    }

    #[test]
    fn momentum_rises_and_weight_decay_falls() {
        let momentum = muon_momentum;
        assert_eq!((momentum(0), momentum(300), momentum(9_000)), (0.85, 0.95, 0.95));
        assert!((momentum(150) - 0.9).abs() < 1e-12);
        let decay = weight_decay_multiplier;
        assert_eq!((decay(0, 10), decay(5, 10), decay(10, 10)), (1.0, 0.5, 0.0));
        assert_eq!((batch_size_scale(16_384), batch_size_scale(4_096)), (1.0, 0.5));
    }
}
