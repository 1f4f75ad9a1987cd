//! Inference.

use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

use chess::Position;
use simd::row64::{Row, add_to_rows, clip_rows, dot, matmul_add};

use super::parameters::{SCALE, SLABS, Slab, Towers};
use crate::features::{COUNT, Features, MAX_ACTIVE, PER_COLOR};

/// Positions of a block: few enough that their activations stay in the cache, many enough to amortize
/// loading the weights.
pub const BLOCK: usize = 192;

/// The fewest positions that are worth a thread.
const MIN_SHARE: usize = 96;

/// Why inputs are invalid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DenseError {
    /// The inputs are not one row of 768 for each value.
    #[error("{inputs} inputs are not {values} rows of 768")]
    Size {
        /// The number of inputs.
        inputs: usize,
        /// The number of values to compute.
        values: usize,
    },
    /// A list is too long, not ascending, or has a feature that does not exist.
    #[error("list {list} is not at most 64 features below 768 in ascending order")]
    List {
        /// The index of the list.
        list: usize,
    },
}

/// Activations of a block of positions; the layers reuse the buffers.
struct Scratch {
    hidden: Vec<Row>,
    sums: Vec<Row>,
    other: Vec<Row>,
}

impl Scratch {
    fn new(positions: usize) -> Self {
        let rows = || vec![Row::ZERO; positions.min(BLOCK)];
        Self { hidden: rows(), sums: rows(), other: rows() }
    }
}

/// The active features of a position, and how many of them are the side to move's.
#[derive(Clone, Copy)]
struct Active {
    features: [u16; MAX_ACTIVE],
    own: u8,
    all: u8,
}

impl Active {
    const NONE: Self = Self { features: [0; MAX_ACTIVE], own: 0, all: 0 };

    #[inline]
    fn set(&mut self, features: &Features) {
        let [own, opponent] = features.active(&mut self.features);
        let (own, opponent) = (own.len() as u8, opponent.len() as u8);
        (self.own, self.all) = (own, own + opponent);
    }

    #[inline(always)]
    fn halves(&self) -> [&[u16]; 2] {
        let (own, rest) = self.features.split_at(self.own.into());
        [own, &rest[..usize::from(self.all - self.own)]]
    }
}

impl Towers {
    /// The evaluation of a position in centipawns, from the side to move.
    pub fn evaluate(&self, position: &Position) -> f32 {
        self.evaluate_features(&Features::for_mover(position))
    }

    /// The evaluation of features from the side to move.
    pub fn evaluate_features(&self, features: &Features) -> f32 {
        let mut buffer = [0; MAX_ACTIVE];
        let active = features.active(&mut buffer);
        let (mut hidden, mut sums, mut other) = ([Row::ZERO], [Row::ZERO], [Row::ZERO]);
        let mut value = [0.0];
        self.forward(
            |slab, _, row| slab.sum(active, row),
            [&mut hidden, &mut sums, &mut other],
            &mut value,
        );
        value[0]
    }

