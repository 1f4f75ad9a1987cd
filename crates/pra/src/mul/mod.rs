//! Products of matrices: the one place with unsafe code.
//!
//! Built for a processor with AVX-512 or AVX2, as a build from source is on most machines, products
//! are computed in tiles of our own; else by `gemm`, which finds out while it runs what there is.
//! Matrices are views of slices. A view that reaches beyond its slice cannot be made, which is what
//! makes the pointers of both sound.

#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma"))]
mod tiles;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma"))]
mod vector;

use std::array::from_fn;

/// How many columns of a matrix lie beside each other in [panels](to_panels).
#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma"))]
pub const PANEL: usize = tiles::WIDE * vector::LANES;
/// How many columns of a matrix lie beside each other in [panels](to_panels).
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma")))]
pub const PANEL: usize = 192;

/// A matrix that is read: numbers with a distance between rows and one between columns.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    data: &'a [f32],
    rows: usize,
    columns: usize,
    row_step: usize,
    column_step: usize,
}

/// A matrix that is written; its rows lie one after another.
#[derive(Debug)]
pub struct MatrixMut<'a> {
    data: &'a mut [f32],
    rows: usize,
    columns: usize,
    row_step: usize,
}

/// Whether a row-major matrix lies within a slice of this length. Sizes and steps may be any numbers.
const fn fits(length: usize, rows: usize, columns: usize, row_step: usize) -> bool {
    if rows == 0 || columns == 0 {
        return true;
    }
    match (rows - 1).checked_mul(row_step) {
        Some(last_row) => match last_row.checked_add(columns - 1) {
            Some(last) => last < length,
            None => false,
        },
        None => false,
    }
}

/// The row step of a matrix within a slice of this length. A step that leads to no other number of the
/// matrix is replaced, so that no step is ever longer than a slice.
///
/// # Panics
/// If the matrix reaches beyond the slice.
fn checked_step(length: usize, rows: usize, columns: usize, row_step: usize) -> usize {
    assert!(fits(length, rows, columns, row_step), "a matrix beyond its numbers");
    if rows > 1 && columns > 0 { row_step } else { columns }
}

impl<'a> Matrix<'a> {
    /// Rows one after another.
    ///
    /// # Panics
    /// If there are not enough numbers.
    pub fn new(data: &'a [f32], rows: usize, columns: usize) -> Self {
        Self::with_step(data, rows, columns, columns)
    }

    /// Rows that begin so many numbers after each other.
    ///
    /// # Panics
    /// If there are not enough numbers.
    pub fn with_step(data: &'a [f32], rows: usize, columns: usize, row_step: usize) -> Self {
        let row_step = checked_step(data.len(), rows, columns, row_step);
        Self { data, rows, columns, row_step, column_step: 1 }
    }

    /// The numbers.
    pub const fn numbers(self) -> &'a [f32] {
        self.data
    }

    /// A number.
    #[inline(always)]
    const fn at(self, row: usize, column: usize) -> f32 {
        self.data[row * self.row_step + column * self.column_step]
    }

    /// Some of the columns.
    fn columns_from(self, first: usize, columns: usize) -> Self {
        assert!(first + columns <= self.columns, "columns that are not there");
        // Without rows there need not be any numbers.
        let begin = first.saturating_mul(self.column_step).min(self.data.len());
        Self { data: &self.data[begin..], columns, ..self }
    }

    /// Rows for columns.
    #[must_use]
    pub const fn transposed(self) -> Self {
        Self {
            data: self.data,
            rows: self.columns,
            columns: self.rows,
            row_step: self.column_step,
            column_step: self.row_step,
        }
    }
}

impl<'a> MatrixMut<'a> {
    /// Rows one after another.
    ///
    /// # Panics
    /// If there are not enough numbers.
    pub fn new(data: &'a mut [f32], rows: usize, columns: usize) -> Self {
        Self::with_step(data, rows, columns, columns)
    }

    /// Rows that begin so many numbers after each other.
    ///
    /// # Panics
    /// If there are not enough numbers, or if rows overlap.
    pub fn with_step(data: &'a mut [f32], rows: usize, columns: usize, row_step: usize) -> Self {
        assert!(row_step >= columns, "rows that overlap");
        let row_step = checked_step(data.len(), rows, columns, row_step);
        Self { data, rows, columns, row_step }
    }

