//! The GPU backend: the model on Burn.
//!
//! It has the same parameters as the [CPU backend](crate::Transformer), and tests compare the outputs and
//! gradients of both. Burn differentiates the forward pass. A [`Device`](crate::Device) is a GPU by way
//! of Vulkan, Metal or DirectX, a software rasterizer, or Burn's CPU backend.
//!
//! Parameters are copied to the device with every batch, and gradients back: that takes less time than
//! computing a batch of a few hundred positions, and both backends share the optimizer.
//!
//! ```
//! use tabiya_pra::chess::Position;
//! use tabiya_pra::gpu::GpuTransformer;
//! use tabiya_pra::{Compute, Config, Device, Weights, encode};
//!
//! let config = Config::new(1, 12);
//! let weights = Weights::random(&config, 1).unwrap();
//! let mut model = GpuTransformer::new(&config, &Device::Flex.open().unwrap());
//! let tokens = encode::tokens(&config, &Position::INITIAL);
//! assert_eq!(model.predict(&weights, &[tokens]).unwrap().len(), 1);
//! ```

mod forward;
mod inputs;
mod loss;
mod open;
mod parameters;

use std::ops::Range;

pub use burn_tensor::Device as BurnDevice;
use burn_tensor::{ExecutionError, Tensor, TensorData, Transaction};

use self::forward::Constants;
use self::inputs::{Inputs, Targets};
use self::loss::LossSums;
use self::parameters::Parameters;
use crate::encode::{POLICY, Tokens};
use crate::{Batch, Compute, ComputeError, Config, LossWeights, Losses, Prediction, Weights};

/// Positions per forward pass in inference.
const INFERENCE_BATCH: usize = 128;
/// Positions per forward and backward pass; their saved activations take some 14 MB each for 8 layers
/// and embedding dimension 192.
const TRAINING_BATCH: usize = 64;

impl From<ExecutionError> for ComputeError {
    fn from(error: ExecutionError) -> Self {
        Self::Device(one_line(error))
    }
}

/// Runs models of one configuration on a Burn device.
pub struct GpuTransformer {
    config: Config,
    device: BurnDevice,
    constants: Constants,
}

impl GpuTransformer {
    /// Runs models of this configuration.
    pub fn new(config: &Config, device: &BurnDevice) -> Self {
        let device = device.clone().without_autodiff();
        let constants = Constants::new(config, &device);
        Self { config: *config, device, constants }
    }

    /// The losses of some positions of a batch, on the device.
    fn losses_of(&self, parameters: &Parameters, batch: &Batch, range: Range<usize>) -> LossSums {
        let inputs = Inputs::new(&self.config, &batch.tokens[range.clone()], &self.device);
        let output = parameters.forward(&self.config, &self.constants, &inputs);
        let targets = Targets::new(&self.config, batch, range, &self.device);
        LossSums::new(&self.config, output, targets)
    }
}

impl Compute for GpuTransformer {
    fn gradient(
        &mut self,
        weights: &Weights,
        batch: &Batch,
        (positions, valued): (u64, u64),
        loss: LossWeights,
        gradient: &mut [f32],
    ) -> Result<Losses, ComputeError> {
        let parameters = Parameters::new(weights, &self.device.clone().autodiff());
        let mut all = Losses::default();
        for range in chunks(batch.len(), TRAINING_BATCH) {
            let sums = self.losses_of(&parameters, batch, range.clone());
            let total = sums.policy.clone() * (loss.policy / positions.max(1) as f32)
                + sums.value.clone() * (loss.value / valued.max(1) as f32);
            let mut gradients = total.backward();
            let mut transaction = sums.register(Transaction::default());
            let mut ranges = Vec::new();
            for (range, tensor) in &parameters.tensors {
                if let Some(grad) = tensor.grad_remove(&mut gradients) {
                    transaction = transaction.register(grad);
                    ranges.push(range.clone());
                }
            }
            let mut results = transaction.try_execute()?.into_iter();
            all.append(&LossSums::read(&mut results, range.len())?);
            for range in ranges {
                let grad = next(&mut results)?;
                gradient[range].iter_mut().zip(grad).for_each(|(sum, own)| *sum += own);
            }
        }
        Ok(Losses { valued: batch.valued(), ..all })
    }

    fn losses(&mut self, weights: &Weights, batch: &Batch) -> Result<Losses, ComputeError> {
        let parameters = Parameters::new(weights, &self.device);
        let mut all = Losses::default();
        for range in chunks(batch.len(), INFERENCE_BATCH) {
            let sums = self.losses_of(&parameters, batch, range.clone());
            let mut results = sums.register(Transaction::default()).try_execute()?.into_iter();
            all.append(&LossSums::read(&mut results, range.len())?);
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
        for tokens in tokens.chunks(INFERENCE_BATCH) {
            let inputs = Inputs::new(&self.config, tokens, &self.device);
            let output = parameters.forward(&self.config, &self.constants, &inputs);
            let outcomes = loss::outcomes(&self.config, output.value);
            let transaction = Transaction::default().register(output.policy).register(outcomes);
            let mut results = transaction.try_execute()?.into_iter();
            let (policy, outcomes) = (next(&mut results)?, next(&mut results)?);
            let size = policy.len() / tokens.len();
            for (logits, &outcome) in policy.chunks_exact(size).zip(outcomes.as_chunks().0) {
                let mut logits = logits.to_vec();
                logits.resize(POLICY, 0.0);
                all.push(Prediction { logits, outcome });
            }
        }
        Ok(all)
    }
}

/// Ranges of at most `size` positions.
fn chunks(positions: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
    (0..positions).step_by(size).map(move |begin| begin..positions.min(begin + size))
}

/// An error message of several lines in one.
fn one_line(message: impl ToString) -> String {
    message.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A matrix on the device.
fn matrix(values: Vec<f32>, rows: usize, columns: usize, device: &BurnDevice) -> Tensor<2> {
    Tensor::from_data(TensorData::new(values, [rows, columns]), device)
}

/// The values of the next result.
fn next(results: &mut impl Iterator<Item = TensorData>) -> Result<Vec<f32>, ComputeError> {
    let result = results.next().ok_or(ComputeError::MissingResult)?;
    result.try_into_vec_as().map_err(|_| ComputeError::MissingResult)
}
