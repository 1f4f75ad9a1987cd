//! The optimizer Adam (Kingma and Ba, 2014): every parameter has a step size of its own, from averages
//! of its gradient and of the square of it.

use simd::row64::Row;

const MEAN_DECAY: f32 = 0.9;
const SQUARE_DECAY: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// What is the same for all parameters in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adam {
    rate: f32,
    mean_correction: f32,
    square_correction: f32,
}

impl Adam {
    /// The step with this number, counted from 1. The averages begin with 0 and are too small at first:
    /// that is what the corrections are for.
    pub(super) fn step(number: u64, rate: f32) -> Self {
        let correction = |decay: f32| {
            let left = f64::from(decay).powf(number as f64);
            (1.0 / (1.0 - left)) as f32
        };
        Self {
            rate,
            mean_correction: correction(MEAN_DECAY),
            square_correction: correction(SQUARE_DECAY),
        }
    }

    /// Changes parameters by their gradient, which is 0 after that.
    pub(super) fn apply(
        &self,
        parameters: &mut [Row],
        means: &mut [Row],
        squares: &mut [Row],
        gradient: &mut [Row],
    ) {
        let averages = means.iter_mut().zip(squares);
        for ((row, gradient), (mean, square)) in parameters.iter_mut().zip(gradient).zip(averages) {
            for n in 0..64 {
                let g = gradient.0[n];
                let m = MEAN_DECAY * mean.0[n] + (1.0 - MEAN_DECAY) * g;
                let s = SQUARE_DECAY * square.0[n] + (1.0 - SQUARE_DECAY) * g * g;
                let size = (s * self.square_correction).sqrt() + EPSILON;
                row.0[n] -= self.rate * (m * self.mean_correction) / size;
                mean.0[n] = m;
                square.0[n] = s;
                gradient.0[n] = 0.0;
            }
        }
    }
}
