//! What a training is told: everything the finished network follows from, together with the rows.

use nnue::Shape;
use serde::{Deserialize, Serialize};

use super::TrainError;
use super::example::{Encoder, Target};
use super::worker::Loss;

/// How the learning rate falls from its first to its final value, after the warm-up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Schedule {
    /// Along half a cosine: slowly, fast, slowly.
    #[default]
    Cosine,
    /// Along a line.
    Linear,
    /// In four levels, each the same factor below the one before.
    Step,
}

/// How a network is trained.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainOptions {
    /// The network.
    pub shape: Shape,
    /// How many positions are learned from, repeated ones counted again.
    pub positions: u64,
    /// How many positions make a step.
    pub batch_size: usize,
    /// How many positions lie between two measurements and checkpoints: a superbatch.
    pub superbatch: u64,
    /// The learning rate after the warm-up.
    pub rate: f64,
    /// The learning rate at the end.
    pub final_rate: f64,
    /// For how many positions the learning rate rises from nothing.
    pub warmup: u64,
    /// How it falls.
    pub schedule: Schedule,
    /// By how much weights decay in a step, in terms of the learning rate.
    pub weight_decay: f64,
    /// The share of the score in what is learned, where a row has a result as well.
    pub lambda: f64,
    /// Centipawns in the sigmoid that makes an expectation of a score: at this score it is 0.73.
    pub scale: f64,
    /// The power of the error that is the loss.
    pub power: f64,
    /// Rows with a score beyond this, and with a mate, are left out.
    pub max_score: i32,
    /// Random seed: the parameters to begin with and the order of rows.
    pub seed: u64,
    /// How many threads work. Sums are rounded differently with another number.
    pub threads: usize,
    /// How many rows are put in order together. More shuffle better and take more memory.
    pub window_rows: usize,
    /// How many rows the loss is validated on at most.
    pub validation_rows: u64,
}

impl TrainOptions {
    /// No training has more positions, rows or steps.
    pub(super) const MAX_POSITIONS: u64 = 1 << 50;

    /// Sensible values for a network and so many positions.
    ///
    /// ```
    /// use train::trainer::TrainOptions;
    /// let options = TrainOptions::new(nnue::Shape::plain(256), 100_000_000);
    /// assert_eq!((options.batch_size, options.steps()), (16_384, 6_104));
    /// // The learning rate rises, is highest after the warm-up, and falls.
    /// let rates = [0, 61, 3_000, 6_103].map(|step| options.rate_at(step));
    /// assert!(rates[0] < rates[2] && rates[2] < rates[1] && rates[3] < rates[2]);
    /// ```
    pub fn new(shape: Shape, positions: u64) -> Self {
        Self {
            shape,
            positions,
            batch_size: 16_384,
            superbatch: 10_000_000,
            rate: 0.001,
            final_rate: 0.000_01,
            warmup: 1_000_000,
            schedule: Schedule::Cosine,
            weight_decay: 0.01,
            lambda: 0.75,
            scale: 400.0,
            power: 2.0,
            max_score: 10_000,
            seed: 1,
            threads: 2,
            window_rows: 1 << 20,
            validation_rows: 500_000,
        }
    }

    /// Whether they make sense.
    pub fn check(&self) -> Result<(), TrainError> {
        let fail = |reason: String| Err(TrainError::Options(reason));
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
            if !(least..=most).contains(&value) {
                return fail(format!("{name} must be {least} to {most}, not {value}"));
            }
        }
        let numbers = [
            ("the learning rate", self.rate, 1e-12, 1.0),
            ("the final learning rate", self.final_rate, 0.0, 1.0),
            ("the weight decay", self.weight_decay, 0.0, 1.0),
            ("lambda", self.lambda, 0.0, 1.0),
            ("the scale", self.scale, 1.0, 100_000.0),
            ("the power of the loss", self.power, 1.0, 10.0),
            ("the largest score", self.max_score.into(), 1.0, 32_000.0),
        ];
        for (name, value, least, most) in numbers {
            if !(least..=most).contains(&value) {
                return fail(format!("{name} must be {least} to {most}, not {value}"));
            }
        }
        Ok(())
    }

    /// How many steps the training has.
    pub fn steps(&self) -> u64 {
        self.positions.div_ceil(self.batch_size as u64)
    }

    /// How many steps a superbatch has.
    pub fn superbatch_steps(&self) -> u64 {
        self.superbatch.div_ceil(self.batch_size as u64).max(1)
    }

    /// The learning rate of a step, counted from 0.
    pub fn rate_at(&self, step: u64) -> f64 {
        let warmup = self.warmup.div_ceil(self.batch_size as u64);
        let (steps, fall) = (self.steps(), self.final_rate - self.rate);
        if step < warmup {
            return self.rate * (step + 1) as f64 / warmup as f64;
        }
        // From 0 at the end of the warm-up to 1 at the last step.
        let last = steps.saturating_sub(1).saturating_sub(warmup).max(1);
        let way = ((step - warmup) as f64 / last as f64).min(1.0);
        match self.schedule {
            Schedule::Cosine => self.rate + fall * (1.0 - (std::f64::consts::PI * way).cos()) / 2.0,
            Schedule::Linear => self.rate + fall * way,
            Schedule::Step => {
                let level = (way * 4.0).floor().min(3.0);
                // Down to nothing is no factor.
                let last = self.final_rate.max(self.rate * 1e-6);
                self.rate * (last / self.rate).powf(level / 3.0)
            }
        }
    }

    pub(super) fn encoder(&self) -> Encoder {
        let target = Target {
            lambda: self.lambda as f32,
            scale: self.scale as f32,
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

    fn options(schedule: Schedule) -> TrainOptions {
        let mut options = TrainOptions::new(Shape::plain(32), 1_000);
        (options.batch_size, options.warmup, options.schedule) = (10, 100, schedule);
        (options.rate, options.final_rate) = (0.1, 0.001);
        options
    }

    #[test]
    fn the_rate_rises_and_then_falls_to_its_final_value() {
        for schedule in [Schedule::Cosine, Schedule::Linear, Schedule::Step] {
            let options = options(schedule);
            let rates: Vec<f64> = (0..options.steps()).map(|step| options.rate_at(step)).collect();
            assert_eq!(rates.len(), 100);
            assert!((rates[0] - 0.01).abs() < 1e-12 && (rates[9] - 0.1).abs() < 1e-12);
            assert!(rates[..10].is_sorted() && rates[10..].is_sorted_by(|a, b| a >= b));
            assert!((rates[10] - 0.1).abs() < 1e-12 && (rates[99] - 0.001).abs() < 1e-12);
        }
    }

    #[test]
    fn nonsense_is_refused_with_what_is_wrong() {
        let refused = |change: &dyn Fn(&mut TrainOptions)| {
            let mut options = options(Schedule::Cosine);
            change(&mut options);
            options.check().unwrap_err().to_string()
        };
        assert!(options(Schedule::Cosine).check().is_ok());
        assert_eq!(refused(&|o| o.lambda = f64::NAN), "lambda must be 0 to 1, not NaN");
        assert!(refused(&|o| o.batch_size = 0).starts_with("batch size must be 1"));
        assert!(refused(&|o| o.shape.hidden = 7).starts_with("a hidden layer of 7"));
    }
}
