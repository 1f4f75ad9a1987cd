//! The optimizers: Muon for everything that multiplies and AdamW for the rest, as in the reference, or
//! AdamW for all.
//!
//! The light value head, which the reference does not have, is AdamW's too: Muon's steps are as long as
//! those of the large matrices, and can push all of its few neurons below zero, from where none returns.
//!
//! Each tensor is changed by one thread alone, so that what comes out does not depend on how many there
//! are.

mod adamw;
mod muon;
mod schedule;

use std::ops::Range;
use std::sync::Mutex;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::layout::{Kind, Layout, Tensor};
use crate::weights::{TensorError, Weights};

pub use schedule::multiplier;

/// Which optimizer it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimizerKind {
    /// Muon for matrices, AdamW for embeddings, free heads and the light value head.
    #[default]
    Muon,
    /// AdamW for everything, at one learning rate.
    AdamW,
}

/// Which optimizer, and how fast.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct OptimizerOptions {
    /// Which.
    #[serde(rename = "optimizer")]
    pub kind: OptimizerKind,
    /// Muon's learning rate, for a square matrix.
    pub matrix_rate: f64,
    /// That of embeddings, for a model of width 768; narrower ones learn faster.
    pub embedding_rate: f64,
    /// That of the free heads, for a model of width 768.
    pub free_rate: f64,
    /// That of the light value head.
    pub value_rate: f64,
    /// That of all tensors if there is only AdamW.
    pub adamw_rate: f64,
    /// By how much matrices decay in a step at first, in terms of the learning rate.
    pub weight_decay: f64,
}

impl Default for OptimizerOptions {
    /// The reference's, as far as it has them.
    fn default() -> Self {
        Self {
            kind: OptimizerKind::Muon,
            matrix_rate: 0.02,
            embedding_rate: 0.3,
            free_rate: 0.1,
            value_rate: 0.01,
            adamw_rate: 0.001,
            weight_decay: 0.1,
        }
    }
}

impl OptimizerOptions {
    /// Learning rates so many times as high.
    #[must_use]
    pub fn faster(mut self, factor: f64) -> Self {
        self.matrix_rate *= factor;
        self.embedding_rate *= factor;
        self.free_rate *= factor;
        self.value_rate *= factor;
        self.adamw_rate *= factor;
        self
    }
}

/// An optimizer with what it remembers of each tensor.
#[derive(Clone, PartialEq, Debug)]
pub struct Optimizer {
    options: OptimizerOptions,
    layout: Layout,
    n_embd: usize,
    /// Smoothed gradients.
    first: Vec<f32>,
    /// Their smoothed squares, of which Muon has fewer.
    second: Vec<f32>,
    /// Where those of each tensor are.
    second_ranges: Vec<Range<usize>>,
}

/// What there is to do for one tensor.
struct Job<'a> {
    tensor: &'a Tensor,
    values: &'a mut [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
}