    /// Some of the columns.
    fn columns_from(&mut self, first: usize, columns: usize) -> MatrixMut<'_> {
        assert!(first + columns <= self.columns, "columns that are not there");
        let begin = first.min(self.data.len());
        MatrixMut {
            data: &mut self.data[begin..],
            columns,
            rows: self.rows,
            row_step: self.row_step,
        }
    }
}

/// `into = scale · left · right`.
///
/// ```
/// use pra::mul::{Matrix, MatrixMut, multiply};
/// let (a, b) = ([1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 1.0, 1.0]);
/// let mut c = [0.0; 4];
/// multiply(MatrixMut::new(&mut c, 2, 2), Matrix::new(&a, 2, 2), Matrix::new(&b, 2, 2), 2.0);
/// assert_eq!(c, [6.0, 4.0, 14.0, 8.0]);
/// ```
pub fn multiply(into: MatrixMut<'_>, left: Matrix<'_>, right: Matrix<'_>, scale: f32) {
    call(into, left, right, false, scale);
}

/// `into = into + scale · left · right`.
pub fn multiply_add(into: MatrixMut<'_>, left: Matrix<'_>, right: Matrix<'_>, scale: f32) {
    call(into, left, right, true, scale);
}

/// `into = into + left · right`, or without what is in it, where the right matrix lies in
/// [panels](to_panels).
pub fn multiply_panels(mut into: MatrixMut<'_>, left: Matrix<'_>, panels: &[f32], adds: bool) {
    if into.rows == 0 {
        return;
    }
    for first in (0..into.columns).step_by(PANEL) {
        let columns = PANEL.min(into.columns - first);
        let right = Matrix::new(&panels[first * left.columns..], left.columns, columns);
        call(into.columns_from(first, columns), left, right, adds, 1.0);
    }
}

/// Lays a matrix out as products read it: some columns after another, each of these panels row by row.
pub fn to_panels(into: &mut [f32], from: Matrix<'_>) {
    for first in (0..from.columns).step_by(PANEL) {
        let columns = PANEL.min(from.columns - first);
        let panel = &mut into[first * from.rows..][..columns * from.rows];
        lay_out(panel, from.columns_from(first, columns));
    }
}

/// Rows and columns that are laid out at a time.
const BLOCK: usize = 8;

/// Columns for rows. It is a call on purpose: alone, compilers do it in registers.
#[inline(never)]
fn turned(block: [&[f32; BLOCK]; BLOCK]) -> [[f32; BLOCK]; BLOCK] {
    from_fn(|row| from_fn(|column| block[column][row]))
}

/// Copies a matrix, row by row.
pub fn lay_out(into: &mut [f32], from: Matrix<'_>) {
    let rest = |size: usize, begin: usize| (size - begin).min(BLOCK);
    for first in (0..from.rows).step_by(BLOCK) {
        for begin in (0..from.columns).step_by(BLOCK) {
            let (rows, columns) = (rest(from.rows, first), rest(from.columns, begin));
            let place = |row: usize| (first + row) * from.columns + begin;
            if from.row_step == 1 && rows == BLOCK && columns == BLOCK {
                // Columns in one piece each.
                let block: [&[f32; BLOCK]; BLOCK] = from_fn(|column| {
                    let column = &from.data[(begin + column) * from.column_step + first..];
                    column.first_chunk().expect("the matrix is within its numbers")
                });
                for (row, numbers) in turned(block).iter().enumerate() {
                    into[place(row)..][..BLOCK].copy_from_slice(numbers);
                }
            } else {
                for row in 0..rows {
                    for column in 0..columns {
                        into[place(row) + column] = from.at(first + row, begin + column);
                    }
                }
            }
        }
    }
}

fn call(into: MatrixMut<'_>, left: Matrix<'_>, right: Matrix<'_>, adds: bool, scale: f32) {
    assert!(
        into.rows == left.rows && into.columns == right.columns && left.columns == right.rows,
        "matrices that cannot be multiplied"
    );
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma"))]
    tiles::multiply(into, left, right, adds, scale);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma")))]
    by_library(into, left, right, adds, scale);
}

