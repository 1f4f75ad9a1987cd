//! The optimizer of the model: Muon for matrices and AdamW for the rest, as in the reference, or AdamW for
//! all tensors.
//!
//! The light value head, which the reference does not have, uses AdamW: Muon's updates have the norm of
//! those of the large matrices and can kill all of its few ReLU neurons.
//!
//! Each tensor is updated by one thread, so that the result does not depend on the number of threads.

use std::ops::Range;
use std::sync::Mutex;

use learn::optim::{AdamW, Lerp, Muon, Workspace, second_moments};
use learn::schedule::{
    batch_size_scale, muon_momentum, warmup_stable_decay, weight_decay_multiplier,
};
use learn::{TensorError, read_tensor, write_tensors};
use safetensors::{SafeTensorError, SafeTensors};
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::layout::{Kind, Layout, Tensor};
use crate::weights::Weights;

/// AdamW's constants, those of the reference.
const BETAS: (f64, f64) = (0.8, 0.95);
const EPS: f64 = 1e-10;
/// The learning rate of rating tables relative to that of other embeddings: a rating is weakly informative, and
/// AdamW takes steps of full size on a gradient that is mostly noise.
const RATINGS_LR: f64 = 0.1;

/// The kind of optimizer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimizerKind {
    /// Muon for matrices, AdamW for embeddings, free heads and the light value head.
    #[default]
    Muon,
    /// AdamW for all tensors, at one learning rate.
    AdamW,
}

/// The kind of optimizer, and its learning rates.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct OptimizerOptions {
    /// The kind.
    #[serde(rename = "optimizer")]
    pub kind: OptimizerKind,
    /// Muon's learning rate, for a square matrix.
    #[serde(rename = "matrix_rate", alias = "matrix_lr")]
    pub matrix_lr: f64,
    /// Learning rate of embeddings at embedding dimension 768; it scales with the inverse square root.
    #[serde(rename = "embedding_rate", alias = "embedding_lr")]
    pub embedding_lr: f64,
    /// Learning rate of the free heads' logits at embedding dimension 768.
    #[serde(rename = "free_rate", alias = "free_lr")]
    pub free_lr: f64,
    /// Learning rate of the light value head.
    #[serde(rename = "value_rate", alias = "value_lr")]
    pub value_lr: f64,
    /// Learning rate of all tensors with [`OptimizerKind::AdamW`].
    #[serde(rename = "adamw_rate", alias = "adamw_lr")]
    pub adamw_lr: f64,
    /// Muon's weight decay in the first step, in units of the learning rate.
    pub weight_decay: f64,
}

impl Default for OptimizerOptions {
    /// The reference's values, where it has them.
    fn default() -> Self {
        Self {
            kind: OptimizerKind::Muon,
            matrix_lr: 0.02,
            embedding_lr: 0.3,
            free_lr: 0.1,
            value_lr: 0.01,
            adamw_lr: 0.001,
            weight_decay: 0.1,
        }
    }
}

impl OptimizerOptions {
    /// All learning rates multiplied by a factor.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        self.matrix_lr *= factor;
        self.embedding_lr *= factor;
        self.free_lr *= factor;
        self.value_lr *= factor;
        self.adamw_lr *= factor;
        self
    }
}

/// An optimizer with its state.
#[derive(Clone, PartialEq, Debug)]
pub struct Optimizer {
    options: OptimizerOptions,
    layout: Layout,
    n_embd: usize,
    /// First moments.
    exp_avg: Vec<f32>,
    /// Second moments; Muon has one per row or column.
    exp_avg_sq: Vec<f32>,
    /// The ranges of the tensors in them.
    second_ranges: Vec<Range<usize>>,
}

/// The update of one tensor.
struct Job<'a> {
    tensor: &'a Tensor,
    params: &'a mut [f32],
    exp_avg: &'a mut [f32],
    exp_avg_sq: &'a mut [f32],
}

impl Optimizer {
    /// An optimizer whose moments are zero.
    pub fn new(config: &Config, options: OptimizerOptions) -> Self {
        let layout = Layout::new(config);
        let mut length = 0;
        let second_ranges = layout.tensors().iter().map(|tensor| {
            let begin = length;
            length += second_shape(&options, tensor).iter().product::<usize>();
            begin..length
        });
        let second_ranges = second_ranges.collect();
        Self {
            options,
            n_embd: config.n_embd,
            exp_avg: vec![0.0; layout.len()],
            exp_avg_sq: vec![0.0; length],
            layout,
            second_ranges,
        }
    }

    /// Its options.
    pub const fn options(&self) -> &OptimizerOptions {
        &self.options
    }

