//! Data-parallel training on several threads.
//!
//! Each thread computes the gradient of an equal slice of the batch; then each thread sums all gradients
//! over an equal slice of the parameters and applies the optimizer. The order of additions depends on the
//! number of threads alone, so runs with equally many threads give the same bits.

use chess::PackedRow;

use learn::TrainError;

use super::TrainOptions;
use super::example::Encoder;
use super::optimizer::{Optimizer, StepOptions};
use super::parameters::Parameters;
use super::worker::{Loss, LossTotals, Worker};

/// Parameters, optimizer state and the memory of the threads.
#[derive(Clone, Debug)]
pub struct Learner {
    pub(super) parameters: Parameters,
    pub(super) optimizer: Optimizer,
    encoder: Encoder,
    loss: Loss,
    weight_decay: f64,
    workers: Vec<Worker>,
}

impl Learner {
    /// Starts with these parameters. Learning rate and rows are up to the caller.
    pub fn new(options: &TrainOptions, parameters: Parameters) -> Result<Self, TrainError> {
        options.check()?;
        if *parameters.shape() != options.shape {
            return Err(TrainError::Options(
                "the parameters are of a network of another shape".into(),
            ));
        }
        let workers = vec![Worker::new(&parameters); options.threads];
        let optimizer = Optimizer::new(parameters.values.len());
        Ok(Self {
            optimizer,
            encoder: options.encoder(),
            loss: options.loss(),
            weight_decay: options.weight_decay,
            workers,
            parameters,
        })
    }

    /// The current parameters.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// One step of the optimizer on a batch, at this learning rate.
    pub fn train_step(&mut self, rows: &[PackedRow], lr: f64) -> Result<LossTotals, TrainError> {
        let (encoder, loss, parameters) = (&self.encoder, &self.loss, &self.parameters);
        let tally = share(&mut self.workers, rows, |worker, rows| {
            worker.gradient(parameters, encoder, loss, rows)
        })?;
        if tally.counts.used > 0 {
            let grad_scale = 1.0 / tally.counts.used as f32;
            let options = StepOptions { lr, weight_decay: self.weight_decay, grad_scale };
            let gradients: Vec<&[f32]> =
                self.workers.iter().map(|worker| &*worker.gradients.values).collect();
            self.optimizer.step(&mut self.parameters, &gradients, options);
        } else {
            // Every batch counts as a step, because the step is the position among the rows.
            self.optimizer.step += 1;
        }
        Ok(tally)
    }

    /// The loss of rows, without a step.
    pub fn validate(&mut self, rows: &[PackedRow]) -> Result<LossTotals, TrainError> {
        let (encoder, loss, parameters) = (&self.encoder, &self.loss, &self.parameters);
        share(&mut self.workers, rows, |worker, rows| worker.loss(parameters, encoder, loss, rows))
    }

    /// The gradient of the mean loss of rows.
    #[cfg(test)]
    pub(super) fn gradients(&mut self, rows: &[PackedRow]) -> Vec<f32> {
        let (encoder, loss, parameters) = (&self.encoder, &self.loss, &self.parameters);
        let tally = share(&mut self.workers, rows, |worker, rows| {
            worker.gradient(parameters, encoder, loss, rows)
        });
        let factor = 1.0 / tally.unwrap().counts.used as f32;
        let mut sum = vec![0.0; self.parameters.values.len()];
        self.workers.iter().for_each(|worker| simd::float::add(&mut sum, &worker.gradients.values));
        sum.iter_mut().for_each(|gradient| *gradient *= factor);
        sum
    }
}

/// Each worker processes a slice of the rows on its own thread.
fn share(
    workers: &mut [Worker],
    rows: &[PackedRow],
    work: impl Fn(&mut Worker, &[PackedRow]) -> LossTotals + Sync,
) -> Result<LossTotals, TrainError> {
    let threads = workers.len();
    let cut = |n: usize| n * rows.len() / threads;
    let slices = workers.iter_mut().enumerate().map(|(n, w)| (w, &rows[cut(n)..cut(n + 1)]));
    let tallies = data::threads::map(slices, |(worker, rows)| work(worker, rows));
    let mut tallies = tallies.map_err(|_| TrainError::Panicked)?.into_iter();
    let mut tally = tallies.next().unwrap_or_default();
    tallies.for_each(|other| tally.append(&other));
    Ok(tally)
}