    /// The evaluations of a batch, as many as the shorter slice has.
    pub fn evaluate_batch(&self, positions: &[Features], values: &mut [f32]) {
        let mut scratch = Scratch::new(positions.len());
        let mut active = vec![Active::NONE; positions.len().min(BLOCK)];
        for (positions, values) in positions.chunks(BLOCK).zip(values.chunks_mut(BLOCK)) {
            for (active, features) in active.iter_mut().zip(positions) {
                active.set(features);
            }
            let fill = |slab: &Slab<'_>, p: usize, row: &mut Row| {
                slab.sum(active[p].halves(), row);
            };
            self.forward_in(fill, &mut scratch, values);
        }
    }

    /// The evaluations of a batch on several threads, bit-identical to one thread.
    pub fn evaluate_parallel(
        &self,
        positions: &[Features],
        values: &mut [f32],
        threads: NonZero<usize>,
    ) {
        // Equal shares, but none too small for a thread.
        let share = positions.len().div_ceil(threads.get()).max(MIN_SHARE);
        let parts = Mutex::new(positions.chunks(share).zip(values.chunks_mut(share)));
        let run = || {
            loop {
                let part = parts.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((positions, values)) = part else { return };
                self.evaluate_batch(positions, values);
            }
        };
        std::thread::scope(|scope| {
            // If the system refuses a thread, the others take its share.
            let spawn = |_| Builder::new().spawn_scoped(scope, run).is_ok();
            (1..positions.len().div_ceil(share)).all(spawn);
            run();
        });
    }

    /// The evaluations of dense rows `[n, 768]` from the side to move. Inputs may have any value; zeros are
    /// skipped.
    pub fn evaluate_dense(&self, rows: &[f32], values: &mut [f32]) -> Result<(), DenseError> {
        if values.len().checked_mul(COUNT) != Some(rows.len()) {
            return Err(DenseError::Size { inputs: rows.len(), values: values.len() });
        }
        let mut scratch = Scratch::new(values.len());
        let mut inputs: Vec<Vec<(u16, f32)>> = vec![Vec::new(); values.len().min(BLOCK)];
        for (rows, values) in rows.chunks(BLOCK * COUNT).zip(values.chunks_mut(BLOCK)) {
            for (inputs, row) in inputs.iter_mut().zip(rows.chunks_exact(COUNT)) {
                inputs.clear();
                let active = (0..).zip(row).filter(|&(_, &value)| value != 0.0);
                inputs.extend(active.map(|(feature, &value)| (feature, value)));
            }
            let fill = |slab: &Slab<'_>, p: usize, row: &mut Row| {
                slab.weighted_sum(&inputs[p], row);
            };
            self.forward_in(fill, &mut scratch, values);
        }
        Ok(())
    }

    /// The evaluations of lists of active features from the side to move, each ascending.
    pub fn evaluate_lists<'a>(
        &self,
        lists: impl IntoIterator<Item = &'a [u16]>,
        values: &mut Vec<f32>,
    ) -> Result<(), DenseError> {
        let features = lists.into_iter().enumerate().map(|(list, active)| {
            let ascending = active.is_sorted_by(|a, b| a < b);
            let features = Features::from_active(active).filter(|_| ascending);
            features.ok_or(DenseError::List { list })
        });
        let features = features.collect::<Result<Vec<_>, _>>()?;
        values.clear();
        values.resize(features.len(), 0.0);
        self.evaluate_batch(&features, values);
        Ok(())
    }

    fn forward_in(
        &self,
        fill: impl Fn(&Slab<'_>, usize, &mut Row),
        scratch: &mut Scratch,
        values: &mut [f32],
    ) {
        let count = values.len();
        let Scratch { hidden, sums, other } = scratch;
        let rows = [&mut hidden[..count], &mut sums[..count], &mut other[..count]];
        self.forward(fill, rows, values);
    }

    /// The forward pass of a block of positions. `fill` computes the sum of both towers for a slab and a
    /// position; the rows are scratch buffers of one row for each position.
    #[inline]
    fn forward(
        &self,
        fill: impl Fn(&Slab<'_>, usize, &mut Row),
        [hidden, sums, other]: [&mut [Row]; 3],
        values: &mut [f32],
    ) {
        let head = self.head();
        sums.fill(*head.bias);
        for number in 0..SLABS {
            let slab = self.slab(number);
            for (p, row) in hidden.iter_mut().enumerate() {
                fill(&slab, p, row);
            }
            matmul_add(hidden, slab.next, sums);
        }
        let [first, second, last] = head.layers;
        clip_rows(sums);
        other.fill(*first.bias);
        matmul_add(sums, first.weights, other);
        clip_rows(other);
        add_to_rows(sums, second.bias);
        matmul_add(other, second.weights, sums);
        clip_rows(sums);
        other.fill(*last.bias);
        matmul_add(sums, last.weights, other);
        clip_rows(other);
        for (value, row) in values.iter_mut().zip(&*other) {
            *value = SCALE * (dot(row, head.output) + head.output_bias);
        }
    }
}

const _: () = assert!(PER_COLOR < u16::MAX as usize && MAX_ACTIVE <= u8::MAX as usize);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::batch;
    use crate::testing::random_positions;

    /// A naive linear layer.
    fn layer(inputs: &[f64], weights: &[Vec<f64>], bias: &[f64]) -> Vec<f64> {
        let output = |(weights, bias): (&Vec<f64>, &f64)| {
            bias + weights.iter().zip(inputs).map(|(w, x)| w * x).sum::<f64>()
        };
        weights.iter().zip(bias).map(output).collect()
    }

    fn clip(values: Vec<f64>) -> Vec<f64> {
        values.into_iter().map(|value| value.clamp(0.0, 1.0)).collect()
    }

    /// The naive network, from the tensors of a checkpoint and dense inputs.
    fn naive(towers: &Towers, inputs: &[f32]) -> f64 {
        let tensor = |name: &str| -> (Vec<Vec<f64>>, Vec<f64>) {
            let values = |part: &str| {
                let all = towers.tensors().into_iter();
                let mut found = all.filter(|tensor| tensor.name == format!("{name}.{part}"));
                let tensor = found.next().unwrap();
                (tensor.shape, tensor.values.into_iter().map(f64::from).collect::<Vec<_>>())
            };
            let ((shape, weights), (_, bias)) = (values("weight"), values("bias"));
            (weights.chunks(shape[1]).map(<[f64]>::to_vec).collect(), bias)
        };
        let apply = |name: &str, inputs: &[f64]| {
            let (weights, bias) = tensor(name);
            layer(inputs, &weights, &bias)
        };
        let inputs: Vec<f64> = inputs.iter().map(|&x| x.into()).collect();
        let mover = clip(apply("mover", &inputs[..384]));
        let opponent = clip(apply("opponent", &inputs[384..]));
        let sum: Vec<f64> = mover.iter().zip(&opponent).map(|(a, b)| a + b).collect();
        let x = clip(apply("hidden", &sum));
        let inner = clip(apply("residual.0", &x));
        let added = apply("residual.1", &inner).iter().zip(&x).map(|(a, b)| a + b).collect();
        let x = clip(apply("last", &clip(added)));
        100.0 * apply("output", &x)[0]
    }

    /// Random parameters, large enough that every layer clips.
    fn model() -> Towers {
        let mut towers = Towers::random(7);
        for (n, row) in towers.rows_mut().iter_mut().enumerate() {
            let factor = if n < SLABS * super::super::SLAB_ROWS { 3.0 } else { 2.0 };
            row.iter_mut().for_each(|value| *value *= factor);
        }
        towers
    }

    #[test]
    fn evaluations_match_the_naive_network() {
        let towers = model();
        let mut different = std::collections::HashSet::new();
        for position in random_positions(60) {
            let features = Features::for_mover(&position);
            let expected = naive(&towers, &features.to_f32());
            let found = f64::from(towers.evaluate(&position));
            assert!((found - expected).abs() < 1e-3 * expected.abs().max(1.0));
            different.insert(found.to_bits());
        }
        assert!(different.len() > 50);
    }

    #[test]
    fn all_entry_points_give_the_same_bits() {
        let towers = model();
        let positions = random_positions(2 * BLOCK + 77);
        let features: Vec<Features> = positions.iter().map(Features::for_mover).collect();
        let single: Vec<f32> = positions.iter().map(|p| towers.evaluate(p)).collect();
        let mut values = vec![0.0; positions.len()];
        towers.evaluate_batch(&features, &mut values);
        assert_eq!(values, single);
        for threads in [1, 2, 3, 50] {
            values.fill(0.0);
            towers.evaluate_parallel(&features, &mut values, NonZero::new(threads).unwrap());
            assert_eq!(values, single);
        }
        let mut rows = vec![0f32; positions.len() * COUNT];
        batch::write(features.iter().copied(), &mut rows).unwrap();
        values.fill(0.0);
        towers.evaluate_dense(&rows, &mut values).unwrap();
        assert_eq!(values, single);
        let mut lists = batch::Lists::default();
        lists.extend(features.iter().copied());
        towers.evaluate_lists(lists.iter(), &mut values).unwrap();
        assert_eq!(values, single);
        towers.evaluate_batch(&[], &mut []);
    }

    #[test]
    fn inputs_of_any_value_are_accepted_and_wrong_sizes_rejected() {
        let towers = model();
        let row: Vec<f32> = (0..COUNT).map(|n| (n % 7) as f32 * 0.02 - 0.05).collect();
        let mut value = [0.0];
        towers.evaluate_dense(&row, &mut value).unwrap();
        assert!((f64::from(value[0]) - naive(&towers, &row)).abs() < 1e-2);
        let error = towers.evaluate_dense(&row[1..], &mut value).unwrap_err();
        assert_eq!(error, DenseError::Size { inputs: 767, values: 1 });
        for list in [vec![768u16], vec![3, 3], vec![5, 4], (0..65).collect()] {
            let mut values = Vec::new();
            let error = towers.evaluate_lists([&[][..], &list], &mut values).unwrap_err();
            assert_eq!(error, DenseError::List { list: 1 });
        }
    }
}
