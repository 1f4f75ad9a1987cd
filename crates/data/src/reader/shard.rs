//! Reads a shard, Parquet or packed rows, by row groups.
//!
//! Any file content gives rows or an error. Memory is bounded by the sizes in the page headers, which are
//! checked before anything is decompressed.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use chess::PackedRow;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};

use super::batch::RowBatch;
use super::catch_panic::catch_panic;
use super::{foreign, pack, pages};
use crate::parquet_file::POV_KEY;
use crate::{Column, DataError, PackedFile, PointOfView};

/// Row group size of packed rows.
const PACKED_GROUP: u64 = 1 << 15;
/// Maximum rows of a row group.
const MAX_ROWS: u64 = 1 << 24;
/// Maximum size of a Parquet footer.
const MAX_FOOTER: u32 = 64 << 20;

/// A shard opened for reading.
#[derive(Debug)]
pub struct Shard {
    path: PathBuf,
    kind: Kind,
    /// Rows of each row group of the file.
    file_groups: Vec<u64>,
    /// The rows of the file that belong to the shard.
    range: Range<u64>,
    /// Index in the file of its first row group.
    first_group: usize,
    /// Rows of each of its row groups, cut to the range.
    row_groups: Vec<u64>,
    columns: Vec<Column>,
}

#[derive(Debug)]
enum Kind {
    Parquet { metadata: ArrowReaderMetadata, view: PointOfView, is_foreign: bool },
    Packed,
}

