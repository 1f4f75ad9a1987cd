//! Training steps.

use std::num::NonZero;

use chess::PackedRow;
use learn::optim::{AdamW, PerElementBias};
use nnue::towers::{HEAD_ROWS, SLAB_ROWS, SLABS, Slab, Towers};
use simd::row64::Row;

use super::block::{Block, SIZE, Transposed};
use super::gradient::Scratch;
use super::parallel::for_each;

const BETAS: (f64, f64) = (0.9, 0.999);
const EPS: f64 = 1e-8;

/// The hyperparameters of a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// The learning rate.
    pub lr: f32,
    /// Evaluations are clipped to this, in centipawns.
    pub clip: f32,
}

impl Default for Options {
    fn default() -> Self {
        Self { lr: 5e-4, clip: 1500.0 }
    }
}

/// A network under training.
pub struct Trainer {
    towers: Towers,
    averages: [Towers; 2],
    steps: u64,
    options: Options,
    blocks: Vec<Block>,
    transposed: Transposed,
    scratches: Vec<Scratch>,
}

/// A slice of the parameters, which one thread updates.
struct Slice<'a> {
    number: usize,
    params: &'a mut [Row],
    exp_avg: &'a mut [Row],
    exp_avg_sq: &'a mut [Row],
}

/// The slabs and the head.
fn slices(rows: &mut [Row]) -> impl Iterator<Item = &mut [Row]> {
    let (slabs, head) = rows.split_at_mut(SLABS * SLAB_ROWS);
    slabs.chunks_exact_mut(SLAB_ROWS).chain(std::iter::once(&mut head[..HEAD_ROWS]))
}

impl Trainer {
    /// Resumes after `steps` with the first and second moments of the optimizer, or starts with zeros.
    pub fn new(
        towers: Towers,
        averages: Option<[Towers; 2]>,
        steps: u64,
        options: Options,
        threads: NonZero<usize>,
    ) -> Self {
        Self {
            towers,
            averages: averages.unwrap_or_else(|| [Towers::zero(), Towers::zero()]),
            steps,
            options,
            blocks: Vec::new(),
            transposed: Transposed::new(),
            scratches: (0..threads.get()).map(|_| Scratch::new()).collect(),
        }
    }

    /// The current network.
    pub fn towers(&self) -> &Towers {
        &self.towers
    }

    /// The first and second moments of the optimizer.
    pub fn averages(&self) -> &[Towers; 2] {
        &self.averages
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Takes a step on a batch; returns its mean loss before the step.
    pub fn step(&mut self, batch: &[PackedRow]) -> f64 {
        if batch.is_empty() {
            return 0.0;
        }
        self.forward_backward(batch);
        self.steps += 1;
        let adamw = AdamW { lr: self.options.lr.into(), betas: BETAS, eps: EPS, weight_decay: 0.0 };
        let adam = adamw.at::<PerElementBias>(self.steps);
        let blocks = &self.blocks[..batch.len().div_ceil(SIZE)];
        let [exp_avg, exp_avg_sq] = &mut self.averages;
        let moments = slices(exp_avg.rows_mut()).zip(slices(exp_avg_sq.rows_mut()));
        let all = slices(self.towers.rows_mut()).zip(moments).enumerate();
        let all = all.map(|(number, (params, (exp_avg, exp_avg_sq)))| Slice {
            number,
            params,
            exp_avg,
            exp_avg_sq,
        });
        for_each(&mut self.scratches, all, |scratch, slice: Slice<'_>| {
            let Slice { number, params, exp_avg, exp_avg_sq } = slice;
            if number < SLABS {
                scratch.add_slab(blocks, number, Slab::of(params));
            } else {
                scratch.add_head(blocks);
            }
            let moments = exp_avg.iter_mut().zip(exp_avg_sq);
            for ((row, grad), (m, v)) in params.iter_mut().zip(&mut scratch.gradient).zip(moments) {
                adam.apply(&mut row.0, grad.0, &mut m.0, &mut v.0);
                *grad = Row::ZERO;
            }
        });
        blocks.iter().map(|block| block.loss).sum::<f64>() / batch.len() as f64
    }

