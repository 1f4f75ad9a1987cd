//! Parquet writer: row groups are encoded by any thread and appended in order.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;

use crate::files::{OutputFile, Written};
use crate::{Column, DataError, PointOfView, Row, columns, row};

/// Metadata key of the point of view of evaluations.
pub(crate) const POV_KEY: &str = "tabiya.pov";

/// Encodes row groups of one schema.
pub(crate) struct Encoder {
    columns: Vec<Column>,
    view: PointOfView,
    schema: SchemaRef,
    properties: WriterProperties,
    factory: ArrowRowGroupWriterFactory,
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Encoder({:?})", self.columns)
    }
}

/// An encoded row group.
pub(crate) struct RowGroup {
    columns: Vec<ArrowColumnChunk>,
}

fn fail(path: &Path) -> impl Fn(parquet::errors::ParquetError) -> DataError {
    move |error| {
        // Only the error of the operating system is of interest.
        let text = error.to_string();
        let reason = text.trim_start_matches("External: ").to_owned();
        DataError::Encode { path: path.to_owned(), reason }
    }
}

impl Encoder {
    pub(crate) fn new(
        columns: &[Column],
        view: PointOfView,
        level: i32,
    ) -> Result<Self, DataError> {
        let no_path = Path::new("Parquet");
        let schema = columns::schema(columns);
        let level = ZstdLevel::try_new(level).map_err(fail(no_path))?;
        let view_note = KeyValue::new(POV_KEY.to_owned(), view.name().to_owned());
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_created_by(concat!("tabiya ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(vec![view_note]))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .set_max_row_group_row_count(None);
        // Minimum and maximum of a FEN or board are useless.
        for column in [Column::Fen, Column::Board, Column::History] {
            let path = ColumnPath::from(column.name());
            properties = properties.set_column_statistics_enabled(path, EnabledStatistics::None);
        }
        // Dictionaries pay off for columns of few distinct values only.
        let delta_encoded = [Column::Ply, Column::Game, Column::Clock];
        for column in [Column::Fen, Column::Board, Column::History, Column::Eval]
            .into_iter()
            .chain(delta_encoded)
        {
            let path = ColumnPath::from(column.name());
            properties = properties.set_column_dictionary_enabled(path.clone(), false);
            if delta_encoded.contains(&column) {
                properties = properties.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
            }
        }
        let properties = properties.build();
        let writer =
            ArrowWriter::try_new(io::sink(), Arc::clone(&schema), Some(properties.clone()));
        let (_, factory) =
            writer.and_then(ArrowWriter::into_serialized_writer).map_err(fail(no_path))?;
        Ok(Self { columns: columns.to_vec(), view, schema, properties, factory })
    }

    /// Encodes rows as one row group.
    pub(crate) fn encode(&self, rows: &[Row], path: &Path) -> Result<RowGroup, DataError> {
        let writers = self.factory.create_column_writers(0).map_err(fail(path))?;
        let mut encoded = Vec::with_capacity(writers.len());
        for ((&column, field), mut writer) in
            self.columns.iter().zip(self.schema.fields()).zip(writers)
        {
            let array = row::array(rows, column, self.view).map_err(|error| DataError::Encode {
                path: path.to_owned(),
                reason: error.to_string(),
            })?;
            for leaf in compute_leaves(field, &array).map_err(fail(path))? {
                writer.write(&leaf).map_err(fail(path))?;
            }
            encoded.push(writer.close().map_err(fail(path))?);
        }
        Ok(RowGroup { columns: encoded })
    }
}

/// Writes a Parquet file.
pub(crate) struct ParquetWriter {
    writer: SerializedFileWriter<OutputFile>,
    path: std::path::PathBuf,
}

impl fmt::Debug for ParquetWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ParquetWriter({})", self.path.display())
    }
}

impl ParquetWriter {
    pub(crate) fn create(path: &Path, encoder: &Encoder) -> Result<Self, DataError> {
        let file = OutputFile::create(path)?;
        let schema = Arc::clone(&encoder.schema);
        let writer = ArrowWriter::try_new(file, schema, Some(encoder.properties.clone()));
        let (writer, _) =
            writer.and_then(ArrowWriter::into_serialized_writer).map_err(fail(path))?;
        Ok(Self { writer, path: path.to_owned() })
    }

    pub(crate) fn append(&mut self, group: RowGroup) -> Result<(), DataError> {
        let fail = fail(&self.path);
        let mut writer = self.writer.next_row_group().map_err(&fail)?;
        for column in group.columns {
            column.append_to_row_group(&mut writer).map_err(&fail)?;
        }
        writer.close().map_err(&fail)?;
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<Written, DataError> {
        let file = self.writer.into_inner().map_err(fail(&self.path))?;
        file.finish()
    }
}