impl Optimizer {
    /// One that remembers nothing yet.
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
            first: vec![0.0; layout.len()],
            second: vec![0.0; length],
            layout,
            second_ranges,
        }
    }

    /// How fast it is.
    pub const fn options(&self) -> &OptimizerOptions {
        &self.options
    }

    /// Changes the weights by a step, counted from 0, of a training of so many, each with this many
    /// positions.
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
        let rates = self.rates(step, total_steps, total_batch);
        let muon = muon::Step {
            rate: 0.0,
            momentum: schedule::momentum(step) as f32,
            decay: (self.options.weight_decay * schedule::decay(step, total_steps)) as f32,
        };
        let is_muon = |tensor: &Tensor| is_muon(&self.options, tensor);
        let mut values = weights.values_mut();
        let (mut first, mut second) = (&mut *self.first, &mut *self.second);
        let mut jobs = Vec::with_capacity(self.layout.tensors().len());
        for (tensor, range) in self.layout.tensors().iter().zip(&self.second_ranges) {
            let cut = (
                values.split_off_mut(..tensor.range.len()),
                first.split_off_mut(..tensor.range.len()),
                second.split_off_mut(..range.len()),
            );
            if let (Some(values), Some(first), Some(second)) = cut {
                jobs.push(Job { tensor, values, first, second });
            }
        }
        // What takes longest comes last, which is where the next is taken from.
        jobs.sort_by_key(|job| (is_muon(job.tensor), job.values.len()));
        let threads = threads.clamp(1, jobs.len().max(1));
        let jobs = Mutex::new(jobs);
        let work = || {
            let mut scratch = muon::Scratch::default();
            loop {
                let job = jobs.lock().unwrap_or_else(|error| error.into_inner()).pop();
                let Some(Job { tensor, values, first, second }) = job else { break };
                let gradient = &gradient[tensor.range.clone()];
                let rate = rates.of(tensor);
                if is_muon(tensor) {
                    let step = muon::Step { rate: rate as f32, ..muon };
                    let state = (first, second);
                    muon::update(values, gradient, state, tensor.matrix(), step, &mut scratch);
                } else {
                    adamw::update(values, gradient, first, second, rate, step);
                }
            }
        };
        data::threads::map_or_panic(0..threads, |_| work());
    }

    /// The learning rates of a step.
    fn rates(&self, step: u64, total_steps: u64, total_batch: usize) -> Rates {
        let options = &self.options;
        let multiplier = multiplier(step, total_steps);
        match options.kind {
            OptimizerKind::AdamW => {
                let rate = options.adamw_rate * multiplier;
                Rates {
                    embedding: rate,
                    free: rate,
                    value: rate,
                    matrix: rate,
                    grows_with_rows: false,
                }
            }
            OptimizerKind::Muon => {
                let all = multiplier * schedule::batch_scale(total_batch);
                let adamw = all / (self.n_embd as f64 / 768.0).sqrt();
                Rates {
                    embedding: options.embedding_rate * adamw,
                    free: options.free_rate * adamw,
                    value: options.value_rate * all,
                    matrix: options.matrix_rate * all,
                    grows_with_rows: true,
                }
            }
        }
    }

    /// What it remembers, as a safetensors file: `first.…` and `second.…` for each tensor.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SafeTensorError> {
        let bytes = |values: &[f32]| -> Vec<u8> {
            values.iter().flat_map(|value| value.to_le_bytes()).collect()
        };
        let mut tensors = Vec::new();
        for (tensor, range) in self.layout.tensors().iter().zip(&self.second_ranges) {
            let (name, shape) = (&tensor.name, second_shape(&self.options, tensor));
            let first = bytes(&self.first[tensor.range.clone()]);
            tensors.push((format!("first.{name}"), tensor.shape.clone(), first));
            tensors.push((format!("second.{name}"), shape, bytes(&self.second[range.clone()])));
        }
        let views = tensors.iter().map(|(name, shape, data)| {
            Ok((name, TensorView::new(Dtype::F32, shape.clone(), data)?))
        });
        safetensors::serialize(views.collect::<Result<Vec<_>, SafeTensorError>>()?, None)
    }

    /// Remembers what is in such a file.
    pub fn read(&mut self, bytes: &[u8]) -> Result<(), TensorError> {
        let file = SafeTensors::deserialize(bytes)?;
        for (tensor, range) in self.layout.tensors().iter().zip(&self.second_ranges) {
            let own = &mut self.first[tensor.range.clone()];
            read_tensor(&file, format!("first.{}", tensor.name), &tensor.shape, own)?;
            let (own, shape) =
                (&mut self.second[range.clone()], second_shape(&self.options, tensor));
            read_tensor(&file, format!("second.{}", tensor.name), &shape, own)?;
        }
        Ok(())
    }
}

