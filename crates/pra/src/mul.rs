//! Products of matrices: the one place that calls `gemm`, and the one with unsafe code.
//!
//! Matrices are views of slices. A view that reaches beyond its slice cannot be made, which is what
//! makes the calls sound.

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

/// Whether a matrix lies within so many numbers.
const fn fits(length: usize, rows: usize, columns: usize, row_step: usize, step: usize) -> bool {
    rows == 0 || columns == 0 || (rows - 1) * row_step + (columns - 1) * step < length
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
        assert!(fits(data.len(), rows, columns, row_step, 1), "a matrix beyond its numbers");
        Self { data, rows, columns, row_step, column_step: 1 }
    }

    /// The numbers.
    pub const fn numbers(self) -> &'a [f32] {
        self.data
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
        assert!(fits(data.len(), rows, columns, row_step, 1), "a matrix beyond its numbers");
        Self { data, rows, columns, row_step }
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
    call(into, left, right, None, scale);
}

/// `into = into + scale · left · right`.
pub fn multiply_add(into: MatrixMut<'_>, left: Matrix<'_>, right: Matrix<'_>, scale: f32) {
    call(into, left, right, Some(1.0), scale);
}

fn call(into: MatrixMut<'_>, left: Matrix<'_>, right: Matrix<'_>, keep: Option<f32>, scale: f32) {
    assert!(
        into.rows == left.rows && into.columns == right.columns && left.columns == right.rows,
        "matrices that cannot be multiplied"
    );
    // SAFETY: the constructors have checked that every number of each matrix lies within its slice; the
    // slice written to is borrowed mutably, so that it overlaps neither of the others, and its rows
    // do not overlap each other.
    unsafe {
        gemm::gemm(
            into.rows,
            into.columns,
            left.columns,
            into.data.as_mut_ptr(),
            1,
            into.row_step as isize,
            keep.is_some(),
            left.data.as_ptr(),
            left.column_step as isize,
            left.row_step as isize,
            right.data.as_ptr(),
            right.column_step as isize,
            right.row_step as isize,
            keep.unwrap_or(0.0),
            scale,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}
