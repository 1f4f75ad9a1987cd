//! The Python package `tabiya`: bindings to the libraries of the workspace.
//!
//! The extension module is `tabiya._tabiya`; users import the Python modules around it, in `python/tabiya`.
//! Nothing here panics on any argument: wrong types and values raise `TypeError` and `ValueError`.

mod arrow;
mod batch;
pub mod chess;
mod data;
mod engine;
mod nnue;
mod paco;
mod pra;
mod program;
mod tasks;
mod watch;

use pyo3::prelude::*;

/// The compiled part of the package.
#[pymodule]
fn _tabiya(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    arrow::register(module)?;
    batch::register(module)?;
    chess::register(module)?;
    data::register(module)?;
    engine::register(module)?;
    nnue::register(module)?;
    paco::register(module)?;
    pra::register(module)?;
    program::register(module)?;
    watch::register(module)?;
    Ok(())
}
