//! The parameters, in the order in which they are used.
//!
//! All of them are rows of 64. First come eight [slabs](Slab), then the [`Head`]. Optimizers keep
//! what they know of each parameter in the same order.

use chess::rng::Rng;

use super::lanes::Lanes;
use super::row::{Registers, Row, add, add_product, clip};
use crate::features::{COUNT, PER_COLOR};

/// The 512 of the towers are worked on in so many parts of 64.
pub const SLABS: usize = 8;
/// Rows in a slab: one for each input, the biases of both towers, and what leads to the next layer.
pub const SLAB_ROWS: usize = COUNT + 2 + 64;
/// Rows after the slabs.
pub const HEAD_ROWS: usize = 1 + 3 * 65 + 2;
/// All rows.
pub const TOTAL_ROWS: usize = SLABS * SLAB_ROWS + HEAD_ROWS;
/// How many parameters the network has. The last row holds one number only, the output's bias.
pub const PARAMETERS: usize = TOTAL_ROWS * 64 - 63;
/// What one unit of the output is worth in centipawns.
pub const SCALE: f32 = 100.0;

const _: () = assert!(PARAMETERS == 439_617);

/// The network: its parameters, and what is computed with them.
#[derive(Clone, PartialEq, Debug)]
pub struct Towers {
    rows: Vec<Row>,
}

/// 64 of the 512 of the towers: all that leads to them, and from them.
#[derive(Clone, Copy, Debug)]
pub struct Slab<'a> {
    /// For each of the 768 inputs its weights; the first 384 are the mover's tower.
    pub inputs: &'a [Row; COUNT],
    /// The biases of the mover's tower and of the opponent's.
    pub biases: &'a [Row; 2],
    /// For each of the 64 its weights into the next layer.
    pub next: &'a [Row; 64],
}

/// A layer from 64 to 64.
#[derive(Clone, Copy, Debug)]
pub struct Layer<'a> {
    /// For each input its weights.
    pub weights: &'a [Row; 64],
    /// The biases.
    pub bias: &'a Row,
}

/// What follows the towers.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// The biases of the layer that the slabs lead to.
    pub bias: &'a Row,
    /// The two layers of the residual block, and the one after it.
    pub layers: [Layer<'a>; 3],
    /// The weights of the output.
    pub output: &'a Row,
    /// The bias of the output.
    pub output_bias: f32,
}

/// The next rows of a slice that is known to be long enough.
fn take<'a, const N: usize>(rows: &mut &'a [Row]) -> &'a [Row; N] {
    let (first, rest) = rows.split_first_chunk().expect("the rows of a network are complete");
    *rows = rest;
    first
}

impl<'a> Slab<'a> {
    /// The slab of these [`SLAB_ROWS`] rows.
    pub fn of(mut rows: &'a [Row]) -> Self {
        let rows = &mut rows;
        Self { inputs: take(rows), biases: take(rows), next: take(rows) }
    }

    /// The sum of the bias of a tower and the weights of these inputs, clipped.
    #[inline(always)]
    fn tower(&self, tower: usize, active: &[u16]) -> Registers {
        let mut sum = self.biases[tower].registers();
        for &feature in active {
            sum = add(sum, self.inputs[usize::from(feature)].registers());
        }
        clip(sum)
    }

    /// What both towers give for these active features, clipped: those of the mover (below 384), and
    /// those of the opponent.
    #[inline]
    pub fn towers(&self, active: [&[u16]; 2], values: [&mut Row; 2]) {
        let [mover, opponent] = values;
        mover.set(self.tower(0, active[0]));
        opponent.set(self.tower(1, active[1]));
    }

    /// The sum of what both towers give.
    #[inline(always)]
    pub fn sum(&self, active: [&[u16]; 2], value: &mut Row) {
        value.set(add(self.tower(0, active[0]), self.tower(1, active[1])));
    }

    /// The same for inputs that may be any number: those that are not 0, with their values.
    pub(super) fn weighted_sum(&self, inputs: &[(u16, f32)], value: &mut Row) {
        let mut sums = [self.biases[0].registers(), self.biases[1].registers()];
        for &(feature, factor) in inputs {
            let feature = usize::from(feature);
            let sum = &mut sums[feature / PER_COLOR];
            *sum = add_product(*sum, Lanes::splat(factor), self.inputs[feature].registers());
        }
        value.set(add(clip(sums[0]), clip(sums[1])));
    }
}

impl<'a> Head<'a> {
    /// The head of these [`HEAD_ROWS`] rows.
    pub fn of(mut rows: &'a [Row]) -> Self {
        let rows = &mut rows;
        let [bias] = take(rows);
        let layers = std::array::from_fn(|_| {
            let weights = take(rows);
            let [bias] = take(rows);
            Layer { weights, bias }
        });
        let [output, last] = take(rows);
        Self { bias, layers, output, output_bias: last[0] }
    }
}

impl Towers {
    /// All parameters 0.
    pub fn zero() -> Self {
        Self { rows: vec![Row::ZERO; TOTAL_ROWS] }
    }

    /// Random parameters to begin training with: evenly between ±1/√n for a layer of n inputs, as
    /// PyTorch begins.
    pub fn random(seed: u64) -> Self {
        let mut rng = Rng::new(seed, 0);
        let mut random = || 2.0 * rng.next_f32() - 1.0;
        let mut towers = Self::zero();
        for (n, row) in towers.rows.iter_mut().enumerate() {
            let inputs = match n.checked_sub(SLABS * SLAB_ROWS) {
                None if n % SLAB_ROWS < COUNT + 2 => PER_COLOR,
                None | Some(0) => SLABS * 64,
                Some(_) => 64,
            };
            let bound = 1.0 / (inputs as f32).sqrt();
            let used = if n == TOTAL_ROWS - 1 { 1 } else { 64 };
            row[..used].iter_mut().for_each(|number| *number = random() * bound);
        }
        towers
    }

    /// A part of the towers; there are [`SLABS`].
    #[inline]
    pub fn slab(&self, number: usize) -> Slab<'_> {
        Slab::of(&self.rows[number * SLAB_ROWS..][..SLAB_ROWS])
    }

    /// What follows the towers.
    #[inline]
    pub fn head(&self) -> Head<'_> {
        Head::of(&self.rows[SLABS * SLAB_ROWS..])
    }

    /// All parameters: [`SLABS`] times [`SLAB_ROWS`] rows, then [`HEAD_ROWS`].
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// All parameters, to be changed. Of the last row only the first number is used; the others stay 0.
    pub fn rows_mut(&mut self) -> &mut [Row] {
        &mut self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_is_random_and_none_is_beyond_its_bound() {
        let towers = Towers::random(3);
        let numbers: Vec<f32> = towers.rows().iter().flat_map(|row| row.0).collect();
        assert_eq!(numbers.iter().filter(|&&number| number != 0.0).count(), PARAMETERS);
        assert!(numbers.iter().all(|number| number.abs() <= 0.125));
        assert!(towers.slab(7).inputs.iter().all(|row| row.iter().all(|n| n.abs() < 0.0511)));
        assert!(towers.head().bias.iter().all(|n| n.abs() < 0.0442));
        assert_ne!(Towers::random(4), towers);
        assert_eq!(Towers::random(3), towers);
    }
}
