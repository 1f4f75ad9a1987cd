//! Every kernel against a naive product in double precision.

use chess::rng::Rng;

use super::matrix::fits;
use super::*;
use crate::InstructionSet;

type Product = Box<dyn Fn(MatrixMut<'_>, Matrix<'_>, Matrix<'_>, bool, f32)>;

/// The micro-kernel of every instruction set of this CPU, and what `matmul` uses.
fn kernels() -> Vec<Product> {
    let of = |kernels| -> Product {
        Box::new(move |c, a, b, add, alpha| gemm_with(kernels, c, a, b, add, alpha))
    };
    let mut products: Vec<Product> =
        InstructionSet::ALL.into_iter().filter_map(Kernels::new).map(of).collect();
    products.push(Box::new(gemm));
    products
}

/// The naive product.
fn naive(c: &mut [f32], stride: usize, a: Matrix<'_>, b: Matrix<'_>, alpha: f32) {
    for row in 0..a.rows {
        for column in 0..b.columns {
            let terms =
                (0..a.columns).map(|n| f64::from(a.at(row, n)) * f64::from(b.at(n, column)));
            c[row * stride + column] += alpha * terms.sum::<f64>() as f32;
        }
    }
}

/// A matrix with gaps between its rows, transposed or not.
fn matrix<'a>(
    data: &'a [f32],
    rows: usize,
    columns: usize,
    gap: usize,
    transposed: bool,
) -> Matrix<'a> {
    if transposed {
        Matrix::with_stride(data, columns, rows, rows + gap).transposed()
    } else {
        Matrix::with_stride(data, rows, columns, columns + gap)
    }
}

#[test]
fn products_of_all_shapes_match_the_naive_product() {
    let mut rng = Rng::new(1, 2);
    let kernels = kernels();
    for round in 0..400 {
        let mut below = |most: usize| rng.below(most);
        let (rows, depth, columns) = (1 + below(20), below(40), 1 + below(120));
        let (gap, transposes) = (below(3), below(4));
        let mut values =
            |count: usize| -> Vec<f32> { (0..count).map(|_| rng.next_f32() - 0.5).collect() };
        let size = |rows: usize, columns: usize| (rows + gap) * (columns + gap);
        let (a, b) = (values(size(rows, depth)), values(size(depth, columns)));
        let a = matrix(&a, rows, depth, gap, transposes & 1 != 0);
        let b = matrix(&b, depth, columns, gap, transposes & 2 != 0);
        let (stride, before) = (columns + gap, values(rows * (columns + gap)));
        for accumulate in [false, true] {
            // Elements beyond the columns must not change.
            let mut expected = before.clone();
            if !accumulate {
                for row in expected.chunks_mut(stride) {
                    row[..columns].fill(0.0);
                }
            }
            naive(&mut expected, stride, a, b, 0.5);
            for kernel in &kernels {
                let mut found = before.clone();
                let c = MatrixMut::with_stride(&mut found, rows, columns, stride);
                kernel(c, a, b, accumulate, 0.5);
                for (found, expected) in found.iter().zip(&expected) {
                    let shape = (round, rows, depth, columns, gap, transposes, accumulate);
                    assert!((found - expected).abs() < 1e-5, "{found} {expected} {shape:?}");
                }
            }
        }
    }
}

#[test]
fn a_packed_matrix_gives_the_same_product() {
    let mut rng = Rng::new(3, 4);
    for columns in [1, 8, PANEL_WIDTH - 1, PANEL_WIDTH, PANEL_WIDTH + 1, 3 * PANEL_WIDTH + 5] {
        let (rows, depth) = (9, 19);
        let mut values =
            |count: usize| -> Vec<f32> { (0..count).map(|_| rng.next_f32() - 0.5).collect() };
        let (a, b) = (values(rows * depth), values(depth * columns));
        let a = Matrix::new(&a, rows, depth);
        for b in [Matrix::new(&b, depth, columns), Matrix::new(&b, columns, depth).transposed()] {
            let mut panels = vec![0.0; depth * columns];
            pack_panels(&mut panels, b);
            let mut found = vec![1.0; rows * columns];
            matmul_packed(MatrixMut::new(&mut found, rows, columns), a, &panels, true);
            let mut expected = vec![1.0; rows * columns];
            naive(&mut expected, columns, a, b, 1.0);
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-5, "{columns}: {found} {expected}");
            }
        }
    }
}