    /// Forward and backward pass of all blocks of a batch.
    fn forward_backward(&mut self, batch: &[PackedRow]) {
        let Self { towers, options, blocks, transposed, scratches, .. } = self;
        let count = batch.len().div_ceil(SIZE);
        while blocks.len() < count {
            blocks.push(Block::new());
        }
        transposed.set(towers);
        let (towers, transposed, options) = (&*towers, &*transposed, &*options);
        let weight = 1.0 / batch.len() as f32;
        let all = blocks.iter_mut().zip(batch.chunks(SIZE));
        for_each(scratches, all, |_, (block, rows)| {
            block.forward_backward(rows, towers, transposed, options, weight);
        });
    }

    /// The gradient of a batch, in the order of the parameters.
    #[cfg(test)]
    fn gradient(&mut self, batch: &[PackedRow]) -> Vec<Row> {
        self.forward_backward(batch);
        let blocks = &self.blocks[..batch.len().div_ceil(SIZE)];
        let mut gradient = Vec::new();
        for number in 0..SLABS {
            let mut scratch = Scratch::new();
            scratch.add_slab(blocks, number, self.towers.slab(number));
            gradient.extend_from_slice(&scratch.gradient[..SLAB_ROWS]);
        }
        let mut scratch = Scratch::new();
        scratch.add_head(blocks);
        gradient.extend_from_slice(&scratch.gradient[..HEAD_ROWS]);
        gradient
    }
}

#[cfg(test)]
mod tests {
    use super::super::block::huber;
    use super::super::examples::target;
    use super::*;
    use chess::pgn::Score;
    use chess::rng::Rng;
    use chess::{Position, random};
    use nnue::features::Features;

    fn rows(count: usize) -> Vec<PackedRow> {
        let mut rng = Rng::new(5, 0);
        let row = |position: Position| {
            let score = Score::Centipawns(rng.below(800) as i32 - 400);
            PackedRow::new(&position).unwrap().with_score(Some(score))
        };
        random::positions(Rng::new(5, 1), 120).take(count).map(row).collect()
    }

    /// A network with clipped and unclipped values in every layer.
    fn model() -> Towers {
        let mut towers = Towers::random(7);
        towers.rows_mut()[..SLABS * SLAB_ROWS]
            .iter_mut()
            .for_each(|row| row.iter_mut().for_each(|number| *number *= 3.0));
        towers
    }

    fn trainer(threads: usize) -> Trainer {
        Trainer::new(model(), None, 0, Options::default(), NonZero::new(threads).unwrap())
    }

