//! AdamW.
//!
//! *I. Loshchilov, F. Hutter: Decoupled Weight Decay Regularization (2019).* Without weight decay it is
//! Adam (*D. Kingma, J. Ba, 2014*).
//!
//! The formula is the same for all models; the order of its floating-point operations is not. Each model
//! keeps the order ([`Rounding`]) it was trained with, so that runs resume bit-exactly:
//! [`FoldedBias`] the NNUE network, [`PerElementBias`] the two-tower MLP, [`Lerp`] the transformer.

use simd::{Loop, MulAdd, run_loop};

/// The hyperparameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AdamW {
    /// Learning rate.
    pub lr: f64,
    /// Decay rates of the first and second moment.
    pub betas: (f64, f64),
    /// Added to the denominator.
    pub eps: f64,
    /// Decoupled weight decay, in units of the learning rate.
    pub weight_decay: f64,
}

impl AdamW {
    /// The update of a step, counted from 1.
    pub fn at<R: Rounding>(&self, step: u64) -> Update<R> {
        let decayed = 1.0 - self.lr as f32 * self.weight_decay as f32;
        Update { decayed, rounding: R::new(self, step) }
    }
}

/// One step of AdamW, for any number of parameters.
#[derive(Clone, Copy, Debug)]
pub struct Update<R> {
    /// What parameters are multiplied by: 1 − lr · weight decay.
    decayed: f32,
    rounding: R,
}

impl<R: Rounding> Update<R> {
    /// Updates parameters and the moments of their gradient.
    #[inline]
    pub fn apply(
        &self,
        params: &mut [f32],
        grad: impl IntoIterator<Item = f32>,
        exp_avg: &mut [f32],
        exp_avg_sq: &mut [f32],
    ) {
        run_loop::<Apply, _>((self, (params, grad, exp_avg, exp_avg_sq)));
    }
}

/// Parameters, their gradient, and its first and second moment.
type Tensors<'a, G> = (&'a mut [f32], G, &'a mut [f32], &'a mut [f32]);

/// The loop of [`Update::apply`].
struct Apply;

