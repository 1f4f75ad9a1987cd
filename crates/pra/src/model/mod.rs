//! The CPU engine: the network forward and back, by hand, on products of matrices.
//!
//! Threads share the positions of a batch: each takes a few at a time through the whole network
//! ([`Pass`]) and, for a gradient, back. Which thread takes which positions follows from their number
//! alone, and gradients of threads are added in order: the same batch and the same number of threads
//! give the same bits.

mod attention;
mod batch;
mod heads;
mod ops;
mod pass;
mod team;

pub use batch::{Batch, LossWeights, Losses};

use chess::{Move, Position};
use data::threads::{map_or_panic, spawn};

use crate::config::{Config, FREE_HEADS, HEADS};
use crate::encode::{Outcome, Tokens};
use crate::weights::Weights;
use attention::{Gates, PAIRS};
use heads::{Heads, Shares};
use pass::{ALL, Pass, Watch};
use team::Team;

/// Positions that a thread takes through the network at a time.
const TOGETHER: usize = 8;

/// What the model says of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Prediction {
    /// A number for each move of the policy: the larger, the likelier. Moves that the model does not
    /// know have 0.
    pub logits: Vec<f32>,
    /// Win, draw and loss, from the model's view: that of the player to move on a turned board, else
    /// White's. The reference's head knows no draw.
    pub outcome: Outcome,
}

impl Prediction {
    /// Between −1 and 1: win less loss.
    pub const fn value(&self) -> f32 {
        self.outcome[0] - self.outcome[2]
    }

    /// Whether all of it are finite numbers. Large weights overflow even if each of them is finite.
    pub fn is_finite(&self) -> bool {
        self.logits.iter().chain(&self.outcome).all(|number| number.is_finite())
    }

    /// How likely each legal move is, the likeliest first.
    pub fn moves(&self, config: &Config, position: &Position) -> Vec<(Move, f32)> {
        let mut moves: Vec<(Move, f32)> = config
            .legal_moves(position)
            .map(|(m, index)| (m, self.logits[usize::from(index)]))
            .collect();
        let most = moves.iter().map(|m| m.1).fold(f32::MIN, f32::max);
        moves.iter_mut().for_each(|m| m.1 = (m.1 - most).exp());
        let sum: f32 = moves.iter().map(|m| m.1).sum();
        moves.iter_mut().for_each(|m| m.1 /= sum);
        moves.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        moves
    }
}

/// What a thread works with.
#[derive(Clone, Debug)]
struct Worker {
    pass: Pass,
    heads: Heads,
    gradient: Vec<f32>,
}

impl Worker {
    fn new(config: &Config, positions: usize, goes_back: bool) -> Self {
        Self {
            pass: Pass::new(config, positions, goes_back),
            heads: Heads::new(config, positions, goes_back),
            gradient: Vec::new(),
        }
    }
}

/// Computes for models of one shape.
#[derive(Clone, Debug)]
pub struct Engine {
    config: Config,
    threads: usize,
    gates: Gates,
    /// For the way forward alone.
    readers: Vec<Worker>,
    /// For the way forward and back.
    learners: Vec<Worker>,
}

impl Engine {
    /// For models of this shape, on so many threads.
    pub fn new(config: &Config, threads: usize) -> Self {
        let (readers, learners) = (Vec::new(), Vec::new());
        let threads = threads.max(1);
        Self { config: *config, threads, gates: Gates::new(config), readers, learners }
    }

    /// How many threads it has.
    pub const fn threads(&self) -> usize {
        self.threads
    }

    fn prepare(&mut self, weights: &Weights) {
        assert_eq!(self.config.depth, weights.config().depth, "an engine for another shape");
        assert_eq!(self.config.n_embd, weights.config().n_embd, "an engine for another shape");
        for (block, places) in weights.layout().blocks.iter().enumerate() {
            let logits = &weights.values()[places.free..][..FREE_HEADS * PAIRS];
            self.gates.set_free(block, logits);
        }
    }

