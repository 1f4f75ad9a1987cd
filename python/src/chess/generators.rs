//! `Board.legal_moves` and `Board.pseudo_legal_moves`: views that generate moves when they are used.
//!
//! They call the methods of the board by name, so that boards which override a generator work.

use pyo3::prelude::*;
use pyo3::types::PyIterator;

/// A view of the legal moves of a board.
#[pyclass(frozen, module = "tabiya.chess")]
pub struct LegalMoveGenerator {
    /// The board.
    #[pyo3(get)]
    pub board: Py<PyAny>,
}

/// A view of the pseudo-legal moves of a board.
#[pyclass(frozen, module = "tabiya.chess")]
pub struct PseudoLegalMoveGenerator {
    /// The board.
    #[pyo3(get)]
    pub board: Py<PyAny>,
}

fn texts(
    moves: Bound<'_, PyIterator>,
    mut text: impl FnMut(&Bound<'_, PyAny>) -> PyResult<String>,
) -> PyResult<String> {
    let texts = moves.map(|m| text(&m?)).collect::<PyResult<Vec<_>>>()?;
    Ok(texts.join(", "))
}

#[pymethods]
impl LegalMoveGenerator {
    #[new]
    fn new(board: Py<PyAny>) -> Self {
        Self { board }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let moves = self.board.bind(py).call_method0(pyo3::intern!(py, "generate_legal_moves"))?;
        moves.try_iter()
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.__iter__(py)?.next().transpose()?.is_some())
    }

    fn __contains__(&self, py: Python<'_>, r#move: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.board.bind(py).call_method1(pyo3::intern!(py, "is_legal"), (r#move,))?.extract()
    }

    /// The number of legal moves.
    fn count(&self, py: Python<'_>) -> PyResult<usize> {
        self.__iter__(py)?.try_fold(0, |n, m| m.map(|_| n + 1))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let board = self.board.bind(py);
        let sans = texts(self.__iter__(py)?, |m| board.call_method1("san", (m,))?.extract())?;
        Ok(format!("<LegalMoveGenerator ({sans})>"))
    }
}

#[pymethods]
impl PseudoLegalMoveGenerator {
    #[new]
    fn new(board: Py<PyAny>) -> Self {
        Self { board }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let name = pyo3::intern!(py, "generate_pseudo_legal_moves");
        self.board.bind(py).call_method0(name)?.try_iter()
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.__iter__(py)?.next().transpose()?.is_some())
    }

    fn __contains__(&self, py: Python<'_>, r#move: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.board.bind(py).call_method1("is_pseudo_legal", (r#move,))?.extract()
    }

    /// The number of pseudo-legal moves.
    fn count(&self, py: Python<'_>) -> PyResult<usize> {
        self.__iter__(py)?.try_fold(0, |n, m| m.map(|_| n + 1))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let board = self.board.bind(py);
        // An illegal move has no algebraic notation.
        let names = texts(self.__iter__(py)?, |m| {
            let legal: bool = board.call_method1("is_legal", (m,))?.extract()?;
            board.call_method1(if legal { "san" } else { "uci" }, (m,))?.extract()
        })?;
        Ok(format!("<PseudoLegalMoveGenerator ({names})>"))
    }
}
