//! f32 kernels that train the engine's network.
//!
//! Most of the time goes into [`add_rows`]. Forward, the accumulator of a position is the sum of the weight
//! rows of its active features (PyTorch's `EmbeddingBag`). Backward, the gradient of a weight row is the
//! sum of the accumulator gradients of the positions in which its feature is active. A strip of columns is
//! summed in registers over all rows; the bottleneck is loading rows from the second-level cache. The
//! compiler vectorizes the loops.

use crate::dispatch::dispatch;
use crate::quantized::STEP;

/// Columns that [`add_rows`] sums in registers: four of the widest.
pub const STRIP: usize = 64;

dispatch! {
    /// `sum += Σ table[rows]`, in the order of the list. Rows of the table are as long as the sum, a multiple
    /// of 32.
    pub fn add_rows(sum: &mut [f32], table: &[f32], rows: &[u16]) {
        let width = sum.len();
        let (strips, rest) = sum.as_chunks_mut::<STRIP>();
        let mut column = 0;
        for strip in strips {
            add_strip(strip, table, rows, width, column);
            column += STRIP;
        }
        for strip in rest.as_chunks_mut::<STEP>().0 {
            add_strip(strip, table, rows, width, column);
            column += STEP;
        }
    }

    /// `sum += other`, elementwise.
    pub fn add(sum: &mut [f32], other: &[f32]) {
        let len = sum.len().min(other.len());
        let (sum, other) = (&mut sum[..len], &other[..len]);
        for i in 0..len {
            sum[i] += other[i];
        }
    }

    /// `Σ clamp(x, 0, 1)² · w`, the SCReLU activations times the output weights. Lengths are multiples of 32.
    pub fn screlu_dot(hidden: &[f32], weights: &[f32]) -> f32 {
        let mut sums = [0.0; STEP];
        for (x, w) in hidden.as_chunks::<STEP>().0.iter().zip(weights.as_chunks::<STEP>().0) {
            for i in 0..STEP {
                let v = x[i].clamp(0.0, 1.0);
                sums[i] += v * v * w[i];
            }
        }
        sum(sums)
    }

    /// The backward pass of [`screlu_dot`], given the gradient w.r.t. its result: accumulates the gradient
    /// w.r.t. the weights, and replaces the hidden layer by the gradient w.r.t. it, which is 0 where the
    /// activation is clipped.
    pub fn screlu_backward(
        hidden: &mut [f32],
        weights: &[f32],
        gradient: f32,
        weight_gradients: &mut [f32],
    ) {
        let hidden = hidden.as_chunks_mut::<STEP>().0.iter_mut();
        let weights = weights.as_chunks::<STEP>().0.iter();
        let gradients = weight_gradients.as_chunks_mut::<STEP>().0.iter_mut();
        for ((x, w), g) in hidden.zip(weights).zip(gradients) {
            for i in 0..STEP {
                let v = x[i].clamp(0.0, 1.0);
                g[i] += gradient * v * v;
                // Both ends count as clipped: the derivative at 0 is 0 anyway.
                x[i] = if v == x[i] && v < 1.0 { gradient * 2.0 * v * w[i] } else { 0.0 };
            }
        }
    }

    /// Pairwise multiplication: `clamp(x, 0, 1)` of the first half times that of the second, times a factor.
    /// Lengths are multiples of 64 and 32.
    pub fn pairwise(hidden: &[f32], factor: f32, products: &mut [f32]) {
        let (low, high) = hidden.split_at(hidden.len() / 2);
        let halves = low.as_chunks::<STEP>().0.iter().zip(high.as_chunks::<STEP>().0);
        for ((low, high), products) in halves.zip(products.as_chunks_mut::<STEP>().0) {
            for i in 0..STEP {
                products[i] = low[i].clamp(0.0, 1.0) * high[i].clamp(0.0, 1.0) * factor;
            }
        }
    }

    /// The backward pass of [`pairwise`], given the gradient w.r.t. the products: replaces the hidden layer
    /// by the gradient w.r.t. it, which is 0 where it is clipped.
    pub fn pairwise_backward(hidden: &mut [f32], factor: f32, gradients: &[f32]) {
        let (low, high) = hidden.split_at_mut(hidden.len() / 2);
        let halves = low.as_chunks_mut::<STEP>().0.iter_mut().zip(high.as_chunks_mut::<STEP>().0);
        for ((low, high), gradients) in halves.zip(gradients.as_chunks::<STEP>().0) {
            for i in 0..STEP {
                let (a, b) = (low[i].clamp(0.0, 1.0), high[i].clamp(0.0, 1.0));
                let gradient = gradients[i] * factor;
                // A value of exactly 0 counts as clipped: there are many, by a hidden layer without pieces.
                low[i] = if a == low[i] && a > 0.0 && a < 1.0 { gradient * b } else { 0.0 };
                high[i] = if b == high[i] && b > 0.0 && b < 1.0 { gradient * a } else { 0.0 };
            }
        }
    }
}