    /// Gets ready for the way forward, and gives the table of the [entrance](Pass::entrance).
    fn prepare_readers<'a>(&mut self, weights: &'a Weights) -> &'a [f32] {
        self.prepare(weights);
        while self.readers.len() < self.threads {
            self.readers.push(Worker::new(&self.config, TOGETHER, false));
        }
        weights.entrance(|| Pass::entrance(weights))
    }

    /// Adds the gradient of the loss of a batch to `gradient`: of the mean over `of` positions, and
    /// over `of_valued` with an outcome. Those are more than the batch has if it is a part of a larger
    /// one.
    pub fn gradient(
        &mut self,
        weights: &Weights,
        batch: &Batch,
        (of, of_valued): (u64, u64),
        loss: LossWeights,
        gradient: &mut [f32],
    ) -> Losses {
        self.prepare(weights);
        let shares = Shares::new(loss, of, of_valued);
        while self.learners.len() < self.threads {
            self.learners.push(Worker::new(&self.config, TOGETHER, true));
        }
        let (layout, values, turned) = (weights.layout(), weights.values(), weights.turned());
        let gates = &self.gates;
        let losses = in_threads(&mut self.learners, batch.len(), |worker, parts| {
            let Worker { pass, heads, gradient } = worker;
            gradient.resize(values.len(), 0.0);
            gradient.fill(0.0);
            let mut losses = Losses::default();
            for (first, count) in parts {
                let tokens = &batch.tokens[first..first + count];
                pass.forward(layout, turned, None, gates, tokens, (ALL, &mut ()));
                heads.forward(layout, turned, &pass.last, count);
                let back = Some((shares, &mut gradient[..]));
                let part = (batch, first, count);
                losses.append(&heads.losses(layout, values, &pass.last, part, back));
                pass.backward(layout, values, tokens, &mut heads.last_back, gradient);
            }
            losses
        });
        add_gradients(gradient, &self.learners);
        total(&losses)
    }

    /// The losses of a batch.
    pub fn losses(&mut self, weights: &Weights, batch: &Batch) -> Losses {
        let (layout, values, turned) = (weights.layout(), weights.values(), weights.turned());
        let entrance = Some(self.prepare_readers(weights));
        let gates = &self.gates;
        let losses = in_threads(&mut self.readers, batch.len(), |worker, parts| {
            let Worker { pass, heads, .. } = worker;
            let mut losses = Losses::default();
            for (first, count) in parts {
                let tokens = &batch.tokens[first..first + count];
                pass.forward(layout, turned, entrance, gates, tokens, (ALL, &mut ()));
                heads.forward(layout, turned, &pass.last, count);
                let part = (batch, first, count);
                losses.append(&heads.losses(layout, values, &pass.last, part, None));
            }
            losses
        });
        total(&losses)
    }

    /// What the model says of positions, one after another.
    pub fn predict(&mut self, weights: &Weights, tokens: &[Tokens]) -> Vec<Prediction> {
        if let [tokens] = tokens {
            return vec![self.predict_one(weights, tokens)];
        }
        let (layout, turned) = (weights.layout(), weights.turned());
        let entrance = Some(self.prepare_readers(weights));
        let gates = &self.gates;
        let answers = in_threads(&mut self.readers, tokens.len(), |worker, parts| {
            let Worker { pass, heads, .. } = worker;
            let mut answers = Vec::new();
            for (first, count) in parts {
                let tokens = &tokens[first..first + count];
                pass.forward(layout, turned, entrance, gates, tokens, (ALL, &mut ()));
                heads.forward(layout, turned, &pass.last, count);
                for n in 0..count {
                    heads.all_logits(layout, turned, &pass.last, n);
                    let (logits, outcome) = (heads.logits.to_vec(), heads.outcome(n));
                    answers.push((first + n, Prediction { logits, outcome }));
                }
            }
            answers
        });
        let mut answers: Vec<_> = answers.into_iter().flatten().collect();
        answers.sort_by_key(|(number, _)| *number);
        answers.into_iter().map(|(_, prediction)| prediction).collect()
    }

    /// How much each square looks at each other: `[depth][12][64][64]`, the looking square first.
    pub fn attention(&mut self, weights: &Weights, tokens: &Tokens) -> Vec<f32> {
        let entrance = Some(self.prepare_readers(weights));
        let gates = &self.gates;
        let mut all = Collected(Vec::with_capacity(self.config.depth * HEADS * PAIRS));
        let (layout, turned) = (weights.layout(), weights.turned());
        let pass = &mut self.readers[0].pass;
        pass.forward(
            layout,
            turned,
            entrance,
            gates,
            std::slice::from_ref(tokens),
            (ALL, &mut all),
        );
        all.0
    }

    /// What the model says of one position, which all threads look at together.
    fn predict_one(&mut self, weights: &Weights, tokens: &Tokens) -> Prediction {
        let (layout, turned) = (weights.layout(), weights.turned());
        let entrance = Some(self.prepare_readers(weights));
        let gates = &self.gates;
        let work = |team: &Team, worker: &mut Worker, number: usize| {
            let watch = (team.squares(number), &mut team.member(number));
            worker.pass.forward(
                layout,
                turned,
                entrance,
                gates,
                std::slice::from_ref(tokens),
                watch,
            );
        };
        let team = Team::new(self.threads);
        let is_complete = std::thread::scope(|scope| {
            let (first, others) = self.readers.split_at_mut(1);
            let mut others = others[..team.members() - 1].iter_mut().enumerate();
            let is_complete = others.all(|(n, worker)| {
                let (work, team) = (&work, &team);
                spawn(scope, move || work(team, worker, n + 1)).is_ok()
            });
            if is_complete {
                work(&team, &mut first[0], 0);
            } else {
                team.dissolve();
            }
            is_complete
        });
        if !is_complete {
            // The system refuses threads, and a team needs all of its members.
            work(&Team::new(1), &mut self.readers[0], 0);
        }
        let Worker { pass, heads, .. } = &mut self.readers[0];
        heads.forward(layout, turned, &pass.last, 1);
        heads.all_logits(layout, turned, &pass.last, 0);
        Prediction { logits: heads.logits.to_vec(), outcome: heads.outcome(0) }
    }
}

