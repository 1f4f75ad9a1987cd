//! Arrow columns and tables, exchanged by the PyCapsule interface: pyarrow, Polars, DuckDB and others take them, and
//! give theirs, without a copy and without being a dependency.
//!
//! `export` has the classes that we return, `import` reads what callers pass.

mod export;
mod import;

pub use export::{Column, Table};
pub use import::imported;

use pyo3::prelude::*;

/// Adds the classes to the extension module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Column>()?;
    module.add_class::<Table>()
}
