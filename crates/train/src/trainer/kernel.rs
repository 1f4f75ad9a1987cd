//! The one thing that takes time: rows of a table added up.
//!
//! Forward, the hidden layer of a position is the sum of the weight rows of its active inputs. Backward,
//! the gradient of a weight row is the sum of the hidden gradients of the positions in which its input is
//! active. Both are [`add_rows`]. Several rows are added at a time, so that the sum is read and written
//! once for all of them; the compiler makes vector instructions of the loops.

/// Adds rows of a table to a sum; rows are as long as the sum. The order of additions follows from the
/// list alone.
#[inline(always)]
pub(super) fn add_rows(sum: &mut [f32], table: &[f32], rows: &[u16]) {
    let (groups, mut rest) = rows.as_chunks::<8>();
    groups.iter().for_each(|group| add_group(sum, table, group));
    // What is left is less than eight.
    if let Some((group, others)) = rest.split_first_chunk::<4>() {
        add_group(sum, table, group);
        rest = others;
    }
    if let Some((group, others)) = rest.split_first_chunk::<2>() {
        add_group(sum, table, group);
        rest = others;
    }
    if let Some((group, _)) = rest.split_first_chunk::<1>() {
        add_group(sum, table, group);
    }
}

#[inline(always)]
fn add_group<const N: usize>(sum: &mut [f32], table: &[f32], numbers: &[u16; N]) {
    let width = sum.len();
    let mut rows: [&[f32]; N] = [&[]; N];
    for (row, &number) in rows.iter_mut().zip(numbers) {
        *row = &table[usize::from(number) * width..][..width];
    }
    for i in 0..width {
        let mut total = sum[i];
        for row in rows {
            total += row[i];
        }
        sum[i] = total;
    }
}

/// Adds one array to another.
#[inline]
pub(super) fn add(sum: &mut [f32], other: &[f32]) {
    sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
}

/// How many sums are kept side by side.
const LANES: usize = 32;

/// Σ clamp(x, 0, 1)²·w: what the hidden layer gives the output. Lengths are multiples of 32.
#[inline]
pub(super) fn output(hidden: &[f32], weights: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    for (x, w) in hidden.as_chunks::<LANES>().0.iter().zip(weights.as_chunks::<LANES>().0) {
        for i in 0..LANES {
            let v = x[i].clamp(0.0, 1.0);
            sums[i] += v * v * w[i];
        }
    }
    let mut half = LANES / 2;
    while half > 0 {
        for i in 0..half {
            sums[i] += sums[i + half];
        }
        half /= 2;
    }
    sums[0]
}

/// Takes the gradient of the output back: that of the output weights is added to theirs, and the hidden
/// layer is replaced by its own gradient, which is nothing where it is clipped.
#[inline]
pub(super) fn back(
    hidden: &mut [f32],
    weights: &[f32],
    gradient: f32,
    weight_gradients: &mut [f32],
) {
    let hidden = hidden.as_chunks_mut::<LANES>().0.iter_mut();
    let weights = weights.as_chunks::<LANES>().0.iter();
    let gradients = weight_gradients.as_chunks_mut::<LANES>().0.iter_mut();
    for ((x, w), g) in hidden.zip(weights).zip(gradients) {
        for i in 0..LANES {
            let v = x[i].clamp(0.0, 1.0);
            g[i] += gradient * v * v;
            // Both ends count as clipped: the square has no slope at 0 anyway.
            x[i] = if v == x[i] && v < 1.0 { gradient * 2.0 * v * w[i] } else { 0.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_added_as_the_obvious_way_does_however_many_they_are() {
        let width = 32;
        let table: Vec<f32> = (0..width * 20).map(|i| (i % 37) as f32).collect();
        for count in 0..20u16 {
            let rows: Vec<u16> = (0..count).map(|n| n * 7 % 20).collect();
            let mut sum = vec![1.0; width];
            add_rows(&mut sum, &table, &rows);
            for (i, sum) in sum.into_iter().enumerate() {
                let slow: f32 = rows.iter().map(|&n| table[usize::from(n) * width + i]).sum();
                // Whole numbers: no rounding.
                assert_eq!(sum, 1.0 + slow);
            }
        }
    }
}