    /// Takes a step, counted from 0, of a run with `total_steps` steps of `total_batch` positions.
    ///
    /// # Panics
    /// If weights or gradient are those of another model.
    pub fn step(
        &mut self,
        weights: &mut Weights,
        gradient: &[f32],
        step: u64,
        total_steps: u64,
        total_batch: usize,
        threads: usize,
    ) {
        assert!(
            *weights.layout() == self.layout && gradient.len() == self.layout.len(),
            "the weights of another model"
        );
        let lrs = self.lrs(step, total_steps, total_batch);
        let momentum = muon_momentum(step) as f32;
        let weight_decay =
            (self.options.weight_decay * weight_decay_multiplier(step, total_steps)) as f32;
        let is_muon = |tensor: &Tensor| is_muon(&self.options, tensor);
        let mut params = weights.values_mut();
        let (mut exp_avg, mut exp_avg_sq) = (&mut *self.exp_avg, &mut *self.exp_avg_sq);
        let mut jobs = Vec::with_capacity(self.layout.tensors().len());
        for (tensor, range) in self.layout.tensors().iter().zip(&self.second_ranges) {
            let cut = (
                params.split_off_mut(..tensor.range.len()),
                exp_avg.split_off_mut(..tensor.range.len()),
                exp_avg_sq.split_off_mut(..range.len()),
            );
            if let (Some(params), Some(exp_avg), Some(exp_avg_sq)) = cut {
                jobs.push(Job { tensor, params, exp_avg, exp_avg_sq });
            }
        }
        // Jobs are popped from the end: the longest first.
        jobs.sort_by_key(|job| (is_muon(job.tensor), job.params.len()));
        let threads = threads.clamp(1, jobs.len().max(1));
        let jobs = Mutex::new(jobs);
        let work = || {
            let mut workspace = Workspace::default();
            loop {
                let job = jobs.lock().unwrap_or_else(|error| error.into_inner()).pop();
                let Some(Job { tensor, params, exp_avg, exp_avg_sq }) = job else { break };
                let gradient = &gradient[tensor.range.clone()];
                let lr = lrs.of(tensor);
                if is_muon(tensor) {
                    let muon = Muon { lr: lr as f32, momentum, weight_decay };
                    let state = (exp_avg, exp_avg_sq);
                    muon.step(params, gradient, state, tensor.matrix(), &mut workspace);
                } else {
                    let adamw = AdamW { lr, betas: BETAS, eps: EPS, weight_decay: 0.0 };
                    let gradient = gradient.iter().copied();
                    adamw.at::<Lerp>(step + 1).apply(params, gradient, exp_avg, exp_avg_sq);
                }
            }
        };
        data::threads::map_or_panic(0..threads, |_| work());
    }

    /// The learning rates of a step.
    fn lrs(&self, step: u64, total_steps: u64, total_batch: usize) -> LearningRates {
        let options = &self.options;
        let multiplier = warmup_stable_decay(step, total_steps);
        match options.kind {
            OptimizerKind::AdamW => {
                let lr = options.adamw_lr * multiplier;
                LearningRates {
                    embedding: lr,
                    free: lr,
                    value: lr,
                    matrix: lr,
                    scales_with_shape: false,
                }
            }
            OptimizerKind::Muon => {
                let all = multiplier * batch_size_scale(total_batch);
                let adamw = all / (self.n_embd as f64 / 768.0).sqrt();
                LearningRates {
                    embedding: options.embedding_lr * adamw,
                    free: options.free_lr * adamw,
                    value: options.value_lr * all,
                    matrix: options.matrix_lr * all,
                    scales_with_shape: true,
                }
            }
        }
    }

    /// The state as a safetensors file: `first.…` and `second.…` for each tensor.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SafeTensorError> {
        let tensors = self.layout.tensors().iter().zip(&self.second_ranges);
        let tensors = tensors.flat_map(|(tensor, range)| {
            let (name, shape) = (&tensor.name, second_shape(&self.options, tensor));
            let first = &self.exp_avg[tensor.range.clone()];
            let second = &self.exp_avg_sq[range.clone()];
            [
                (format!("first.{name}"), tensor.shape.clone(), first),
                (format!("second.{name}"), shape, second),
            ]
        });
        write_tensors(tensors, None)
    }

    /// Reads the state from such a file.
    pub fn read(&mut self, bytes: &[u8]) -> Result<(), TensorError> {
        let file = SafeTensors::deserialize(bytes)?;
        for (tensor, range) in self.layout.tensors().iter().zip(&self.second_ranges) {
            let (name, shape) = (&tensor.name, second_shape(&self.options, tensor));
            let first = &mut self.exp_avg[tensor.range.clone()];
            read_tensor(&file, format!("first.{name}"), &tensor.shape, first)?;
            let second = &mut self.exp_avg_sq[range.clone()];
            read_tensor(&file, format!("second.{name}"), &shape, second)?;
        }
        Ok(())
    }
}

