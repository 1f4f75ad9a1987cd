//! The transformer on the CPU: hand-written forward and backward passes on GEMMs.
//!
//! Data parallelism: the worker threads share the positions of a batch, and each takes micro-batches
//! through the whole network. The assignment follows from the number of positions alone, and gradients
//! of threads are added in order, so the same batch on the same number of threads gives the same bits.
//! A single position uses [sequence parallelism](sequence_parallel).

mod activations;
mod attention;
mod backward;
mod batch;
mod embedding;
mod forward;
mod gates;
mod heads;
mod lane_attention;
mod ops;
mod packed;
mod policy;
mod precision;
mod prediction;
mod sequence_parallel;
mod value;

use std::slice;

#[cfg(feature = "gpu")]
pub(crate) use batch::has_outcome;
pub use batch::{Batch, LossWeights, Losses};
pub use precision::{Precision, UnknownPrecision, UnsupportedPrecision};
pub use prediction::Prediction;

use data::threads::{map_or_panic, spawn};
use simd::float;

use crate::config::{Config, HEADS};
use crate::encode::Tokens;
use crate::weights::Weights;
use activations::Activations;
use forward::{ALL_SQUARES, ForwardHooks};
use gates::PAIRS;
use heads::{Heads, LossScale};
use lane_attention::POSITIONS;
use packed::{PackedWeights, Parameters};
use precision::Products;
use sequence_parallel::RankGroup;

/// Positions of a micro-batch in inference.
const MICRO_BATCH: usize = 8;

/// The buffers of a thread.
#[derive(Clone, Debug)]
struct Worker {
    activations: Activations,
    heads: Heads,
    products: Products,
    gradient: Vec<f32>,
}

impl Worker {
    fn new(config: &Config, training: bool) -> Self {
        let positions = if training { POSITIONS } else { MICRO_BATCH };
        Self {
            activations: Activations::new(config, positions, training),
            heads: Heads::new(config, positions, training),
            products: Products::default(),
            gradient: Vec::new(),
        }
    }

    fn forward(&mut self, parameters: &Parameters<'_>, tokens: &[Tokens]) {
        let Self { activations, heads, products, .. } = self;
        activations.forward(parameters, products, tokens, ALL_SQUARES, &mut ());
        heads.forward(parameters, products, &activations.output, tokens.len());
    }

    /// The output for position `n` of the last forward pass.
    fn prediction(&mut self, parameters: &Parameters<'_>, n: usize) -> Prediction {
        self.heads.policy.all_logits(parameters, &self.activations.output, n);
        let logits = self.heads.policy.logits.to_vec();
        Prediction { logits, outcome: self.heads.value.outcome(n) }
    }
}

/// Runs models of one configuration.
#[derive(Clone, Debug)]
pub struct Transformer {
    config: Config,
    threads: usize,
    precision: Precision,
    packed: PackedWeights,
    inference_workers: Vec<Worker>,
    training_workers: Vec<Worker>,
}

impl Transformer {
    /// Runs models of this configuration on `threads` threads.
    pub fn new(config: &Config, threads: usize) -> Self {
        Self {
            config: *config,
            threads: threads.max(1),
            precision: Precision::F32,
            packed: PackedWeights::new(config),
            inference_workers: Vec::new(),
            training_workers: Vec::new(),
        }
    }

    /// The precision of the matmuls in [training](Self::gradient); inference is always f32.
    pub fn set_precision(&mut self, precision: Precision) -> Result<(), UnsupportedPrecision> {
        precision.check()?;
        self.precision = precision;
        Ok(())
    }

    /// The number of threads.
    pub const fn threads(&self) -> usize {
        self.threads
    }

