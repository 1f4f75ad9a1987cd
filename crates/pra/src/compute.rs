//! What computes models, wherever that is: the processor, or a graphics card with the feature `gpu`.

use crate::encode::Tokens;
use crate::{Batch, Config, Engine, LossWeights, Losses, Place, Prediction, Weights};

/// What went wrong on a device. The processor never says any of this.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ComputeError {
    /// The device says why.
    #[error("the device could not compute: {0}")]
    Device(String),
    /// It did not say what was asked for.
    #[error("the device gave no answer")]
    NoAnswer,
    /// There is no such device.
    #[error("{0}")]
    NoDevice(String),
}

/// Computes models of one shape.
pub trait Compute {
    /// Adds the gradient of the loss of a batch to `gradient`: of the mean over so many positions, and
    /// over so many with an outcome. Those are more than the batch has if it is a part of a larger one.
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

    /// What the model says of positions, one after another.
    fn predict(
        &mut self,
        weights: &Weights,
        tokens: &[Tokens],
    ) -> Result<Vec<Prediction>, ComputeError>;
}

impl Compute for Engine {
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

/// What computes models of this shape on a device of this name: `cpu` with so many threads, or one of
/// those that [`Place`] knows, in a build with the feature `gpu`.
pub fn compute_on(
    device: &str,
    config: &Config,
    threads: usize,
) -> Result<Box<dyn Compute + Send>, ComputeError> {
    if device == "cpu" {
        return Ok(Box::new(Engine::new(config, threads)));
    }
    let place: Place = device.parse()?;
    #[cfg(feature = "gpu")]
    {
        Ok(Box::new(crate::gpu::GpuEngine::new(config, &place.open()?)))
    }
    #[cfg(not(feature = "gpu"))]
    {
        Err(ComputeError::NoDevice(format!(
            "this program knows no device '{place}', only 'cpu': for others, build it with \
             'cargo build --release --features gpu'"
        )))
    }
}