impl<R: Rounding, G: IntoIterator<Item = f32>> Loop<(&Update<R>, Tensors<'_, G>)> for Apply {
    type Output = ();

    #[inline(always)]
    fn run((update, (params, grad, exp_avg, exp_avg_sq)): (&Update<R>, Tensors<'_, G>), _: MulAdd) {
        let moments = exp_avg.iter_mut().zip(exp_avg_sq);
        for ((param, grad), (m, v)) in params.iter_mut().zip(grad).zip(moments) {
            (*m, *v) = update.rounding.moments(grad, *m, *v);
            *param = *param * update.decayed - update.rounding.delta(*m, *v);
        }
    }
}

/// An order of operations.
pub trait Rounding: Copy {
    /// The constants of a step, counted from 1.
    fn new(options: &AdamW, step: u64) -> Self;
    /// The new moments.
    fn moments(&self, grad: f32, m: f32, v: f32) -> (f32, f32);
    /// What is subtracted from a parameter.
    fn delta(&self, m: f32, v: f32) -> f32;
}

/// 1 − betaᵗ, with beta rounded to single precision.
fn bias_correction(beta: f32, step: u64) -> f64 {
    1.0 - f64::from(beta).powf(step as f64)
}

/// Bias corrections in single precision, folded into the learning rate and one factor.
#[derive(Clone, Copy, Debug)]
pub struct FoldedBias {
    betas: (f32, f32),
    lr: f32,
    v_factor: f32,
    eps: f32,
}

impl Rounding for FoldedBias {
    fn new(options: &AdamW, step: u64) -> Self {
        let betas = (options.betas.0 as f32, options.betas.1 as f32);
        Self {
            betas,
            lr: options.lr as f32 / bias_correction(betas.0, step) as f32,
            v_factor: 1.0 / bias_correction(betas.1, step) as f32,
            eps: options.eps as f32,
        }
    }

    #[inline(always)]
    fn moments(&self, grad: f32, m: f32, v: f32) -> (f32, f32) {
        let (beta1, beta2) = self.betas;
        (beta1 * m + (1.0 - beta1) * grad, beta2 * v + (1.0 - beta2) * (grad * grad))
    }

    #[inline(always)]
    fn delta(&self, m: f32, v: f32) -> f32 {
        self.lr * m / ((v * self.v_factor).sqrt() + self.eps)
    }
}

/// Bias corrections applied to each moment.
#[derive(Clone, Copy, Debug)]
pub struct PerElementBias {
    betas: (f32, f32),
    lr: f32,
    m_factor: f32,
    v_factor: f32,
    eps: f32,
}

impl Rounding for PerElementBias {
    fn new(options: &AdamW, step: u64) -> Self {
        let betas = (options.betas.0 as f32, options.betas.1 as f32);
        Self {
            betas,
            lr: options.lr as f32,
            m_factor: (1.0 / bias_correction(betas.0, step)) as f32,
            v_factor: (1.0 / bias_correction(betas.1, step)) as f32,
            eps: options.eps as f32,
        }
    }

    #[inline(always)]
    fn moments(&self, grad: f32, m: f32, v: f32) -> (f32, f32) {
        let (beta1, beta2) = self.betas;
        (beta1 * m + (1.0 - beta1) * grad, beta2 * v + (1.0 - beta2) * grad * grad)
    }

    #[inline(always)]
    fn delta(&self, m: f32, v: f32) -> f32 {
        self.lr * (m * self.m_factor) / ((v * self.v_factor).sqrt() + self.eps)
    }
}

/// Moments by linear interpolation, as PyTorch's `lerp_`; constants in double precision.
#[derive(Clone, Copy, Debug)]
pub struct Lerp {
    weights: (f32, f32),
    lr: f32,
    v_bias: f32,
    eps: f32,
}

impl Rounding for Lerp {
    fn new(options: &AdamW, step: u64) -> Self {
        let bias_correction = |beta: f64| 1.0 - beta.powf(step as f64);
        let (beta1, beta2) = options.betas;
        Self {
            weights: ((1.0 - beta1) as f32, (1.0 - beta2) as f32),
            lr: (options.lr / bias_correction(beta1)) as f32,
            v_bias: bias_correction(beta2) as f32,
            eps: options.eps as f32,
        }
    }

    #[inline(always)]
    fn moments(&self, grad: f32, m: f32, v: f32) -> (f32, f32) {
        (m + (grad - m) * self.weights.0, v + (grad * grad - v) * self.weights.1)
    }

    #[inline(always)]
    fn delta(&self, m: f32, v: f32) -> f32 {
        self.lr * m / ((v / self.v_bias).sqrt() + self.eps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::rng::Rng;

    const COUNT: usize = 50;

    /// Parameters and moments.
    type State = [Vec<f32>; 3];

    fn numbers(rng: &mut Rng) -> Vec<f32> {
        (0..COUNT).map(|_| rng.next_f32() - 0.5).collect()
    }

    /// Ten steps with random gradients.
    fn run(mut step: impl FnMut(u64, &[f32], &mut State)) -> State {
        let mut rng = Rng::new(1, 0);
        let mut state = [numbers(&mut rng), vec![0.0; COUNT], vec![0.0; COUNT]];
        (1..=10).for_each(|t| step(t, &numbers(&mut rng), &mut state));
        state
    }

    fn fast<R: Rounding>(options: AdamW) -> State {
        run(|t, grad, [params, m, v]| {
            options.at::<R>(t).apply(params, grad.iter().copied(), m, v);
        })
    }

    fn bits(state: &State) -> Vec<u32> {
        state.iter().flatten().map(|value| value.to_bits()).collect()
    }

    #[test]
    fn steps_are_those_of_the_paper() {
        let all = [
            (fast::<FoldedBias> as fn(AdamW) -> State, (0.9, 0.999), 1e-8, 0.1),
            (fast::<PerElementBias>, (0.9, 0.999), 1e-8, 0.1),
            (fast::<Lerp>, (0.8, 0.95), 1e-10, 0.0),
        ];
        for (fast, betas, eps, weight_decay) in all {
            let fast = fast(AdamW { lr: 0.01, betas, eps, weight_decay });
            // In double precision, one formula at a time.
            let (mut m, mut v) = (vec![0.0; COUNT], vec![0.0; COUNT]);
            let mut slow: Option<Vec<f64>> = None;
            run(|t, grad, [params, ..]| {
                let slow =
                    slow.get_or_insert_with(|| params.iter().map(|&param| param.into()).collect());
                for i in 0..COUNT {
                    let g = f64::from(grad[i]);
                    m[i] = betas.0 * m[i] + (1.0 - betas.0) * g;
                    v[i] = betas.1 * v[i] + (1.0 - betas.1) * g * g;
                    let m = m[i] / (1.0 - f64::powi(betas.0, t as i32));
                    let v = v[i] / (1.0 - f64::powi(betas.1, t as i32));
                    slow[i] -= 0.01 * (m / (v.sqrt() + eps) + weight_decay * slow[i]);
                }
            });
            for (fast, slow) in fast[0].iter().zip(&slow.unwrap()) {
                assert!((f64::from(*fast) - slow).abs() < 1e-5, "{fast} {slow}");
            }
        }
    }

    /// The loops of the three trainers before they shared this one, operation by operation.
    #[test]
    fn every_order_of_operations_keeps_its_bits() {
        let options = AdamW { lr: 0.012, betas: (0.9, 0.999), eps: 1e-8, weight_decay: 0.1 };
        let (beta1, beta2, eps) = (0.9f32, 0.999f32, 1e-8f32);
        let full = |beta: f32, t: u64| 1.0 - f64::from(beta).powf(t as f64);
        let nnue = run(|t, grad, [params, first, second]| {
            let (whole1, whole2) = (full(beta1, t) as f32, full(beta2, t) as f32);
            let (rate, decay) = (0.012f64 as f32, 0.1f64 as f32);
            let keep = 1.0 - rate * decay;
            let (rate, second_factor) = (rate / whole1, 1.0 / whole2);
            for i in 0..COUNT {
                let g = grad[i];
                first[i] = beta1 * first[i] + (1.0 - beta1) * g;
                second[i] = beta2 * second[i] + (1.0 - beta2) * (g * g);
                let size = (second[i] * second_factor).sqrt() + eps;
                params[i] = params[i] * keep - rate * first[i] / size;
            }
        });
        assert_eq!(bits(&nnue), bits(&fast::<FoldedBias>(options)));
        let towers = run(|t, grad, [params, mean, square]| {
            let correction = |beta: f32| (1.0 / full(beta, t)) as f32;
            for i in 0..COUNT {
                let g = grad[i];
                let m = beta1 * mean[i] + (1.0 - beta1) * g;
                let s = beta2 * square[i] + (1.0 - beta2) * g * g;
                let size = (s * correction(beta2)).sqrt() + eps;
                params[i] -= 0.012f32 * (m * correction(beta1)) / size;
                (mean[i], square[i]) = (m, s);
            }
        });
        let lr = f64::from(0.012f32);
        let options = AdamW { lr, weight_decay: 0.0, ..options };
        assert_eq!(bits(&towers), bits(&fast::<PerElementBias>(options)));
        let betas = (0.8f64, 0.95f64);
        let pra = run(|t, grad, [params, first, second]| {
            let full = |beta: f64| 1.0 - beta.powf(t as f64);
            let rate = (0.012 / full(betas.0)) as f32;
            let full = full(betas.1) as f32;
            let (new1, new2) = ((1.0 - betas.0) as f32, (1.0 - betas.1) as f32);
            for i in 0..COUNT {
                first[i] += (grad[i] - first[i]) * new1;
                second[i] += (grad[i] * grad[i] - second[i]) * new2;
                params[i] -= rate * first[i] / ((second[i] / full).sqrt() + 1e-10);
            }
        });
        let options = AdamW { lr: 0.012, betas, eps: 1e-10, weight_decay: 0.0 };
        assert_eq!(bits(&pra), bits(&fast::<Lerp>(options)));
    }
}
