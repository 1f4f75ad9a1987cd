//! Matrix products of bf16 with f32 sums, where the CPU has AVX-512 BF16.
//!
//! The dot product of two pairs, `sum + a₀·b₀ + a₁·b₁`, is one instruction, so an element of the matrices here is
//! a [`Pair`] of neighbours along the inner dimension, and a product has twice the throughput of one of f32.
//! Matrices are converted to pairs in one of two layouts:
//!
//! - [`pack_rows`]: pairs of neighbours in a row; row-major. For the left operand.
//! - [`pack_columns`]: pairs of neighbours in a column, in panels of [`PANEL_WIDTH`] columns. For the right operand,
//!   and for the left one of a product with a transposed matrix.

use bytemuck::{Pod, Zeroable};

use super::{Matrix, MatrixMut, PANEL_WIDTH};

/// Two numbers as bf16, the first in the low half.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct Pair(u32);

impl Pair {
    /// Rounds two numbers to the nearest, ties to even. NaN stays NaN.
    pub fn new(first: f32, second: f32) -> Self {
        let [first, second] = [first, second].map(|x| {
            let bits = x.to_bits();
            if x.is_nan() {
                return bits >> 16 | 0x40;
            }
            // The instructions of the CPU take denormal numbers as 0.
            let bits = if x.is_subnormal() { bits & 0x8000_0000 } else { bits };
            bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16
        });
        Self(first | second << 16)
    }

    /// The two numbers.
    pub fn numbers(self) -> [f32; 2] {
        [self.0 << 16, self.0 & 0xffff_0000].map(f32::from_bits)
    }
}

/// Rows of the inner dimension, in pairs, that a block of a right operand has: it stays in the first-level cache.
const BLOCK: usize = 128;

/// Whether this CPU has the instructions, and may use them.
pub fn is_supported() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::{InstructionSet, Kernels};
        use std::sync::OnceLock;
        static SUPPORTED: OnceLock<bool> = OnceLock::new();
        *SUPPORTED.get_or_init(|| {
            Kernels::current().instruction_set() >= InstructionSet::Avx512
                && std::arch::is_x86_feature_detected!("avx512bf16")
        })
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The pairs of a matrix of this size.
///
/// # Panics
/// If the inner dimension is odd.
fn pairs_of(inner: usize, outer: usize) -> usize {
    assert!(inner.is_multiple_of(2), "the inner dimension is odd");
    inner / 2 * outer
}

/// Converts a matrix to pairs of neighbours in a row, row-major.
///
/// # Panics
/// If the columns are not contiguous, their number is odd, or the slice is too short.
pub fn pack_rows(out: &mut [Pair], matrix: Matrix<'_>) {
    assert!(matrix.column_stride == 1, "columns are not contiguous");
    let out = &mut out[..pairs_of(matrix.columns, matrix.rows)];
    if matrix.columns == 0 {
        return;
    }
    for (row, out) in out.chunks_exact_mut(matrix.columns / 2).enumerate() {
        let values = &matrix.data[row * matrix.row_stride..][..matrix.columns];
        convert_row(out, values);
    }
}

/// Converts a matrix to pairs of neighbours in a column, in panels of [`PANEL_WIDTH`] columns, one after the other.
///
/// # Panics
/// If the number of rows is odd, or the slice is too short.
pub fn pack_columns(out: &mut [Pair], matrix: Matrix<'_>) {
    let half = matrix.rows / 2;
    let out = &mut out[..pairs_of(matrix.rows, matrix.columns)];
    for first in (0..matrix.columns).step_by(PANEL_WIDTH) {
        let columns = PANEL_WIDTH.min(matrix.columns - first);
        let panel = &mut out[first * half..][..columns * half];
        for (n, out) in panel.chunks_exact_mut(columns).enumerate() {
            if matrix.column_stride == 1 {
                let row = |n: usize| &matrix.data[n * matrix.row_stride + first..][..columns];
                interleave(out, row(2 * n), row(2 * n + 1));
            } else {
                for (column, out) in out.iter_mut().enumerate() {
                    let at = |row: usize| matrix.at(row, first + column);
                    *out = Pair::new(at(2 * n), at(2 * n + 1));
                }
            }
        }
    }
}

fn convert_row(out: &mut [Pair], values: &[f32]) {
    #[cfg(target_arch = "x86_64")]
    if is_supported() {
        // SAFETY: the CPU has the instructions.
        return unsafe { avx512::convert_row(out, values) };
    }
    for (out, &[first, second]) in out.iter_mut().zip(values.as_chunks().0) {
        *out = Pair::new(first, second);
    }
}

