//! The second engine: the model on Burn, for graphics cards.
//!
//! It has the same parameters as the engine of the processor, in the same order, and tests hold both to
//! the same numbers. The model is told forward only; Burn finds the gradient. It runs wherever
//! [`Place`](crate::Place) says: on a graphics card by way of Vulkan, Metal or DirectX, on a graphics
//! device that the processor plays, or on the processor itself.
//!
//! Parameters go to the device with every batch, and gradients come back: a card is busy with a batch
//! of some hundred positions for longer than with that, and the optimizer stays the same for both
//! engines.
//!
//! ```
//! use pra::gpu::GpuEngine;
//! use pra::{Compute, Config, Place, Weights};
//!
//! let config = Config::new(1, 12);
//! let weights = Weights::random(&config, 1).unwrap();
//! let mut engine = GpuEngine::new(&config, &Place::Flex.open().unwrap());
//! let said = engine.predict(&weights, &[config.tokens(&chess::Position::INITIAL)]).unwrap();
//! assert_eq!(said.len(), 1);
//! ```

mod forward;
mod inputs;
mod loss;
mod open;
mod parameters;

use std::ops::Range;

pub use burn_tensor::Device;
use burn_tensor::{ExecutionError, Tensor, TensorData, Transaction};

use self::forward::Constants;
use self::inputs::{Inputs, Targets};
use self::loss::Sums;
use self::parameters::Parameters;
use crate::encode::{POLICY, Tokens};
use crate::{Batch, Compute, ComputeError, Config, LossWeights, Losses, Prediction, Weights};

/// Positions that are on the device together, where nothing has to be kept for a way back.
const TOGETHER: usize = 128;
/// Positions that are on the device together with all that is kept for the way back: some 14 MB each
/// for 8 layers of width 192, whatever the size of the batch.
const LEARNED_TOGETHER: usize = 64;

impl From<ExecutionError> for ComputeError {
    fn from(error: ExecutionError) -> Self {
        Self::Device(one_line(error))
    }
}

/// Computes models of one shape on a device of Burn's.
pub struct GpuEngine {
    config: Config,
    device: Device,
    constants: Constants,
}

impl GpuEngine {
    /// An engine for models of this shape.
    pub fn new(config: &Config, device: &Device) -> Self {
        let device = device.clone().without_autodiff();
        let constants = Constants::new(config, &device);
        Self { config: *config, device, constants }
    }

    /// The losses of some positions of a batch, still on the device.
    fn sums(&self, parameters: &Parameters, batch: &Batch, range: Range<usize>) -> Sums {
        let inputs = Inputs::new(&self.config, &batch.tokens[range.clone()], &self.device);
        let said = parameters.forward(&self.config, &self.constants, &inputs);
        let targets = Targets::new(&self.config, batch, range, &self.device);
        Sums::new(&self.config, said, targets)
    }
}

impl Compute for GpuEngine {
    fn gradient(
        &mut self,
        weights: &Weights,
        batch: &Batch,
        (of, of_valued): (u64, u64),
        loss: LossWeights,
        gradient: &mut [f32],
    ) -> Result<Losses, ComputeError> {
        let parameters = Parameters::new(weights, &self.device.clone().autodiff());
        let mut all = Losses::default();
        for range in parts(batch.len(), LEARNED_TOGETHER) {
            let sums = self.sums(&parameters, batch, range.clone());
            let total = sums.policy.clone() * (loss.policy / of.max(1) as f32)
                + sums.value.clone() * (loss.value / of_valued.max(1) as f32);
            let mut found = total.backward();
            let mut transaction = sums.register(Transaction::default());
            let mut places = Vec::new();
            for (place, part) in &parameters.parts {
                if let Some(part) = part.grad_remove(&mut found) {
                    transaction = transaction.register(part);
                    places.push(place.clone());
                }
            }
            let mut answers = transaction.try_execute()?.into_iter();
            all.append(&Sums::read(&mut answers, range.len())?);
            for place in places {
                let part = next(&mut answers)?;
                gradient[place].iter_mut().zip(part).for_each(|(sum, own)| *sum += own);
            }
        }
        Ok(Losses { valued: batch.valued(), ..all })
    }

    fn losses(&mut self, weights: &Weights, batch: &Batch) -> Result<Losses, ComputeError> {
        let parameters = Parameters::new(weights, &self.device);
        let mut all = Losses::default();
        for range in parts(batch.len(), TOGETHER) {
            let sums = self.sums(&parameters, batch, range.clone());
            let mut answers = sums.register(Transaction::default()).try_execute()?.into_iter();
            all.append(&Sums::read(&mut answers, range.len())?);
        }
        Ok(Losses { valued: batch.valued(), ..all })
    }

    fn predict(
        &mut self,
        weights: &Weights,
        tokens: &[Tokens],
    ) -> Result<Vec<Prediction>, ComputeError> {
        let mut all = Vec::with_capacity(tokens.len());
        let parameters = Parameters::new(weights, &self.device);
        for tokens in tokens.chunks(TOGETHER) {
            let inputs = Inputs::new(&self.config, tokens, &self.device);
            let said = parameters.forward(&self.config, &self.constants, &inputs);
            let outcomes = loss::outcomes(&self.config, said.value);
            let transaction = Transaction::default().register(said.policy).register(outcomes);
            let mut answers = transaction.try_execute()?.into_iter();
            let (policy, outcomes) = (next(&mut answers)?, next(&mut answers)?);
            let numbers = policy.len() / tokens.len();
            for (logits, &outcome) in policy.chunks_exact(numbers).zip(outcomes.as_chunks().0) {
                let mut logits = logits.to_vec();
                logits.resize(POLICY, 0.0);
                all.push(Prediction { logits, outcome });
            }
        }
        Ok(all)
    }
}

/// So many positions, no more than so many at a time.
fn parts(positions: usize, together: usize) -> impl Iterator<Item = Range<usize>> {
    (0..positions).step_by(together).map(move |begin| begin..positions.min(begin + together))
}

/// What a library says in many lines, in one.
fn one_line(words: impl ToString) -> String {
    words.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Numbers as a matrix on the device.
fn matrix(values: Vec<f32>, rows: usize, columns: usize, device: &Device) -> Tensor<2> {
    Tensor::from_data(TensorData::new(values, [rows, columns]), device)
}

/// The numbers of the next answer.
fn next(answers: &mut impl Iterator<Item = TensorData>) -> Result<Vec<f32>, ComputeError> {
    let answer = answers.next().ok_or(ComputeError::NoAnswer)?;
    answer.try_into_vec_as().map_err(|_| ComputeError::NoAnswer)
}
