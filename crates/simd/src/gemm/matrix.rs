//! Matrices as views of slices.
//!
//! A view that reaches beyond its slice cannot be constructed, which makes the pointers of the kernels
//! sound.

/// A matrix that is read, with any row and column stride.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    pub(super) data: &'a [f32],
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) row_stride: usize,
    pub(super) column_stride: usize,
}

/// A row-major matrix that is written.
#[derive(Debug)]
pub struct MatrixMut<'a> {
    pub(super) data: &'a mut [f32],
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) row_stride: usize,
}

/// Whether a row-major matrix lies within a slice of this length. Sizes and strides may have any value.
pub(super) const fn fits(length: usize, rows: usize, columns: usize, row_stride: usize) -> bool {
    if rows == 0 || columns == 0 {
        return true;
    }
    match (rows - 1).checked_mul(row_stride) {
        Some(last_row) => match last_row.checked_add(columns - 1) {
            Some(last) => last < length,
            None => false,
        },
        None => false,
    }
}

/// The row stride of a matrix within a slice of this length. A stride that leads to no other element is
/// replaced, so that no stride exceeds the slice.
///
/// # Panics
/// If the matrix reaches beyond the slice.
fn checked_stride(length: usize, rows: usize, columns: usize, row_stride: usize) -> usize {
    assert!(fits(length, rows, columns, row_stride), "matrix out of bounds of its slice");
    if rows > 1 && columns > 0 { row_stride } else { columns }
}

impl<'a> Matrix<'a> {
    /// A contiguous row-major matrix.
    ///
    /// # Panics
    /// If the slice is too short.
    pub fn new(data: &'a [f32], rows: usize, columns: usize) -> Self {
        Self::with_stride(data, rows, columns, columns)
    }

    /// A row-major matrix with this distance between the starts of rows.
    ///
    /// # Panics
    /// If the slice is too short.
    pub fn with_stride(data: &'a [f32], rows: usize, columns: usize, row_stride: usize) -> Self {
        let row_stride = checked_stride(data.len(), rows, columns, row_stride);
        Self { data, rows, columns, row_stride, column_stride: 1 }
    }

    /// Rows and columns.
    pub const fn size(self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// The slice behind the view.
    pub const fn data(self) -> &'a [f32] {
        self.data
    }

    #[inline(always)]
    pub(super) const fn at(self, row: usize, column: usize) -> f32 {
        self.data[row * self.row_stride + column * self.column_stride]
    }

    /// A block of columns.
    pub(super) fn columns_from(self, first: usize, columns: usize) -> Self {
        assert!(first + columns <= self.columns, "columns out of range");
        // Without rows the slice may be empty.
        let begin = first.saturating_mul(self.column_stride).min(self.data.len());
        Self { data: &self.data[begin..], columns, ..self }
    }

    /// A block of rows.
    pub(super) fn rows_from(self, first: usize, end: usize) -> Self {
        assert!(first <= end && end <= self.rows, "rows out of range");
        let begin = first.saturating_mul(self.row_stride).min(self.data.len());
        Self { data: &self.data[begin..], rows: end - first, ..self }
    }

    /// The transposed view.
    #[must_use]
    pub const fn transposed(self) -> Self {
        Self {
            data: self.data,
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
        }
    }
}

impl<'a> MatrixMut<'a> {
    /// A contiguous row-major matrix.
    ///
    /// # Panics
    /// If the slice is too short.
    pub fn new(data: &'a mut [f32], rows: usize, columns: usize) -> Self {
        Self::with_stride(data, rows, columns, columns)
    }

    /// A row-major matrix with this distance between the starts of rows.
    ///
    /// # Panics
    /// If the slice is too short, or if rows overlap.
    pub fn with_stride(data: &'a mut [f32], rows: usize, columns: usize, stride: usize) -> Self {
        assert!(stride >= columns, "rows overlap");
        let row_stride = checked_stride(data.len(), rows, columns, stride);
        Self { data, rows, columns, row_stride }
    }

    /// Rows and columns.
    pub const fn size(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// A block of columns.
    pub(super) fn columns_from(&mut self, first: usize, columns: usize) -> MatrixMut<'_> {
        assert!(first + columns <= self.columns, "columns out of range");
        let begin = first.min(self.data.len());
        MatrixMut { data: &mut self.data[begin..], columns, ..*self }
    }

    /// A block of rows.
    pub(super) fn rows_from(self, first: usize, rows: usize) -> MatrixMut<'a> {
        assert!(first + rows <= self.rows, "rows out of range");
        let begin = first.saturating_mul(self.row_stride).min(self.data.len());
        MatrixMut { data: &mut self.data[begin..], rows, ..self }
    }
}