fn interleave(out: &mut [Pair], even: &[f32], odd: &[f32]) {
    #[cfg(target_arch = "x86_64")]
    if is_supported() {
        // SAFETY: the CPU has the instructions.
        return unsafe { avx512::interleave(out, even, odd) };
    }
    for ((out, &even), &odd) in out.iter_mut().zip(even).zip(odd) {
        *out = Pair::new(even, odd);
    }
}

/// `c = a · b`, or `c += a · b`: `a` of [`pack_rows`], `b` of [`pack_columns`], `depth` the inner dimension.
///
/// # Panics
/// If a slice is too short, the inner dimension is odd, or the CPU is [not supported](is_supported).
pub fn matmul(c: MatrixMut<'_>, a: &[Pair], b: &[Pair], depth: usize, accumulate: bool) {
    matmul_with(gemm, c, a, b, depth, accumulate);
}

#[inline(always)]
fn matmul_with(
    gemm: impl Gemm,
    mut c: MatrixMut<'_>,
    a: &[Pair],
    b: &[Pair],
    depth: usize,
    accumulate: bool,
) {
    let half = pairs_of(depth, 1);
    let a = Matrix::new(bytemuck::cast_slice(a), c.rows, half);
    for first in (0..c.columns).step_by(PANEL_WIDTH) {
        let columns = PANEL_WIDTH.min(c.columns - first);
        let panel = Matrix::new(bytemuck::cast_slice(&b[first * half..]), half, columns);
        gemm(c.columns_from(first, columns), a, panel, accumulate);
    }
}

/// `c += aᵀ · b`: both of [`pack_columns`], with `depth` rows.
///
/// # Panics
/// If a slice is too short, the inner dimension is odd, or the CPU is [not supported](is_supported).
pub fn matmul_transposed(c: MatrixMut<'_>, a: &[Pair], b: &[Pair], depth: usize) {
    matmul_transposed_with(gemm, c, a, b, depth);
}

#[inline(always)]
fn matmul_transposed_with(
    gemm: impl Gemm,
    mut c: MatrixMut<'_>,
    a: &[Pair],
    b: &[Pair],
    depth: usize,
) {
    let half = pairs_of(depth, 1);
    let (rows, columns) = (c.rows, c.columns);
    let panel = |pairs, first: usize, size: usize| -> (Matrix<'_>, usize) {
        let width = PANEL_WIDTH.min(size - first);
        let pairs: &[Pair] = pairs;
        (Matrix::new(bytemuck::cast_slice(&pairs[first * half..]), half, width), width)
    };
    for begin in (0..half).step_by(BLOCK) {
        let end = half.min(begin + BLOCK);
        for first_column in (0..columns).step_by(PANEL_WIDTH) {
            let (b, width) = panel(b, first_column, columns);
            for first_row in (0..rows).step_by(PANEL_WIDTH) {
                let (a, height) = panel(a, first_row, rows);
                let c = c.columns_from(first_column, width).rows_from(first_row, height);
                gemm(c, a.rows_from(begin, end).transposed(), b.rows_from(begin, end), true);
            }
        }
    }
}

