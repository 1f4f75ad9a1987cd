//! Long jobs: they run on a thread of their own without the GIL, while the calling thread passes their events
//! to Python and listens for Ctrl-C, which sets the stop flag of the job.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, scope};
use std::time::{Duration, Instant};

use data::{DataError, ReadError};
use pyo3::exceptions::{
    PyFileNotFoundError, PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;

/// How long Ctrl-C may wait.
const INTERVAL: Duration = Duration::from_millis(50);
/// Maximum number of threads.
const MAX_THREADS: usize = 256;

/// Runs a job without the GIL. `on_event` receives what the job sends, on the calling thread. A signal handler or
/// `on_event` that raises sets the stop flag; its exception is raised when the job has ended.
pub fn run<E: Send, R: Send>(
    py: Python<'_>,
    job: impl FnOnce(&AtomicBool, Sender<E>) -> R + Send,
    mut on_event: impl FnMut(Python<'_>, E) -> PyResult<()> + Send,
) -> PyResult<R> {
    let stop = &AtomicBool::new(false);
    py.detach(|| {
        scope(|scope| {
            let (sender, receiver) = channel();
            let worker = Builder::new()
                .spawn_scoped(scope, move || job(stop, sender))
                .map_err(|error| PyOSError::new_err(format!("cannot start a thread: {error}")))?;
            let (mut raised, mut checked) = (None, Instant::now());
            loop {
                let received = receiver.recv_timeout(INTERVAL);
                let is_due = checked.elapsed() >= INTERVAL;
                let outcome = match received {
                    Err(RecvTimeoutError::Disconnected) => break,
                    _ if raised.is_some() => Ok(()),
                    Ok(event) => Python::attach(|py| {
                        on_event(py, event)?;
                        if is_due { py.check_signals() } else { Ok(()) }
                    }),
                    Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals()),
                };
                if is_due {
                    checked = Instant::now();
                }
                if let Err(error) = outcome {
                    raised = Some(error);
                    stop.store(true, Ordering::Relaxed);
                }
            }
            let result = worker.join();
            match (raised, result) {
                (Some(error), _) => Err(error),
                (None, Ok(result)) => Ok(result),
                (None, Err(_)) => Err(PyRuntimeError::new_err("a thread stopped unexpectedly")),
            }
        })
    })
}

/// The number of threads: that given, or as many as there are cores.
pub fn threads(given: Option<usize>) -> PyResult<NonZero<usize>> {
    match given {
        None => {
            let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
            Ok(NonZero::new(cores.min(MAX_THREADS)).unwrap_or(NonZero::<usize>::MIN))
        }
        Some(count) => {
            NonZero::new(count).filter(|count| count.get() <= MAX_THREADS).ok_or_else(|| {
                PyValueError::new_err(format!(
                    "the number of threads must be from 1 to {MAX_THREADS}, not {count}"
                ))
            })
        }
    }
}

/// A data error as the exception that Python programs expect.
pub fn data_error(error: DataError) -> PyErr {
    let text = error.to_string();
    match error {
        DataError::Interrupted { .. } => PyKeyboardInterrupt::new_err(text),
        DataError::Read(ReadError::Open { cause, .. }) | DataError::Io { cause, .. } => {
            match cause.kind() {
                std::io::ErrorKind::NotFound => PyFileNotFoundError::new_err(text),
                _ => PyOSError::new_err(text),
            }
        }
        DataError::Panicked | DataError::Threads(_) => PyRuntimeError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}
