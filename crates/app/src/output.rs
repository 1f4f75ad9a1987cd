//! Output files: replaced atomically, and never an input.

use std::io::{IsTerminal, stdout};
use std::path::Path;

use anyhow::bail;
use data::{ensure_distinct, identity, write_atomic};

/// Rejects outputs that are inputs under any name, and a standard output redirected to one.
pub fn ensure_not_inputs<'a, 'b>(
    outputs: impl IntoIterator<Item = &'a Path>,
    inputs: impl IntoIterator<Item = &'b Path> + Clone,
) -> anyhow::Result<()> {
    for output in outputs {
        ensure_distinct(output, inputs.clone())?;
    }
    if stdout().is_terminal() {
        return Ok(());
    }
    let Ok(out) = same_file::Handle::stdout() else { return Ok(()) };
    for input in inputs {
        if identity(input).is_some_and(|input| input == out) {
            bail!("standard output is the input {}", input.display());
        }
    }
    Ok(())
}

/// Writes a file atomically.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    Ok(write_atomic(path, content.as_ref())?)
}
