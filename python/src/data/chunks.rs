//! Chunks of text that other machines convert.

use std::path::PathBuf;
use std::sync::Mutex;

use data::threads::lock;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::job::parse_options;
use crate::tasks::data_error;

/// Iterates over the text of inputs: input index, offset and text.
#[pyclass(module = "tabiya._tabiya", frozen)]
pub struct TextChunks(Mutex<data::TextChunks>);

#[pymethods]
impl TextChunks {
    #[new]
    fn new(inputs: Vec<PathBuf>, chunk_bytes: usize) -> PyResult<Self> {
        let chunks = data::TextChunks::open(&inputs, chunk_bytes).map_err(data_error)?;
        Ok(Self(Mutex::new(chunks)))
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> Option<(usize, u64, Bound<'py, PyBytes>)> {
        let next = py.detach(|| lock(&self.0).next());
        next.map(|(input, offset, text)| (input, offset, PyBytes::new(py, &text)))
    }
}

/// Converts chunks of text.
#[pyclass(module = "tabiya._tabiya", frozen)]
pub struct ChunkConverter(data::ChunkConverter);

#[pymethods]
impl ChunkConverter {
    #[new]
    fn new(options: &str) -> PyResult<Self> {
        data::ChunkConverter::new(&parse_options(options)?).map(Self).map_err(data_error)
    }

    /// Name of the file of a chunk.
    fn name(&self, py: Python<'_>, input: usize, offset: u64, text: &[u8]) -> String {
        py.detach(|| self.0.name(input, offset, text))
    }

    /// Content of the file of a chunk; ``None`` if the text has a problem.
    fn convert<'py>(
        &self,
        py: Python<'py>,
        input: usize,
        offset: u64,
        text: &[u8],
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let content = py.detach(|| self.0.convert(input, offset, text)).map_err(data_error)?;
        Ok(content.map(|bytes| PyBytes::new(py, &bytes)))
    }
}
