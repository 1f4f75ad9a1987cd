//! Forward and backward pass of the dense head, for positions of one output bucket at a time.
//!
//! The same function as the quantized layers ([`nnue::network::dense`]), in f32: where the integers round, as
//! after a product of two inputs, the mean is followed by a factor of [`ROUNDED`].

use nnue::network::dense::{FIRST, SECOND};
use simd::gemm::{Matrix, MatrixMut, copy_row_major, matmul, matmul_add};
use simd::{AlignedVec, float};

use super::parameters::{Parameters, SECOND_WIDTH, Tensor};
use super::worker::Loss;

/// 127/128: 1·1 as int8, and 1² after the shift of the squared activation.
pub(super) const ROUNDED: f32 = 127.0 / 128.0;
/// Outputs of the first layer that the second one reads, twice.
pub(super) const ACTIVATED: usize = FIRST - 1;

/// The activations of some positions, and the gradients with respect to them. Matrices have a row for each
/// position.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    /// The accumulators' length.
    hidden: usize,
    /// The output bucket, and its weights, transposed.
    bucket: usize,
    first_weights: AlignedVec<f32>,
    second_weights: AlignedVec<f32>,
    /// Pairwise products of the accumulators.
    inputs: AlignedVec<f32>,
    /// The sums of the first layer.
    first: AlignedVec<f32>,
    /// The inputs of the second layer.
    activated: AlignedVec<f32>,
    /// The sums of the second layer.
    second: AlignedVec<f32>,
    input_gradients: AlignedVec<f32>,
    first_gradients: AlignedVec<f32>,
    activated_gradients: AlignedVec<f32>,
    second_gradients: AlignedVec<f32>,
    outputs: Vec<f32>,
}

impl Dense {
    /// Room for as many positions.
    pub(super) fn new(hidden: usize, rows: usize) -> Self {
        let matrix = |width: usize| AlignedVec::zeros(rows * width);
        Self {
            hidden,
            bucket: 0,
            first_weights: AlignedVec::zeros(hidden * FIRST),
            second_weights: AlignedVec::zeros(SECOND_WIDTH * SECOND),
            inputs: matrix(hidden),
            first: matrix(FIRST),
            activated: matrix(SECOND_WIDTH),
            second: matrix(SECOND),
            input_gradients: matrix(hidden),
            first_gradients: matrix(FIRST),
            activated_gradients: matrix(SECOND_WIDTH),
            second_gradients: matrix(SECOND),
            outputs: Vec::new(),
        }
    }

    /// Chooses the bucket of the positions that follow.
    pub(super) fn load(&mut self, parameters: &Parameters, bucket: usize) {
        self.bucket = bucket;
        let first =
            Matrix::new(parameters.bucket(Tensor::FirstWeights, bucket), FIRST, self.hidden);
        copy_row_major(&mut self.first_weights, first.transposed());
        let second = parameters.bucket(Tensor::SecondWeights, bucket);
        let second = Matrix::new(second, SECOND, SECOND_WIDTH);
        copy_row_major(&mut self.second_weights, second.transposed());
    }

    /// The outputs for pairs of accumulators, that of the side to move first. The parameters are those of
    /// [`load`](Self::load).
    pub(super) fn forward(&mut self, parameters: &Parameters, accumulators: &[f32]) -> &[f32] {
        let (bucket, hidden) = (self.bucket, self.hidden);
        let rows = accumulators.len() / (2 * hidden);
        let halves = accumulators.chunks_exact(hidden);
        for (accumulator, products) in halves.zip(self.inputs.chunks_exact_mut(hidden / 2)) {
            float::pairwise(accumulator, ROUNDED, products);
        }
        set_rows(&mut self.first[..rows * FIRST], parameters.bucket(Tensor::FirstBias, bucket));
        matmul_add(
            MatrixMut::new(&mut self.first, rows, FIRST),
            Matrix::new(&self.inputs, rows, hidden),
            Matrix::new(&self.first_weights, hidden, FIRST),
            1.0,
        );
        let sums = self.first.as_chunks::<FIRST>().0.iter();
        for (sums, to) in sums.zip(self.activated.as_chunks_mut::<SECOND_WIDTH>().0).take(rows) {
            for (n, &sum) in sums[..ACTIVATED].iter().enumerate() {
                to[n] = (sum * sum * ROUNDED).min(1.0);
                to[ACTIVATED + n] = sum.clamp(0.0, 1.0);
            }
        }
        set_rows(&mut self.second[..rows * SECOND], parameters.bucket(Tensor::SecondBias, bucket));
        matmul_add(
            MatrixMut::new(&mut self.second, rows, SECOND),
            Matrix::new(&self.activated, rows, SECOND_WIDTH),
            Matrix::new(&self.second_weights, SECOND_WIDTH, SECOND),
            1.0,
        );
        let weights = parameters.bucket(Tensor::OutputWeights, bucket);
        let bias = parameters.bucket(Tensor::OutputBias, bucket)[0];
        let rows =
            self.second.as_chunks::<SECOND>().0.iter().zip(self.first.as_chunks::<FIRST>().0);
        let outputs = rows.map(|(second, first)| {
            let terms = second.iter().zip(weights);
            let sum: f32 = terms.map(|(sum, weight)| sum.clamp(0.0, 1.0) * weight).sum();
            sum + bias + first[ACTIVATED]
        });
        self.outputs.clear();
        self.outputs.extend(outputs.take(accumulators.len() / (2 * hidden)));
        &self.outputs
    }

