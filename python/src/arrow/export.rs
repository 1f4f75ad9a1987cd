//! Columns and tables that we return.

use std::sync::Arc;

use arrow_array::ffi::to_ffi;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Int8Type, Int16Type, Int32Type, Int64Type,
};
use arrow_array::{
    Array, ArrayRef, FixedSizeBinaryArray, Int32Array, ListArray, PrimitiveArray, RecordBatch,
    RecordBatchIterator, StringArray,
};
use arrow_schema::{DataType, SchemaRef};
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PyTuple};

/// A column of values. Any library that speaks Arrow takes it (``pyarrow.array``, ``polars.Series``), without a copy.
#[pyclass(frozen, sequence, module = "tabiya._tabiya")]
pub struct Column(pub ArrayRef);

/// A table of columns. Any library that speaks Arrow takes it (``pyarrow.table``, ``polars.DataFrame``), without a copy.
#[pyclass(frozen, module = "tabiya._tabiya")]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    /// A table of these batches.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { schema, batches }
    }
}

fn failed(error: impl ToString) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

#[pymethods]
impl Column {
    /// The column as Arrow's C structures.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        // The interface lets a producer ignore the request.
        let _ = requested_schema;
        let (array, schema) = to_ffi(&self.0.to_data()).map_err(failed)?;
        let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
        let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
        PyTuple::new(py, [schema, array])
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: isize) -> PyResult<Bound<'py, PyAny>> {
        let length = self.0.len();
        let at = if index < 0 { index.checked_add_unsigned(length) } else { Some(index) };
        let at = at.and_then(|at| usize::try_from(at).ok()).filter(|&at| at < length);
        let at = at.ok_or_else(|| {
            PyIndexError::new_err(format!("{index} is not an index of {length} values"))
        })?;
        list(py, &self.0.slice(at, 1))?.get_item(0)
    }

    fn __repr__(&self) -> String {
        format!("<Column of {} values, {}>", self.0.len(), self.0.data_type())
    }

    /// The values as a list; None where there is none.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list(py, &self.0)
    }

    /// The values as a NumPy array. Columns with missing values become floats, with NaN; texts become objects.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numpy_of(py, std::slice::from_ref(&self.0))
    }
}

#[pymethods]
impl Table {
    /// The table as a stream of Arrow's C structures.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    fn __repr__(&self) -> String {
        format!("<Table of {} rows: {}>", self.__len__(), self.column_names().join(", "))
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// A column as a NumPy array; see ``Column.to_numpy``.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let Some((at, _)) = self.schema.column_with_name(name) else {
            let names = self.column_names().join(", ");
            return Err(PyKeyError::new_err(format!("no column {name:?}; there are {names}")));
        };
        let data_type = self.schema.field(at).data_type();
        let mut chunks: Vec<ArrayRef> =
            self.batches.iter().map(|batch| batch.column(at).clone()).collect();
        if chunks.is_empty() {
            chunks.push(arrow_array::new_empty_array(data_type));
        }
        numpy_of(py, &chunks)
    }

    /// All columns as NumPy arrays, by name.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let arrays = PyDict::new(py);
        for name in self.column_names() {
            arrays.set_item(&name, self.__getitem__(py, &name)?)?;
        }
        Ok(arrays)
    }
}

/// The values of an array as a list.
fn list<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    if let Some(texts) = array.as_any().downcast_ref::<StringArray>() {
        return PyList::new(py, texts.iter().collect::<Vec<_>>());
    }
    if let Some(rows) = array.as_any().downcast_ref::<FixedSizeBinaryArray>() {
        return PyList::new(py, rows.iter().collect::<Vec<_>>());
    }
    if let Some(numbers) = array.as_any().downcast_ref::<Int32Array>() {
        return PyList::new(py, numbers.iter().collect::<Vec<_>>());
    }
    if let Some(lists) = array.as_any().downcast_ref::<ListArray>() {
        let parts = lists.iter().map(|part| part.map(|part| list(py, &part)).transpose());
        return PyList::new(py, parts.collect::<PyResult<Vec<_>>>()?);
    }
    Err(PyTypeError::new_err(format!("no list of {}", array.data_type())))
}

/// The chunks of a column as one NumPy array.
fn numpy_of<'py>(py: Python<'py>, chunks: &[ArrayRef]) -> PyResult<Bound<'py, PyAny>> {
    Ok(match chunks[0].data_type() {
        DataType::Int8 => numbers::<Int8Type>(py, chunks, |n| n.into())?,
        DataType::Int16 => numbers::<Int16Type>(py, chunks, |n| n.into())?,
        DataType::Int32 => numbers::<Int32Type>(py, chunks, |n| n.into())?,
        DataType::Int64 => numbers::<Int64Type>(py, chunks, |n| n as f64)?,
        DataType::Float32 => numbers::<Float32Type>(py, chunks, |n| n.into())?,
        &DataType::FixedSizeBinary(width) => {
            let mut bytes = Vec::new();
            for chunk in chunks {
                let rows = chunk.as_any().downcast_ref::<FixedSizeBinaryArray>();
                bytes.extend_from_slice(rows.map_or(&[], |rows| rows.value_data()));
            }
            let width = width.max(1) as usize;
            let rows = bytes.len() / width;
            PyArray1::from_vec(py, bytes).reshape([rows, width])?.into_any()
        }
        _ => {
            let values = PyList::empty(py);
            for chunk in chunks {
                values.call_method1("extend", (list(py, chunk)?,))?;
            }
            let keywords = PyDict::new(py);
            keywords.set_item("dtype", "object")?;
            py.import("numpy")?.call_method("array", (values,), Some(&keywords))?
        }
    })
}

/// Numbers as they are, or as floats with NaN where values are missing.
fn numbers<'py, T>(
    py: Python<'py>,
    chunks: &[ArrayRef],
    float: impl Fn(T::Native) -> f64,
) -> PyResult<Bound<'py, PyAny>>
where
    T: ArrowPrimitiveType<Native: Element>,
{
    let arrays: Vec<&PrimitiveArray<T>> =
        chunks.iter().filter_map(|chunk| chunk.as_any().downcast_ref()).collect();
    if arrays.iter().all(|array| array.null_count() == 0) {
        let values: Vec<T::Native> =
            arrays.iter().flat_map(|array| array.values().iter().copied()).collect();
        return Ok(PyArray1::from_vec(py, values).into_any());
    }
    let value = |value: Option<T::Native>| value.map_or(f64::NAN, &float);
    let values: Vec<f64> = arrays.iter().flat_map(|array| array.iter().map(value)).collect();
    Ok(PyArray1::from_vec(py, values).into_any())
}
