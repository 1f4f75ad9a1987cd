//! Jobs on data sets: `prepare`, `info`, `verify`. Options and reports are JSON.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use data::threads::lock;
use data::{Column, FileFormat, Manifest, PrepareEvent, PrepareOptions, Workers};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::tasks::{self, data_error};

/// Time between two reports of progress.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// The events that a job reports to its callback.
pub enum Report {
    /// A problem with an input.
    Problem(String),
    /// `"read"`, `"sorting"`, `"sorted"` or `"verified"`: what is done, games and positions.
    Progress(&'static str, u64, u64, u64),
}

/// Sends events to the calling thread; progress a few times a second.
pub struct Reporter {
    sender: Sender<Report>,
    last: Option<Instant>,
}

impl Reporter {
    pub const fn new(sender: Sender<Report>) -> Self {
        Self { sender, last: None }
    }

    /// Reports an event of a run that writes a data set.
    pub fn on_event(&mut self, event: PrepareEvent<'_>) {
        match event {
            PrepareEvent::Problem(text) => {
                let _ = self.sender.send(Report::Problem(text.to_owned()));
            }
            PrepareEvent::Progress { read, games, positions } => {
                self.progress("read", read, games, positions);
            }
            PrepareEvent::Sorting { positions } => {
                self.last = None;
                self.progress("sorting", 0, 0, positions);
                self.last = None;
            }
            PrepareEvent::Sorted { positions } => self.progress("sorted", positions, 0, positions),
            _ => {}
        }
    }

    fn progress(&mut self, kind: &'static str, done: u64, games: u64, positions: u64) {
        if self.last.is_none_or(|last| last.elapsed() >= REPORT_INTERVAL) {
            self.last = Some(Instant::now());
            let _ = self.sender.send(Report::Progress(kind, done, games, positions));
        }
    }
}

/// Calls the callback, if there is one, with `(kind, text, done, games, positions)`.
pub fn call(
    callback: Option<&Py<PyAny>>,
) -> impl FnMut(Python<'_>, Report) -> PyResult<()> + Send + '_ {
    move |py, report| {
        let Some(callback) = callback else { return Ok(()) };
        match report {
            Report::Problem(text) => callback.call1(py, ("problem", text, 0, 0, 0)),
            Report::Progress(kind, done, games, positions) => {
                callback.call1(py, (kind, "", done, games, positions))
            }
        }?;
        Ok(())
    }
}

/// Parses options.
pub fn parse_options(json: &str) -> PyResult<PrepareOptions> {
    let options: PrepareOptions =
        serde_json::from_str(json).map_err(|error| PyValueError::new_err(error.to_string()))?;
    options.check().map_err(data_error)?;
    if options.format == FileFormat::Packed && options.pov != data::PointOfView::White {
        return Err(PyValueError::new_err("packed rows are always from White's view"));
    }
    Ok(options)
}

fn json(value: serde_json::Result<String>) -> PyResult<String> {
    value.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// The default options of `prepare` as JSON, and the columns of packed rows.
#[pyfunction]
pub fn data_default_options() -> PyResult<(String, Vec<String>)> {
    let packed = Column::PACKED.map(|column| column.name().to_owned()).to_vec();
    Ok((json(serde_json::to_string(&PrepareOptions::default()))?, packed))
}

/// Writes a data set and returns its report.
#[pyfunction]
#[pyo3(signature = (inputs, out, options, threads=None, callback=None, chunks=None))]
pub fn data_prepare(
    py: Python<'_>,
    inputs: Vec<PathBuf>,
    out: PathBuf,
    options: &str,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
    chunks: Option<(Vec<PathBuf>, usize)>,
) -> PyResult<String> {
    let options = parse_options(options)?;
    let threads = tasks::threads(threads)?;
    let prepared = tasks::run(
        py,
        |stop, sender| {
            let mut reporter = Reporter::new(sender);
            let chunks = chunks.as_ref().map(|(folders, bytes)| (folders.as_slice(), *bytes));
            let workers = Workers::from(threads).until(stop);
            let observe = |event: PrepareEvent<'_>| reporter.on_event(event);
            data::prepare_with_chunks(&inputs, &out, &options, chunks, workers, observe)
        },
        call(callback.as_ref()),
    )?;
    Ok(prepared.map_err(data_error)?.to_json().to_string())
}

/// Counts, schema, sizes and distributions of a data set.
#[pyfunction]
#[pyo3(signature = (folder, threads=None))]
pub fn data_info(py: Python<'_>, folder: PathBuf, threads: Option<usize>) -> PyResult<String> {
    let threads = tasks::threads(threads)?;
    let summary = tasks::run(
        py,
        |stop, _: Sender<Report>| data::summarize(&folder, Workers::from(threads).until(stop)),
        |_, _| Ok(()),
    )?;
    let (manifest, summary) = summary.map_err(data_error)?;
    Ok(summary.to_json(&manifest).to_string())
}

/// Verifies every file and every row of a data set.
#[pyfunction]
#[pyo3(signature = (folder, threads=None, callback=None))]
pub fn data_verify(
    py: Python<'_>,
    folder: PathBuf,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<String> {
    let threads = tasks::threads(threads)?;
    let verified = tasks::run(
        py,
        |stop, sender| {
            let state = Mutex::new((Reporter::new(sender), 0));
            data::verify(&folder, Workers::from(threads).until(stop), |rows| {
                let mut state = lock(&state);
                let (reporter, done) = &mut *state;
                *done += rows;
                reporter.progress("verified", *done, 0, *done);
            })
        },
        call(callback.as_ref()),
    )?;
    json(serde_json::to_string(&verified.map_err(data_error)?))
}

/// The manifest of a complete data set.
#[pyfunction]
pub fn data_manifest(folder: PathBuf) -> PyResult<String> {
    json(serde_json::to_string(&Manifest::open(&folder).map_err(data_error)?))
}