#[cfg(any(
    test,
    not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma"))
))]
fn by_library(into: MatrixMut<'_>, left: Matrix<'_>, right: Matrix<'_>, adds: bool, scale: f32) {
    // SAFETY: the constructors have checked that every number of each matrix lies within its slice, and
    // the caller that their sizes belong together; the slice written to is borrowed mutably, so that it
    // overlaps neither of the others, and its rows do not overlap each other.
    unsafe {
        gemm::gemm(
            into.rows,
            into.columns,
            left.columns,
            into.data.as_mut_ptr(),
            1,
            into.row_step as isize,
            adds,
            left.data.as_ptr(),
            left.column_step as isize,
            left.row_step as isize,
            right.data.as_ptr(),
            right.column_step as isize,
            right.row_step as isize,
            if adds { 1.0 } else { 0.0 },
            scale,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::rng::Rng;

    type Way = fn(MatrixMut<'_>, Matrix<'_>, Matrix<'_>, bool, f32);

    /// The sum that a product is.
    fn slow(into: &mut [f32], step: usize, left: Matrix<'_>, right: Matrix<'_>, scale: f32) {
        for row in 0..left.rows {
            for column in 0..right.columns {
                let terms = (0..left.columns)
                    .map(|n| f64::from(left.at(row, n)) * f64::from(right.at(n, column)));
                into[row * step + column] += scale * terms.sum::<f64>() as f32;
            }
        }
    }

    /// A matrix with gaps between its rows, turned or not.
    fn matrix<'a>(
        data: &'a [f32],
        rows: usize,
        columns: usize,
        gap: usize,
        is_turned: bool,
    ) -> Matrix<'a> {
        if is_turned {
            Matrix::with_step(data, columns, rows, rows + gap).transposed()
        } else {
            Matrix::with_step(data, rows, columns, columns + gap)
        }
    }

    #[test]
    fn products_of_all_shapes_are_the_sums_they_should_be() {
        let mut rng = Rng::new(1, 2);
        let ways: [Way; 2] = [call, by_library];
        for round in 0..400 {
            let mut below = |most: usize| rng.below(most);
            let (rows, steps, columns) = (1 + below(20), below(40), 1 + below(120));
            let (gap, turns) = (below(3), below(4));
            let mut numbers =
                |count: usize| -> Vec<f32> { (0..count).map(|_| rng.next_f32() - 0.5).collect() };
            let size = |rows: usize, columns: usize| (rows + gap) * (columns + gap);
            let (left, right) = (numbers(size(rows, steps)), numbers(size(steps, columns)));
            let left = matrix(&left, rows, steps, gap, turns & 1 != 0);
            let right = matrix(&right, steps, columns, gap, turns & 2 != 0);
            let (step, before) = (columns + gap, numbers(rows * (columns + gap)));
            for adds in [false, true] {
                // What is beyond the columns must not change.
                let mut expected = before.clone();
                if !adds {
                    for row in expected.chunks_mut(step) {
                        row[..columns].fill(0.0);
                    }
                }
                slow(&mut expected, step, left, right, 0.5);
                for way in ways {
                    let mut found = before.clone();
                    let into = MatrixMut::with_step(&mut found, rows, columns, step);
                    way(into, left, right, adds, 0.5);
                    for (found, expected) in found.iter().zip(&expected) {
                        let shape = (round, rows, steps, columns, gap, turns, adds);
                        assert!((found - expected).abs() < 1e-5, "{found} {expected} {shape:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_matrix_in_panels_gives_the_same_product() {
        let mut rng = Rng::new(3, 4);
        for columns in [1, 8, PANEL - 1, PANEL, PANEL + 1, 3 * PANEL + 5] {
            let (rows, steps) = (9, 19);
            let mut numbers =
                |count: usize| -> Vec<f32> { (0..count).map(|_| rng.next_f32() - 0.5).collect() };
            let (left, right) = (numbers(rows * steps), numbers(steps * columns));
            let left = Matrix::new(&left, rows, steps);
            for right in [
                Matrix::new(&right, steps, columns),
                Matrix::new(&right, columns, steps).transposed(),
            ] {
                let mut panels = vec![0.0; steps * columns];
                to_panels(&mut panels, right);
                let mut found = vec![1.0; rows * columns];
                multiply_panels(MatrixMut::new(&mut found, rows, columns), left, &panels, true);
                let mut expected = vec![1.0; rows * columns];
                slow(&mut expected, columns, left, right, 1.0);
                for (found, expected) in found.iter().zip(&expected) {
                    assert!((found - expected).abs() < 1e-5, "{columns}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "a matrix beyond its numbers")]
    fn a_matrix_beyond_its_numbers_is_refused() {
        Matrix::new(&[0.0; 5], 2, 3);
    }

    #[test]
    #[should_panic(expected = "a matrix beyond its numbers")]
    fn a_matrix_whose_size_overflows_is_refused() {
        // 3 * step is 2 modulo 2^64.
        Matrix::with_step(&[1.0; 4], 4, 1, 6_148_914_691_236_517_206);
    }

    /// A size: small mostly, else one whose products overflow.
    fn size(rng: &mut Rng) -> usize {
        match rng.below(4) {
            0 => {
                let near = [1 << 31, 1 << 32, 1 << 62, 1 << 63, usize::MAX / 3, usize::MAX];
                near[rng.below(near.len())].wrapping_add(rng.below(5)).wrapping_sub(2)
            }
            _ => rng.below(7),
        }
    }

    #[test]
    fn matrices_of_any_size_and_step_are_refused_or_multiplied_within_their_slices() {
        let mut rng = Rng::new(5, 6);
        let (mut made, mut refused, mut products) = (0, 0, 0);
        for _ in 0..20_000 {
            let [rows, columns, step, length] = from_fn(|_| size(&mut rng));
            let data: Vec<f32> = (0..length % 41).map(|_| rng.next_f32()).collect();
            // The same in numbers that hold every product.
            let [r, c, s] = [rows, columns, step].map(|number| number as u128);
            let expected = r == 0 || c == 0 || (r - 1) * s + c <= data.len() as u128;
            let found = fits(data.len(), rows, columns, step);
            assert_eq!(found, expected, "{rows} {columns} {step} {}", data.len());
            if !found {
                refused += 1;
                continue;
            }
            let view = Matrix::with_step(&data, rows, columns, step);
            made += 1;
            // Views with a step of 0 may have more rows than there is memory.
            if rows.max(columns) > 1_000 {
                continue;
            }
            // Each number of the view is multiplied by the view's own transpose.
            let right = view.transposed();
            for way in [call, by_library] as [Way; 2] {
                let mut expected = vec![0.5; rows * rows];
                slow(&mut expected, rows, view, right, 1.0);
                let mut found = vec![0.5; rows * rows];
                way(MatrixMut::new(&mut found, rows, rows), view, right, true, 1.0);
                assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-4));
            }
            products += 1;
        }
        assert!(made > 1_000 && refused > 1_000 && products > 1_000, "{made} {refused} {products}");
    }

    #[test]
    fn products_without_rows_columns_or_steps_are_empty_or_zero() {
        let ways: [Way; 3] = [call, by_library, |into, left, right, adds, _| {
            let mut panels = vec![0.0; right.rows * right.columns];
            to_panels(&mut panels, right);
            multiply_panels(into, left, &panels, adds);
        }];
        for (rows, steps, columns) in
            [(0, 3, 4), (2, 3, 0), (2, 0, 4), (0, 0, 0), (0, 5, 3 * PANEL), (2, 0, 3 * PANEL)]
        {
            let (left, right) = (vec![1.0; rows * steps], vec![1.0; steps * columns]);
            let (left, right) =
                (Matrix::new(&left, rows, steps), Matrix::new(&right, steps, columns));
            for way in ways {
                let mut into = vec![1.0; rows * columns];
                way(MatrixMut::new(&mut into, rows, columns), left, right, false, 1.0);
                assert!(into.iter().all(|&number| number == 0.0), "{rows} {steps} {columns}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "matrices that cannot be multiplied")]
    fn matrices_that_do_not_fit_are_refused() {
        let (a, mut c) = ([0.0; 6], [0.0; 4]);
        multiply(MatrixMut::new(&mut c, 2, 2), Matrix::new(&a, 2, 3), Matrix::new(&a, 2, 3), 1.0);
    }
}
