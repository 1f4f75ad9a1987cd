//! Legal moves of a batch, and moves from one notation to the other.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray, StringArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field};
use chess::{CastlingStyle, Position};
use pra::encode::{PLAIN_MOVES, POLICY, legal_moves};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::positions::{Positions, TextColumn};
use super::{output, parallel};
use crate::arrow::Column;
use crate::tasks;

/// What a move is, as a number: see `tabiya.pra`.
fn config(promotions: bool) -> pra::Config {
    pra::Config { promotions, flipped: false, ..pra::Config::new(1, 12) }
}

/// The legal moves of every position as a row of booleans, by the number of the move.
#[pyfunction]
#[pyo3(signature = (positions, *, promotions=true, out=None, threads=None))]
pub fn legal_mask<'py>(
    py: Python<'py>,
    positions: Positions,
    promotions: bool,
    out: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let (config, width) = (config(promotions), if promotions { POLICY } else { PLAIN_MOVES });
    let array = output::array::<bool>(py, out, &[positions.len(), width])?;
    output::fill(&array, |values| {
        let threads = tasks::threads(threads)?;
        parallel::rows(py, threads, "position", (values, width), |at, row| {
            row.fill(false);
            for (_, index) in legal_moves(&config, &positions.position(at)?) {
                row[usize::from(index)] = true;
            }
            Ok(())
        })
    })?;
    Ok(array.into_any())
}

/// The legal moves of every position in UCI notation: a column of lists.
#[pyfunction]
#[pyo3(name = "legal_moves_of", signature = (positions, *, chess960=false, threads=None))]
pub fn legal_moves_of(
    py: Python<'_>,
    positions: Positions,
    chess960: bool,
    threads: Option<usize>,
) -> PyResult<Column> {
    let style = style(chess960);
    let mut found: Vec<Vec<String>> = vec![Vec::new(); positions.len()];
    let threads = tasks::threads(threads)?;
    parallel::rows(py, threads, "position", (&mut found, 1), |at, row| {
        let position = positions.position(at)?;
        row[0] = position.legal_moves().iter().map(|m| m.uci(style).to_string()).collect();
        Ok(())
    })?;
    let lengths = OffsetBuffer::from_lengths(found.iter().map(Vec::len));
    let values: StringArray = found.into_iter().flatten().map(Some).collect();
    let field = Arc::new(Field::new("item", DataType::Utf8, true));
    Ok(Column(Arc::new(ListArray::new(field, lengths, Arc::new(values), None))))
}

/// The moves of a column, one for each position, in UCI notation.
#[pyfunction]
#[pyo3(signature = (positions, moves, *, chess960=false, errors="raise", threads=None))]
pub fn san_to_uci(
    py: Python<'_>,
    positions: Positions,
    moves: TextColumn,
    chess960: bool,
    errors: &str,
    threads: Option<usize>,
) -> PyResult<Column> {
    let style = style(chess960);
    converted(py, (positions, moves), errors, threads, |position, text| {
        let m = position.parse_san(text).map_err(|error| error.to_string())?;
        Ok(m.uci(style).to_string())
    })
}

/// The moves of a column, one for each position, in SAN.
#[pyfunction]
#[pyo3(signature = (positions, moves, *, errors="raise", threads=None))]
pub fn uci_to_san(
    py: Python<'_>,
    positions: Positions,
    moves: TextColumn,
    errors: &str,
    threads: Option<usize>,
) -> PyResult<Column> {
    converted(py, (positions, moves), errors, threads, |position, text| {
        let m = position.parse_uci(text).map_err(|error| error.to_string())?;
        Ok(position.san(m).to_string())
    })
}

fn style(chess960: bool) -> CastlingStyle {
    if chess960 { CastlingStyle::Chess960 } else { CastlingStyle::Standard }
}

fn converted(
    py: Python<'_>,
    (positions, TextColumn(moves)): (Positions, TextColumn),
    errors: &str,
    threads: Option<usize>,
    convert: impl Fn(&Position, &str) -> Result<String, String> + Sync,
) -> PyResult<Column> {
    let (count, given) = (positions.len(), moves.len());
    if count != given {
        let reason = format!("{count} positions, but {given} moves");
        return Err(PyValueError::new_err(reason));
    }
    let is_null = match errors {
        "raise" => false,
        "null" => true,
        other => {
            let reason = format!("errors must be 'raise' or 'null', not {other:?}");
            return Err(PyValueError::new_err(reason));
        }
    };
    let mut found: Vec<Option<String>> = vec![None; count];
    let threads = tasks::threads(threads)?;
    parallel::rows(py, threads, "row", (&mut found, 1), |at, row| {
        let text = positions.position(at).and_then(|position| convert(&position, moves.get(at)));
        row[0] = match text {
            Err(_) if is_null => None,
            text => Some(text?),
        };
        Ok(())
    })?;
    Ok(Column(strings(&found)))
}

/// A column of texts.
pub fn strings(texts: &[Option<String>]) -> ArrayRef {
    if texts.iter().all(Option::is_some) {
        let lengths = texts.iter().map(|text| text.as_ref().map_or(0, String::len));
        let offsets = OffsetBuffer::<i32>::from_lengths(lengths);
        let bytes: Vec<u8> = texts.iter().flatten().flat_map(|text| text.bytes()).collect();
        let bytes = ScalarBuffer::from(bytes).into_inner();
        return Arc::new(StringArray::new(offsets, bytes, None));
    }
    Arc::new(texts.iter().map(Option::as_deref).collect::<StringArray>())
}