/// The learning rates of a step.
#[derive(Clone, Copy, Debug)]
struct LearningRates {
    embedding: f64,
    free: f64,
    value: f64,
    matrix: f64,
    /// Whether that of a matrix grows with the square root of rows by columns.
    scales_with_shape: bool,
}

impl LearningRates {
    fn of(&self, tensor: &Tensor) -> f64 {
        let (rows, columns) = tensor.matrix();
        match tensor.kind {
            Kind::Embedding => self.embedding,
            Kind::Ratings if self.scales_with_shape => RATINGS_LR * self.embedding,
            Kind::Ratings => self.embedding,
            Kind::FreeLogits => self.free,
            Kind::Value => self.value,
            Kind::Matrix if self.scales_with_shape => {
                self.matrix * (rows as f64 / columns as f64).max(1.0).sqrt()
            }
            Kind::Matrix => self.matrix,
        }
    }
}

fn is_muon(options: &OptimizerOptions, tensor: &Tensor) -> bool {
    options.kind == OptimizerKind::Muon && tensor.kind == Kind::Matrix
}

/// The shape of a tensor's second moments.
fn second_shape(options: &OptimizerOptions, tensor: &Tensor) -> Vec<usize> {
    if is_muon(options, tensor) {
        vec![second_moments(tensor.matrix())]
    } else {
        tensor.shape.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::rng::Rng;

    fn gradient(config: &Config, seed: u64) -> Vec<f32> {
        let mut rng = Rng::new(seed, 1);
        (0..config.parameters()).map(|_| rng.next_f32() - 0.5).collect()
    }

    fn run(config: &Config, options: OptimizerOptions, threads: usize) -> (Weights, Optimizer) {
        let mut weights = Weights::random(config, 1).unwrap();
        let mut optimizer = Optimizer::new(config, options);
        for step in 0..3 {
            optimizer.step(&mut weights, &gradient(config, step), step, 100, 4_096, threads);
        }
        (weights, optimizer)
    }

    #[test]
    fn the_result_does_not_depend_on_the_number_of_threads() {
        for kind in [OptimizerKind::Muon, OptimizerKind::AdamW] {
            let options = OptimizerOptions { kind, ..OptimizerOptions::default() };
            let one = run(&Config::new(2, 24), options, 1);
            assert_eq!(one, run(&Config::new(2, 24), options, 3));
        }
    }

    #[test]
    fn every_kind_of_tensor_has_its_learning_rate() {
        let config = Config::reference(1, 48);
        let optimizer = Optimizer::new(&config, OptimizerOptions::default());
        let tensors = optimizer.layout.tensors();
        let find = |name: &str| tensors.iter().find(|tensor| tensor.name == name).unwrap();
        // In the middle of a run, with a quarter of the reference's batch size.
        let lrs = optimizer.lrs(500, 1_000, 4_096);
        let near = |name: &str, lr: f64| {
            assert!((lrs.of(find(name)) - lr).abs() < 1e-12, "{name}");
        };
        near("embedding.piece_embed.weight", 0.3 * 4.0 * 0.5);
        near("blocks.0.attn.free_attn_logits", 0.1 * 4.0 * 0.5);
        near("blocks.0.attn.c_q.weight", 0.02 * 0.5);
        near("blocks.0.mlp.c_fc.weight", 0.02 * 2.0 * 0.5);
        near("blocks.0.mlp.c_proj.weight", 0.02 * 0.5);
        // AdamW alone has one learning rate, independent of the batch size; the first step is in the warmup.
        let options = OptimizerOptions { kind: OptimizerKind::AdamW, ..*optimizer.options() };
        let lrs = Optimizer::new(&config, options).lrs(0, 1_000, 4_096);
        assert!(tensors.iter().all(|tensor| lrs.of(tensor) == 0.001 * 0.05));
    }

    #[test]
    fn the_state_survives_its_file() {
        let config = Config::new(1, 12);
        for kind in [OptimizerKind::Muon, OptimizerKind::AdamW] {
            let options = OptimizerOptions { kind, ..OptimizerOptions::default() };
            let (_, optimizer) = run(&config, options, 1);
            let bytes = optimizer.to_bytes().unwrap();
            let mut other = Optimizer::new(&config, options);
            other.read(&bytes).unwrap();
            assert_eq!(other, optimizer);
            let mut wrong = Optimizer::new(&Config::new(1, 24), options);
            assert!(wrong.read(&bytes).is_err() && wrong.read(&bytes[..100]).is_err());
        }
        let (_, muon) = run(&config, OptimizerOptions::default(), 1);
        let adamw = OptimizerOptions { kind: OptimizerKind::AdamW, ..OptimizerOptions::default() };
        let error = Optimizer::new(&config, adamw).read(&muon.to_bytes().unwrap()).unwrap_err();
        assert!(matches!(error, TensorError::Shape { .. }), "{error}");
    }
}
