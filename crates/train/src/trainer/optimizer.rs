//! AdamW on the sum of the threads' gradients, with weights clipped to the range of a network file.

use learn::optim::{AdamW, FoldedBias, Update};
use nnue::network::Head;
use simd::AlignedVec;

use super::parameters::{Parameters, Tensor};
use simd::float;

const BETAS: (f64, f64) = (0.9, 0.999);
const EPS: f64 = 1e-8;
/// Gradients are summed in blocks of this length, in the L1 cache.
const BLOCK: usize = 1024;

/// The optimizer state.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Optimizer {
    /// Steps taken.
    pub(super) step: u64,
    /// First and second moments of the gradient.
    pub(super) exp_avg: AlignedVec<f32>,
    pub(super) exp_avg_sq: AlignedVec<f32>,
}

/// The hyperparameters of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepOptions {
    pub(super) lr: f64,
    pub(super) weight_decay: f64,
    /// Factor of the gradients, which are sums over the batch.
    pub(super) grad_scale: f32,
}

/// A range of parameters of one tensor.
struct Slice<'a> {
    start: usize,
    tensor: Tensor,
    params: &'a mut [f32],
    exp_avg: &'a mut [f32],
    exp_avg_sq: &'a mut [f32],
}

impl Optimizer {
    pub(super) fn new(count: usize) -> Self {
        Self { step: 0, exp_avg: AlignedVec::zeros(count), exp_avg_sq: AlignedVec::zeros(count) }
    }

    /// Takes a step along the sum of these gradients, on as many threads as there are gradients.
    pub(super) fn step(
        &mut self,
        parameters: &mut Parameters,
        gradients: &[&[f32]],
        options: StepOptions,
    ) {
        self.step += 1;
        let step = self.step;
        let threads = gradients.len().max(1);
        let mut work: Vec<Vec<Slice<'_>>> = (0..threads).map(|_| Vec::new()).collect();
        let shape = parameters.shape().clone();
        let mut params: &mut [f32] = &mut parameters.values;
        let (mut exp_avg, mut exp_avg_sq): (&mut [f32], &mut [f32]) =
            (&mut self.exp_avg, &mut self.exp_avg_sq);
        let mut start = 0;
        for tensor in Tensor::of(&shape) {
            let length = tensor.range(&shape).len();
            for (n, list) in work.iter_mut().enumerate() {
                let take = (n + 1) * length / threads - n * length / threads;
                let cut = (
                    params.split_off_mut(..take),
                    exp_avg.split_off_mut(..take),
                    exp_avg_sq.split_off_mut(..take),
                );
                if let (Some(params), Some(exp_avg), Some(exp_avg_sq)) = cut {
                    list.push(Slice { start, tensor, params, exp_avg, exp_avg_sq });
                }
                start += take;
            }
        }
        let update = |slices: Vec<Slice<'_>>| {
            for slice in slices {
                let weight_decay = if slice.tensor.decays() { options.weight_decay } else { 0.0 };
                let adamw = AdamW { lr: options.lr, betas: BETAS, eps: EPS, weight_decay };
                slice.update(gradients, options.grad_scale, adamw.at(step), shape.head);
            }
        };
        data::threads::map_or_panic(work, update);
    }
}

impl Slice<'_> {
    fn update(self, gradients: &[&[f32]], grad_scale: f32, update: Update<FoldedBias>, head: Head) {
        let mut sum = [0.0; BLOCK];
        let limit = self.tensor.limit(head);
        let blocks = self.params.chunks_mut(BLOCK);
        let moments = self.exp_avg.chunks_mut(BLOCK).zip(self.exp_avg_sq.chunks_mut(BLOCK));
        for (n, (params, (exp_avg, exp_avg_sq))) in blocks.zip(moments).enumerate() {
            let at = self.start + n * BLOCK;
            let sum = &mut sum[..params.len()];
            sum.fill(0.0);
            gradients.iter().for_each(|own| float::add(sum, &own[at..at + sum.len()]));
            update.apply(params, sum.iter().map(|grad| grad * grad_scale), exp_avg, exp_avg_sq);
            params.iter_mut().for_each(|param| *param = param.clamp(-limit, limit));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nnue::Shape;

    /// The formulas of the paper, one parameter at a time.
    #[test]
    fn a_step_is_that_of_the_paper_for_any_number_of_threads() {
        let shape = Shape::plain(32);
        let start = Parameters::random(&shape, 5);
        let gradients = Parameters::random(&shape, 6).values;
        let options = StepOptions { lr: 0.01, weight_decay: 0.1, grad_scale: 0.5 };
        let mut slow = start.clone();
        let (mut m, mut v) = (vec![0.0; gradients.len()], vec![0.0; gradients.len()]);
        for t in 1..=3 {
            for tensor in Tensor::of(&shape) {
                for i in tensor.range(&shape) {
                    let g = gradients[i] * 0.5;
                    m[i] = 0.9 * m[i] + 0.1 * g;
                    v[i] = 0.999 * v[i] + 0.001 * g * g;
                    let (mh, vh) = (m[i] / (1.0 - 0.9f32.powi(t)), v[i] / (1.0 - 0.999f32.powi(t)));
                    let decay = if tensor.decays() { 0.1 * slow.values[i] } else { 0.0 };
                    slow.values[i] -= 0.01 * (mh / (vh.sqrt() + 1e-8) + decay);
                }
            }
        }
        // One thread, and three of which two have zero gradients.
        let zero = vec![0.0; gradients.len()];
        for all in [vec![&*gradients], vec![&zero, &*gradients, &zero]] {
            let (mut fast, mut optimizer) = (start.clone(), Optimizer::new(gradients.len()));
            (0..3).for_each(|_| optimizer.step(&mut fast, &all, options));
            for (fast, slow) in fast.values.iter().zip(slow.values.iter()) {
                assert!((fast - slow).abs() < 1e-4, "{fast} {slow}");
            }
        }
    }

    #[test]
    fn parameters_stay_within_the_range_of_a_network_file() {
        let shape = Shape::plain(32);
        let mut parameters = Parameters::zero(&shape);
        let gradients = vec![-1.0; parameters.values.len()];
        let mut optimizer = Optimizer::new(gradients.len());
        let options = StepOptions { lr: 1.0, weight_decay: 0.0, grad_scale: 1.0 };
        (0..5).for_each(|_| optimizer.step(&mut parameters, &[&gradients], options));
        assert!(parameters.tensor(Tensor::FeatureWeights).iter().all(|&v| v == 1.98));
        assert!(parameters.tensor(Tensor::OutputBias).iter().all(|&v| v > 4.0));
    }
}
