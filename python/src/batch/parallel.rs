//! Rows on all cores: the results in a buffer, one row for each position.

use std::num::NonZero;
use std::sync::{Mutex, PoisonError};

use data::threads::in_threads;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// Rows that a thread takes at a time.
const CHUNK: usize = 512;

/// Calls `work` with the number of each row and its part of the buffer, on several threads and without the GIL. The
/// error of the first row that has one is raised. `what` is what a row is called.
pub fn rows<T: Send>(
    py: Python<'_>,
    threads: NonZero<usize>,
    what: &str,
    (buffer, width): (&mut [T], usize),
    work: impl Fn(usize, &mut [T]) -> Result<(), String> + Sync,
) -> PyResult<()> {
    with_state(py, threads, what, (buffer, width), || (), |(), at, row| work(at, row))
}

/// [`rows`], with a state of each thread.
pub fn with_state<T: Send, S>(
    py: Python<'_>,
    threads: NonZero<usize>,
    what: &str,
    (buffer, width): (&mut [T], usize),
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize, &mut [T]) -> Result<(), String> + Sync,
) -> PyResult<()> {
    if buffer.is_empty() || width == 0 {
        return Ok(());
    }
    let failed: Mutex<Option<(usize, String)>> = Mutex::new(None);
    let threads =
        threads.min(NonZero::new(buffer.len().div_ceil(width * CHUNK)).unwrap_or(threads));
    let chunks = Mutex::new(buffer.chunks_mut(width * CHUNK).enumerate());
    let run = || {
        let mut state = state();
        loop {
            let next = chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((chunk, part)) = next else { return };
            for (n, row) in part.chunks_mut(width).enumerate() {
                let at = chunk * CHUNK + n;
                if let Err(reason) = work(&mut state, at, row) {
                    let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                    if failed.as_ref().is_none_or(|(first, _)| at < *first) {
                        *failed = Some((at, reason));
                    }
                    break;
                }
            }
        }
    };
    let ran = py.detach(|| in_threads(threads, run));
    ran.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((at, reason)) => Err(PyValueError::new_err(format!("{what} {at}: {reason}"))),
        None => Ok(()),
    }
}