    /// The backward pass after [`forward`](Self::forward): adds to the gradients of the parameters, and
    /// replaces the accumulators by the gradients with respect to them. Returns the loss.
    pub(super) fn backward(
        &mut self,
        parameters: &Parameters,
        loss: &Loss,
        targets: impl Iterator<Item = f32>,
        accumulators: &mut [f32],
        gradients: &mut Parameters,
    ) -> f64 {
        let (bucket, hidden) = (self.bucket, self.hidden);
        let rows = self.outputs.len();
        let mut total = 0.0;
        // The output layer; the last output of the first layer is added to it.
        let weights = parameters.bucket(Tensor::OutputWeights, bucket);
        let seconds = self.second.as_chunks::<SECOND>().0.iter();
        let seconds = seconds.zip(self.second_gradients.as_chunks_mut::<SECOND>().0);
        let firsts = self.first_gradients.as_chunks_mut::<FIRST>().0.iter_mut();
        let layers = seconds.zip(firsts).zip(self.outputs.iter().zip(targets));
        for (((second, own), first), (&output, target)) in layers {
            let (loss, gradient) = loss.of(output, target);
            total += f64::from(loss);
            first[ACTIVATED] = gradient;
            gradients.bucket_mut(Tensor::OutputBias, bucket)[0] += gradient;
            let sums = gradients.bucket_mut(Tensor::OutputWeights, bucket).iter_mut();
            let terms = own.iter_mut().zip(second).zip(sums.zip(weights));
            for ((own, &sum), (sums, weight)) in terms {
                let activation = sum.clamp(0.0, 1.0);
                *sums += gradient * activation;
                *own = if activation == sum { gradient * weight } else { 0.0 };
            }
        }
        // The second layer.
        let second = Matrix::new(&self.second_gradients, rows, SECOND);
        add_rows(gradients.bucket_mut(Tensor::SecondBias, bucket), second.data(), rows);
        matmul_add(
            MatrixMut::new(
                gradients.bucket_mut(Tensor::SecondWeights, bucket),
                SECOND,
                SECOND_WIDTH,
            ),
            second.transposed(),
            Matrix::new(&self.activated, rows, SECOND_WIDTH),
            1.0,
        );
        let weights = parameters.bucket(Tensor::SecondWeights, bucket);
        matmul(
            MatrixMut::new(&mut self.activated_gradients, rows, SECOND_WIDTH),
            second,
            Matrix::new(weights, SECOND, SECOND_WIDTH),
            1.0,
        );
        let sums = self.first.as_chunks::<FIRST>().0.iter();
        let sums = sums.zip(self.activated_gradients.as_chunks::<SECOND_WIDTH>().0).take(rows);
        for ((sums, from), own) in sums.zip(self.first_gradients.as_chunks_mut::<FIRST>().0) {
            for (n, &sum) in sums[..ACTIVATED].iter().enumerate() {
                let squared = if sum * sum * ROUNDED < 1.0 { 2.0 * ROUNDED * sum } else { 0.0 };
                let clipped = if sum > 0.0 && sum < 1.0 { from[ACTIVATED + n] } else { 0.0 };
                own[n] = from[n] * squared + clipped;
            }
        }
        // The first layer.
        let first = Matrix::new(&self.first_gradients, rows, FIRST);
        add_rows(gradients.bucket_mut(Tensor::FirstBias, bucket), first.data(), rows);
        matmul_add(
            MatrixMut::new(gradients.bucket_mut(Tensor::FirstWeights, bucket), FIRST, hidden),
            first.transposed(),
            Matrix::new(&self.inputs, rows, hidden),
            1.0,
        );
        let weights = parameters.bucket(Tensor::FirstWeights, bucket);
        matmul(
            MatrixMut::new(&mut self.input_gradients, rows, hidden),
            first,
            Matrix::new(weights, FIRST, hidden),
            1.0,
        );
        let halves = self.input_gradients.chunks_exact(hidden / 2);
        for (accumulator, products) in accumulators.chunks_exact_mut(hidden).zip(halves) {
            float::pairwise_backward(accumulator, ROUNDED, products);
        }
        total
    }
}

/// Every row of the matrix becomes this one.
fn set_rows(matrix: &mut [f32], row: &[f32]) {
    matrix.chunks_exact_mut(row.len()).for_each(|to| to.copy_from_slice(row));
}

/// Adds the first rows of a matrix to the sums.
fn add_rows(sums: &mut [f32], matrix: &[f32], rows: usize) {
    for row in matrix.chunks_exact(sums.len()).take(rows) {
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
}
