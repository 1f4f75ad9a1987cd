//! `tabiya.paco`: Paco Ŝako. `python/tabiya/paco.py` is what users import.

mod action;
mod batch;
mod player;
mod state;

use pyo3::prelude::*;

/// Adds classes and functions to the extension module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<action::Action>()?;
    module.add_class::<state::State>()?;
    module.add_class::<player::Player>()?;
    module.add_function(wrap_pyfunction!(batch::paco_indices, module)?)?;
    module.add_function(wrap_pyfunction!(batch::paco_tensors, module)?)?;
    module.add_function(wrap_pyfunction!(batch::paco_expand, module)?)?;
    module.add_function(wrap_pyfunction!(batch::paco_legal_masks, module)?)?;
    Ok(())
}
