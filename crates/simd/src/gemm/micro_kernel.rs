//! GEMM with the micro-kernel of one instruction set.
//!
//! A tile of C stays in registers. Each step of the micro-kernel adds the outer product of a column of A
//! and a row of B: one fused multiply-add per vector of the tile, for a handful of loads. A and B are not
//! packed, as a general library would, because the matrices of our models fit into the caches as they
//! are; only a B with strided columns is copied.

use super::{Matrix, MatrixMut, copy_row_major};
use crate::AlignedVec;
use crate::vector::{F32x16, Outline};

/// Lanes of a vector.
const LANES: usize = 16;

/// Vectors in a row of a tile: with 8 rows of three, or 6 of one, and a row of B they fill the registers.
const fn tile_vectors<V: F32x16>() -> usize {
    if V::REGISTERS >= 32 { 3 } else { 1 }
}

/// `c = alpha · a · b`, or that added to `c`. The sizes must match.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
pub(super) unsafe fn gemm<V: F32x16>(
    mut c: MatrixMut<'_>,
    a: Matrix<'_>,
    b: Matrix<'_>,
    accumulate: bool,
    alpha: f32,
) {
    if c.rows == 0 || c.columns == 0 {
        return;
    }
    let mut copy;
    // Panels of about equal width: a narrow one at the end would be slow.
    let vectors = c.columns.div_ceil(LANES);
    let width = vectors.div_ceil(vectors.div_ceil(tile_vectors::<V>())) * LANES;
    for first in (0..c.columns).step_by(width) {
        let columns = (c.columns - first).min(width);
        let mut b = b.columns_from(first, columns);
        if b.column_stride != 1 {
            copy = AlignedVec::zeros(b.rows.checked_mul(columns).expect("panel size overflows"));
            copy_row_major(&mut copy, b);
            b = Matrix::new(&copy, b.rows, columns);
        }
        let c = c.columns_from(first, columns);
        // SAFETY: the caller's promise.
        unsafe {
            match columns.div_ceil(LANES) {
                1 => panel::<V, 1>(c, a, b, accumulate, alpha),
                2 => panel::<V, 2>(c, a, b, accumulate, alpha),
                _ => panel::<V, 3>(c, a, b, accumulate, alpha),
            }
        }
    }
}

/// A panel of C that is as wide as a tile.
///
/// # Safety
/// The CPU supports the instruction set of `V`.
#[inline(always)]
unsafe fn panel<V: F32x16, const N: usize>(
    c: MatrixMut<'_>,
    a: Matrix<'_>,
    b: Matrix<'_>,
    accumulate: bool,
    alpha: f32,
) {
    let last = c.columns - (N - 1) * LANES;
    let tallest = if V::REGISTERS >= 32 { 8 } else { 6 };
    let mut row = 0;
    while row < c.rows {
        // SAFETY: the constructors of the matrices check that all elements lie within their slices, and
        // `gemm` of the parent module that the sizes match. The tile reads as many rows of `a` from `row`
        // on as are left, and the columns of `b`; the slice of `c` is borrowed mutably and overlaps
        // neither.
        unsafe {
            let tile = Tile {
                c: c.data.as_mut_ptr().add(row * c.row_stride),
                c_stride: c.row_stride,
                // Wrapping: a matrix without columns may have rows beyond its slice.
                a: a.data.as_ptr().wrapping_add(row * a.row_stride),
                a_row_stride: a.row_stride,
                a_column_stride: a.column_stride,
                b: b.data.as_ptr(),
                b_stride: b.row_stride,
                depth: a.columns,
                last,
                accumulate,
                alpha,
            };
            row += match tallest.min(c.rows - row) {
                8.. => tile.compute::<V, 8, N>(),
                6.. => tile.compute::<V, 6, N>(),
                4.. => tile.compute::<V, 4, N>(),
                2.. => tile.compute::<V, 2, N>(),
                _ => tile.compute::<V, 1, N>(),
            };
        }
    }
}

/// A tile of C, and the rows of A and columns of B that it is the product of.
struct Tile {
    c: *mut f32,
    c_stride: usize,
    a: *const f32,
    a_row_stride: usize,
    a_column_stride: usize,
    b: *const f32,
    b_stride: usize,
    /// Columns of A and rows of B.
    depth: usize,
    /// Elements in the last vector of a row.
    last: usize,
    accumulate: bool,
    alpha: f32,
}

impl Tile {
    /// Computes the tile; returns its number of rows.
    ///
    /// # Safety
    /// The CPU supports the instruction set of `V`. From the pointers on, the matrices have `M` rows of A
    /// and C, `depth` columns of A and rows of B, and `(N - 1) · LANES + last` columns of B and C.
    #[inline(always)]
    unsafe fn compute<V: F32x16, const M: usize, const N: usize>(self) -> usize {
        // SAFETY: the caller's promise.
        unsafe { V::outline(MicroKernel::<M, N>(self)) };
        M
    }

    /// Elements in vector `n` of a row.
    #[inline(always)]
    const fn len<const N: usize>(&self, n: usize) -> usize {
        if n + 1 == N { self.last } else { LANES }
    }

    /// # Safety
    /// The columns of a row are readable from the pointer on.
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "see the module `vector` on loops")]
    unsafe fn row<V: F32x16, const N: usize>(&self, from: *const f32) -> [V; N] {
        let mut row = [V::splat(0.0); N];
        for n in 0..N {
            // SAFETY: the caller's promise.
            row[n] = unsafe { V::load_partial(from.add(n * LANES), self.len::<N>(n)) };
        }
        row
    }
}

/// Computes a tile of `M` rows and `N` vectors; see [`Tile::compute`].
struct MicroKernel<const M: usize, const N: usize>(Tile);

impl<const M: usize, const N: usize> Outline for MicroKernel<M, N> {
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "see the module `vector` on loops")]
    unsafe fn run<V: F32x16>(self) {
        let tile = self.0;
        let mut sums = [[V::splat(0.0); N]; M];
        // SAFETY: the promise of `Tile::compute`.
        unsafe {
            for step in 0..tile.depth {
                let b = tile.row::<V, N>(tile.b.add(step * tile.b_stride));
                let a = tile.a.add(step * tile.a_column_stride);
                for m in 0..M {
                    let a = V::splat(*a.add(m * tile.a_row_stride));
                    for n in 0..N {
                        sums[m][n] = sums[m][n].add_dot(a, b[n]);
                    }
                }
            }
            let alpha = V::splat(tile.alpha);
            for m in 0..M {
                let c = tile.c.add(m * tile.c_stride);
                let before = if tile.accumulate { tile.row(c) } else { [V::splat(0.0); N] };
                for n in 0..N {
                    let value = before[n].add_product(alpha, sums[m][n]);
                    value.store_partial(c.add(n * LANES), tile.len::<N>(n));
                }
            }
        }
    }
}
