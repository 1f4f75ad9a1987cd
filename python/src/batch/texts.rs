//! Columns of texts: one buffer, and where each text begins.
//!
//! A list is joined by Python itself, with line feeds, and encoded at once: reading the bytes of each string
//! takes longer than parsing them. The values of an Arrow column are not copied.

use arrow_array::{GenericStringArray, OffsetSizeTrait};
use arrow_buffer::Buffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyList, PyString, PyTuple};

/// What joins the texts of a list.
const SEPARATOR: u8 = b'\n';

/// Texts, one after the other.
pub struct Texts {
    bytes: Bytes,
    /// Where each text begins, and the end of the last plus `gap`.
    starts: Vec<usize>,
    /// Number of bytes between two texts.
    gap: usize,
}

enum Bytes {
    Own(Vec<u8>),
    Arrow(Buffer),
    Python(PyBackedBytes),
}

impl Default for Texts {
    fn default() -> Self {
        Self { bytes: Bytes::Own(Vec::new()), starts: vec![0], gap: 0 }
    }
}

impl Texts {
    /// The texts of a list or another iterable of `str`. Other items are passed through `text`.
    pub fn of_items<'py>(
        items: &Bound<'py, PyAny>,
        text: impl Fn(Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        if let Some(texts) = joined(items) {
            return Ok(texts);
        }
        let mut texts = Self::default();
        for item in items.try_iter()? {
            let item = text(item?)?;
            let Ok(item) = item.cast::<PyString>() else {
                let (at, kind) = (texts.len(), item.get_type().name()?);
                return Err(PyTypeError::new_err(format!("item {at}: a str, not {kind}")));
            };
            texts.push(item.encode_utf8()?.as_bytes());
        }
        Ok(texts)
    }

    /// The texts of a chunk of an Arrow column, without a copy.
    pub fn of_array<O: OffsetSizeTrait>(array: &GenericStringArray<O>) -> Self {
        let starts = array.value_offsets().iter().map(|offset| offset.as_usize()).collect();
        Self { bytes: Bytes::Arrow(array.values().clone()), starts, gap: 0 }
    }

    /// Appends a text.
    pub fn push(&mut self, text: &[u8]) {
        if !matches!(self.bytes, Bytes::Own(_)) {
            let mut own = Self::default();
            (0..self.len()).for_each(|at| own.push(self.bytes_at(at)));
            *self = own;
        }
        if let Bytes::Own(bytes) = &mut self.bytes {
            bytes.extend_from_slice(text);
            self.starts.push(bytes.len());
        }
    }

    /// Appends texts.
    pub fn extend(&mut self, other: Self) {
        if self.len() == 0 {
            *self = other;
        } else {
            (0..other.len()).for_each(|at| self.push(other.bytes_at(at)));
        }
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn bytes_at(&self, at: usize) -> &[u8] {
        let bytes: &[u8] = match &self.bytes {
            Bytes::Own(bytes) => bytes,
            Bytes::Arrow(buffer) => buffer,
            Bytes::Python(bytes) => bytes,
        };
        &bytes[self.starts[at]..self.starts[at + 1] - self.gap]
    }

    /// A text; what is no UTF-8 is empty, and no notation of anything.
    #[inline]
    pub fn get(&self, at: usize) -> &str {
        std::str::from_utf8(self.bytes_at(at)).unwrap_or_default()
    }
}

/// The texts of a list or tuple of `str`; none if an item is something else or contains the separator.
fn joined(items: &Bound<'_, PyAny>) -> Option<Texts> {
    let count = match (items.cast::<PyList>(), items.cast::<PyTuple>()) {
        (Ok(list), _) => list.len(),
        (_, Ok(tuple)) => tuple.len(),
        _ => return None,
    };
    let separator = PyString::new(items.py(), "\n");
    let joined = separator.call_method1("join", (items,)).ok()?;
    let bytes = PyBackedBytes::from(joined.cast::<PyString>().ok()?.encode_utf8().ok()?);
    let mut starts = Vec::with_capacity(count + 1);
    starts.push(0);
    starts.extend(memchr::memchr_iter(SEPARATOR, &bytes).map(|at| at + 1));
    starts.push(bytes.len() + 1);
    (starts.len() == count + 1).then_some(Texts { bytes: Bytes::Python(bytes), starts, gap: 1 })
}
