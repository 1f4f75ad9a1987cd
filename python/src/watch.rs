//! Event files of TensorBoard, for `tabiya.watch`.

use std::path::PathBuf;

use learn::event_file;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Adds the class to the extension module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<EventFile>()
}

/// An event file in a directory; earlier ones of ours are emptied.
#[pyclass(module = "tabiya.watch")]
struct EventFile(event_file::EventFile);

#[pymethods]
impl EventFile {
    #[new]
    fn new(folder: PathBuf) -> PyResult<Self> {
        event_file::EventFile::create(&folder).map(Self).map_err(os_error)
    }

    /// Appends numbers by their tags.
    fn scalars(&mut self, step: u64, values: &Bound<'_, PyDict>) -> PyResult<()> {
        let pair = |(tag, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            Ok((tag.extract()?, value.extract()?))
        };
        let values = values.iter().map(pair).collect::<PyResult<Vec<(String, f64)>>>()?;
        self.0.scalars(step, &values).map_err(os_error)
    }
}

fn os_error(error: learn::TrainError) -> PyErr {
    PyOSError::new_err(error.to_string())
}