    /// The mean loss of the reference network, in double precision, with one parameter changed.
    fn slow_loss(towers: &[Row], batch: &[PackedRow], changed: (usize, usize), by: f64) -> f64 {
        let get = |row: usize, n: usize| {
            f64::from(towers[row][n]) + if (row, n) == changed { by } else { 0.0 }
        };
        let clip = |x: f64| x.clamp(0.0, 1.0);
        let dense = |x: &[f64], first: usize, n: usize| -> f64 {
            (0..64).map(|k| x[k] * get(first + k, n)).sum::<f64>()
        };
        let mut total = 0.0;
        for row in batch {
            let setup = row.setup().unwrap();
            let features = Features::seen_by(&setup.board, setup.turn);
            let head = SLABS * SLAB_ROWS;
            let mut hidden: Vec<f64> = (0..64).map(|n| get(head, n)).collect();
            for slab in 0..SLABS {
                let first = slab * SLAB_ROWS;
                let sums: Vec<f64> = (0..64)
                    .map(|n| {
                        let mut towers = [get(first + 768, n), get(first + 769, n)];
                        features.iter().for_each(|f| towers[f / 384] += get(first + f, n));
                        clip(towers[0]) + clip(towers[1])
                    })
                    .collect();
                (0..64).for_each(|n| hidden[n] += dense(&sums, first + 770, n));
            }
            let x: Vec<f64> = hidden.into_iter().map(clip).collect();
            let layer = |x: &[f64], first: usize, n: usize| dense(x, first, n) + get(first + 64, n);
            let inner: Vec<f64> = (0..64).map(|n| clip(layer(&x, head + 1, n))).collect();
            let y: Vec<f64> = (0..64).map(|n| clip(x[n] + layer(&inner, head + 66, n))).collect();
            let last: Vec<f64> = (0..64).map(|n| clip(layer(&y, head + 131, n))).collect();
            let output: f64 = (0..64).map(|n| last[n] * get(head + 196, n)).sum();
            let difference = output + get(head + 197, 0) - f64::from(target(row, 1500.0));
            let size = difference.abs();
            total += if size <= 1.0 { 0.5 * size * size } else { size - 0.5 };
        }
        total / batch.len() as f64
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences_of_the_reference_network() {
        let batch = rows(70);
        let batch = &batch[50..53];
        let mut trainer = trainer(1);
        let gradient = trainer.gradient(batch);
        let towers = trainer.towers().rows().to_vec();
        let head = SLABS * SLAB_ROWS;
        // Some parameters of each kind, in two slabs and in the head.
        let mut places = Vec::new();
        for n in 0..5 {
            let column = n * 13;
            for first in [0, 5 * SLAB_ROWS] {
                let features = Features::seen_by(
                    &batch[n % 3].setup().unwrap().board,
                    batch[n % 3].setup().unwrap().turn,
                );
                let active: Vec<usize> = features.iter().collect();
                places
                    .extend([active[n], active[active.len() - 1 - n]].map(|f| (first + f, column)));
                places.extend([768, 769, 770 + n * 11].map(|row| (first + row, column)));
            }
            let rows = [0, 1 + n, 65, 66 + n, 130, 131 + n, 195, 196];
            places.extend(rows.map(|row| (head + row, column)));
        }
        places.push((head + 197, 0));
        let mut nonzero = 0;
        for place @ (row, column) in places {
            let step = 1e-6;
            let [after, before] = [step, -step].map(|by| slow_loss(&towers, batch, place, by));
            let expected = (after - before) / (2.0 * step);
            let found = f64::from(gradient[row][column]);
            let error = (found - expected).abs();
            assert!(error < 1e-5 + 1e-3 * expected.abs(), "{place:?}: {found} {expected}");
            nonzero += usize::from(expected.abs() > 1e-7);
        }
        assert!(nonzero > 30, "{nonzero}");
    }

    #[test]
    fn the_loss_is_that_of_the_model_and_decreases() {
        let batch = rows(130);
        let mut trainer = trainer(1);
        let loss = || -> f64 {
            let losses = batch.iter().map(|row| {
                let value = model().evaluate(&row.position().unwrap()) / 100.0;
                huber(value - target(row, 1500.0))
            });
            losses.sum::<f64>() / batch.len() as f64
        };
        let expected = loss();
        let first = trainer.step(&batch);
        assert!((first - expected).abs() < 1e-5, "{first} {expected}");
        let mut last = first;
        for _ in 0..60 {
            last = trainer.step(&batch);
        }
        assert!(last < first * 0.5, "{first} {last}");
        assert_eq!(trainer.steps(), 61);
        assert_eq!(trainer.towers().rows().last().unwrap()[1..], [0.0; 63]);
    }

    #[test]
    fn the_result_does_not_depend_on_the_number_of_threads() {
        let batch = rows(300);
        let learned = |threads| {
            let mut trainer = trainer(threads);
            let losses: Vec<f64> = batch.chunks(100).map(|rows| trainer.step(rows)).collect();
            (losses, trainer.towers().clone(), trainer.averages().clone())
        };
        let alone = learned(1);
        assert!(alone == learned(2));
        assert!(alone == learned(5));
    }
}
