//! Self-play.

use std::num::NonZero;
use std::path::PathBuf;

use data::{PrepareEvent, Workers};
use engine::syzygy::Tablebases;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use train::rescore::Teacher;
use train::selfplay::{SelfplayOptions, UnitPlayer};

use super::job::{Report, Reporter, call};
use crate::tasks::{self, data_error};

fn parse(options: &str) -> PyResult<SelfplayOptions> {
    serde_json::from_str(options).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The player, and the tablebases.
fn open(net: &str, syzygy: Option<&str>) -> PyResult<(Teacher, Option<Tablebases>)> {
    let player = Teacher::named(net).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let tablebases = syzygy.map(Tablebases::open).transpose();
    Ok((player, tablebases.map_err(|error| PyValueError::new_err(error.to_string()))?))
}

/// The default options of self-play as JSON.
#[pyfunction]
pub fn selfplay_default_options() -> PyResult<String> {
    let text = serde_json::to_string(&SelfplayOptions::default());
    text.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// Plays games and writes a data set; returns its report.
#[pyfunction]
#[pyo3(signature = (out, options, net, syzygy=None, units=Vec::new(), threads=None, callback=None))]
#[allow(clippy::too_many_arguments, reason = "keywords in Python")]
pub fn selfplay(
    py: Python<'_>,
    out: PathBuf,
    options: &str,
    net: &str,
    syzygy: Option<&str>,
    units: Vec<PathBuf>,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (options, threads) = (parse(options)?, tasks::threads(threads)?);
    let (player, tablebases) = open(net, syzygy)?;
    let prepared = tasks::run(
        py,
        |stop, sender| {
            let mut reporter = Reporter::new(sender);
            let workers = Workers::from(threads).until(stop);
            let observe = |event: PrepareEvent<'_>| reporter.on_event(event);
            let tablebases = tablebases.as_ref();
            train::selfplay::selfplay(&out, &player, tablebases, &options, &units, workers, observe)
        },
        call(callback.as_ref()),
    )?;
    Ok(prepared.map_err(data_error)?.to_json().to_string())
}

/// Plays a unit: the content of its file, and its number of rows.
#[pyfunction]
#[pyo3(signature = (options, net, number, syzygy=None))]
pub fn selfplay_unit<'py>(
    py: Python<'py>,
    options: &str,
    net: &str,
    number: u64,
    syzygy: Option<&str>,
) -> PyResult<(Bound<'py, PyBytes>, usize)> {
    let options = parse(options)?;
    let (player, tablebases) = open(net, syzygy)?;
    let played = tasks::run(
        py,
        |stop, _: std::sync::mpsc::Sender<Report>| {
            let workers = Workers::from(NonZero::<usize>::MIN).until(stop);
            let units = UnitPlayer::new(&player, tablebases.as_ref(), &options, workers)?;
            let unit = units.play(number)?;
            Ok((units.encode(&unit)?, unit.rows.len()))
        },
        |_, _| Ok(()),
    )?;
    let (bytes, rows) = played.map_err(data_error)?;
    Ok((PyBytes::new(py, &bytes), rows))
}
