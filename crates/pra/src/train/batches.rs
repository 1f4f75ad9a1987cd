//! The batches of the remaining steps, each as micro-batches.

use data::{ReaderPosition, Split};
use learn::TrainError;

use super::Training;
use crate::loader::{Loader, LoaderCounts, LoaderError, LoaderOptions};
use crate::model::Batch;

/// The batch of a step.
pub(super) struct StepBatch {
    /// The micro-batches.
    pub(super) parts: Vec<Batch>,
    /// Positions with a value target.
    pub(super) valued: u64,
    /// The position of the reader after the batch.
    pub(super) position: ReaderPosition,
    /// Rows used and skipped since the run resumed.
    pub(super) counts: LoaderCounts,
}

/// Reads the batches of `steps` steps.
pub(super) struct Batches {
    loader: Loader,
    /// Sizes of the micro-batches.
    sizes: Vec<usize>,
    steps: u64,
}

impl Batches {
    pub(super) fn open(
        training: &Training,
        start: ReaderPosition,
        steps: u64,
    ) -> Result<Self, LoaderError> {
        let options = &training.options;
        let loader_options = LoaderOptions {
            seed: (!options.in_order).then_some(options.seed),
            window_rows: options.window_rows,
            // The prefetching thread decodes as well.
            threads: 0,
            input_dropout: options.input_dropout,
        };
        let (data, config) = (&training.data, &options.config);
        let loader = Loader::open(data, Split::Train, config, loader_options, start)?;
        Ok(Self { loader, sizes: options.micro_batches().collect(), steps })
    }

    fn read(&mut self) -> Result<StepBatch, LoaderError> {
        let mut parts = Vec::with_capacity(self.sizes.len());
        for &size in &self.sizes {
            let mut batch = Batch::default();
            self.loader.next_batch(size, &mut batch)?;
            parts.push(batch);
        }
        Ok(StepBatch {
            valued: parts.iter().map(Batch::valued).sum(),
            parts,
            position: self.loader.position(),
            counts: *self.loader.counts(),
        })
    }
}

impl Iterator for Batches {
    type Item = Result<StepBatch, TrainError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.steps = self.steps.checked_sub(1)?;
        Some(self.read().map_err(TrainError::from))
    }
}
