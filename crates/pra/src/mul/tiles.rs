//! Products of matrices in tiles that stay in registers, for processors whose vectors we know.
//!
//! A tile of the result is a few rows high and a few vectors wide. Each step adds a column of the left
//! matrix times a row of the right one: as many multiplications as the tile has vectors, for a handful
//! of loads. Nothing is copied before, as a general library would, because the matrices of this model
//! fit the caches as they are. Only a right matrix whose columns lie apart is laid out anew.

use aligned::Aligned;

use super::vector::{LANES, Vector};
use super::{Matrix, MatrixMut, lay_out};

/// Rows of a tile. With three vectors each, and those of the right matrix, they fill the registers.
const HIGH: usize = if LANES == 16 { 8 } else { 4 };
/// Vectors in a row of a tile.
pub(super) const WIDE: usize = 3;

/// `into = scale · left · right`, or that much added to it.
pub(super) fn multiply(
    mut into: MatrixMut<'_>,
    left: Matrix<'_>,
    right: Matrix<'_>,
    adds: bool,
    scale: f32,
) {
    if into.rows == 0 || into.columns == 0 {
        return;
    }
    let mut laid_out;
    // Tiles as equal as can be: a narrow one at the end would be slow.
    let vectors = into.columns.div_ceil(LANES);
    let wide = vectors.div_ceil(vectors.div_ceil(WIDE)) * LANES;
    for first in (0..into.columns).step_by(wide) {
        let columns = (into.columns - first).min(wide);
        let mut right = right.columns_from(first, columns);
        if right.column_step != 1 {
            let size = right.rows.checked_mul(columns).expect("a matrix that fits into memory");
            laid_out = Aligned::zeros(size);
            lay_out(&mut laid_out, right);
            right = Matrix::new(&laid_out, right.rows, columns);
        }
        let into = into.columns_from(first, columns);
        match columns.div_ceil(LANES) {
            1 => column_of_tiles::<1>(into, left, right, adds, scale),
            2 => column_of_tiles::<2>(into, left, right, adds, scale),
            _ => column_of_tiles::<WIDE>(into, left, right, adds, scale),
        }
    }
}

/// The product of a left matrix and as many columns as a tile is wide.
fn column_of_tiles<const VECTORS: usize>(
    into: MatrixMut<'_>,
    left: Matrix<'_>,
    right: Matrix<'_>,
    adds: bool,
    scale: f32,
) {
    let last = into.columns - (VECTORS - 1) * LANES;
    let mut row = 0;
    while row < into.rows {
        let rest = into.rows - row;
        // SAFETY: the constructors have checked that all numbers of the matrices lie within their
        // slices, and `multiply` in the module above that their sizes belong together. The tile reads
        // `ROWS` rows of the left matrix from `row` on, of which there are that many, and the columns of
        // the right one; the slice that it writes is borrowed mutably and so overlaps neither.
        unsafe {
            let tile = Tile {
                into: into.data.as_mut_ptr().add(row * into.row_step),
                into_step: into.row_step,
                // Wrapping, since of rows without numbers the first is as far as one may point.
                left: left.data.as_ptr().wrapping_add(row * left.row_step),
                left_row: left.row_step,
                left_column: left.column_step,
                right: right.data.as_ptr(),
                right_step: right.row_step,
                steps: left.columns,
                last,
                adds,
                scale,
            };
            row += match rest {
                HIGH.. => tile.fill::<HIGH, VECTORS>(),
                4.. => tile.fill::<4, VECTORS>(),
                2.. => tile.fill::<2, VECTORS>(),
                _ => tile.fill::<1, VECTORS>(),
            };
        }
    }
}

/// Where a tile and what it is made of are.
struct Tile {
    into: *mut f32,
    into_step: usize,
    left: *const f32,
    left_row: usize,
    left_column: usize,
    right: *const f32,
    right_step: usize,
    /// Columns of the left matrix, rows of the right one.
    steps: usize,
    /// How many numbers the last vector of a row has.
    last: usize,
    adds: bool,
    scale: f32,
}

impl Tile {
    /// Computes it; says how many rows it had.
    ///
    /// # Safety
    /// Within the matrices there are `ROWS` rows of the left one, `steps` columns of it and rows of the
    /// right one, and `(VECTORS - 1) * LANES + last` columns of that, from the pointers on.
    #[inline(never)]
    unsafe fn fill<const ROWS: usize, const VECTORS: usize>(self) -> usize {
        let mut sums = [[Vector::zero(); VECTORS]; ROWS];
        // SAFETY: these are the numbers that the caller vouches for.
        unsafe {
            for step in 0..self.steps {
                let right = self.row::<VECTORS>(self.right.add(step * self.right_step));
                let left = self.left.add(step * self.left_column);
                for (row, sums) in sums.iter_mut().enumerate() {
                    let number = Vector::all(*left.add(row * self.left_row));
                    for (sum, right) in sums.iter_mut().zip(right) {
                        *sum = number.times_plus(right, *sum);
                    }
                }
            }
            let scale = Vector::all(self.scale);
            for (row, sums) in sums.iter().enumerate() {
                let into = self.into.add(row * self.into_step);
                let before = if self.adds { self.row(into) } else { [Vector::zero(); VECTORS] };
                for vector in 0..VECTORS {
                    let number = scale.times_plus(sums[vector], before[vector]);
                    number.store(into.add(vector * LANES), self.numbers::<VECTORS>(vector));
                }
            }
        }
        ROWS
    }

    /// How many numbers a vector of a row has.
    #[inline(always)]
    const fn numbers<const VECTORS: usize>(&self, vector: usize) -> usize {
        if vector + 1 == VECTORS { self.last } else { LANES }
    }

    #[inline(always)]
    unsafe fn row<const VECTORS: usize>(&self, from: *const f32) -> [Vector; VECTORS] {
        let mut row = [Vector::zero(); VECTORS];
        for (vector, into) in row.iter_mut().enumerate() {
            // SAFETY: as for the caller.
            *into =
                unsafe { Vector::load(from.add(vector * LANES), self.numbers::<VECTORS>(vector)) };
        }
        row
    }
}
