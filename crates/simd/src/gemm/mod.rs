//! f32 matrix products (GEMM), by a micro-kernel that is generic over the instruction set.

pub mod bf16;
mod matrix;
mod micro_kernel;
#[cfg(test)]
mod tests;

use std::array::from_fn;

pub use matrix::{Matrix, MatrixMut};

use crate::Kernels;
use crate::dispatch::dispatch;

/// Columns of a [packed panel](pack_panels): the widest tile, and a multiple of the others.
pub const PANEL_WIDTH: usize = 48;

/// `c = alpha · a · b`.
///
/// ```
/// use tabiya_simd::gemm::{Matrix, MatrixMut, matmul};
/// let (a, b) = ([1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 1.0, 1.0]);
/// let mut c = [0.0; 4];
/// matmul(MatrixMut::new(&mut c, 2, 2), Matrix::new(&a, 2, 2), Matrix::new(&b, 2, 2), 2.0);
/// assert_eq!(c, [6.0, 4.0, 14.0, 8.0]);
/// ```
///
/// # Panics
/// If the sizes do not match.
pub fn matmul(c: MatrixMut<'_>, a: Matrix<'_>, b: Matrix<'_>, alpha: f32) {
    gemm(c, a, b, false, alpha);
}

/// `c += alpha · a · b`.
///
/// # Panics
/// If the sizes do not match.
pub fn matmul_add(c: MatrixMut<'_>, a: Matrix<'_>, b: Matrix<'_>, alpha: f32) {
    gemm(c, a, b, true, alpha);
}

/// `c = a · b`, or `c += a · b`, where `b` is [packed](pack_panels).
///
/// # Panics
/// If the sizes do not match.
pub fn matmul_packed(mut c: MatrixMut<'_>, a: Matrix<'_>, panels: &[f32], accumulate: bool) {
    if c.rows == 0 {
        return;
    }
    for first in (0..c.columns).step_by(PANEL_WIDTH) {
        let columns = PANEL_WIDTH.min(c.columns - first);
        let b = Matrix::new(&panels[first * a.columns..], a.columns, columns);
        gemm(c.columns_from(first, columns), a, b, accumulate, 1.0);
    }
}

/// Packs a matrix into row-major panels of [`PANEL_WIDTH`] columns, one after the other.
pub fn pack_panels(panels: &mut [f32], b: Matrix<'_>) {
    for first in (0..b.columns).step_by(PANEL_WIDTH) {
        let columns = PANEL_WIDTH.min(b.columns - first);
        let panel = &mut panels[first * b.rows..][..columns * b.rows];
        copy_row_major(panel, b.columns_from(first, columns));
    }
}

/// Rows and columns of the blocks that [`copy_row_major`] transposes.
const BLOCK: usize = 8;

/// Not inlined on purpose: on its own the compiler transposes the block in registers.
#[inline(never)]
fn transpose_block(block: [&[f32; BLOCK]; BLOCK]) -> [[f32; BLOCK]; BLOCK] {
    from_fn(|row| from_fn(|column| block[column][row]))
}

/// Copies a matrix of any strides into contiguous row-major order.
pub fn copy_row_major(out: &mut [f32], matrix: Matrix<'_>) {
    let rest = |size: usize, begin: usize| (size - begin).min(BLOCK);
    for first in (0..matrix.rows).step_by(BLOCK) {
        for begin in (0..matrix.columns).step_by(BLOCK) {
            let (rows, columns) = (rest(matrix.rows, first), rest(matrix.columns, begin));
            let offset = |row: usize| (first + row) * matrix.columns + begin;
            if matrix.row_stride == 1 && rows == BLOCK && columns == BLOCK {
                // A column-major block.
                let block: [&[f32; BLOCK]; BLOCK] = from_fn(|column| {
                    let column = &matrix.data[(begin + column) * matrix.column_stride + first..];
                    column.first_chunk().expect("the matrix is within its slice")
                });
                for (row, values) in transpose_block(block).iter().enumerate() {
                    out[offset(row)..][..BLOCK].copy_from_slice(values);
                }
            } else {
                for row in 0..rows {
                    for column in 0..columns {
                        out[offset(row) + column] = matrix.at(first + row, begin + column);
                    }
                }
            }
        }
    }
}

fn gemm(c: MatrixMut<'_>, a: Matrix<'_>, b: Matrix<'_>, accumulate: bool, alpha: f32) {
    assert!(
        c.rows == a.rows && c.columns == b.columns && a.columns == b.rows,
        "matrix sizes do not match"
    );
    gemm_with(Kernels::current(), c, a, b, accumulate, alpha);
}

dispatch! {
    /// The product; the sizes must match.
    fn gemm_with(kernels; c: MatrixMut<'_>, a: Matrix<'_>, b: Matrix<'_>, accumulate: bool, alpha: f32) {
        // SAFETY: the CPU supports the instruction set of `set`.
        unsafe { micro_kernel::gemm::<set::F32x16>(c, a, b, accumulate, alpha) }
    }
}
