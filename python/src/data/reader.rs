//! Batches of rows of a data set as NumPy arrays.

use std::path::PathBuf;
use std::sync::Mutex;

use data::threads::lock;
use data::{Column, Manifest, MoveHistory, Reader, ReaderOptions, ReaderPosition, RowView, Split};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::tasks::data_error;

const SIZE: usize = chess::PackedRow::SIZE;

/// The values of a column.
enum Values {
    Text(Vec<String>),
    /// Of this many bytes each.
    Bytes(Vec<u8>, usize),
    Float(Vec<f32>),
    Int(Vec<i32>),
    Long(Vec<i64>),
}

impl Values {
    fn new(column: Column, rows: usize) -> Self {
        match column {
            Column::Fen | Column::BestMove => Self::Text(Vec::with_capacity(rows)),
            Column::Board => Self::Bytes(Vec::with_capacity(rows * SIZE), SIZE),
            Column::History => {
                Self::Bytes(Vec::with_capacity(rows * MoveHistory::SIZE), MoveHistory::SIZE)
            }
            Column::Ply => Self::Int(Vec::with_capacity(rows)),
            Column::Game => Self::Long(Vec::with_capacity(rows)),
            _ => Self::Float(Vec::with_capacity(rows)),
        }
    }

    /// Appends the value of a row; unknown numbers are NaN.
    fn push(&mut self, column: Column, row: RowView<'_>) {
        match self {
            Self::Text(all) => {
                let text = if column == Column::Fen { row.fen() } else { row.best_move() };
                all.push(text.unwrap_or_default().to_owned());
            }
            Self::Bytes(all, _) if column == Column::History => {
                all.extend_from_slice(&row.history().unwrap_or_default().to_bytes());
            }
            Self::Bytes(all, _) => {
                let packed = row.board().map_or([0; SIZE], |packed| *packed.as_bytes());
                all.extend_from_slice(&packed);
            }
            Self::Int(all) => all.push(row.ply().unwrap_or_default()),
            Self::Long(all) => all.push(row.game().unwrap_or_default()),
            Self::Float(all) => {
                let number = match column {
                    Column::Eval => row.eval().map(|x| x as f32),
                    Column::Mate => row.mate().map(f32::from),
                    Column::Result => row.result().map(f32::from),
                    Column::WhiteElo => row.white_elo().map(f32::from),
                    Column::BlackElo => row.black_elo().map(f32::from),
                    _ => row.clock().map(|x| x as f32),
                };
                all.push(number.unwrap_or(f32::NAN));
            }
        }
    }

    fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(match self {
            Self::Text(all) => PyList::new(py, all)?.into_any(),
            Self::Bytes(all, size) => {
                let shape = [all.len() / size, size];
                PyArray1::from_vec(py, all).reshape(shape)?.into_any()
            }
            Self::Float(all) => PyArray1::from_vec(py, all).into_any(),
            Self::Int(all) => PyArray1::from_vec(py, all).into_any(),
            Self::Long(all) => PyArray1::from_vec(py, all).into_any(),
        })
    }
}

/// Reads the rows of a split in batches.
#[pyclass(module = "tabiya._tabiya", frozen)]
pub struct DataReader {
    reader: Mutex<Reader>,
    columns: Vec<Column>,
}

#[pymethods]
impl DataReader {
    #[new]
    #[pyo3(signature = (folder, split, columns=None, *, seed=None, buffer_rows=1 << 17, reader=(0, 1), threads=1, epoch=0, row=0))]
    #[allow(clippy::too_many_arguments, reason = "keywords in Python")]
    fn new(
        folder: PathBuf,
        split: &str,
        columns: Option<Vec<String>>,
        seed: Option<u64>,
        buffer_rows: u64,
        reader: (u64, u64),
        threads: usize,
        epoch: u64,
        row: u64,
    ) -> PyResult<Self> {
        let Some(split) = Split::ALL.into_iter().find(|known| known.name() == split) else {
            let text = format!("'{split}' is no split; there are train and validation");
            return Err(PyValueError::new_err(text));
        };
        let manifest = Manifest::open(&folder).map_err(data_error)?;
        let columns = match columns {
            None => manifest.column_list().map_err(data_error)?,
            Some(names) => names
                .iter()
                .map(|name| name.parse().map_err(|e| PyValueError::new_err(format!("{e}"))))
                .collect::<PyResult<_>>()?,
        };
        let options = ReaderOptions {
            split,
            columns: columns.clone(),
            seed,
            buffer_rows: buffer_rows.clamp(1, 1 << 26),
            reader,
            threads: threads.min(64),
            start: ReaderPosition { epoch, row },
        };
        let reader = Reader::open(&folder, &options).map_err(data_error)?;
        Ok(Self { reader: Mutex::new(reader), columns })
    }

    /// Number of rows of this reader in an epoch.
    #[getter]
    fn rows(&self) -> u64 {
        lock(&self.reader).rows()
    }

    /// Number of rows read in this epoch.
    #[getter]
    fn row(&self) -> u64 {
        lock(&self.reader).position().row
    }

    /// The next rows, at most that many, as a dict of columns; ``None`` at the end.
    fn next<'py>(&self, py: Python<'py>, rows: usize) -> PyResult<Option<Bound<'py, PyDict>>> {
        let read = py.detach(|| {
            let mut reader = lock(&self.reader);
            let capacity = rows.min(1 << 20);
            let mut all: Vec<_> = self
                .columns
                .iter()
                .map(|&column| (column, Values::new(column, capacity)))
                .collect();
            let mut count = 0;
            while count < rows
                && let Some(row) = reader.next_row()
            {
                let row = row?;
                all.iter_mut().for_each(|(column, values)| values.push(*column, row));
                count += 1;
            }
            Ok((count, all))
        });
        let (count, all) = read.map_err(data_error)?;
        if count == 0 {
            return Ok(None);
        }
        let batch = PyDict::new(py);
        for (column, values) in all {
            batch.set_item(column.name(), values.into_python(py)?)?;
        }
        Ok(Some(batch))
    }
}
