//! Columns of other libraries.

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{ArrayRef, make_array};
use arrow_schema::ArrowError;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

/// The chunks of a column.
pub type Imported = Vec<ArrayRef>;

/// The column behind `__arrow_c_array__` or `__arrow_c_stream__`; none if the object has neither.
pub fn imported(value: &Bound<'_, PyAny>) -> PyResult<Option<Imported>> {
    if value.hasattr("__arrow_c_array__")? {
        let pair = value.call_method0("__arrow_c_array__")?;
        let pair = pair.cast::<PyTuple>()?;
        let schema = pair.get_item(0)?;
        let array = pair.get_item(1)?;
        return array_of(schema.cast()?, array.cast()?).map(|array| Some(vec![array]));
    }
    if value.hasattr("__arrow_c_stream__")? {
        let stream = value.call_method0("__arrow_c_stream__")?;
        return chunks_of(stream.cast()?).map(Some);
    }
    Ok(None)
}

fn array_of(schema: &Bound<'_, PyCapsule>, array: &Bound<'_, PyCapsule>) -> PyResult<ArrayRef> {
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(c"arrow_array"))?.cast::<FFI_ArrowArray>();
    // SAFETY: capsules of these names hold these structures, by the interface; the array is moved out, which leaves a
    // released one behind, and the schema is borrowed while its capsule lives.
    let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) };
    Ok(make_array(data.map_err(invalid)?))
}

fn chunks_of(stream: &Bound<'_, PyCapsule>) -> PyResult<Imported> {
    let stream = stream.pointer_checked(Some(c"arrow_array_stream"))?;
    let stream = stream.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a stream; it is moved out, which leaves a released one behind.
    let reader = unsafe { ArrayStreamReader::from_raw(stream.as_ptr()) }.map_err(invalid)?;
    reader.collect::<Result<Vec<_>, _>>().map_err(invalid)
}

fn invalid(error: ArrowError) -> PyErr {
    match error {
        ArrowError::NotYetImplemented(what) => PyTypeError::new_err(what),
        error => PyValueError::new_err(format!("not a valid Arrow column: {error}")),
    }
}
