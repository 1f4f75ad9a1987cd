//! The positions of a batch: texts, packed rows or boards, copied out of Python so that all cores can work on them
//! without the GIL.

use arrow_array::{
    Array, BinaryArray, FixedSizeBinaryArray, LargeStringArray, StringArray, StringViewArray,
};
use chess::{PackedRow, Position, Setup, SetupProblems};
use numpy::{PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use super::texts::Texts;
use crate::arrow::imported;
use crate::chess::BoardArgument;

/// The positions of a batch.
pub enum Positions {
    /// FENs.
    Fens(Texts),
    /// Packed rows.
    Packed(Vec<[u8; PackedRow::SIZE]>),
    /// Boards.
    Boards(Vec<Setup>),
}

impl Positions {
    /// Their number.
    pub fn len(&self) -> usize {
        match self {
            Self::Fens(texts) => texts.len(),
            Self::Packed(rows) => rows.len(),
            Self::Boards(boards) => boards.len(),
        }
    }

    /// A position as it is given, legal or not.
    #[inline]
    pub fn setup(&self, at: usize) -> Result<Setup, String> {
        match self {
            Self::Fens(texts) => Setup::from_fen(texts.get(at)).map_err(|error| error.to_string()),
            Self::Packed(rows) => {
                PackedRow::from_bytes(rows[at]).setup().map_err(|error| error.to_string())
            }
            Self::Boards(boards) => Ok(boards[at]),
        }
    }

    /// A legal position; checks that cannot have come about are allowed.
    pub fn position(&self, at: usize) -> Result<Position, String> {
        let forgiven = SetupProblems::IMPOSSIBLE_CHECK;
        self.setup(at)?.position_forgiving(forgiven).map_err(|error| error.to_string())
    }
}

impl<'py> FromPyObject<'_, 'py> for Positions {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(board) = value.extract::<BoardArgument>() {
            return Ok(Self::Boards(vec![board.0.cleaned()]));
        }
        if let Ok(text) = value.cast::<PyString>() {
            let one = PyTuple::new(value.py(), [text])?;
            return Texts::of_items(&one, Ok).map(Self::Fens);
        }
        if let Ok(array) = value.cast::<PyUntypedArray>() {
            let shape = array.shape();
            if shape.len() == 2 && shape[1] == PackedRow::SIZE {
                return packed(&value.to_owned());
            }
            if shape.len() == 1 {
                return sequence(&value.call_method0("tolist")?);
            }
        } else if let Some(chunks) = imported(&value.to_owned())? {
            return columns(&chunks);
        }
        if value.try_iter().is_err() {
            return Err(PyTypeError::new_err(format!(
                "positions must be FENs, boards, packed rows [n, 32] or an Arrow column, not {}",
                value.get_type().name()?
            )));
        }
        sequence(&value)
    }
}

/// A column of texts.
pub struct TextColumn(pub Texts);

impl<'py> FromPyObject<'_, 'py> for TextColumn {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is_instance_of::<PyString>() {
            let one = PyTuple::new(value.py(), [value])?;
            return Texts::of_items(&one, Ok).map(Self);
        }
        if let Some(chunks) = imported(&value.to_owned())? {
            return match columns(&chunks)? {
                Positions::Fens(texts) => Ok(Self(texts)),
                _ => Err(PyTypeError::new_err("the column has no texts")),
            };
        }
        if value.try_iter().is_err() {
            return Err(PyTypeError::new_err("a column must be texts or an Arrow column of texts"));
        }
        // Moves are their notation.
        let text = |item: Bound<'py, PyAny>| {
            if item.is_instance_of::<PyString>() { Ok(item) } else { item.call_method0("uci") }
        };
        Texts::of_items(&value, text).map(Self)
    }
}

/// The items of a list, all of the type of the first.
fn sequence(items: &Bound<'_, PyAny>) -> PyResult<Positions> {
    let items = match items.cast::<PyList>() {
        Ok(list) => list.clone(),
        Err(_) => items.py().get_type::<PyList>().call1((items,))?.cast_into()?,
    };
    if items.get_item(0).is_ok_and(|first| first.is_instance_of::<PyString>()) {
        return Texts::of_items(&items, Ok).map(Positions::Fens);
    }
    let mut boards = Vec::new();
    let mut rows = Vec::new();
    for (at, item) in items.iter().enumerate() {
        if let Ok(bytes) = item.cast::<PyBytes>() {
            let Ok(row) = bytes.as_bytes().try_into() else {
                let length = bytes.as_bytes().len();
                let reason = format!("item {at}: a packed row has 32 bytes, not {length}");
                return Err(PyValueError::new_err(reason));
            };
            rows.push(row);
            continue;
        }
        let board = item.extract::<BoardArgument>().map_err(|error| {
            PyTypeError::new_err(format!("item {at}: {}", error.value(item.py())))
        })?;
        boards.push(board.0.cleaned());
    }
    match (boards.is_empty(), rows.is_empty()) {
        (_, true) => Ok(Positions::Boards(boards)),
        (true, false) => Ok(Positions::Packed(rows)),
        _ => Err(PyTypeError::new_err("positions must all be of one kind")),
    }
}

/// Packed rows as a NumPy array `[n, 32]`.
fn packed(value: &Bound<'_, PyAny>) -> PyResult<Positions> {
    let array = value.extract::<PyReadonlyArray2<'_, u8>>().map_err(|_| {
        PyTypeError::new_err("packed rows must be an array of uint8, of shape [n, 32]")
    })?;
    if let Ok(bytes) = array.as_slice() {
        return Ok(Positions::Packed(bytes.as_chunks().0.to_vec()));
    }
    let array = array.as_array();
    let rows = array.rows().into_iter().map(|row| {
        let mut bytes = [0; PackedRow::SIZE];
        bytes.iter_mut().zip(row).for_each(|(byte, &value)| *byte = value);
        bytes
    });
    Ok(Positions::Packed(rows.collect()))
}

/// The chunks of an Arrow column.
fn columns(chunks: &[arrow_array::ArrayRef]) -> PyResult<Positions> {
    let mut texts = Texts::default();
    let mut rows = Vec::new();
    for chunk in chunks {
        if chunk.null_count() > 0 {
            return Err(PyValueError::new_err("the column has missing values"));
        }
        let chunk = chunk.as_any();
        let row = |bytes: &[u8]| {
            bytes.try_into().map_err(|_| PyValueError::new_err("packed rows have 32 bytes"))
        };
        if let Some(array) = chunk.downcast_ref::<StringArray>() {
            texts.extend(Texts::of_array(array));
        } else if let Some(array) = chunk.downcast_ref::<LargeStringArray>() {
            texts.extend(Texts::of_array(array));
        } else if let Some(array) = chunk.downcast_ref::<StringViewArray>() {
            array.iter().flatten().for_each(|text| texts.push(text.as_bytes()));
        } else if let Some(array) = chunk.downcast_ref::<FixedSizeBinaryArray>() {
            for bytes in array.iter().flatten() {
                rows.push(row(bytes)?);
            }
        } else if let Some(array) = chunk.downcast_ref::<BinaryArray>() {
            for bytes in array.iter().flatten() {
                rows.push(row(bytes)?);
            }
        } else {
            return Err(PyTypeError::new_err("an Arrow column of texts or of packed rows"));
        }
    }
    Ok(if rows.is_empty() { Positions::Fens(texts) } else { Positions::Packed(rows) })
}
