//! Where results go: a new NumPy array, or the caller's, given as `out`.

use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// The array to write to. An `out` of another type or shape raises.
pub fn array<'py, T: Element>(
    py: Python<'py>,
    out: Option<&Bound<'py, PyAny>>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let Some(out) = out else {
        return Ok(PyArrayDyn::zeros(py, shape, false));
    };
    let array = out.cast::<PyArrayDyn<T>>().map_err(|_| {
        let found = out.getattr("dtype").map_or_else(|_| "?".to_owned(), |kind| kind.to_string());
        let wanted = T::get_dtype(py);
        PyTypeError::new_err(format!("out must be an array of {wanted}, not of {found}"))
    })?;
    if array.shape() != shape {
        let found = array.shape();
        return Err(PyValueError::new_err(format!(
            "out must have the shape {shape:?}, not {found:?}"
        )));
    }
    if !array.is_c_contiguous() {
        return Err(PyValueError::new_err("out must be contiguous, in C order"));
    }
    Ok(array.clone())
}

/// Calls `fill` with the values of the array.
pub fn fill<'py, T: Element>(
    array: &Bound<'py, PyArrayDyn<T>>,
    fill: impl FnOnce(&mut [T]) -> PyResult<()>,
) -> PyResult<()> {
    let mut values = array
        .try_readwrite()
        .map_err(|error| PyValueError::new_err(format!("out cannot be written to: {error}")))?;
    let values = values.as_slice_mut().map_err(|error| PyValueError::new_err(error.to_string()))?;
    fill(values)
}
