//! Batches: both representations, and masks of legal actions, into new arrays or a caller's buffers.

use numpy::{
    PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn,
    PyUntypedArrayMethods,
};
use paco::{Options, Position, RepresentationError, Rules};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::state::State;
use crate::tasks;

/// Policy indices: 1 to 132.
const ACTIONS: usize = 132;

/// Positions of states and FENs, in their order.
pub struct Positions(Vec<Position>);

/// The same, with whether the game is over, which a position alone does not determine after a repetition.
pub struct States(Vec<(Position, bool)>);

/// Converts each item of a sequence, from the game of a state or the position of a FEN.
fn extract<'py, T>(
    value: Borrowed<'_, 'py, PyAny>,
    convert: impl Fn(&Position, bool) -> T,
) -> PyResult<Vec<T>> {
    let item = |item: PyResult<Bound<'py, PyAny>>| {
        let item = item?;
        if let Ok(state) = item.cast::<State>() {
            let game = &state.try_borrow()?.game;
            return Ok(convert(game.position(), game.outcome().is_some()));
        }
        let fen: String = item
            .extract()
            .map_err(|_| PyTypeError::new_err("states must be a sequence of State or FEN"))?;
        let position = Position::from_fen(&fen, Rules::Exact)
            .map_err(|error| PyValueError::new_err(format!("{error}: {fen:?}")))?;
        Ok(convert(&position, position.ending().is_some()))
    };
    if value.cast::<pyo3::types::PyString>().is_ok() || value.cast::<State>().is_ok() {
        return Err(PyTypeError::new_err("states must be a sequence, not a single state"));
    }
    value.try_iter()?.map(item).collect()
}

impl<'py> FromPyObject<'_, 'py> for Positions {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        extract(value, |position, _| *position).map(Self)
    }
}

impl<'py> FromPyObject<'_, 'py> for States {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        extract(value, |position, is_over| (*position, is_over)).map(Self)
    }
}

/// The options of a number 0 to 7.
pub fn options(number: i64) -> PyResult<Options> {
    let options = u8::try_from(number).ok().and_then(Options::from_bits);
    let text = || format!("representation options are 0 to 7, not {number}");
    options.ok_or_else(|| PyValueError::new_err(text()))
}

pub fn value_error(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The caller's buffer, checked, or a new array.
fn buffer<'py, T: numpy::Element + Copy + Default>(
    py: Python<'py>,
    out: Option<Bound<'py, PyArrayDyn<T>>>,
    shape: Vec<usize>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    match out {
        None => {
            let length = shape.iter().product();
            PyArray1::from_vec(py, vec![T::default(); length]).reshape(shape)
        }
        Some(out) if out.shape() != shape => {
            let text = format!("out has shape {:?}, expected {shape:?}", out.shape());
            Err(PyValueError::new_err(text))
        }
        Some(out) if !out.is_c_contiguous() => {
            Err(PyValueError::new_err("out must be C-contiguous"))
        }
        Some(out) => Ok(out),
    }
}

/// Fills rows of a buffer on all threads, without the GIL.
fn fill<T: numpy::Element + Copy + Send, I: Sync>(
    py: Python<'_>,
    out: &Bound<'_, PyArrayDyn<T>>,
    (items, width): (&[I], usize),
    item_width: usize,
    threads: Option<usize>,
    write: impl Fn(&[I], &mut [T]) -> Result<(), RepresentationError> + Sync,
) -> PyResult<()> {
    let threads = tasks::threads(threads)?.get();
    let count = items.len() / item_width.max(1);
    // A thread takes longer to start than a few hundred positions to write.
    let share = count.div_ceil(threads).max(512);
    let mut writable: PyReadwriteArrayDyn<'_, T> = out.try_readwrite().map_err(value_error)?;
    let target = writable.as_slice_mut().map_err(value_error)?;
    if target.is_empty() {
        return Ok(());
    }
    let parts = items.chunks(share * item_width).zip(target.chunks_mut(share * width));
    let parts: Vec<_> = parts.collect();
    let results =
        py.detach(|| data::threads::map_or_panic(parts, |(items, out)| write(items, out)));
    results.into_iter().collect::<Result<(), _>>().map_err(value_error)
}

/// Index form of states, `[n, 38 to 41]` of uint32.
#[pyfunction]
#[pyo3(signature = (states, number, out=None, threads=None))]
pub fn paco_indices<'py>(
    py: Python<'py>,
    states: Positions,
    number: i64,
    out: Option<Bound<'py, PyArrayDyn<u32>>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArrayDyn<u32>>> {
    let options = options(number)?;
    let width = options.index_len();
    let out = buffer(py, out, vec![states.0.len(), width])?;
    fill(py, &out, (&states.0, width), 1, threads, |positions, out| {
        paco::write_indices_batch(positions, options, out)
    })?;
    Ok(out)
}

/// Tensor form of states, `[n, 30 to 33, 8, 8]` of float32.
#[pyfunction]
#[pyo3(signature = (states, number, out=None, threads=None))]
pub fn paco_tensors<'py>(
    py: Python<'py>,
    states: Positions,
    number: i64,
    out: Option<Bound<'py, PyArrayDyn<f32>>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
    let options = options(number)?;
    let out = buffer(py, out, vec![states.0.len(), options.layers(), 8, 8])?;
    fill(py, &out, (&states.0, options.tensor_len()), 1, threads, |positions, out| {
        paco::write_tensors_batch(positions, options, out)
    })?;
    Ok(out)
}

/// Tensor form of index forms.
#[pyfunction]
#[pyo3(signature = (indices, number, out=None, threads=None))]
pub fn paco_expand<'py>(
    py: Python<'py>,
    indices: PyReadonlyArrayDyn<'py, u32>,
    number: i64,
    out: Option<Bound<'py, PyArrayDyn<f32>>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
    let options = options(number)?;
    let width = options.index_len();
    let &[count, found] = indices.shape() else {
        return Err(PyValueError::new_err("indices must have the shape [n, indices]"));
    };
    if found != width {
        let text = format!("options {number} have {width} indices, not {found}");
        return Err(PyValueError::new_err(text));
    }
    let values: Vec<u32> = indices.as_array().iter().copied().collect();
    let out = buffer(py, out, vec![count, options.layers(), 8, 8])?;
    fill(py, &out, (&values, options.tensor_len()), width, threads, |indices, out| {
        paco::expand_batch(indices, options, out)
    })?;
    Ok(out)
}

/// Legal actions, `[n, 132]` of bool.
#[pyfunction]
#[pyo3(signature = (states, perspective, out=None, threads=None))]
pub fn paco_legal_masks<'py>(
    py: Python<'py>,
    states: States,
    perspective: bool,
    out: Option<Bound<'py, PyArrayDyn<bool>>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArrayDyn<bool>>> {
    let out = buffer(py, out, vec![states.0.len(), ACTIONS])?;
    fill(py, &out, (&states.0, ACTIONS), 1, threads, |positions, out| {
        out.fill(false);
        for ((position, is_over), mask) in positions.iter().zip(out.chunks_mut(ACTIONS)) {
            if *is_over {
                continue;
            }
            for action in position.legal().iter() {
                let index = match perspective {
                    true => action.policy_index_for(position.player()),
                    false => action.policy_index(),
                };
                mask[usize::from(index) - 1] = true;
            }
        }
        Ok(())
    })?;
    Ok(out)
}
