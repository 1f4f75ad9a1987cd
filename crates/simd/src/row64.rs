//! f32 layers that are 64 wide: rows of 64 values, and their product with a 64×64 matrix.

use std::ops::{Deref, DerefMut};

use bytemuck::{Pod, Zeroable};

use crate::Kernels;
use crate::dispatch::dispatch;
use crate::vector::F32x16;

/// 64 values aligned to a cache line: the weights of one input, or the activations of a layer for one
/// position.
#[derive(Clone, Copy, PartialEq, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Row(pub [f32; 64]);

impl Row {
    /// All zero.
    pub const ZERO: Self = Self([0.0; 64]);

    /// Adds another row. For loops within [`vectorize!`](crate::vectorize!).
    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        for n in 0..64 {
            self.0[n] += other.0[n];
        }
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

/// A row in registers.
#[inline(always)]
fn load<V: F32x16>(row: &Row) -> [V; 4] {
    let (parts, _) = row.0.as_chunks::<16>();
    [V::load(&parts[0]), V::load(&parts[1]), V::load(&parts[2]), V::load(&parts[3])]
}

#[inline(always)]
fn store<V: F32x16>(registers: [V; 4], row: &mut Row) {
    let (parts, _) = row.0.as_chunks_mut::<16>();
    for n in 0..4 {
        registers[n].store(&mut parts[n]);
    }
}

#[inline(always)]
fn add<V: F32x16>(a: [V; 4], b: [V; 4]) -> [V; 4] {
    [a[0].add(b[0]), a[1].add(b[1]), a[2].add(b[2]), a[3].add(b[3])]
}

#[inline(always)]
fn add_product<V: F32x16>(sum: [V; 4], factor: V, b: [V; 4]) -> [V; 4] {
    [
        sum[0].add_product(factor, b[0]),
        sum[1].add_product(factor, b[1]),
        sum[2].add_product(factor, b[2]),
        sum[3].add_product(factor, b[3]),
    ]
}

#[inline(always)]
fn clip<V: F32x16>(a: [V; 4]) -> [V; 4] {
    [a[0].clip(), a[1].clip(), a[2].clip(), a[3].clip()]
}

/// `clip(bias + Σ table[active])`.
#[inline(always)]
fn sum_and_clip<V: F32x16>(bias: &Row, table: &[Row], active: &[u16]) -> [V; 4] {
    let mut sum = load(bias);
    for &row in active {
        sum = add(sum, load(&table[usize::from(row)]));
    }
    clip(sum)
}

dispatch! {
    /// Clipped ReLU, `clamp(x, 0, 1)`, of each row.
    pub fn clip_rows(rows: &mut [Row]) {
        for row in rows {
            store(clip(load::<set::F32x16>(row)), row);
        }
    }

    /// Adds a row to each of these.
    pub fn add_to_rows(rows: &mut [Row], other: &Row) {
        let other = load::<set::F32x16>(other);
        for row in rows {
            store(add(load(row), other), row);
        }
    }

    /// The dot product of two rows, always summed in the same order.
    pub fn dot(a: &Row, b: &Row) -> f32 {
        let (a, b): ([set::F32x16; 4], _) = (load(a), load(b));
        let mut sum = set::F32x16::splat(0.0);
        for n in 0..4 {
            sum = sum.add_product(a[n], b[n]);
        }
        let mut lanes = [0.0; 16];
        sum.store(&mut lanes);
        lanes.iter().sum()
    }

    /// `out = clip(bias + Σ table[active])`: a first layer with binary inputs, of which a few are active.
    ///
    /// # Panics
    /// If an active row is beyond the table.
    pub fn sum_rows(bias: &Row, table: &[Row], active: &[u16], out: &mut Row) {
        store(sum_and_clip::<set::F32x16>(bias, table, active), out);
    }

    /// The sum of [`sum_rows`] for two towers, each with its bias and its active rows.
    ///
    /// # Panics
    /// If an active row is beyond the table.
    pub fn sum_towers(biases: &[Row; 2], table: &[Row], active: [&[u16]; 2], out: &mut Row) {
        let first: [set::F32x16; 4] = sum_and_clip(&biases[0], table, active[0]);
        store(add(first, sum_and_clip(&biases[1], table, active[1])), out);
    }

    /// [`sum_towers`] for inputs of any value: row and value of those that are not 0. The first half of the
    /// table is the first tower's.
    ///
    /// # Panics
    /// If a row is beyond the table.
    pub fn sum_towers_weighted(
        biases: &[Row; 2],
        table: &[Row],
        inputs: &[(u16, f32)],
        out: &mut Row,
    ) {
        let mut sums: [[set::F32x16; 4]; 2] = [load(&biases[0]), load(&biases[1])];
        for &(row, value) in inputs {
            let row = usize::from(row);
            let sum = &mut sums[2 * row / table.len()];
            *sum = add_product(*sum, F32x16::splat(value), load(&table[row]));
        }
        store(add(clip(sums[0]), clip(sums[1])), out);
    }
}

/// `sums[p] += Σₖ inputs[p][k] · weights[k]` for every position *p*, with *k* ascending.
///
/// ```
/// use tabiya_simd::row64::{Row, matmul_add};
/// let mut doubling = [Row::ZERO; 64];
/// (0..64).for_each(|n| doubling[n][n] = 2.0);
/// let mut sums = [Row([1.0; 64])];
/// matmul_add(&[Row([3.0; 64])], &doubling, &mut sums);
/// assert_eq!(sums[0], Row([7.0; 64]));
/// ```
#[inline]
pub fn matmul_add(inputs: &[Row], weights: &[Row; 64], sums: &mut [Row]) {
    matmul_add_with(Kernels::current(), inputs, weights, sums);
}

dispatch! {
    fn matmul_add_with(kernels; inputs: &[Row], weights: &[Row; 64], sums: &mut [Row]) {
        // SAFETY: the CPU supports the instruction set of `set`.
        unsafe { matmul_add_kernel::<set::F32x16>(inputs, weights, sums) }
    }
}

/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn matmul_add_kernel<V: F32x16>(inputs: &[Row], weights: &[Row; 64], sums: &mut [Row]) {
    if V::REGISTERS >= 32 {
        // The sums of six positions, a row of weights and an input take 29 registers.
        matmul_add_blocks::<V, 6>(inputs, weights, sums);
    } else {
        matmul_add_blocks::<V, 1>(inputs, weights, sums);
    }
}

#[inline(always)]
fn matmul_add_blocks<V: F32x16, const N: usize>(
    inputs: &[Row],
    weights: &[Row; 64],
    sums: &mut [Row],
) {
    let count = inputs.len().min(sums.len());
    let (inputs, rest_of_inputs) = inputs[..count].as_chunks::<N>();
    let (sums, rest_of_sums) = sums[..count].as_chunks_mut::<N>();
    for (inputs, sums) in inputs.iter().zip(sums) {
        matmul_add_block::<V, N>(inputs, weights, sums);
    }
    for (input, sum) in rest_of_inputs.iter().zip(rest_of_sums) {
        matmul_add_sparse::<V>(input, weights, sum);
    }
}

/// One position. Loading the weights takes the time here, and many inputs are 0 after clipping: their
/// rows are skipped.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "see the module `vector` on loops")]
fn matmul_add_sparse<V: F32x16>(input: &Row, weights: &[Row; 64], sum: &mut Row) {
    let lanes = load::<V>(input);
    let mut total = load(sum);
    for n in 0..4 {
        let mut rest = lanes[n].nonzero();
        while rest != 0 {
            let k = 16 * n + rest.trailing_zeros() as usize;
            total = add_product(total, V::splat(input.0[k & 63]), load(&weights[k & 63]));
            rest &= rest - 1;
        }
    }
    store(total, sum);
}

/// Several positions, whose sums stay in registers.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "see the module `vector` on loops")]
fn matmul_add_block<V: F32x16, const N: usize>(
    inputs: &[Row; N],
    weights: &[Row; 64],
    sums: &mut [Row; N],
) {
    let mut totals = [[V::splat(0.0); 4]; N];
    for p in 0..N {
        totals[p] = load(&sums[p]);
    }
    for k in 0..64 {
        let row = load(&weights[k]);
        for p in 0..N {
            totals[p] = add_product(totals[p], V::splat(inputs[p].0[k]), row);
        }
    }
    for p in 0..N {
        store(totals[p], &mut sums[p]);
    }
}

dispatch! {
    /// Transposes a 64×64 matrix.
    #[allow(clippy::needless_range_loop, reason = "rows and columns are exchanged")]
    pub fn transpose(rows: &[Row; 64], columns: &mut [Row; 64]) {
        // In 16×16 blocks, which stay in the first-level cache.
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InstructionSet;

    fn random_rows(count: usize, seed: u64) -> Vec<Row> {
        let mut rng = chess::rng::Rng::new(seed, 0);
        let mut row = || Row(std::array::from_fn(|_| 2.0 * rng.next_f32() - 1.0));
        (0..count).map(|_| row()).collect()
    }

    #[test]
    fn the_product_has_the_bits_of_three_nested_loops_for_any_number_of_positions() {
        let weights: [Row; 64] = random_rows(64, 1).try_into().unwrap();
        for count in [0, 1, 2, 5, 6, 7, 13, 64] {
            let mut inputs = random_rows(count, 2);
            // Zeros, as after clipping.
            inputs.iter_mut().for_each(|row| row.iter_mut().step_by(3).for_each(|x| *x = 0.0));
            let before = random_rows(count, 3);
            let naive = |mul_add: fn(f32, f32, f32) -> f32| {
                let mut sums = before.clone();
                for (sum, input) in sums.iter_mut().zip(&inputs) {
                    for k in 0..64 {
                        for n in 0..64 {
                            sum[n] = mul_add(input[k], weights[k][n], sum[n]);
                        }
                    }
                }
                sums
            };
            let (fused, rounded_twice) = (naive(f32::mul_add), naive(|a, b, c| a * b + c));
            for kernels in InstructionSet::ALL.into_iter().filter_map(Kernels::new) {
                let mut sums = before.clone();
                matmul_add_with(kernels, &inputs, &weights, &mut sums);
                let scalar = kernels.instruction_set() == InstructionSet::Scalar;
                assert!(sums == fused || scalar && sums == rounded_twice, "{kernels:?}");
            }
        }
    }

    #[test]
    fn transpose_exchanges_rows_and_columns_and_dot_is_the_sum_of_products() {
        let rows: [Row; 64] = random_rows(64, 4).try_into().unwrap();
        let mut columns = [Row::ZERO; 64];
        transpose(&rows, &mut columns);
        assert!((0..64).all(|a| (0..64).all(|b| columns[b][a] == rows[a][b])));
        let sum: f32 = (0..64).map(|n| rows[0][n] * rows[1][n]).sum();
        assert!((dot(&rows[0], &rows[1]) - sum).abs() < 1e-5);
    }
}