impl Shard {
    /// Opens a Parquet file or a file of packed rows, and checks its footer or header.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let mut magic = [0; 4];
        let mut file = regular::open(path).map_err(DataError::io("open", path))?;
        let length = file.metadata().map_err(DataError::io("read", path))?.len();
        if length < 12 {
            return Err(DataError::damaged(
                path,
                format!("{length} bytes are too few for a shard"),
            ));
        }
        file.read_exact(&mut magic).map_err(DataError::io("read", path))?;
        match &magic {
            b"PAR1" => Self::open_parquet(path, &file, length),
            b"TABI" => Self::open_packed(path),
            _ => Err(DataError::damaged(path, "it is neither Parquet nor packed rows")),
        }
    }

    fn new(path: &Path, kind: Kind, file_groups: Vec<u64>, columns: Vec<Column>) -> Self {
        let range = 0..file_groups.iter().sum();
        let (path, row_groups) = (path.to_owned(), file_groups.clone());
        Self { path, kind, file_groups, range, first_group: 0, row_groups, columns }
    }

    /// The shard with these rows only.
    #[must_use]
    pub(crate) fn slice(mut self, range: Range<u64>) -> Self {
        let range = range.start.min(self.rows())..range.end.min(self.rows());
        let own = |group: &usize| {
            let rows = self.rows_of(*group);
            rows.start.max(range.start)..rows.end.min(range.end)
        };
        let groups: Vec<usize> =
            (0..self.file_groups.len()).filter(|group| !own(group).is_empty()).collect();
        let row_groups = groups.iter().map(own).map(|rows| rows.end - rows.start).collect();
        (self.first_group, self.row_groups) = (groups.first().copied().unwrap_or(0), row_groups);
        self.range = range;
        self
    }

    fn open_packed(path: &Path) -> Result<Self, DataError> {
        let mut left = PackedFile::open(path)?.rows();
        let mut row_groups = Vec::new();
        while left > 0 {
            row_groups.push(left.min(PACKED_GROUP));
            left -= left.min(PACKED_GROUP);
        }
        Ok(Self::new(path, Kind::Packed, row_groups, Column::PACKED.to_vec()))
    }

    fn open_parquet(path: &Path, file: &File, length: u64) -> Result<Self, DataError> {
        let damaged = |reason: String| DataError::damaged(path, reason);
        pages::check_footer(file, length, MAX_FOOTER).map_err(damaged)?;
        let load = |options| {
            catch_panic(|| ArrowReaderMetadata::load(file, options))
                .map_err(|panic| damaged(format!("its footer cannot be read ({panic})")))?
                .map_err(|error| damaged(error.to_string()))
        };
        let mut metadata = load(ArrowReaderOptions::new())?;
        let notes = metadata.metadata().file_metadata().key_value_metadata();
        let view = notes.into_iter().flatten().find(|note| note.key == POV_KEY);
        let is_foreign = view.is_none();
        let view = match view.and_then(|note| note.value.as_deref()) {
            Some("mover") => PointOfView::Mover,
            _ => PointOfView::White,
        };
        if is_foreign {
            // Text is text, whatever Arrow type the writer had it in.
            metadata = load(ArrowReaderOptions::new().with_skip_arrow_metadata(true))?;
        }
        let mut row_groups = Vec::new();
        for group in metadata.metadata().row_groups() {
            let rows = u64::try_from(group.num_rows()).ok().filter(|&rows| rows <= MAX_ROWS);
            let rows = rows.ok_or_else(|| {
                damaged(format!("a row group of {} rows is too large", group.num_rows()))
            })?;
            row_groups.push(rows);
        }
        let mut columns = Vec::new();
        for column in Column::ALL {
            let Ok(field) = metadata.schema().field_with_name(column.name()) else { continue };
            let is_usable = match is_foreign {
                true => foreign::is_usable(column, field.data_type()),
                false => *field.data_type() == column.data_type(),
            };
            if is_usable {
                columns.push(column);
            } else if !is_foreign || foreign::is_needed(column) {
                return Err(damaged(format!("column '{column}' is {}", field.data_type())));
            }
        }
        Ok(Self::new(path, Kind::Parquet { metadata, view, is_foreign }, row_groups, columns))
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of rows of each row group.
    pub fn row_groups(&self) -> &[u64] {
        &self.row_groups
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.row_groups.iter().sum()
    }

    /// Range of the rows of a row group of the file.
    pub(crate) fn rows_of(&self, row_group: usize) -> Range<u64> {
        let first: u64 = self.file_groups[..row_group].iter().sum();
        first..first + self.file_groups[row_group]
    }

    /// Whether it is Parquet that another program has written.
    pub const fn is_foreign(&self) -> bool {
        matches!(self.kind, Kind::Parquet { is_foreign: true, .. })
    }

    /// The first row of a row group of the shard, counted in the file.
    pub(crate) fn first_row(&self, row_group: usize) -> u64 {
        self.range.start + self.row_groups[..row_group].iter().sum::<u64>()
    }

    /// Compares the number of rows with the manifest.
    pub(crate) fn check_rows(&self, rows: u64) -> Result<(), DataError> {
        if self.rows() == rows {
            return Ok(());
        }
        let reason = format!("it has {} rows, not {rows}", self.rows());
        Err(DataError::damaged(&self.path, reason))
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Point of view of the evaluations.
    pub const fn view(&self) -> PointOfView {
        match self.kind {
            Kind::Parquet { view, .. } => view,
            Kind::Packed => PointOfView::White,
        }
    }

    /// Whether the format is packed rows.
    pub const fn is_packed(&self) -> bool {
        matches!(self.kind, Kind::Packed)
    }

    /// Compressed size of each column; empty for packed rows.
    pub fn column_sizes(&self) -> Vec<(Column, u64)> {
        let Kind::Parquet { metadata, .. } = &self.kind else { return Vec::new() };
        let size = |column: &Column| {
            let groups = metadata.metadata().row_groups().iter();
            let chunks = groups.flat_map(|group| group.columns());
            let own = chunks.filter(|chunk| chunk.column_path().string() == column.name());
            own.map(|chunk| u64::try_from(chunk.compressed_size()).unwrap_or(0)).sum()
        };
        self.columns.iter().map(|column| (*column, size(column))).collect()
    }

    /// Decodes these columns of a row group.
    pub fn read(&self, row_group: usize, columns: &[Column]) -> Result<RowBatch, DataError> {
        if let Some(column) = columns.iter().find(|column| !self.columns.contains(column)) {
            return Err(DataError::NoColumn { path: self.path.clone(), column: column.name() });
        }
        let length = self.row_groups.get(row_group).copied().unwrap_or(0);
        match &self.kind {
            Kind::Packed => {
                let mut rows = Vec::new();
                let first: u64 = self.row_groups.iter().take(row_group).sum();
                self.read_rows(first..first + length, &mut rows)?;
                RowBatch::from_packed(&rows, columns).map_err(|(n, error)| {
                    let row = self.range.start + first + n as u64;
                    DataError::damaged(&self.path, format!("row {row}: {error}"))
                })
            }
            Kind::Parquet { metadata, view, .. } => {
                let group = self.first_group + row_group;
                // Only the first row group begins before the range.
                let skip = match (row_group, self.file_groups.get(group)) {
                    (0, Some(_)) => self.range.start.saturating_sub(self.rows_of(group).start),
                    _ => 0,
                };
                self.read_parquet(metadata, *view, (group, skip..skip + length), columns)
            }
        }
    }

    /// Reads a range of rows into the buffer as packed rows, from either format.
    ///
    /// Rows of a packed file are not checked. Rows of Parquet are packed, which needs a column `board` or
    /// `fen`; one that cannot be packed is an error, or an empty board in a file of another program.
    pub fn read_rows(&self, range: Range<u64>, rows: &mut Vec<PackedRow>) -> Result<(), DataError> {
        rows.clear();
        let [start, end] = [range.start, range.end]
            .map(|row| self.range.start.saturating_add(row).min(self.range.end));
        let range = start..end;
        let Kind::Parquet { metadata, view, .. } = &self.kind else {
            let count = usize::try_from(range.end.saturating_sub(range.start));
            return PackedFile::open(&self.path)?.read(
                range.start,
                count.unwrap_or(usize::MAX),
                rows,
            );
        };
        let columns = pack::columns(&self.columns)
            .ok_or_else(|| DataError::NoColumn { path: self.path.clone(), column: "board" })?;
        let mut begin = 0;
        for (group, &length) in self.file_groups.iter().enumerate() {
            let own = range.start.clamp(begin, begin + length) - begin
                ..range.end.clamp(begin, begin + length) - begin;
            if !own.is_empty() {
                let first = begin + own.start;
                let decoded = self.read_parquet(metadata, *view, (group, own), &columns)?;
                for (row, number) in decoded.iter().zip(first..) {
                    rows.push(match pack::pack(row) {
                        Ok(packed) => packed,
                        Err(_) if self.is_foreign() => PackedRow::from_bytes([0; PackedRow::SIZE]),
                        Err(reason) => {
                            let reason = format!("row {number}: {reason}");
                            return Err(DataError::damaged(&self.path, reason));
                        }
                    });
                }
            }
            begin += length;
        }
        Ok(())
    }

    fn read_parquet(
        &self,
        metadata: &ArrowReaderMetadata,
        view: PointOfView,
        (number, range): (usize, Range<u64>),
        columns: &[Column],
    ) -> Result<RowBatch, DataError> {
        let damaged = |reason: String| {
            DataError::damaged(&self.path, format!("row group {number}: {reason}"))
        };
        let file = regular::open(&self.path).map_err(DataError::io("open", &self.path))?;
        let rows = self.file_groups.get(number).copied().unwrap_or(0);
        let names = columns.iter().map(|column| column.name());
        let group = metadata.metadata().row_groups().get(number);
        let group = group.ok_or_else(|| damaged("it does not exist".into()))?;
        for chunk in group.columns() {
            let name = chunk.column_path().string();
            if columns.iter().any(|column| column.name() == name) {
                pages::check(&file, chunk, rows)
                    .map_err(|reason| damaged(format!("{name}: {reason}")))?;
            }
        }
        let wanted = range.end - range.start;
        let batches = catch_panic(|| {
            let mask = ProjectionMask::columns(metadata.parquet_schema(), names);
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
                .with_row_groups(vec![number])
                .with_projection(mask)
                .with_offset(range.start as usize)
                .with_limit(wanted as usize)
                .with_batch_size((wanted as usize).max(1))
                .build()?
                .collect::<Result<Vec<_>, _>>()
                .map_err(parquet::errors::ParquetError::from)
        });
        let batches = batches
            .map_err(|panic| damaged(format!("the decoder panicked ({panic})")))?
            .map_err(|error| damaged(error.to_string()))?;
        let batch = match batches.as_slice() {
            [] if wanted == 0 => return Ok(RowBatch::from_batch(&empty(), &[], view)),
            [batch] if batch.num_rows() as u64 == wanted => batch,
            _ => return Err(damaged("its number of rows is wrong".into())),
        };
        let first = self.rows_of(number).start + range.start;
        let damaged_row = |row: u64, reason: String| {
            DataError::damaged(&self.path, format!("row {}: {reason}", first + row))
        };
        if self.is_foreign() {
            let batch = foreign::convert(batch, columns)
                .map_err(|(row, reason)| damaged_row(row as u64, reason))?;
            return Ok(RowBatch::from_batch(&batch, columns, view));
        }
        let batch = RowBatch::from_batch(batch, columns, view);
        for (row, number) in batch.iter().zip(0..) {
            row.check_inputs().map_err(|reason| damaged_row(number, reason))?;
        }
        Ok(batch)
    }
}

fn empty() -> arrow_array::RecordBatch {
    arrow_array::RecordBatch::new_empty(std::sync::Arc::new(arrow_schema::Schema::empty()))
}
