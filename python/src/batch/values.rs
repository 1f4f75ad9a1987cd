//! Numbers of positions: evaluations by any network, perft; and the packed and written forms of positions.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;

use chess::{FenStyle, PackedRow, Position, SetupProblems};
use engine::eval::Evaluator;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::moves::strings;
use super::positions::Positions;
use super::{output, parallel};
use crate::arrow::Column;
use crate::nnue::NetworkArgument;
use crate::tasks;

/// The static evaluation of every position in centipawns, from the side to move.
#[pyfunction]
#[pyo3(signature = (positions, *, network=None, out=None, threads=None))]
pub fn evaluate<'py>(
    py: Python<'py>,
    positions: Positions,
    network: Option<NetworkArgument>,
    out: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let network = NetworkArgument::or_embedded(network);
    let array = output::array::<i32>(py, out, &[positions.len()])?;
    output::fill(&array, |values| {
        let threads = tasks::threads(threads)?;
        let fresh = || Evaluator::new(network.clone());
        parallel::with_state(
            py,
            threads,
            "position",
            (values, 1),
            fresh,
            |evaluator: &mut Evaluator, at, value: &mut [i32]| {
                let position = positions.position(at)?;
                evaluator.reset(&position);
                value[0] = evaluator.evaluate(&position);
                Ok(())
            },
        )
    })?;
    Ok(array.into_any())
}

/// The number of leaf nodes at this depth, of every position.
#[pyfunction]
#[pyo3(signature = (positions, depth, *, out=None, threads=None))]
pub fn perft<'py>(
    py: Python<'py>,
    positions: Positions,
    depth: u32,
    out: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    if depth > MAX_DEPTH {
        let reason = format!("the depth must be from 0 to {MAX_DEPTH}, not {depth}");
        return Err(PyValueError::new_err(reason));
    }
    let array = output::array::<u64>(py, out, &[positions.len()])?;
    let threads = tasks::threads(threads)?;
    output::fill(&array, |values| {
        let job = |stop: &AtomicBool, _: Sender<()>| {
            for (at, value) in values.iter_mut().enumerate() {
                let position =
                    positions.position(at).map_err(|reason| format!("position {at}: {reason}"))?;
                *value = nodes(&position, depth, threads, stop)?;
            }
            Ok(())
        };
        tasks::run(py, job, |_, ()| Ok(()))?.map_err(PyValueError::new_err::<String>)
    })?;
    Ok(array.into_any())
}

/// Beyond it no count ends.
const MAX_DEPTH: u32 = 30;
/// A depth that takes milliseconds: no stop flag is read there.
const SHALLOW: u32 = 4;

/// The first moves are shared between the threads.
fn nodes(
    position: &Position,
    depth: u32,
    threads: NonZero<usize>,
    stop: &AtomicBool,
) -> Result<u64, String> {
    if depth < 3 {
        return Ok(chess::perft::bulk(position, depth));
    }
    let children: Vec<Position> =
        position.legal_moves().into_iter().map(|m| position.after(m)).collect();
    let (next, total) = (AtomicUsize::new(0), AtomicU64::new(0));
    let run = || {
        while let Some(child) = children.get(next.fetch_add(1, Ordering::Relaxed)) {
            total.fetch_add(count(child, depth - 1, stop), Ordering::Relaxed);
        }
    };
    data::threads::in_threads(threads, run).map_err(|error| error.to_string())?;
    Ok(total.into_inner())
}

/// The number of leaf nodes; too few if the stop flag is set.
fn count(position: &Position, depth: u32, stop: &AtomicBool) -> u64 {
    if depth <= SHALLOW {
        return chess::perft::bulk(position, depth);
    }
    let moves = position.legal_moves().into_iter();
    let unless_stopped = moves.take_while(|_| !stop.load(Ordering::Relaxed));
    unless_stopped.map(|m| count(&position.after(m), depth - 1, stop)).sum()
}

/// Every position in 32 bytes.
#[pyfunction]
#[pyo3(signature = (positions, *, out=None, threads=None))]
pub fn pack<'py>(
    py: Python<'py>,
    positions: Positions,
    out: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let array = output::array::<u8>(py, out, &[positions.len(), PackedRow::SIZE])?;
    output::fill(&array, |values| {
        let (threads, width) = (tasks::threads(threads)?, PackedRow::SIZE);
        parallel::rows(py, threads, "position", (values, width), |at, row| {
            let packed = PackedRow::new(&positions.position(at)?)
                .ok_or("the halfmove clock is too high for a packed row")?;
            row.copy_from_slice(packed.as_bytes());
            Ok(())
        })
    })?;
    Ok(array.into_any())
}

/// Every position as FEN.
#[pyfunction]
#[pyo3(signature = (positions, *, threads=None))]
pub fn fens(py: Python<'_>, positions: Positions, threads: Option<usize>) -> PyResult<Column> {
    let mut found: Vec<Option<String>> = vec![None; positions.len()];
    let threads = tasks::threads(threads)?;
    parallel::rows(py, threads, "position", (&mut found, 1), |at, row| {
        row[0] = Some(positions.position(at)?.fen_in(FenStyle::Standard));
        Ok(())
    })?;
    Ok(Column(strings(&found)))
}

/// Whether every position is a legal one.
#[pyfunction]
#[pyo3(signature = (positions, *, out=None, threads=None))]
pub fn is_legal_position<'py>(
    py: Python<'py>,
    positions: Positions,
    out: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let array = output::array::<bool>(py, out, &[positions.len()])?;
    output::fill(&array, |values| {
        let threads = tasks::threads(threads)?;
        parallel::rows(py, threads, "position", (values, 1), |at, row| {
            let setup = positions.setup(at);
            row[0] =
                setup.is_ok_and(|setup| setup.position_forgiving(SetupProblems::empty()).is_ok());
            Ok(())
        })
    })?;
    Ok(array.into_any())
}
