//! The parameters, in the order of use.
//!
//! All are [rows](Row) of 64: eight [slabs](Slab), then the [`Head`]. Optimizer state has the same order.

use chess::rng::Rng;
use simd::row64::{Row, sum_rows, sum_towers, sum_towers_weighted};

use crate::features::{COUNT, PER_COLOR};

/// The 512-wide layer is processed in this many slabs of 64.
pub const SLABS: usize = 8;
/// Rows of a slab: one for each input, the biases of both towers, and the weights into the next layer.
pub const SLAB_ROWS: usize = COUNT + 2 + 64;
/// Rows of the head, after the slabs.
pub const HEAD_ROWS: usize = 1 + 3 * 65 + 2;
/// Rows in all.
pub const TOTAL_ROWS: usize = SLABS * SLAB_ROWS + HEAD_ROWS;
/// The number of parameters. The last row has a single one, the output's bias.
pub const PARAMETERS: usize = TOTAL_ROWS * 64 - 63;
/// Centipawns of an output of 1.
pub const SCALE: f32 = 100.0;

const _: () = assert!(PARAMETERS == 439_617);

/// The network.
#[derive(Clone, PartialEq, Debug)]
pub struct Towers {
    rows: Vec<Row>,
}

/// 64 of the 512 neurons of the towers: the weights into them and out of them.
#[derive(Clone, Copy, Debug)]
pub struct Slab<'a> {
    /// The weights of each of the 768 inputs; the first 384 are those of the side to move's tower.
    pub inputs: &'a [Row; COUNT],
    /// The biases of the side to move's tower and of the opponent's.
    pub biases: &'a [Row; 2],
    /// The weights of each of the 64 neurons into the next layer.
    pub next: &'a [Row; 64],
}

/// A linear layer, 64 → 64.
#[derive(Clone, Copy, Debug)]
pub struct Layer<'a> {
    /// The weights of each input.
    pub weights: &'a [Row; 64],
    /// The biases.
    pub bias: &'a Row,
}

/// The layers after the towers.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// The biases of the layer after the towers.
    pub bias: &'a Row,
    /// The two layers of the residual block, and the one after it.
    pub layers: [Layer<'a>; 3],
    /// The output's weights.
    pub output: &'a Row,
    /// The output's bias.
    pub output_bias: f32,
}

/// Splits off the next rows.
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

    /// The clipped outputs of both towers for the active features: the side to move's (below 384), and the
    /// opponent's.
    #[inline]
    pub fn towers(&self, active: [&[u16]; 2], outputs: [&mut Row; 2]) {
        for (tower, output) in outputs.into_iter().enumerate() {
            sum_rows(&self.biases[tower], self.inputs, active[tower], output);
        }
    }

    /// The sum of the clipped outputs of both towers.
    #[inline(always)]
    pub fn sum(&self, active: [&[u16]; 2], output: &mut Row) {
        sum_towers(self.biases, self.inputs, active, output);
    }

    /// The same for inputs of any value: feature and value of those that are not 0.
    pub(super) fn weighted_sum(&self, inputs: &[(u16, f32)], output: &mut Row) {
        sum_towers_weighted(self.biases, self.inputs, inputs, output);
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

    /// Random initial parameters: uniform in ±1/√n for a layer of n inputs, PyTorch's default.
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
            row[..used].iter_mut().for_each(|value| *value = random() * bound);
        }
        towers
    }

    /// Slab `number`, below [`SLABS`].
    #[inline]
    pub fn slab(&self, number: usize) -> Slab<'_> {
        Slab::of(&self.rows[number * SLAB_ROWS..][..SLAB_ROWS])
    }

    /// The layers after the towers.
    #[inline]
    pub fn head(&self) -> Head<'_> {
        Head::of(&self.rows[SLABS * SLAB_ROWS..])
    }

    /// All parameters: [`SLABS`] times [`SLAB_ROWS`] rows, then [`HEAD_ROWS`].
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// All parameters, mutable. Of the last row only the first value is used; the others stay 0.
    pub fn rows_mut(&mut self) -> &mut [Row] {
        &mut self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_is_random_and_within_its_bound() {
        let towers = Towers::random(3);
        let values: Vec<f32> = towers.rows().iter().flat_map(|row| row.0).collect();
        assert_eq!(values.iter().filter(|&&value| value != 0.0).count(), PARAMETERS);
        assert!(values.iter().all(|value| value.abs() <= 0.125));
        assert!(towers.slab(7).inputs.iter().all(|row| row.iter().all(|n| n.abs() < 0.0511)));
        assert!(towers.head().bias.iter().all(|n| n.abs() < 0.0442));
        assert_ne!(Towers::random(4), towers);
        assert_eq!(Towers::random(3), towers);
    }
}
