//! Games of PGN files as a table of their positions.

use std::path::PathBuf;

use data::{PointOfView, PrepareEvent, PrepareOptions, Workers, read_table};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrow::Table;
use crate::tasks;

/// The table of the positions, the counts, and the first problems.
type Games<'py> = (Table, Bound<'py, PyDict>, Vec<String>);

/// Reads games into memory: see `tabiya.batch.read_pgn`.
#[pyfunction]
#[pyo3(signature = (paths, *, columns=None, options=None, threads=None))]
pub fn read_pgn<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    columns: Option<Vec<String>>,
    options: Option<&Bound<'py, PyDict>>,
    threads: Option<usize>,
) -> PyResult<Games<'py>> {
    let mut chosen = PrepareOptions::default();
    if let Some(columns) = columns {
        chosen.columns = columns;
    }
    for (name, value) in options.into_iter().flatten() {
        set(&mut chosen, &name.extract::<String>()?, &value)?;
    }
    // Comments are parsed only for what is wanted of them.
    chosen.with_eval =
        chosen.only_eval || chosen.columns.iter().any(|name| name == "eval" || name == "mate");
    let threads = tasks::threads(threads)?;
    let table = tasks::run(
        py,
        |stop, _: std::sync::mpsc::Sender<()>| {
            let workers = Workers::from(threads).until(stop);
            read_table(&paths, &chosen, workers, |_: PrepareEvent<'_>| {})
        },
        |_, ()| Ok(()),
    )?;
    let table = table.map_err(tasks::data_error)?;
    let counts = PyDict::new(py);
    counts.set_item("games", table.counts.games)?;
    counts.set_item("moves", table.counts.moves)?;
    counts.set_item("positions", table.counts.positions)?;
    counts.set_item("broken_games", table.counts.broken_games)?;
    counts.set_item("problems", table.problems)?;
    Ok((Table::new(table.schema, table.batches), counts, table.first_problems))
}

/// Sets an option by its name.
fn set(options: &mut PrepareOptions, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    match name {
        "only_eval" => options.only_eval = value.extract()?,
        "max_positions" => options.max_positions = value.extract()?,
        "sample_rate" => options.sample_rate = value.extract()?,
        "min_elo" => options.min_elo = value.extract()?,
        "max_elo" => options.max_elo = value.extract()?,
        "results" => options.results = value.extract()?,
        "time_controls" => options.time_controls = value.extract()?,
        "skip_plies" => options.skip_plies = value.extract()?,
        "every" => options.every = value.extract()?,
        "no_checks" => options.no_checks = value.extract()?,
        "no_captures" => options.no_captures = value.extract()?,
        "seed" => options.seed = value.extract()?,
        "pov" => {
            options.pov = match value.extract::<String>()?.as_str() {
                "white" => PointOfView::White,
                "mover" => PointOfView::Mover,
                other => {
                    let reason = format!("pov must be 'white' or 'mover', not {other:?}");
                    return Err(PyValueError::new_err(reason));
                }
            }
        }
        other => return Err(PyTypeError::new_err(format!("there is no option {other:?}"))),
    }
    Ok(())
}
