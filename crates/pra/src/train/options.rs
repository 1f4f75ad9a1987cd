//! What a training is told.

use super::TrainError;
use crate::config::Config;
use crate::model::LossWeights;
use crate::optim::OptimizerOptions;

/// How a model is trained. The finished model follows from this and the rows; threads and the size of
/// the parts of a batch change no more than how sums are rounded.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TrainOptions {
    /// The model.
    pub config: Config,
    /// How many steps there are.
    pub num_iterations: u64,
    /// How many positions make a step.
    pub total_batch_size: usize,
    /// How many of them are computed at a time.
    pub device_batch_size: usize,
    /// What moves and outcomes count.
    pub loss: LossWeights,
    /// What changes the weights.
    pub optimizer: OptimizerOptions,
    /// Whether rows come in the order of the files, and not in a random one.
    pub in_order: bool,
    /// How many rows are put in random order together.
    pub window_rows: u64,
    /// Random seed: the weights to begin with and the order of rows.
    pub seed: u64,
    /// How many threads compute.
    pub threads: usize,
    /// Steps between two validations; 0 for none.
    pub eval_every: u64,
    /// How many positions are validated on at most.
    pub eval_positions: usize,
    /// Steps between two checkpoints; 0 for one at the end alone.
    pub save_every: u64,
    /// How many checkpoints are kept.
    pub keep: usize,
}

impl TrainOptions {
    /// The reference's values for a model and so many steps.
    ///
    /// ```
    /// use pra::{Config, train::TrainOptions};
    /// let options = TrainOptions::new(Config::new(4, 96), 1_000);
    /// assert_eq!((options.total_batch_size, options.device_batch_size), (16_384, 256));
    /// assert!(options.check().is_ok());
    /// ```
    pub fn new(config: Config, num_iterations: u64) -> Self {
        Self {
            config,
            num_iterations,
            total_batch_size: 16_384,
            device_batch_size: 256,
            loss: LossWeights::default(),
            optimizer: OptimizerOptions::default(),
            in_order: false,
            window_rows: 1 << 18,
            seed: 1,
            threads: 2,
            eval_every: 250,
            eval_positions: 4_096,
            save_every: 500,
            keep: 3,
        }
    }

    /// Whether they make sense.
    pub fn check(&self) -> Result<(), TrainError> {
        self.config.check()?;
        let fail = |reason: String| Err(TrainError::Options(reason));
        let whole: [(&str, u64, u64, u64); 7] = [
            ("the number of iterations", self.num_iterations, 1, 1 << 40),
            ("the total batch size", self.total_batch_size as u64, 1, 1 << 22),
            ("the device batch size", self.device_batch_size as u64, 1, 1 << 20),
            ("the number of threads", self.threads as u64, 1, 512),
            ("the window", self.window_rows, 1, 1 << 28),
            ("the number of positions to validate on", self.eval_positions as u64, 1, 1 << 24),
            ("the number of checkpoints to keep", self.keep as u64, 1, 1 << 20),
        ];
        for (name, value, least, most) in whole {
            if !(least..=most).contains(&value) {
                return fail(format!("{name} must be {least} to {most}, not {value}"));
            }
        }
        let rates = &self.optimizer;
        let numbers = [
            ("the learning rate of matrices", rates.matrix_rate, 0.0, 100.0),
            ("the learning rate of embeddings", rates.embedding_rate, 0.0, 100.0),
            ("the learning rate of free heads", rates.free_rate, 0.0, 100.0),
            ("the learning rate of the value head", rates.value_rate, 0.0, 100.0),
            ("the learning rate of AdamW", rates.adamw_rate, 0.0, 100.0),
            ("the weight decay", rates.weight_decay, 0.0, 100.0),
            ("the weight of the policy", self.loss.policy.into(), 0.0, 1e6),
            ("the weight of the value", self.loss.value.into(), 0.0, 1e6),
        ];
        for (name, value, least, most) in numbers {
            if !(least..=most).contains(&value) {
                return fail(format!("{name} must be {least} to {most}, not {value}"));
            }
        }
        Ok(())
    }

    /// How many positions the parts of a step have each.
    pub(super) fn parts(&self) -> impl Iterator<Item = usize> + use<> {
        let (total, part) = (self.total_batch_size, self.device_batch_size);
        (0..total).step_by(part).map(move |first| part.min(total - first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_refused_with_what_is_wrong() {
        let refused = |change: &dyn Fn(&mut TrainOptions)| {
            let mut options = TrainOptions::new(Config::new(1, 12), 10);
            change(&mut options);
            options.check().unwrap_err().to_string()
        };
        assert!(refused(&|o| o.config.n_embd = 13).starts_with("n_embd must be a multiple of 12"));
        assert!(refused(&|o| o.total_batch_size = 0).starts_with("the total batch size must be 1"));
        assert!(refused(&|o| o.optimizer.matrix_rate = f64::NAN).ends_with("not NaN"));
        assert!(refused(&|o| o.loss.value = -1.0).starts_with("the weight of the value must be 0"));
    }

    #[test]
    fn the_parts_of_a_step_are_all_of_it() {
        let mut options = TrainOptions::new(Config::new(1, 12), 10);
        for (total, part, expected) in
            [(10, 4, vec![4, 4, 2]), (8, 4, vec![4, 4]), (3, 256, vec![3])]
        {
            (options.total_batch_size, options.device_batch_size) = (total, part);
            assert_eq!(options.parts().collect::<Vec<_>>(), expected);
        }
    }
}