/// The product of matrices whose elements are pairs: `c = a · b`, or that added.
trait Gemm: Fn(MatrixMut<'_>, Matrix<'_>, Matrix<'_>, bool) {}

impl<F: Fn(MatrixMut<'_>, Matrix<'_>, Matrix<'_>, bool)> Gemm for F {}

fn gemm(c: MatrixMut<'_>, a: Matrix<'_>, b: Matrix<'_>, accumulate: bool) {
    assert!(
        c.rows == a.rows && c.columns == b.columns && a.columns == b.rows,
        "matrix sizes do not match"
    );
    assert!(is_supported(), "this CPU has no AVX-512 BF16");
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the CPU has the instructions.
    unsafe {
        avx512::gemm(c, a, b, accumulate);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = accumulate;
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::super::micro_kernel;
    use super::{Matrix, MatrixMut, Pair};
    use crate::avx512::F32x16;
    use crate::vector::{self, Outline};

    /// bf16 GEMM.
    #[target_feature(
        enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,avx512bf16"
    )]
    pub fn gemm(c: MatrixMut<'_>, a: Matrix<'_>, b: Matrix<'_>, accumulate: bool) {
        // SAFETY: the CPU has the instructions.
        unsafe { micro_kernel::gemm::<Pairs>(c, a, b, accumulate, 1.0) }
    }

    /// [`pack_rows`](super::pack_rows) of a row.
    #[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
    pub fn convert_row(out: &mut [Pair], values: &[f32]) {
        let ((out, rest), (values, tail)) = (out.as_chunks_mut::<16>(), values.as_chunks::<32>());
        for (out, values) in out.iter_mut().zip(values) {
            // SAFETY: the arrays have as many elements; no alignment is needed.
            unsafe {
                let low = _mm512_loadu_ps(values.as_ptr());
                let high = _mm512_loadu_ps(values.as_ptr().add(16));
                let pairs = _mm512_cvtne2ps_pbh(high, low);
                out.as_mut_ptr().cast::<__m512bh>().write_unaligned(pairs);
            }
        }
        for (out, &[first, second]) in rest.iter_mut().zip(tail.as_chunks().0) {
            *out = Pair::new(first, second);
        }
    }

    /// Pairs of the numbers of two rows.
    #[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
    pub fn interleave(out: &mut [Pair], even: &[f32], odd: &[f32]) {
        const ORDER: [u16; 32] = {
            let mut order = [0; 32];
            let mut n = 0;
            while n < 32 {
                order[n] = (n / 2 + n % 2 * 16) as u16;
                n += 1;
            }
            order
        };
        let len = out.len().min(even.len()).min(odd.len());
        let whole = len / 16 * 16;
        let mut n = 0;
        // SAFETY: the slices have 16 elements from `n` on; no alignment is needed.
        unsafe {
            let order = _mm512_loadu_si512(ORDER.as_ptr().cast());
            while n < whole {
                let low = _mm512_loadu_ps(even.as_ptr().add(n));
                let high = _mm512_loadu_ps(odd.as_ptr().add(n));
                let both = _mm512_cvtne2ps_pbh(high, low);
                let both = core::mem::transmute::<__m512bh, __m512i>(both);
                let pairs = _mm512_permutexvar_epi16(order, both);
                _mm512_storeu_si512(out.as_mut_ptr().add(n).cast(), pairs);
                n += 16;
            }
        }
        for n in whole..len {
            out[n] = Pair::new(even[n], odd[n]);
        }
    }

    /// One register: sixteen pairs as factors, sixteen f32 as sums.
    #[derive(Clone, Copy)]
    struct Pairs(F32x16);

    // Everything but the dot product is that of f32: pairs are loaded and broadcast as 32 bits.
    impl vector::F32x16 for Pairs {
        const REGISTERS: usize = 32;
        const FUSED: bool = true;

        #[target_feature(
            enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,avx512bf16"
        )]
        #[inline(never)]
        unsafe fn outline<K: Outline>(kernel: K) {
            // SAFETY: the caller's promise.
            unsafe { kernel.run::<Self>() }
        }

        #[inline(always)]
        fn add_dot(self, a: Self, b: Self) -> Self {
            // SAFETY: values of this type are used only where the CPU has AVX-512 BF16; both types are 64
            // bytes of any content.
            Self(unsafe {
                let [a, b] = [a, b]
                    .map(|pairs| core::mem::transmute::<__m512, __m512bh>(pairs.0.register()));
                F32x16::of(_mm512_dpbf16_ps(self.0.register(), a, b))
            })
        }

        #[inline(always)]
        fn load(values: &[f32; 16]) -> Self {
            Self(F32x16::load(values))
        }

        #[inline(always)]
        fn store(self, values: &mut [f32; 16]) {
            self.0.store(values);
        }

        #[inline(always)]
        fn splat(value: f32) -> Self {
            Self(F32x16::splat(value))
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            Self(self.0.add(other.0))
        }

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            Self(self.0.sub(other.0))
        }

        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            Self(self.0.mul(other.0))
        }

        #[inline(always)]
        fn sum(self) -> f32 {
            self.0.sum()
        }

        #[inline(always)]
        fn scale_by_power(self, exponent: Self) -> Self {
            Self(self.0.scale_by_power(exponent.0))
        }

        #[inline(always)]
        fn add_product(self, a: Self, b: Self) -> Self {
            Self(self.0.add_product(a.0, b.0))
        }

        #[inline(always)]
        fn clip(self) -> Self {
            Self(self.0.clip())
        }

        #[inline(always)]
        fn nonzero(self) -> u16 {
            self.0.nonzero()
        }

        #[inline(always)]
        unsafe fn load_partial(from: *const f32, len: usize) -> Self {
            // SAFETY: the caller's promise.
            Self(unsafe { F32x16::load_partial(from, len) })
        }

        #[inline(always)]
        unsafe fn store_partial(self, to: *mut f32, len: usize) {
            // SAFETY: the caller's promise.
            unsafe { self.0.store_partial(to, len) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::rng::Rng;

    #[test]
    fn pairs_round_to_the_nearest_bf16() {
        for (x, expected) in [
            (1.0, 1.0),
            (1.0 + 1.0 / 256.0, 1.0),
            (1.0 + 3.0 / 256.0, 1.0 + 4.0 / 256.0),
            (-2.5, -2.5),
            (f32::MAX, f32::INFINITY),
            (1e-40, 0.0),
        ] {
            assert_eq!(Pair::new(x, -x).numbers(), [expected, -expected]);
        }
        assert!(Pair::new(f32::NAN, 0.0).numbers()[0].is_nan());
    }

    /// The scalar twin of [`gemm`], for every CPU.
    fn scalar_gemm(c: MatrixMut<'_>, a: Matrix<'_>, b: Matrix<'_>, accumulate: bool) {
        let numbers = |pair: f32| Pair(pair.to_bits()).numbers();
        for row in 0..c.rows {
            for column in 0..c.columns {
                let products = (0..a.columns).map(|n| {
                    let ([a0, a1], [b0, b1]) = (numbers(a.at(row, n)), numbers(b.at(n, column)));
                    a0 * b0 + a1 * b1
                });
                let at = &mut c.data[row * c.row_stride + column];
                *at = products.sum::<f32>() + if accumulate { *at } else { 0.0 };
            }
        }
    }

    #[test]
    fn packing_is_that_of_single_numbers_and_products_are_those_of_rounded_numbers() {
        let mut rng = Rng::new(5, 5);
        for round in 0..60 {
            let mut below = |most: usize| rng.below(most);
            let (rows, columns) = (1 + below(120), 1 + below(120));
            let depth = 2 * (1 + below(if round % 10 == 0 { 300 } else { 40 }));
            let mut values =
                |count: usize| -> Vec<f32> { (0..count).map(|_| rng.next_f32() - 0.5).collect() };
            let (a, b, before) =
                (values(rows * depth), values(depth * columns), values(rows * columns));
            let rounded = |values: &[f32]| -> Vec<f32> {
                values.iter().map(|&x| Pair::new(x, 0.0).numbers()[0]).collect()
            };
            let (exact_a, exact_b) = (rounded(&a), rounded(&b));
            let a_matrix = Matrix::new(&a, rows, depth);
            let b_matrix = Matrix::new(&b, depth, columns);
            let mut pairs_a = vec![Pair::default(); rows * depth / 2];
            let mut columns_a = pairs_a.clone();
            let mut pairs_b = vec![Pair::default(); depth * columns / 2];
            pack_rows(&mut pairs_a, a_matrix);
            pack_columns(&mut columns_a, a_matrix.transposed());
            pack_columns(&mut pairs_b, b_matrix);
            let flat: Vec<f32> = pairs_a.iter().flat_map(|pair| pair.numbers()).collect();
            assert_eq!(flat, exact_a);
            for (first, panel) in pairs_b.chunks(depth / 2 * PANEL_WIDTH).enumerate() {
                let width = PANEL_WIDTH.min(columns - first * PANEL_WIDTH);
                for (n, pair) in panel.iter().enumerate() {
                    let column = first * PANEL_WIDTH + n % width;
                    let at = |row: usize| exact_b[row * columns + column];
                    assert_eq!(pair.numbers(), [at(n / width * 2), at(n / width * 2 + 1)]);
                }
            }
            // The transposed matrix, stored: the vectorized path.
            let mut stored = vec![0.0; rows * depth];
            super::super::copy_row_major(&mut stored, a_matrix.transposed());
            let mut again = vec![Pair::default(); rows * depth / 2];
            pack_columns(&mut again, Matrix::new(&stored, depth, rows));
            assert_eq!(again, columns_a);
            let mut product = vec![0f64; rows * columns];
            for row in 0..rows {
                for k in 0..depth {
                    let a = f64::from(exact_a[row * depth + k]);
                    for column in 0..columns {
                        product[row * columns + column] +=
                            a * f64::from(exact_b[k * columns + column]);
                    }
                }
            }
            let check = |found: &[f32], adds: bool| {
                for ((found, before), product) in found.iter().zip(&before).zip(&product) {
                    let expected = product + if adds { f64::from(*before) } else { 0.0 };
                    assert!((f64::from(*found) - expected).abs() < 2e-4, "{found} {expected}");
                }
            };
            let kernels: [fn(MatrixMut<'_>, Matrix<'_>, Matrix<'_>, bool); 2] = [scalar_gemm, gemm];
            for kernel in &kernels[..if is_supported() { 2 } else { 1 }] {
                for accumulate in [false, true] {
                    let mut found = before.clone();
                    let c = MatrixMut::new(&mut found, rows, columns);
                    matmul_with(kernel, c, &pairs_a, &pairs_b, depth, accumulate);
                    check(&found, accumulate);
                }
                let mut found = before.clone();
                let c = MatrixMut::new(&mut found, rows, columns);
                matmul_transposed_with(kernel, c, &columns_a, &pairs_b, depth);
                check(&found, true);
            }
        }
    }
}
