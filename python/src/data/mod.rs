//! `tabiya.data` and `tabiya.ray`: data sets. `python/tabiya/data` has what users import.

mod chunks;
mod job;
mod reader;
mod selfplay;

use pyo3::prelude::*;

/// Adds classes and functions to the extension module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("CHUNK_BYTES", data::CHUNK_BYTES)?;
    module.add_class::<reader::DataReader>()?;
    module.add_class::<chunks::TextChunks>()?;
    module.add_class::<chunks::ChunkConverter>()?;
    module.add_function(wrap_pyfunction!(job::data_default_options, module)?)?;
    module.add_function(wrap_pyfunction!(job::data_prepare, module)?)?;
    module.add_function(wrap_pyfunction!(job::data_info, module)?)?;
    module.add_function(wrap_pyfunction!(job::data_verify, module)?)?;
    module.add_function(wrap_pyfunction!(job::data_manifest, module)?)?;
    module.add_function(wrap_pyfunction!(selfplay::selfplay_default_options, module)?)?;
    module.add_function(wrap_pyfunction!(selfplay::selfplay, module)?)?;
    module.add_function(wrap_pyfunction!(selfplay::selfplay_unit, module)?)?;
    Ok(())
}
