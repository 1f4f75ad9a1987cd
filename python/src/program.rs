//! The program `tabiya` itself: `python -m tabiya` and the command `tabiya` of the wheel.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use pyo3::prelude::*;

/// Adds the function to the extension module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(main, module)?)
}

/// Runs the program with these arguments, the first of which is its name, and ends the process with its exit code.
///
/// `interpreter` is the Python that runs, by which `tabiya match self …` starts further engines.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>, interpreter: PathBuf) {
    arena::set_own_program(interpreter, vec!["-m".into(), "tabiya".into()]);
    py.detach(|| {
        let code = app::main(arguments);
        let _ = std::io::stdout().flush();
        std::process::exit(number(code))
    })
}

/// An exit code as a number, which the standard library does not expose.
fn number(code: ExitCode) -> i32 {
    (0..=u8::MAX).find(|&number| ExitCode::from(number) == code).map_or(1, i32::from)
}