/// The learning rates of a step.
#[derive(Clone, Copy, Debug)]
struct Rates {
    embedding: f64,
    free: f64,
    value: f64,
    matrix: f64,
    /// Whether that of a matrix with more rows than columns is higher.
    grows_with_rows: bool,
}

impl Rates {
    fn of(&self, tensor: &Tensor) -> f64 {
        let (rows, columns) = tensor.matrix();
        match tensor.kind {
            Kind::Embedding => self.embedding,
            Kind::FreeLogits => self.free,
            Kind::Value => self.value,
            Kind::Matrix if self.grows_with_rows => {
                self.matrix * (rows as f64 / columns as f64).max(1.0).sqrt()
            }
            Kind::Matrix => self.matrix,
        }
    }
}

fn is_muon(options: &OptimizerOptions, tensor: &Tensor) -> bool {
    options.kind == OptimizerKind::Muon && tensor.kind == Kind::Matrix
}

/// The shape of what is remembered of the squares of a tensor's gradients.
fn second_shape(options: &OptimizerOptions, tensor: &Tensor) -> Vec<usize> {
    if is_muon(options, tensor) {
        vec![muon::moments(tensor.matrix())]
    } else {
        tensor.shape.clone()
    }
}

fn read_tensor(
    file: &SafeTensors<'_>,
    name: String,
    shape: &[usize],
    into: &mut [f32],
) -> Result<(), TensorError> {
    let view = file.tensor(&name).map_err(|_| TensorError::Missing(name.clone()))?;
    if view.shape() != shape {
        let (found, expected) = (view.shape().to_vec(), shape.to_vec());
        return Err(TensorError::Shape { name, found, expected });
    }
    if view.dtype() != Dtype::F32 {
        return Err(TensorError::Type { name, dtype: view.dtype() });
    }
    for (index, (value, bytes)) in into.iter_mut().zip(view.data().as_chunks().0).enumerate() {
        *value = f32::from_le_bytes(*bytes);
        if !value.is_finite() {
            return Err(TensorError::NotFinite { name, index, value: *value });
        }
    }
    Ok(())
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
    fn what_comes_out_does_not_depend_on_the_threads() {
        for kind in [OptimizerKind::Muon, OptimizerKind::AdamW] {
            let options = OptimizerOptions { kind, ..OptimizerOptions::default() };
            let one = run(&Config::new(2, 24), options, 1);
            assert_eq!(one, run(&Config::new(2, 24), options, 3));
        }
    }

    #[test]
    fn every_tensor_learns_at_its_own_rate() {
        let config = Config::reference(1, 48);
        let optimizer = Optimizer::new(&config, OptimizerOptions::default());
        let tensors = optimizer.layout.tensors();
        let find = |name: &str| tensors.iter().find(|tensor| tensor.name == name).unwrap();
        // In the middle of a training, with a quarter of the reference's batch.
        let rates = optimizer.rates(500, 1_000, 4_096);
        let near = |name: &str, rate: f64| {
            assert!((rates.of(find(name)) - rate).abs() < 1e-12, "{name}");
        };
        near("embedding.piece_embed.weight", 0.3 * 4.0 * 0.5);
        near("blocks.0.attn.free_attn_logits", 0.1 * 4.0 * 0.5);
        near("blocks.0.attn.c_q.weight", 0.02 * 0.5);
        near("blocks.0.mlp.c_fc.weight", 0.02 * 2.0 * 0.5);
        near("blocks.0.mlp.c_proj.weight", 0.02 * 0.5);
        // AdamW alone has one rate, which the batch does not change; it warms up.
        let options = OptimizerOptions { kind: OptimizerKind::AdamW, ..*optimizer.options() };
        let rates = Optimizer::new(&config, options).rates(0, 1_000, 4_096);
        assert!(tensors.iter().all(|tensor| rates.of(tensor) == 0.001 * 0.05));
    }

    #[test]
    fn an_optimizer_comes_back_from_its_file() {
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
