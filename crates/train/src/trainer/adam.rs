//! AdamW: gradients smoothed, divided by their size, with weights that decay on their own.
//!
//! *I. Loshchilov, F. Hutter: Decoupled Weight Decay Regularization (2019)*, with β₁ = 0.9, β₂ = 0.999.
//! After each step numbers are clipped to what a network file has room for.

use simd::{AlignedVec, float};

use super::parameters::{Parameters, Part};

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;
/// Gradients are added up so many at a time, in the first-level cache.
const BLOCK: usize = 1024;

/// The optimiser's memory of each parameter.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Adam {
    /// Steps that have been taken.
    pub(super) steps: u64,
    /// Smoothed gradients, and their smoothed squares.
    pub(super) first: AlignedVec<f32>,
    pub(super) second: AlignedVec<f32>,
}

/// One step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) rate: f32,
    pub(super) decay: f32,
    /// What the gradients, which are sums, are multiplied by.
    pub(super) factor: f32,
}

/// A range of parameters of one part.
struct Share<'a> {
    start: usize,
    part: Part,
    values: &'a mut [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
}

impl Adam {
    pub(super) fn new(count: usize) -> Self {
        Self { steps: 0, first: AlignedVec::zeros(count), second: AlignedVec::zeros(count) }
    }

    /// Takes a step along the sum of these gradients, with as many threads as there are gradients.
    pub(super) fn step(&mut self, parameters: &mut Parameters, gradients: &[&[f32]], step: Step) {
        self.steps += 1;
        // How much of the averages there is yet.
        let full = |beta: f32| 1.0 - f64::from(beta).powf(self.steps as f64);
        let (whole1, whole2) = (full(BETA1) as f32, full(BETA2) as f32);
        let threads = gradients.len().max(1);
        let mut work: Vec<Vec<Share<'_>>> = (0..threads).map(|_| Vec::new()).collect();
        let shape = parameters.shape().clone();
        let mut values: &mut [f32] = &mut parameters.values;
        let (mut first, mut second): (&mut [f32], &mut [f32]) = (&mut self.first, &mut self.second);
        let mut start = 0;
        for part in Part::ALL {
            let length = part.range(&shape).len();
            for (n, list) in work.iter_mut().enumerate() {
                let take = (n + 1) * length / threads - n * length / threads;
                let cut = (
                    values.split_off_mut(..take),
                    first.split_off_mut(..take),
                    second.split_off_mut(..take),
                );
                if let (Some(values), Some(first), Some(second)) = cut {
                    list.push(Share { start, part, values, first, second });
                }
                start += take;
            }
        }
        let update = |shares: Vec<Share<'_>>| {
            shares.into_iter().for_each(|share| share.update(gradients, step, whole1, whole2));
        };
        data::threads::map_or_panic(work, update);
    }
}

impl Share<'_> {
    fn update(self, gradients: &[&[f32]], step: Step, whole1: f32, whole2: f32) {
        let mut sum = [0.0; BLOCK];
        let keep = if self.part.decays() { 1.0 - step.rate * step.decay } else { 1.0 };
        let limit = self.part.limit();
        let (rate, second_factor) = (step.rate / whole1, 1.0 / whole2);
        let blocks = self.values.chunks_mut(BLOCK);
        let moments = self.first.chunks_mut(BLOCK).zip(self.second.chunks_mut(BLOCK));
        for (n, (values, (first, second))) in blocks.zip(moments).enumerate() {
            let at = self.start + n * BLOCK;
            let sum = &mut sum[..values.len()];
            sum.fill(0.0);
            gradients.iter().for_each(|own| float::add(sum, &own[at..at + sum.len()]));
            let moments = first.iter_mut().zip(second);
            for ((value, gradient), (first, second)) in values.iter_mut().zip(sum).zip(moments) {
                let gradient = *gradient * step.factor;
                *first = BETA1 * *first + (1.0 - BETA1) * gradient;
                *second = BETA2 * *second + (1.0 - BETA2) * (gradient * gradient);
                let size = (*second * second_factor).sqrt() + EPSILON;
                *value = (*value * keep - rate * *first / size).clamp(-limit, limit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nnue::Shape;

    /// The formulas of the paper, one number at a time.
    #[test]
    fn a_step_is_that_of_the_paper_whatever_the_threads() {
        let shape = Shape::plain(32);
        let start = Parameters::random(&shape, 5);
        let gradients = Parameters::random(&shape, 6).values;
        let step = Step { rate: 0.01, decay: 0.1, factor: 0.5 };
        let mut slow = start.clone();
        let (mut m, mut v) = (vec![0.0; gradients.len()], vec![0.0; gradients.len()]);
        for t in 1..=3 {
            for part in Part::ALL {
                for i in part.range(&shape) {
                    let g = gradients[i] * 0.5;
                    m[i] = 0.9 * m[i] + 0.1 * g;
                    v[i] = 0.999 * v[i] + 0.001 * g * g;
                    let (mh, vh) = (m[i] / (1.0 - 0.9f32.powi(t)), v[i] / (1.0 - 0.999f32.powi(t)));
                    let decay = if part.decays() { 0.1 * slow.values[i] } else { 0.0 };
                    slow.values[i] -= 0.01 * (mh / (vh.sqrt() + 1e-8) + decay);
                }
            }
        }
        // One thread, and three of which two have nothing to add.
        let zero = vec![0.0; gradients.len()];
        for all in [vec![&*gradients], vec![&zero, &*gradients, &zero]] {
            let (mut fast, mut adam) = (start.clone(), Adam::new(gradients.len()));
            (0..3).for_each(|_| adam.step(&mut fast, &all, step));
            for (fast, slow) in fast.values.iter().zip(slow.values.iter()) {
                assert!((fast - slow).abs() < 1e-4, "{fast} {slow}");
            }
        }
    }

    #[test]
    fn numbers_stay_within_what_the_file_has_room_for() {
        let shape = Shape::plain(32);
        let mut parameters = Parameters::zero(&shape);
        let gradients = vec![-1.0; parameters.values.len()];
        let mut adam = Adam::new(gradients.len());
        let step = Step { rate: 1.0, decay: 0.0, factor: 1.0 };
        (0..5).for_each(|_| adam.step(&mut parameters, &[&gradients], step));
        assert!(parameters.part(Part::FeatureWeights).iter().all(|&v| v == 1.98));
        assert!(parameters.part(Part::OutputBias).iter().all(|&v| v > 4.0));
    }
}
