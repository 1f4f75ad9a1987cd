//! Muon: momentum, orthogonalized, so that all singular directions of a matrix learn at the same speed.
//!
//! The orthogonal factor is approximated by five odd polynomials, which need matmuls only.
//! *N. Amsel, D. Persson, C. Musco, R. Gower: The Polar Express (2025), arXiv:2505.16932*; coefficients
//! of the reference. Singular values between a thousandth of the norm and the norm end between 0.858 and
//! 1.142.
//!
//! As in the reference, rows (columns of a wide matrix) are normalized by a running second moment that
//! keeps the norm of the update, and weight decay is cautious: it applies only where it has the sign of
//! the update.

use simd::gemm::{Matrix, MatrixMut, matmul, matmul_add};

/// The polynomials a·x + b·x³ + c·x⁵.
const POLAR_EXPRESS: [(f64, f64, f64); 5] = [
    (8.156554524902461, -22.48329292557795, 15.878769915207462),
    (4.042929935166739, -2.808917465908714, 0.5000178451051316),
    (3.8916678022926607, -2.772484153217685, 0.5060648178503393),
    (3.285753657755655, -2.3681294933425376, 0.46449024233003106),
    (2.3465413258596377, -1.7097828382687081, 0.42323551169305323),
];
/// Decay rate of the second moments.
const BETA2: f32 = 0.95;
/// Lower bound of denominators.
const EPS: f64 = 1e-10;

/// The hyperparameters of a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Muon {
    /// Learning rate.
    pub lr: f32,
    /// Nesterov momentum.
    pub momentum: f32,
    /// Cautious weight decay, in units of the learning rate.
    pub weight_decay: f32,
}

/// Memory that steps reuse.
#[derive(Debug, Default)]
pub struct Workspace {
    x: Vec<f32>,
    next: Vec<f32>,
    square: Vec<f32>,
    polynomial: Vec<f32>,
}

/// The number of second moments of a matrix: one per row, or per column of a wide matrix.
pub const fn second_moments((rows, columns): (usize, usize)) -> usize {
    if rows >= columns { rows } else { columns }
}

impl Muon {
    /// Updates a matrix of `shape` with its momentum buffer and second moments.
    pub fn step(
        &self,
        params: &mut [f32],
        grad: &[f32],
        (momentum, second): (&mut [f32], &mut [f32]),
        shape: (usize, usize),
        workspace: &mut Workspace,
    ) {
        let x = &mut workspace.x;
        x.clear();
        x.extend(momentum.iter_mut().zip(grad).map(|(momentum, &grad)| {
            *momentum += (grad - *momentum) * (1.0 - self.momentum);
            grad + (*momentum - grad) * self.momentum
        }));
        orthogonalize(workspace, shape);
        let scales = scales(&workspace.x, second, shape);
        let (rows, columns) = shape;
        for (row, x) in workspace.x.chunks_exact_mut(columns).enumerate() {
            if rows >= columns {
                x.iter_mut().for_each(|x| *x *= scales[row]);
            } else {
                x.iter_mut().zip(&scales).for_each(|(x, scale)| *x *= scale);
            }
        }
        for (param, &x) in params.iter_mut().zip(&workspace.x) {
            let decay = if x * *param >= 0.0 { self.weight_decay * *param } else { 0.0 };
            *param -= self.lr * (x + decay);
        }
    }
}

/// Makes `x` nearly orthogonal: its singular values approach 1.
fn orthogonalize(workspace: &mut Workspace, (rows, columns): (usize, usize)) {
    let Workspace { x, next, square, polynomial } = workspace;
    let norm = x.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    let factor = (1.0 / (norm * 1.02 + 1e-6)) as f32;
    x.iter_mut().for_each(|x| *x *= factor);
    // The smaller of x·xᵀ and xᵀ·x.
    let is_tall = rows > columns;
    let side = if is_tall { columns } else { rows };
    square.resize(side * side, 0.0);
    for (a, b, c) in POLAR_EXPRESS.map(|(a, b, c)| (a as f32, b as f32, c as f32)) {
        let whole = Matrix::new(x, rows, columns);
        let (left, right) =
            if is_tall { (whole.transposed(), whole) } else { (whole, whole.transposed()) };
        matmul(MatrixMut::new(square, side, side), left, right, 1.0);
        polynomial.clear();
        polynomial.extend(square.iter().map(|&a| b * a));
        let own = Matrix::new(square, side, side);
        matmul_add(MatrixMut::new(polynomial, side, side), own, own, c);
        next.clear();
        next.extend(x.iter().map(|&x| a * x));
        let own = Matrix::new(polynomial, side, side);
        let (left, right) = if is_tall { (whole, own) } else { (own, whole) };
        matmul_add(MatrixMut::new(next, rows, columns), left, right, 1.0);
        std::mem::swap(x, next);
    }
}

