//! Hyperparameters.

use learn::{TrainError, ensure_in_range};

use crate::config::Config;
use crate::model::{LossWeights, Precision};
use crate::optim::OptimizerOptions;

/// The hyperparameters of a run. The finished model depends on them and the rows; threads and the
/// micro-batch size change rounding only.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TrainOptions {
    /// The model.
    pub config: Config,
    /// Steps of the whole run.
    pub num_iterations: u64,
    /// Positions per step.
    pub total_batch_size: usize,
    /// Positions per micro-batch; gradients accumulate over a step.
    pub device_batch_size: usize,
    /// The weights of policy and value loss.
    pub loss: LossWeights,
    /// The optimizer.
    pub optimizer: OptimizerOptions,
    /// Whether rows are read in file order instead of shuffled.
    pub in_order: bool,
    /// Probability with which the history and each rating of a position are left out.
    pub input_dropout: f64,
    /// Rows in the shuffle buffer.
    pub window_rows: u64,
    /// Random seed of the initial weights and the order of rows.
    pub seed: u64,
    /// The precision of matrix products on the CPU; `None` for that of the checkpoint, or else
    /// [`default_precision`](Self::default_precision).
    pub precision: Option<Precision>,
    /// Threads.
    pub threads: usize,
    /// Steps between two validations; 0 for none.
    pub eval_every: u64,
    /// Validation positions, at most.
    pub eval_positions: usize,
    /// Steps between two checkpoints; 0 for one at the end.
    pub save_every: u64,
    /// Checkpoints that are kept.
    pub keep: usize,
}

impl TrainOptions {
    /// The reference's values for a model and a number of steps.
    ///
    /// ```
    /// use tabiya_pra::{Config, train::TrainOptions};
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
            input_dropout: 0.1,
            window_rows: 1 << 18,
            seed: 1,
            precision: None,
            threads: 2,
            eval_every: 250,
            eval_positions: 4_096,
            save_every: 500,
            keep: 3,
        }
    }

    /// The precision of a new run: f32 for the reference, else the fastest of this CPU.
    pub fn default_precision(&self) -> Precision {
        let Config { depth, n_embd, .. } = self.config;
        let is_reference = self.config == Config::reference(depth, n_embd);
        if is_reference { Precision::F32 } else { Precision::fastest() }
    }

    /// Refuses values out of range.
    pub fn check(&self) -> Result<(), TrainError> {
        self.config.check()?;
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
            ensure_in_range(name, value, least..=most)?;
        }
        let optimizer = &self.optimizer;
        let numbers = [
            ("the learning rate of matrices", optimizer.matrix_lr, 0.0, 100.0),
            ("the learning rate of embeddings", optimizer.embedding_lr, 0.0, 100.0),
            ("the learning rate of free heads", optimizer.free_lr, 0.0, 100.0),
            ("the learning rate of the value head", optimizer.value_lr, 0.0, 100.0),
            ("the learning rate of AdamW", optimizer.adamw_lr, 0.0, 100.0),
            ("the weight decay", optimizer.weight_decay, 0.0, 100.0),
            ("the input dropout", self.input_dropout, 0.0, 1.0),
            ("the weight of the policy", self.loss.policy.into(), 0.0, 1e6),
            ("the weight of the value", self.loss.value.into(), 0.0, 1e6),
        ];
        for (name, value, least, most) in numbers {
            ensure_in_range(name, value, least..=most)?;
        }
        Ok(())
    }

    /// The sizes of the micro-batches of a step.
    pub(super) fn micro_batches(&self) -> impl Iterator<Item = usize> + use<> {
        let (total, size) = (self.total_batch_size, self.device_batch_size);
        (0..total).step_by(size).map(move |first| size.min(total - first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_range_are_refused_by_name() {
        let refused = |change: &dyn Fn(&mut TrainOptions)| {
            let mut options = TrainOptions::new(Config::new(1, 12), 10);
            change(&mut options);
            options.check().unwrap_err().to_string()
        };
        assert!(refused(&|o| o.config.n_embd = 13).starts_with("n_embd must be a multiple of 12"));
        assert!(refused(&|o| o.total_batch_size = 0).starts_with("the total batch size must be 1"));
        assert!(refused(&|o| o.optimizer.matrix_lr = f64::NAN).ends_with("not NaN"));
        assert!(refused(&|o| o.loss.value = -1.0).starts_with("the weight of the value must be 0"));
    }

    #[test]
    fn micro_batches_add_up_to_the_batch() {
        let mut options = TrainOptions::new(Config::new(1, 12), 10);
        for (total, part, expected) in
            [(10, 4, vec![4, 4, 2]), (8, 4, vec![4, 4]), (3, 256, vec![3])]
        {
            (options.total_batch_size, options.device_batch_size) = (total, part);
            assert_eq!(options.micro_batches().collect::<Vec<_>>(), expected);
        }
    }
}
