//! AdamW, without decay: gradients smoothed, and divided by their size.
//!
//! *I. Loshchilov, F. Hutter: Decoupled Weight Decay Regularization (2019)*, with the constants of the
//! reference.

const BETAS: (f64, f64) = (0.8, 0.95);
const EPSILON: f32 = 1e-10;

/// Takes a step, which is counted from 0, with numbers, gradients and their two moments.
pub(super) fn update(
    values: &mut [f32],
    gradient: &[f32],
    first: &mut [f32],
    second: &mut [f32],
    rate: f64,
    step: u64,
) {
    // How much of the averages there is yet.
    let full = |beta: f64| 1.0 - beta.powf((step + 1) as f64);
    let rate = (rate / full(BETAS.0)) as f32;
    let full = full(BETAS.1) as f32;
    let (new1, new2) = ((1.0 - BETAS.0) as f32, (1.0 - BETAS.1) as f32);
    let moments = first.iter_mut().zip(second);
    for ((value, &gradient), (first, second)) in values.iter_mut().zip(gradient).zip(moments) {
        *first += (gradient - *first) * new1;
        *second += (gradient * gradient - *second) * new2;
        *value -= rate * *first / ((*second / full).sqrt() + EPSILON);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::rng::Rng;

    #[test]
    fn steps_are_those_of_the_formula() {
        let mut rng = Rng::new(1, 0);
        let mut numbers = || (0..50).map(|_| rng.next_f32() - 0.5).collect::<Vec<f32>>();
        let mut fast = numbers();
        let mut slow: Vec<f64> = fast.iter().map(|&v| v.into()).collect();
        let (mut first, mut second) = (vec![0.0; 50], vec![0.0; 50]);
        let (mut m, mut v) = (vec![0.0; 50], vec![0.0; 50]);
        for step in 0..4 {
            let gradient = numbers();
            let t = step as i32 + 1;
            for i in 0..50 {
                let g = f64::from(gradient[i]);
                m[i] = 0.8 * m[i] + 0.2 * g;
                v[i] = 0.95 * v[i] + 0.05 * g * g;
                let (m, v) = (m[i] / (1.0 - 0.8f64.powi(t)), v[i] / (1.0 - 0.95f64.powi(t)));
                slow[i] -= 0.01 * m / (v.sqrt() + 1e-10);
            }
            update(&mut fast, &gradient, &mut first, &mut second, 0.01, step);
        }
        for (fast, slow) in fast.iter().zip(&slow) {
            assert!((f64::from(*fast) - slow).abs() < 1e-6, "{fast} {slow}");
        }
    }
}
