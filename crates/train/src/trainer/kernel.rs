//! The one thing that takes time: rows of a table added up.
//!
//! Forward, the hidden layer of a position is the sum of the weight rows of its active inputs. Backward,
//! the gradient of a weight row is the sum of the hidden gradients of the positions in which its input is
//! active. Both are [`add_rows`], which takes a strip of columns at a time and keeps their sums in
//! registers; the compiler makes vector instructions of the loops. What limits it is how fast rows come
//! from the second-level cache.

/// Columns whose sums are kept in registers: four of the widest.
const STRIP: usize = 64;
/// The hidden layer is a multiple of this.
const LANES: usize = nnue::network::HIDDEN_STEP;

/// Adds rows of a table to a sum; rows are as long as the sum. Rows are added in the order of the list.
#[inline]
pub(super) fn add_rows(sum: &mut [f32], table: &[f32], rows: &[u16]) {
    let width = sum.len();
    let (strips, rest) = sum.as_chunks_mut::<STRIP>();
    let mut column = 0;
    for strip in strips {
        add_strip(strip, table, rows, width, column);
        column += STRIP;
    }
    for strip in rest.as_chunks_mut::<LANES>().0 {
        add_strip(strip, table, rows, width, column);
        column += LANES;
    }
}

/// The columns from `column` on.
#[inline(always)]
fn add_strip<const N: usize>(
    strip: &mut [f32; N],
    table: &[f32],
    rows: &[u16],
    width: usize,
    column: usize,
) {
    let mut sums = *strip;
    for &number in rows {
        let row = table[usize::from(number) * width + column..].first_chunk::<N>();
        for (sum, value) in sums.iter_mut().zip(row.unwrap_or(&[0.0; N])) {
            *sum += value;
        }
    }
    *strip = sums;
}

/// Adds one array to another.
#[inline]
pub(super) fn add(sum: &mut [f32], other: &[f32]) {
    sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
}

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
        for width in [32, 64, 96, 256] {
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
}
