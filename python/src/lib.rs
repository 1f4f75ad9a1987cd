//! The Python package `tabiya`: bindings to the libraries of the workspace.
//!
//! The extension module is `tabiya._tabiya`; users import the Python modules around it, in `python/tabiya`.
//! Nothing here panics on any argument: wrong types and values raise `TypeError` and `ValueError`.

pub mod chess;
mod program;

use pyo3::prelude::*;

/// The compiled part of the package.
#[pymodule]
fn _tabiya(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    chess::register(module)?;
    program::register(module)?;
    Ok(())
}
