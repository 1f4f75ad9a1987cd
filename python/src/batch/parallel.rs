//! Rows on all cores: the results in a buffer, one row for each position.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};

use data::threads::{in_threads, lock};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::tasks;

/// Rows that a thread takes at a time.
const CHUNK: usize = 512;
/// Chunks that are done before Ctrl-C is noticed; with more, the calling thread listens for it.
const CHUNKS_AT_ONCE: usize = 16;

/// Calls `work` with the number of each row and its part of the buffer, on several threads and without the GIL. Ctrl-C ends
/// it. The error of the first row that has one is raised. `what` is what a row is called.
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
    chunks(py, threads, what, (buffer, width), state, |state, first, part| {
        for (row, at) in part.chunks_mut(width).zip(first..) {
            work(state, at, row).map_err(|reason| (at, reason))?;
        }
        Ok(())
    })
}

/// Calls `work` with the number of the first row of each chunk and its part of the buffer; its error has the number of
/// the row.
pub fn chunks<T: Send, S>(
    py: Python<'_>,
    threads: NonZero<usize>,
    what: &str,
    (buffer, width): (&mut [T], usize),
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize, &mut [T]) -> Result<(), (usize, String)> + Sync,
) -> PyResult<()> {
    if buffer.is_empty() || width == 0 {
        return Ok(());
    }
    let failed: Mutex<Option<(usize, String)>> = Mutex::new(None);
    let count = buffer.len().div_ceil(width * CHUNK);
    let threads = threads.min(NonZero::new(count).unwrap_or(threads));
    let chunks = Mutex::new(buffer.chunks_mut(width * CHUNK).zip((0..).step_by(CHUNK)));
    let run = |stop: &AtomicBool| {
        let mut state = state();
        while !stop.load(Ordering::Relaxed) {
            let next = lock(&chunks).next();
            let Some((part, first)) = next else { return };
            if let Err((at, reason)) = work(&mut state, first, part) {
                let mut failed = lock(&failed);
                if failed.as_ref().is_none_or(|(first, _)| at < *first) {
                    *failed = Some((at, reason));
                }
            }
        }
    };
    let ran = if count > CHUNKS_AT_ONCE {
        let job = |stop: &AtomicBool, _: Sender<()>| in_threads(threads, || run(stop));
        tasks::run(py, job, |_, ()| Ok(()))?
    } else {
        py.detach(|| in_threads(threads, || run(&AtomicBool::new(false))))
    };
    ran.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((at, reason)) => Err(PyValueError::new_err(format!("{what} {at}: {reason}"))),
        None => Ok(()),
    }
}
