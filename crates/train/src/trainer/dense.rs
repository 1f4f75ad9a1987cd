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
    /// The output bucket.
    bucket: usize,
    first_layer: AffineLayer,
    second_layer: AffineLayer,
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
            first_layer: AffineLayer::new(
                (Tensor::FirstWeights, Tensor::FirstBias),
                (hidden, FIRST),
            ),
            second_layer: AffineLayer::new(
                (Tensor::SecondWeights, Tensor::SecondBias),
                (SECOND_WIDTH, SECOND),
            ),
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
        self.first_layer.load(parameters, bucket);
        self.second_layer.load(parameters, bucket);
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
        self.first_layer.forward(parameters, bucket, rows, &self.inputs, &mut self.first);
        let sums = self.first.as_chunks::<FIRST>().0.iter();
        for (sums, to) in sums.zip(self.activated.as_chunks_mut::<SECOND_WIDTH>().0).take(rows) {
            for (n, &sum) in sums[..ACTIVATED].iter().enumerate() {
                to[n] = (sum * sum * ROUNDED).min(1.0);
                to[ACTIVATED + n] = sum.clamp(0.0, 1.0);
            }
        }
        self.second_layer.forward(parameters, bucket, rows, &self.activated, &mut self.second);
        let weights = parameters.bucket(Tensor::OutputWeights, bucket);
        let bias = parameters.bucket(Tensor::OutputBias, bucket)[0];
        let sums = self.second.as_chunks::<SECOND>().0.iter();
        let outputs = sums.zip(self.first.as_chunks::<FIRST>().0).map(|(second, first)| {
            let terms = second.iter().zip(weights);
            let sum: f32 = terms.map(|(sum, weight)| sum.clamp(0.0, 1.0) * weight).sum();
            sum + bias + first[ACTIVATED]
        });
        self.outputs.clear();
        self.outputs.extend(outputs.take(rows));
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
        self.second_layer.backward(
            parameters,
            bucket,
            rows,
            &self.activated,
            &self.second_gradients,
            &mut self.activated_gradients,
            gradients,
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
        self.first_layer.backward(
            parameters,
            bucket,
            rows,
            &self.inputs,
            &self.first_gradients,
            &mut self.input_gradients,
            gradients,
        );
        let halves = self.input_gradients.chunks_exact(hidden / 2);
        for (accumulator, products) in accumulators.chunks_exact_mut(hidden).zip(halves) {
            float::pairwise_backward(accumulator, ROUNDED, products);
        }
        total
    }
}

/// An affine layer of one output bucket. Matrices have a row for each position.
#[derive(Clone, Debug)]
struct AffineLayer {
    /// A row for each output.
    weights: Tensor,
    bias: Tensor,
    inputs: usize,
    outputs: usize,
    /// The weights of the bucket, a row for each input.
    transposed: AlignedVec<f32>,
}

impl AffineLayer {
    fn new((weights, bias): (Tensor, Tensor), (inputs, outputs): (usize, usize)) -> Self {
        let transposed = AlignedVec::zeros(inputs * outputs);
        Self { weights, bias, inputs, outputs, transposed }
    }

    fn load(&mut self, parameters: &Parameters, bucket: usize) {
        let weights = parameters.bucket(self.weights, bucket);
        let weights = Matrix::new(weights, self.outputs, self.inputs);
        copy_row_major(&mut self.transposed, weights.transposed());
    }

    fn forward(
        &self,
        parameters: &Parameters,
        bucket: usize,
        rows: usize,
        input: &[f32],
        output: &mut [f32],
    ) {
        let bias = parameters.bucket(self.bias, bucket);
        output.chunks_exact_mut(self.outputs).take(rows).for_each(|row| row.copy_from_slice(bias));
        matmul_add(
            MatrixMut::new(output, rows, self.outputs),
            Matrix::new(input, rows, self.inputs),
            Matrix::new(&self.transposed, self.inputs, self.outputs),
            1.0,
        );
    }

    /// Given the gradients with respect to the output: adds to those of weights and biases, and sets those with
    /// respect to the input.
    #[allow(
        clippy::too_many_arguments,
        reason = "input, output and parameters, and a gradient for each"
    )]
    fn backward(
        &self,
        parameters: &Parameters,
        bucket: usize,
        rows: usize,
        input: &[f32],
        output_gradients: &[f32],
        input_gradients: &mut [f32],
        gradients: &mut Parameters,
    ) {
        let output = Matrix::new(output_gradients, rows, self.outputs);
        let bias = gradients.bucket_mut(self.bias, bucket);
        let output_rows = output_gradients.chunks_exact(self.outputs).take(rows);
        output_rows.for_each(|row| float::add(bias, row));
        matmul_add(
            MatrixMut::new(gradients.bucket_mut(self.weights, bucket), self.outputs, self.inputs),
            output.transposed(),
            Matrix::new(input, rows, self.inputs),
            1.0,
        );
        matmul(
            MatrixMut::new(input_gradients, rows, self.inputs),
            output,
            Matrix::new(parameters.bucket(self.weights, bucket), self.outputs, self.inputs),
            1.0,
        );
    }
}
