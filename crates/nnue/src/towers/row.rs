//! Rows of 64 numbers, and the one product of matrices that everything is made of.

use std::ops::{Deref, DerefMut};

use bytemuck::{Pod, Zeroable};

use super::lanes::Lanes;

/// 64 numbers at the beginning of a cache line: the weights of one input, or the values of a layer
/// for one position.
#[derive(Clone, Copy, PartialEq, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Row(pub [f32; 64]);

/// A row in registers. What is done with them is written as plain loops over all four: iterators and
/// closures over arrays of registers are not always inlined, and then everything goes through memory.
pub(super) type Registers = [Lanes; 4];

impl Row {
    /// All zero.
    pub const ZERO: Self = Self([0.0; 64]);

    #[inline(always)]
    pub(super) fn registers(&self) -> Registers {
        let (parts, _) = self.0.as_chunks::<16>();
        let [a, b, c, d] = parts else { unreachable!("64 are four times 16") };
        [Lanes::load(a), Lanes::load(b), Lanes::load(c), Lanes::load(d)]
    }

    #[inline(always)]
    pub(super) fn set(&mut self, registers: Registers) {
        let (parts, _) = self.0.as_chunks_mut::<16>();
        for n in 0..4 {
            registers[n].store(&mut parts[n]);
        }
    }

    /// Clipped ReLU.
    #[inline(always)]
    pub fn clip(&mut self) {
        self.set(clip(self.registers()));
    }

    /// Adds another row.
    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        self.set(add(self.registers(), other.registers()));
    }

    /// The sum of the products with another row, always in the same order.
    #[inline]
    pub fn dot(&self, other: &Self) -> f32 {
        let (a, b) = (self.registers(), other.registers());
        let mut sum = Lanes::splat(0.0);
        for n in 0..4 {
            sum = sum.add_product(a[n], b[n]);
        }
        let mut lanes = [0.0; 16];
        sum.store(&mut lanes);
        lanes.iter().sum()
    }
}

impl Default for Row {
    fn default() -> Self {
        Self::ZERO
    }
}

impl Deref for Row {
    type Target = [f32; 64];

    fn deref(&self) -> &[f32; 64] {
        &self.0
    }
}

impl DerefMut for Row {
    fn deref_mut(&mut self) -> &mut [f32; 64] {
        &mut self.0
    }
}

#[inline(always)]
pub(super) fn add(a: Registers, b: Registers) -> Registers {
    [a[0].add(b[0]), a[1].add(b[1]), a[2].add(b[2]), a[3].add(b[3])]
}

#[inline(always)]
pub(super) fn add_product(sum: Registers, factor: Lanes, b: Registers) -> Registers {
    [
        sum[0].add_product(factor, b[0]),
        sum[1].add_product(factor, b[1]),
        sum[2].add_product(factor, b[2]),
        sum[3].add_product(factor, b[3]),
    ]
}

#[inline(always)]
pub(super) fn clip(a: Registers) -> Registers {
    [a[0].clip(), a[1].clip(), a[2].clip(), a[3].clip()]
}

/// Adds to each row of `sums` the product of the same row of `inputs` and the matrix:
/// `sums[p] += Σₖ inputs[p][k] · weights[k]`, *k* in ascending order.
///
/// ```
/// use nnue::towers::{Row, multiply_add};
/// let mut doubling = [Row::ZERO; 64];
/// (0..64).for_each(|n| doubling[n][n] = 2.0);
/// let mut sums = [Row([1.0; 64])];
/// multiply_add(&[Row([3.0; 64])], &doubling, &mut sums);
/// assert_eq!(sums[0], Row([7.0; 64]));
/// ```
pub fn multiply_add(inputs: &[Row], weights: &[Row; 64], sums: &mut [Row]) {
    const N: usize = Lanes::POSITIONS;
    let count = inputs.len().min(sums.len());
    let (inputs, rest_of_inputs) = inputs[..count].as_chunks::<N>();
    let (sums, rest_of_sums) = sums[..count].as_chunks_mut::<N>();
    for (inputs, sums) in inputs.iter().zip(sums) {
        product(inputs, weights, sums);
    }
    for (input, sum) in rest_of_inputs.iter().zip(rest_of_sums) {
        product_of_one(input, weights, sum);
    }
}