/// Keeps what it is shown.
struct Collected(Vec<f32>);

impl Watch for Collected {
    fn attention(&mut self, shares: &[f32]) {
        self.0.extend_from_slice(shares);
    }
}

/// Adds the gradients of workers, each thread a part of all of them.
fn add_gradients(sum: &mut [f32], workers: &[Worker]) {
    let size = sum.len().div_ceil(workers.len()).max(1);
    map_or_panic(sum.chunks_mut(size).enumerate(), |(part, sum)| {
        for worker in workers {
            let own = &worker.gradient[part * size..];
            sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        }
    });
}

fn total(losses: &[Losses]) -> Losses {
    let mut sum = Losses::default();
    losses.iter().for_each(|losses| sum.append(losses));
    sum
}

/// Shares positions among threads: each gets the first and the number of each of its parts.
fn in_threads<R: Send>(
    workers: &mut [Worker],
    positions: usize,
    work: impl Fn(&mut Worker, &mut dyn Iterator<Item = (usize, usize)>) -> R + Sync,
) -> Vec<R> {
    let threads = workers.len();
    let together = workers[0].pass.positions().min(positions.div_ceil(threads)).max(1);
    let parts = |thread: usize| {
        let firsts = (thread * together..positions).step_by(threads * together);
        firsts.map(move |first| (first, together.min(positions - first)))
    };
    map_or_panic(workers.iter_mut().enumerate(), |(n, worker)| work(worker, &mut parts(n)))
}
