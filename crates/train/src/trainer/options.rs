//! Hyperparameters. The finished network depends on them and the rows alone.

use learn::schedule::{Decay, WarmupDecay};
use learn::{TrainError, ensure_in_range};
use nnue::Shape;

use super::example::{Encoder, Target};
use super::worker::Loss;

/// The hyperparameters of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainOptions {
    /// The architecture.
    pub shape: Shape,
    /// Positions of the whole run, over all epochs.
    pub positions: u64,
    /// Positions per step.
    pub batch_size: usize,
    /// Positions between two validations: a superbatch.
    pub superbatch: u64,
    /// The learning rate after the warmup.
    pub lr: f64,
    /// The learning rate of the last step.
    pub final_lr: f64,
    /// Positions of linear warmup.
    pub warmup: u64,
    /// The decay of the learning rate after the warmup.
    pub decay: Decay,
    /// Decoupled weight decay, in units of the learning rate.
    pub weight_decay: f64,
    /// The weight of the score in the target, where a row has a result as well.
    pub lambda: f64,
    /// The scale of the sigmoid: centipawns with an expected score of 0.73.
    pub scale: f64,
    /// The scale of the sigmoid for the scores of rows, where their centipawns are other than the network's.
    pub score_scale: Option<f64>,
    /// The exponent of the loss.
    pub power: f64,
    /// Rows with a mate score, or a score beyond this, are skipped.
    pub max_score: i32,
    /// Random seed of the initial parameters and the order of rows.
    pub seed: u64,
    /// Threads. Another number rounds sums differently.
    pub threads: usize,
    /// Rows in the shuffle buffer.
    pub window_rows: usize,
    /// Validation rows, at most.
    pub validation_rows: u64,
}

impl TrainOptions {
    /// Upper limit of positions, rows and steps.
    pub(super) const MAX_POSITIONS: u64 = 1 << 50;

    /// The defaults for an architecture and a number of positions.
    ///
    /// ```
    /// use tabiya_train::nnue::Shape;
    /// use tabiya_train::trainer::TrainOptions;
    /// let options = TrainOptions::new(Shape::plain(256), 100_000_000);
    /// assert_eq!((options.batch_size, options.steps()), (16_384, 6_104));
    /// // Warmup, peak, decay.
    /// let lr = [0, 61, 3_000, 6_103].map(|step| options.lr_at(step));
    /// assert!(lr[0] < lr[2] && lr[2] < lr[1] && lr[3] < lr[2]);
    /// ```
    pub fn new(shape: Shape, positions: u64) -> Self {
        Self {
            shape,
            positions,
            batch_size: 16_384,
            superbatch: 10_000_000,
            lr: 0.001,
            final_lr: 0.000_01,
            warmup: 1_000_000,
            decay: Decay::Cosine,
            weight_decay: 0.01,
            lambda: 0.75,
            scale: 400.0,
            score_scale: None,
            power: 2.0,
            max_score: 10_000,
            seed: 1,
            threads: 2,
            window_rows: 1 << 20,
            validation_rows: 500_000,
        }
    }

    /// Refuses values out of range.
    pub fn check(&self) -> Result<(), TrainError> {
        self.shape.check().map_err(|error| TrainError::Options(error.to_string()))?;
        let whole: [(&str, u64, u64, u64); 6] = [
            ("positions", self.positions, 1, Self::MAX_POSITIONS),
            ("batch size", self.batch_size as u64, 1, 1 << 22),
            ("superbatch", self.superbatch, 1, Self::MAX_POSITIONS),
            ("threads", self.threads as u64, 1, 512),
            ("window", self.window_rows as u64, 1, 1 << 28),
            ("validation rows", self.validation_rows, 0, 1 << 28),
        ];
        for (name, value, least, most) in whole {
            ensure_in_range(name, value, least..=most)?;
        }
        let numbers = [
            ("the learning rate", self.lr, 1e-12, 1.0),
            ("the final learning rate", self.final_lr, 0.0, 1.0),
            ("the weight decay", self.weight_decay, 0.0, 1.0),
            ("lambda", self.lambda, 0.0, 1.0),
            ("the scale", self.scale, 1.0, 100_000.0),
            ("the scale of scores", self.score_scale.unwrap_or(self.scale), 1.0, 100_000.0),
            ("the power of the loss", self.power, 1.0, 10.0),
            ("the largest score", self.max_score.into(), 1.0, 32_000.0),
        ];
        for (name, value, least, most) in numbers {
            ensure_in_range(name, value, least..=most)?;
        }
        Ok(())
    }

    /// Steps of the whole run.
    pub fn steps(&self) -> u64 {
        self.positions.div_ceil(self.batch_size as u64)
    }

    /// Steps of a superbatch.
    pub fn superbatch_steps(&self) -> u64 {
        self.superbatch.div_ceil(self.batch_size as u64).max(1)
    }

    /// The learning rate of a step, counted from 0.
    pub fn lr_at(&self, step: u64) -> f64 {
        let schedule = WarmupDecay {
            lr: self.lr,
            final_lr: self.final_lr,
            warmup_steps: self.warmup.div_ceil(self.batch_size as u64),
            steps: self.steps(),
            decay: self.decay,
        };
        schedule.lr_at(step)
    }

    pub(super) fn encoder(&self) -> Encoder {
        let target = Target {
            lambda: self.lambda as f32,
            scale: self.score_scale.unwrap_or(self.scale) as f32,
            max_score: self.max_score,
        };
        Encoder { shape: self.shape.clone(), target }
    }

    pub(super) fn loss(&self) -> Loss {
        Loss { power: self.power as f32, scale: self.scale as f32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> TrainOptions {
        let mut options = TrainOptions::new(Shape::plain(32), 1_000);
        (options.batch_size, options.warmup) = (10, 100);
        (options.lr, options.final_lr) = (0.1, 0.001);
        options
    }

    #[test]
    fn the_schedule_is_that_of_positions_in_steps() {
        let options = options();
        assert_eq!(options.steps(), 100);
        let lr = [0, 9, 10, 99].map(|step| options.lr_at(step));
        let expected = [0.01, 0.1, 0.1, 0.001];
        assert!(lr.iter().zip(expected).all(|(lr, expected)| (lr - expected).abs() < 1e-12));
    }

    #[test]
    fn values_out_of_range_are_refused_by_name() {
        let refused = |change: &dyn Fn(&mut TrainOptions)| {
            let mut options = options();
            change(&mut options);
            options.check().unwrap_err().to_string()
        };
        assert!(options().check().is_ok());
        assert_eq!(refused(&|o| o.lambda = f64::NAN), "lambda must be 0 to 1, not NaN");
        assert!(refused(&|o| o.batch_size = 0).starts_with("batch size must be 1"));
        assert!(refused(&|o| o.shape.hidden = 7).starts_with("a hidden layer of 7"));
    }
}
