//! `tabiya.batch`: whole columns at a time, on all cores and without the GIL.

mod features;
mod moves;
mod output;
mod parallel;
mod pgn;
mod positions;
mod texts;
mod values;

pub use features::Order;
pub use output::{array, fill};
pub use parallel::rows;
pub use positions::Positions;

use pyo3::prelude::*;

/// Adds the functions to the extension module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(features::features, module)?)?;
    module.add_function(wrap_pyfunction!(features::swap_feature_halves, module)?)?;
    module.add_function(wrap_pyfunction!(moves::legal_mask, module)?)?;
    module.add_function(wrap_pyfunction!(moves::legal_moves_of, module)?)?;
    module.add_function(wrap_pyfunction!(moves::san_to_uci, module)?)?;
    module.add_function(wrap_pyfunction!(moves::uci_to_san, module)?)?;
    module.add_function(wrap_pyfunction!(values::evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(values::perft, module)?)?;
    module.add_function(wrap_pyfunction!(values::pack, module)?)?;
    module.add_function(wrap_pyfunction!(values::fens, module)?)?;
    module.add_function(wrap_pyfunction!(values::is_legal_position, module)?)?;
    module.add_function(wrap_pyfunction!(pgn::read_pgn, module)?)
}