/// The sum of lanes, by halves.
#[inline(always)]
fn sum(mut sums: [f32; STEP]) -> f32 {
    let mut half = STEP / 2;
    while half > 0 {
        for i in 0..half {
            sums[i] += sums[i + half];
        }
        half /= 2;
    }
    sums[0]
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
        let row = row.unwrap_or(&[0.0; N]);
        // An index loop: iterators are not inlined reliably without link-time optimization.
        for i in 0..N {
            sums[i] += row[i];
        }
    }
    *strip = sums;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn add_rows_equals_a_naive_sum_for_any_number_of_rows() {
        for width in [32, 64, 96, 256] {
            let table: Vec<f32> = (0..width * 20).map(|i| (i % 37) as f32).collect();
            for count in 0..20u16 {
                let rows: Vec<u16> = (0..count).map(|n| n * 7 % 20).collect();
                let mut sum = vec![1.0; width];
                add_rows(&mut sum, &table, &rows);
                for (i, sum) in sum.into_iter().enumerate() {
                    let slow: f32 = rows.iter().map(|&n| table[usize::from(n) * width + i]).sum();
                    // Integers: no rounding.
                    assert_eq!(sum, 1.0 + slow);
                }
            }
        }
    }

    /// A hidden layer with values below, within and beyond 0–1, and both ends. In a long one every pair of
    /// them occurs.
    fn layer(len: usize) -> Vec<f32> {
        const VALUES: [f32; 7] = [-0.75, 0.0, 0.25, 0.5, 0.875, 1.0, 1.5];
        let value = |i: usize| if i < len / 2 { i } else { i / VALUES.len() + 3 * i };
        (0..len).map(|i| VALUES[value(i) % VALUES.len()]).collect()
    }

    /// A power of two, like the values' denominators: products are exact.
    const FACTOR: f32 = 0.5;

    #[test]
    fn pairwise_products_equal_plain_loops() {
        for len in [64, 128, 192, 1024] {
            let hidden = layer(len);
            let mut products = vec![7.0; len / 2];
            pairwise(&hidden, FACTOR, &mut products);
            for (i, &product) in products.iter().enumerate() {
                let [a, b] = [hidden[i], hidden[len / 2 + i]].map(|x| x.clamp(0.0, 1.0));
                assert_eq!(product, a * b * FACTOR, "{i} of {len}");
            }
        }
    }

    #[test]
    fn gradients_of_pairwise_products_equal_plain_loops() {
        let slope = |x: f32| if x > 0.0 && x < 1.0 { 1.0 } else { 0.0 };
        for len in [64, 128, 192, 1024] {
            let hidden = layer(len);
            let gradients: Vec<f32> = (0..len / 2).map(|i| (i % 9) as f32 - 4.0).collect();
            let mut found = hidden.clone();
            pairwise_backward(&mut found, FACTOR, &gradients);
            for (i, gradient) in gradients.iter().enumerate() {
                let (a, b) = (hidden[i], hidden[len / 2 + i]);
                let gradient = gradient * FACTOR;
                assert_eq!(found[i], gradient * slope(a) * b.clamp(0.0, 1.0), "{i} of {len}");
                let other = gradient * slope(b) * a.clamp(0.0, 1.0);
                assert_eq!(found[len / 2 + i], other, "{i} of {len}");
            }
        }
    }
}