/// Factors of the rows (or columns): the inverse root of their second moment, normalized so that the norm
/// of the matrix does not change.
fn scales(x: &[f32], second: &mut [f32], (rows, columns): (usize, usize)) -> Vec<f32> {
    let mut sums = vec![0.0f64; second.len()];
    for (row, x) in x.chunks_exact(columns).enumerate() {
        if rows >= columns {
            sums[row] = x.iter().map(|&x| f64::from(x * x)).sum();
        } else {
            sums.iter_mut().zip(x).for_each(|(sum, &x)| *sum += f64::from(x * x));
        }
    }
    let size = (rows * columns / second.len().max(1)).max(1) as f64;
    let norm = sums.iter().sum::<f64>().sqrt();
    let mut new_norm = 0.0;
    let mut scales = Vec::with_capacity(sums.len());
    for (second, sum) in second.iter_mut().zip(sums) {
        *second += ((sum / size) as f32 - *second) * (1.0 - BETA2);
        let scale = 1.0 / f64::from(*second).max(EPS).sqrt();
        new_norm += sum * scale * scale;
        scales.push(scale);
    }
    let factor = norm / new_norm.sqrt().max(EPS);
    scales.into_iter().map(|scale| (scale * factor) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::rng::Rng;

    fn random(count: usize, seed: u64) -> Vec<f32> {
        let mut rng = Rng::new(seed, 0);
        (0..count).map(|_| rng.next_f32() - 0.5).collect()
    }

    /// Rows of a matrix in double precision.
    type Rows = Vec<Vec<f64>>;

    fn product(a: &Rows, b: &Rows) -> Rows {
        let columns = b[0].len();
        let cell =
            |row: &Vec<f64>, j: usize| row.iter().zip(b).map(|(x, other)| x * other[j]).sum();
        a.iter().map(|row| (0..columns).map(|j| cell(row, j)).collect()).collect()
    }

    fn transposed(a: &Rows) -> Rows {
        (0..a[0].len()).map(|j| a.iter().map(|row| row[j]).collect()).collect()
    }

    fn each(a: &Rows, b: &Rows, f: impl Fn(f64, f64) -> f64) -> Rows {
        let row = |(a, b): (&Vec<f64>, &Vec<f64>)| {
            a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect::<Vec<f64>>()
        };
        a.iter().zip(b).map(row).collect()
    }

    fn rows(values: &[f32], columns: usize) -> Rows {
        values.chunks(columns).map(|row| row.iter().map(|&v| v.into()).collect()).collect()
    }

    /// The formulas in double precision, one element at a time.
    struct Reference {
        values: Rows,
        buffer: Rows,
        second: Vec<f64>,
    }

    impl Reference {
        fn step(&mut self, gradient: &Rows, rate: f64, momentum: f64, decay: f64) {
            let lerp = |weight: f64| move |a: f64, b: f64| a + (b - a) * weight;
            self.buffer = each(&self.buffer, gradient, lerp(1.0 - momentum));
            let g = each(gradient, &self.buffer, lerp(momentum));
            let norm = g.iter().flatten().map(|v| v * v).sum::<f64>().sqrt();
            let mut x = each(&g, &g, |v, _| v / (norm * 1.02 + 1e-6));
            let (height, width) = (x.len(), x[0].len());
            for (a, b, c) in POLAR_EXPRESS {
                let t = transposed(&x);
                let square = if height > width { product(&t, &x) } else { product(&x, &t) };
                let polynomial =
                    each(&square, &product(&square, &square), |first, both| b * first + c * both);
                let bent = match height > width {
                    true => product(&x, &polynomial),
                    false => product(&polynomial, &x),
                };
                x = each(&x, &bent, |x, bent| a * x + bent);
            }
            // One row for each second moment.
            let lines = if height >= width { x.clone() } else { transposed(&x) };
            let size = lines[0].len() as f64;
            let means: Vec<f64> =
                lines.iter().map(|line| line.iter().map(|v| v * v).sum::<f64>() / size).collect();
            let norm = (means.iter().sum::<f64>() * size).sqrt();
            for (second, mean) in self.second.iter_mut().zip(&means) {
                *second = 0.95 * *second + 0.05 * mean;
            }
            let steps: Vec<f64> = self.second.iter().map(|v| 1.0 / v.max(1e-10).sqrt()).collect();
            let new_norm = means.iter().zip(&steps).map(|(mean, step)| mean * size * step * step);
            let new_norm = new_norm.sum::<f64>().sqrt().max(1e-10);
            for i in 0..height {
                for j in 0..width {
                    let step = steps[if height >= width { i } else { j }];
                    let x = x[i][j] * step * norm / new_norm;
                    let p = &mut self.values[i][j];
                    let mask = if x * *p >= 0.0 { 1.0 } else { 0.0 };
                    *p -= rate * x + rate * decay * *p * mask;
                }
            }
        }
    }

    #[test]
    fn steps_are_those_of_the_formulas() {
        for shape in [(12, 12), (40, 10), (10, 40), (1, 12), (3, 64)] {
            let count = shape.0 * shape.1;
            let mut fast = random(count, 1);
            let mut slow = Reference {
                values: rows(&fast, shape.1),
                buffer: vec![vec![0.0; shape.1]; shape.0],
                second: vec![0.0; second_moments(shape)],
            };
            let (mut first, mut second) = (vec![0.0; count], vec![0.0; second_moments(shape)]);
            let mut workspace = Workspace::default();
            for n in 0..4 {
                let gradient = random(count, 2 + n);
                let muon = Muon { lr: 0.05, momentum: 0.9, weight_decay: 0.1 };
                let state = (&mut *first, &mut *second);
                muon.step(&mut fast, &gradient, state, shape, &mut workspace);
                slow.step(&rows(&gradient, shape.1), 0.05, 0.9, 0.1);
            }
            for (fast, slow) in fast.iter().zip(slow.values.iter().flatten()) {
                assert!((f64::from(*fast) - slow).abs() < 2e-5, "{shape:?}: {fast} {slow}");
            }
        }
    }

    #[test]
    fn a_matrix_becomes_orthogonal() {
        // Wide and tall: the shorter side is then orthonormal.
        for (height, width) in [(16, 48), (48, 16)] {
            let mut workspace = Workspace { x: random(16 * 48, 7), ..Workspace::default() };
            orthogonalize(&mut workspace, (height, width));
            let x = rows(&workspace.x, width);
            let t = transposed(&x);
            let square = if height > width { product(&t, &x) } else { product(&x, &t) };
            for (i, row) in square.iter().enumerate() {
                for (j, value) in row.iter().enumerate() {
                    let expected = if i == j { 1.0 } else { 0.0 };
                    // No entry is larger than the largest singular value, which is 1.142² − 1.
                    assert!((value - expected).abs() < 0.304, "{i} {j}: {value}");
                }
            }
        }
    }

    #[test]
    fn singular_values_of_any_size_approach_one() {
        let values = [1.0, 0.5, 0.2, 0.05, 0.02, 0.01, 0.005, 0.002];
        let mut x = vec![0.0; 64];
        values.iter().enumerate().for_each(|(n, &value)| x[n * 9] = value);
        let mut workspace = Workspace { x, ..Workspace::default() };
        orthogonalize(&mut workspace, (8, 8));
        for (n, before) in values.iter().enumerate() {
            let value = workspace.x[n * 9];
            assert!((0.858..1.142).contains(&value), "{before} became {value}");
        }
    }

    #[test]
    fn a_zero_gradient_changes_nothing() {
        let mut values = vec![0.0, 0.0, 0.0, 0.0];
        let (mut first, mut second) = (vec![0.0; 4], vec![0.0; 2]);
        let muon = Muon { lr: 0.02, momentum: 0.85, weight_decay: 0.1 };
        let state = (&mut *first, &mut *second);
        muon.step(&mut values, &[0.0; 4], state, (2, 2), &mut Workspace::default());
        assert_eq!(values, [0.0; 4]);
    }
}