#[test]
#[should_panic(expected = "matrix out of bounds of its slice")]
fn a_matrix_beyond_its_slice_is_rejected() {
    Matrix::new(&[0.0; 5], 2, 3);
}

#[test]
#[should_panic(expected = "matrix out of bounds of its slice")]
fn a_matrix_whose_size_overflows_is_rejected() {
    // 3 * stride is 2 modulo 2^64.
    Matrix::with_stride(&[1.0; 4], 4, 1, 6_148_914_691_236_517_206);
}

/// A size: usually small, else one whose products overflow.
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
fn matrices_of_any_size_and_stride_are_rejected_or_multiplied_within_their_slices() {
    let mut rng = Rng::new(5, 6);
    let kernels = kernels();
    let (mut made, mut rejected, mut products) = (0, 0, 0);
    for _ in 0..20_000 {
        let [rows, columns, stride, length] = from_fn(|_| size(&mut rng));
        let data: Vec<f32> = (0..length % 41).map(|_| rng.next_f32()).collect();
        // The same in a type that holds every product.
        let [r, c, s] = [rows, columns, stride].map(|size| size as u128);
        let expected = r == 0 || c == 0 || (r - 1) * s + c <= data.len() as u128;
        let found = fits(data.len(), rows, columns, stride);
        assert_eq!(found, expected, "{rows} {columns} {stride} {}", data.len());
        if !found {
            rejected += 1;
            continue;
        }
        let view = Matrix::with_stride(&data, rows, columns, stride);
        made += 1;
        // Views with a stride of 0 may have more rows than there is memory.
        if rows.max(columns) > 1_000 {
            continue;
        }
        // The product of the view and its transpose.
        let b = view.transposed();
        for kernel in &kernels {
            let mut expected = vec![0.5; rows * rows];
            naive(&mut expected, rows, view, b, 1.0);
            let mut found = vec![0.5; rows * rows];
            kernel(MatrixMut::new(&mut found, rows, rows), view, b, true, 1.0);
            assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-4));
        }
        products += 1;
    }
    assert!(made > 1_000 && rejected > 1_000 && products > 1_000, "{made} {rejected} {products}");
}

#[test]
fn products_without_rows_columns_or_depth_are_empty_or_zero() {
    let mut kernels = kernels();
    kernels.push(Box::new(|c, a, b, accumulate, _| {
        let mut panels = vec![0.0; b.rows * b.columns];
        pack_panels(&mut panels, b);
        matmul_packed(c, a, &panels, accumulate);
    }));
    for (rows, depth, columns) in [
        (0, 3, 4),
        (2, 3, 0),
        (2, 0, 4),
        (0, 0, 0),
        (0, 5, 3 * PANEL_WIDTH),
        (2, 0, 3 * PANEL_WIDTH),
    ] {
        let (a, b) = (vec![1.0; rows * depth], vec![1.0; depth * columns]);
        let (a, b) = (Matrix::new(&a, rows, depth), Matrix::new(&b, depth, columns));
        for kernel in &kernels {
            let mut c = vec![1.0; rows * columns];
            kernel(MatrixMut::new(&mut c, rows, columns), a, b, false, 1.0);
            assert!(c.iter().all(|&value| value == 0.0), "{rows} {depth} {columns}");
        }
    }
}

#[test]
#[should_panic(expected = "matrix sizes do not match")]
fn matrices_of_other_sizes_are_rejected() {
    let (a, mut c) = ([0.0; 6], [0.0; 4]);
    matmul(MatrixMut::new(&mut c, 2, 2), Matrix::new(&a, 2, 3), Matrix::new(&a, 2, 3), 1.0);
}
