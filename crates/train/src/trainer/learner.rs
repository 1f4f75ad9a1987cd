//! A network that learns, one batch at a time, on several threads.
//!
//! Every thread takes an equal share of the rows of a batch, in order; then every thread takes an equal
//! share of the parameters, adds up the gradients of all threads and steps. Which number is added to
//! which follows from the number of threads alone, so a run with as many threads gives the same bits.

use chess::PackedRow;

use super::adam::{Adam, Step};
use super::example::Encoder;
use super::parameters::Parameters;
use super::worker::{Loss, Tally, Worker};
use super::{TrainError, TrainOptions};

/// Parameters, the optimiser's memory of them, and threads' own memory.
#[derive(Clone, Debug)]
pub struct Learner {
    pub(super) parameters: Parameters,
    pub(super) adam: Adam,
    encoder: Encoder,
    loss: Loss,
    decay: f32,
    workers: Vec<Worker>,
}

impl Learner {
    /// A learner that begins with these parameters. Of the options, the learning rate, the schedule and
    /// all about reading rows is the caller's business.
    pub fn new(options: &TrainOptions, parameters: Parameters) -> Result<Self, TrainError> {
        options.check()?;
        if *parameters.shape() != options.shape {
            return Err(TrainError::Options(
                "the parameters are those of a network of another shape".into(),
            ));
        }
        let workers = vec![Worker::new(&parameters); options.threads];
        let adam = Adam::new(parameters.values.len());
        Ok(Self {
            adam,
            encoder: options.encoder(),
            loss: options.loss(),
            decay: options.weight_decay as f32,
            workers,
            parameters,
        })
    }

    /// The parameters as they are now.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Learns from a batch: one step of the optimiser at this learning rate.
    pub fn learn(&mut self, rows: &[PackedRow], rate: f64) -> Result<Tally, TrainError> {
        let (encoder, loss, parameters) = (&self.encoder, &self.loss, &self.parameters);
        let tally = share(&mut self.workers, rows, |worker, rows| {
            worker.learn(parameters, encoder, loss, rows)
        })?;
        if tally.counts.used > 0 {
            let factor = 1.0 / tally.counts.used as f32;
            let step = Step { rate: rate as f32, decay: self.decay, factor };
            let gradients: Vec<&[f32]> =
                self.workers.iter().map(|worker| &*worker.gradients.values).collect();
            self.adam.step(&mut self.parameters, &gradients, step);
        } else {
            // Every batch counts as a step, so that the step is the place among the rows.
            self.adam.steps += 1;
        }
        Ok(tally)
    }

    /// The loss of rows, without learning from them.
    pub fn measure(&mut self, rows: &[PackedRow]) -> Result<Tally, TrainError> {
        let (encoder, loss, parameters) = (&self.encoder, &self.loss, &self.parameters);
        share(&mut self.workers, rows, |worker, rows| {
            worker.measure(parameters, encoder, loss, rows)
        })
    }

    /// The gradients of the mean loss of rows, all in one array.
    #[cfg(test)]
    pub(super) fn gradients(&mut self, rows: &[PackedRow]) -> Vec<f32> {
        let (encoder, loss, parameters) = (&self.encoder, &self.loss, &self.parameters);
        let tally = share(&mut self.workers, rows, |worker, rows| {
            worker.learn(parameters, encoder, loss, rows)
        });
        let factor = 1.0 / tally.unwrap().counts.used as f32;
        let mut sum = vec![0.0; self.parameters.values.len()];
        self.workers.iter().for_each(|worker| simd::float::add(&mut sum, &worker.gradients.values));
        sum.iter_mut().for_each(|gradient| *gradient *= factor);
        sum
    }
}

/// Gives each worker its share of the rows, on a thread of its own.
fn share(
    workers: &mut [Worker],
    rows: &[PackedRow],
    work: impl Fn(&mut Worker, &[PackedRow]) -> Tally + Sync,
) -> Result<Tally, TrainError> {
    let threads = workers.len();
    let cut = |n: usize| n * rows.len() / threads;
    let shares = workers.iter_mut().enumerate().map(|(n, w)| (w, &rows[cut(n)..cut(n + 1)]));
    let tallies = data::threads::map(shares, |(worker, rows)| work(worker, rows));
    let mut tallies = tallies.map_err(|_| TrainError::Panicked)?.into_iter();
    let mut tally = tallies.next().unwrap_or_default();
    tallies.for_each(|other| tally.append(&other));
    Ok(tally)
}