/// The same for one position. Here fetching the weights is what takes the time, and many inputs are 0
/// because they were clipped: their rows are left out.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "see Registers")]
fn product_of_one(input: &Row, weights: &[Row; 64], sum: &mut Row) {
    let lanes = input.registers();
    let mut total = sum.registers();
    for n in 0..4 {
        let mut rest = lanes[n].nonzero();
        while rest != 0 {
            let k = 16 * n + rest.trailing_zeros() as usize;
            total = add_product(total, Lanes::splat(input.0[k & 63]), weights[k & 63].registers());
            rest &= rest - 1;
        }
    }
    sum.set(total);
}

/// The same for a number of positions whose sums stay in registers throughout.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "see Registers")]
fn product<const N: usize>(inputs: &[Row; N], weights: &[Row; 64], sums: &mut [Row; N]) {
    let mut totals = [[Lanes::splat(0.0); 4]; N];
    for p in 0..N {
        totals[p] = sums[p].registers();
    }
    for k in 0..64 {
        let row = weights[k].registers();
        for p in 0..N {
            totals[p] = add_product(totals[p], Lanes::splat(inputs[p].0[k]), row);
        }
    }
    for p in 0..N {
        sums[p].set(totals[p]);
    }
}

/// Rows become columns.
#[allow(clippy::needless_range_loop, reason = "rows and columns change places")]
pub fn transpose(rows: &[Row; 64], columns: &mut [Row; 64]) {
    // Square by square, so that what is read and written stays in the nearest cache.
    for i in (0..64).step_by(16) {
        for j in (0..64).step_by(16) {
            for a in i..i + 16 {
                for b in j..j + 16 {
                    columns[b].0[a] = rows[a].0[b];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random_rows(count: usize, seed: u64) -> Vec<Row> {
        let mut state = seed;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..count).map(|_| Row(std::array::from_fn(|_| next()))).collect()
    }

    #[test]
    fn the_product_is_that_of_three_loops_to_the_bit_for_any_number_of_positions() {
        let weights: [Row; 64] = random_rows(64, 1).try_into().unwrap();
        let fma = cfg!(any(target_feature = "fma", target_arch = "aarch64"));
        for count in [0, 1, 2, 5, 6, 7, 13, 64] {
            let mut inputs = random_rows(count, 2);
            // Some are 0, as they are after clipping.
            inputs.iter_mut().for_each(|row| row.iter_mut().step_by(3).for_each(|x| *x = 0.0));
            let mut sums = random_rows(count, 3);
            let mut expected = sums.clone();
            for (sum, input) in expected.iter_mut().zip(&inputs) {
                for k in 0..64 {
                    for n in 0..64 {
                        sum[n] = if fma {
                            input[k].mul_add(weights[k][n], sum[n])
                        } else {
                            sum[n] + input[k] * weights[k][n]
                        };
                    }
                }
            }
            multiply_add(&inputs, &weights, &mut sums);
            assert_eq!(sums, expected);
        }
    }

    #[test]
    fn rows_become_columns_and_columns_rows() {
        let rows: [Row; 64] = random_rows(64, 4).try_into().unwrap();
        let mut columns = [Row::ZERO; 64];
        transpose(&rows, &mut columns);
        assert!((0..64).all(|a| (0..64).all(|b| columns[b][a] == rows[a][b])));
        let sum: f32 = (0..64).map(|n| rows[0][n] * rows[1][n]).sum();
        assert!((rows[0].dot(&rows[1]) - sum).abs() < 1e-5);
    }
}