    /// The parameters and the workers for a pass.
    fn prepare<'a>(
        &'a mut self,
        weights: &'a Weights,
        training: bool,
    ) -> (Parameters<'a>, &'a mut [Worker]) {
        let (own, other) = (&self.config, weights.config());
        assert_eq!(
            (own.depth, own.n_embd),
            (other.depth, other.n_embd),
            "weights of another shape"
        );
        let workers =
            if training { &mut self.training_workers } else { &mut self.inference_workers };
        workers.resize_with(self.threads, || Worker::new(&self.config, training));
        let precision = if training { self.precision } else { Precision::F32 };
        (self.packed.parameters(weights, training, precision), workers)
    }

    /// Adds the gradient of the loss of a batch to `gradient`. The loss is the mean over `positions`
    /// positions, `valued` of them with a value target: more than the batch has if it is one of several
    /// whose gradients are accumulated.
    pub fn gradient(
        &mut self,
        weights: &Weights,
        batch: &Batch,
        (positions, valued): (u64, u64),
        loss: LossWeights,
        gradient: &mut [f32],
    ) -> Losses {
        let scale = LossScale::new(loss, positions, valued);
        let (parameters, workers) = self.prepare(weights, true);
        let losses = for_micro_batches(workers, batch.len(), POSITIONS, |worker, micro_batches| {
            worker.gradient.resize(parameters.weights.len(), 0.0);
            worker.gradient.fill(0.0);
            let mut losses = Losses::default();
            for (first, count) in micro_batches {
                let tokens = &batch.tokens[first..first + count];
                worker.forward(&parameters, tokens);
                let Worker { activations, heads, products, gradient } = worker;
                let training = Some((scale, &mut *products, &mut gradient[..]));
                let part = (batch, first, count);
                losses.append(&heads.losses(&parameters, &activations.output, part, training));
                activations.backward(&parameters, products, tokens, &heads.grad_hidden, gradient);
            }
            losses
        });
        reduce_gradients(gradient, workers);
        total(&losses)
    }

    /// The losses of a batch.
    pub fn losses(&mut self, weights: &Weights, batch: &Batch) -> Losses {
        let (parameters, workers) = self.prepare(weights, false);
        let losses =
            for_micro_batches(workers, batch.len(), MICRO_BATCH, |worker, micro_batches| {
                let mut losses = Losses::default();
                for (first, count) in micro_batches {
                    worker.forward(&parameters, &batch.tokens[first..first + count]);
                    let Worker { activations, heads, .. } = &mut *worker;
                    let part = (batch, first, count);
                    losses.append(&heads.losses(&parameters, &activations.output, part, None));
                }
                losses
            });
        total(&losses)
    }

    /// The outputs for positions, in their order.
    pub fn predict(&mut self, weights: &Weights, tokens: &[Tokens]) -> Vec<Prediction> {
        if let [tokens] = tokens {
            return vec![self.predict_one(weights, tokens)];
        }
        let (parameters, workers) = self.prepare(weights, false);
        let outputs =
            for_micro_batches(workers, tokens.len(), MICRO_BATCH, |worker, micro_batches| {
                let mut outputs = Vec::new();
                for (first, count) in micro_batches {
                    worker.forward(&parameters, &tokens[first..first + count]);
                    outputs
                        .extend((0..count).map(|n| (first + n, worker.prediction(&parameters, n))));
                }
                outputs
            });
        let mut outputs: Vec<_> = outputs.into_iter().flatten().collect();
        outputs.sort_by_key(|(index, _)| *index);
        outputs.into_iter().map(|(_, prediction)| prediction).collect()
    }

    /// The attention weights of all heads: `[depth, 12, 64, 64]`, queries before keys.
    pub fn attention_weights(&mut self, weights: &Weights, tokens: &Tokens) -> Vec<f32> {
        let mut recorder = Recorder(Vec::with_capacity(self.config.depth * HEADS * PAIRS));
        let (parameters, workers) = self.prepare(weights, false);
        let Worker { activations, products, .. } = &mut workers[0];
        let tokens = slice::from_ref(tokens);
        activations.forward(&parameters, products, tokens, ALL_SQUARES, &mut recorder);
        recorder.0
    }

    /// The output for one position, computed by all threads together.
    fn predict_one(&mut self, weights: &Weights, tokens: &Tokens) -> Prediction {
        let group = RankGroup::new(self.threads);
        let (parameters, workers) = self.prepare(weights, false);
        let run = |group: &RankGroup, worker: &mut Worker, rank: usize| {
            let (squares, hooks) = (group.squares(rank), &mut group.rank(rank));
            let Worker { activations, products, .. } = worker;
            activations.forward(&parameters, products, slice::from_ref(tokens), squares, hooks);
        };
        let is_complete = std::thread::scope(|scope| {
            let (first, others) = workers.split_at_mut(1);
            let mut others = others[..group.world_size() - 1].iter_mut().enumerate();
            let is_complete = others.all(|(n, worker)| {
                let (run, group) = (&run, &group);
                spawn(scope, move || run(group, worker, n + 1)).is_ok()
            });
            if is_complete {
                run(&group, &mut first[0], 0);
            } else {
                group.abort();
            }
            is_complete
        });
        let worker = &mut workers[0];
        if !is_complete {
            // The system refused a thread, and a gather needs all ranks.
            run(&RankGroup::new(1), worker, 0);
        }
        worker.heads.forward(&parameters, &mut worker.products, &worker.activations.output, 1);
        worker.prediction(&parameters, 0)
    }
}

/// Records attention weights.
struct Recorder(Vec<f32>);

impl ForwardHooks for Recorder {
    fn attention_weights(&mut self, weights: &[f32]) {
        self.0.extend_from_slice(weights);
    }
}

/// Adds the gradients of the workers in their order; threads share the parameters.
fn reduce_gradients(sum: &mut [f32], workers: &[Worker]) {
    let size = sum.len().div_ceil(workers.len()).max(1);
    map_or_panic(sum.chunks_mut(size).enumerate(), |(chunk, sum)| {
        for worker in workers {
            let own = &worker.gradient[chunk * size..];
            float::add(sum, own);
        }
    });
}

fn total(losses: &[Losses]) -> Losses {
    let mut sum = Losses::default();
    losses.iter().for_each(|losses| sum.append(losses));
    sum
}

/// Distributes positions over the workers, each on a thread, in micro-batches of at most `most`: `work` gets the
/// index of the first position and the size of each of its micro-batches.
fn for_micro_batches<R: Send>(
    workers: &mut [Worker],
    positions: usize,
    most: usize,
    work: impl Fn(&mut Worker, &mut dyn Iterator<Item = (usize, usize)>) -> R + Sync,
) -> Vec<R> {
    let threads = workers.len();
    let size = most.min(positions.div_ceil(threads)).max(1);
    let micro_batches = |thread: usize| {
        let firsts = (thread * size..positions).step_by(threads * size);
        firsts.map(move |first| (first, size.min(positions - first)))
    };
    map_or_panic(workers.iter_mut().enumerate(), |(n, worker)| work(worker, &mut micro_batches(n)))
}
