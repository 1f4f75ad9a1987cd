//! The interface that all backends implement: the CPU, and GPUs with the feature `gpu`.

use crate::encode::Tokens;
use crate::{
    Batch, Config, Device, LossWeights, Losses, Precision, Prediction, Transformer,
    UnsupportedPrecision, Weights,
};

/// Why a device failed; the CPU never does.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ComputeError {
    /// The device reports an error.
    #[error("device error: {0}")]
    Device(String),
    /// A result is missing.
    #[error("device error: a result is missing")]
    MissingResult,
    /// The device does not exist, or this build does not support it.
    #[error("{0}")]
    NoDevice(String),
    /// The CPU does not support the precision.
    #[error(transparent)]
    Precision(#[from] UnsupportedPrecision),
}

/// Runs models of one configuration on some device.
pub trait Compute {
    /// Adds the gradient of the loss of a batch to `gradient`. The loss is the mean over `of.0` positions,
    /// `of.1` of them with a value target: more than the batch has if gradients are accumulated.
    fn gradient(
        &mut self,
        weights: &Weights,
        batch: &Batch,
        of: (u64, u64),
        loss: LossWeights,
        gradient: &mut [f32],
    ) -> Result<Losses, ComputeError>;

    /// The losses of a batch.
    fn losses(&mut self, weights: &Weights, batch: &Batch) -> Result<Losses, ComputeError>;

    /// The outputs for positions, in their order.
    fn predict(
        &mut self,
        weights: &Weights,
        tokens: &[Tokens],
    ) -> Result<Vec<Prediction>, ComputeError>;
}

impl Compute for Transformer {
    fn gradient(
        &mut self,
        weights: &Weights,
        batch: &Batch,
        of: (u64, u64),
        loss: LossWeights,
        gradient: &mut [f32],
    ) -> Result<Losses, ComputeError> {
        Ok(Self::gradient(self, weights, batch, of, loss, gradient))
    }

    fn losses(&mut self, weights: &Weights, batch: &Batch) -> Result<Losses, ComputeError> {
        Ok(Self::losses(self, weights, batch))
    }

    fn predict(
        &mut self,
        weights: &Weights,
        tokens: &[Tokens],
    ) -> Result<Vec<Prediction>, ComputeError> {
        Ok(Self::predict(self, weights, tokens))
    }
}

/// The backend for models of this configuration on a device: `cpu` with `threads` threads that train in a
/// precision, or the name of a [`Device`] in a build with the feature `gpu`, which has its own.
pub fn compute_on(
    device: &str,
    config: &Config,
    threads: usize,
    precision: Precision,
) -> Result<Box<dyn Compute + Send>, ComputeError> {
    if device == "cpu" {
        let mut transformer = Transformer::new(config, threads);
        transformer.set_precision(precision)?;
        return Ok(Box::new(transformer));
    }
    let device: Device = device.parse()?;
    #[cfg(feature = "gpu")]
    {
        Ok(Box::new(crate::gpu::GpuTransformer::new(config, &device.open()?)))
    }
    #[cfg(not(feature = "gpu"))]
    {
        Err(ComputeError::NoDevice(format!(
            "this build does not support device '{device}', only 'cpu': build with \
             'cargo build --release --features gpu' for others"
        )))
    }
}
