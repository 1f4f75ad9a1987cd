//! `Board`: moves and notation.

use chess::{Bitboard, FenStyle};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};

use super::board::Board;
use super::convert::{AnyPieceType, AnySquare, AnySquares, MoveArgument};
use super::errors::{AmbiguousMoveError, IllegalMoveError, InvalidMoveError};
use super::fen::EnPassant;
use super::generators::{LegalMoveGenerator, PseudoLegalMoveGenerator};
use super::moves::{AnyMove, Move, shared};
use super::san::MoveError;
use super::state::State;

const ALL: AnySquares = AnySquares(Bitboard::FULL);

impl From<MoveError> for PyErr {
    fn from(error: MoveError) -> Self {
        match error {
            MoveError::Invalid(message) => InvalidMoveError::new_err(message),
            MoveError::Illegal(message) => IllegalMoveError::new_err(message),
            MoveError::Ambiguous(message) => AmbiguousMoveError::new_err(message),
        }
    }
}

/// An iterator over a list of moves.
pub fn iterator<'py>(py: Python<'py>, moves: &[AnyMove]) -> PyResult<Bound<'py, PyIterator>> {
    list(py, moves)?.as_any().try_iter()
}

fn list<'py>(py: Python<'py>, moves: &[AnyMove]) -> PyResult<Bound<'py, PyList>> {
    let shared = shared(py)?;
    // Generated moves are all among the shared ones; only a stack can hold others.
    if moves.iter().any(|m| m.index().is_none()) {
        let objects = moves.iter().map(|&m| m.to_object(py)).collect::<PyResult<Vec<_>>>()?;
        return PyList::new(py, objects);
    }
    PyList::new(py, moves.iter().map(|m| &shared[m.index().unwrap_or_default()]))
}

fn illegal(m: AnyMove, state: &State) -> PyErr {
    IllegalMoveError::new_err(format!("illegal move: {} in {}", m.uci(), state.short_fen()))
}

fn en_passant_of(name: &str) -> PyResult<EnPassant> {
    match name {
        "legal" => Ok(EnPassant::Legal),
        "xfen" => Ok(EnPassant::PseudoLegal),
        "fen" => Ok(EnPassant::Always),
        _ => Err(PyValueError::new_err(format!(
            "en_passant must be 'legal', 'fen' or 'xfen', not {name:?}"
        ))),
    }
}

impl Board {
    fn push_move(&mut self, m: AnyMove) -> PyResult<()> {
        let before = self.state;
        if !self.state.push(m) {
            return Err(illegal(m, &before));
        }
        let written = before.written_as(m, before.chess960);
        self.stack.push((before, written));
        Ok(())
    }
}

#[pymethods]
impl Board {
    /// Makes a move and remembers it. Only that there is a piece to move is checked.
    fn push(&mut self, r#move: MoveArgument) -> PyResult<()> {
        self.push_move(r#move.0)
    }

    /// Takes back the last move and returns it. Raises IndexError if there is none.
    fn pop(&mut self, py: Python<'_>) -> PyResult<Py<Move>> {
        let (state, m) =
            self.stack.pop().ok_or_else(|| PyIndexError::new_err("pop from empty move stack"))?;
        self.state = state;
        m.to_object(py)
    }

    /// The last move. Raises IndexError if there is none.
    fn peek(&self, py: Python<'_>) -> PyResult<Py<Move>> {
        let last = self.stack.last();
        last.ok_or_else(|| PyIndexError::new_err("the move stack is empty"))?.1.to_object(py)
    }

    /// The moves made so far, a new list.
    #[getter]
    fn move_stack<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list(py, &self.stack.iter().map(|(_, m)| *m).collect::<Vec<_>>())
    }

    /// The number of moves that can be taken back.
    fn _stack_size(&self) -> usize {
        self.stack.len()
    }

    /// Parses and makes a move in UCI notation. Raises InvalidMoveError or IllegalMoveError.
    fn push_uci(&mut self, py: Python<'_>, uci: &str) -> PyResult<Py<Move>> {
        let m = self.state.parse_uci(uci)?;
        self.push_move(m)?;
        m.to_object(py)
    }

    /// Parses and makes a move in algebraic notation. Raises InvalidMoveError, IllegalMoveError or
    /// AmbiguousMoveError.
    fn push_san(&mut self, py: Python<'_>, san: &str) -> PyResult<Py<Move>> {
        let m = self.state.parse_san(san)?;
        self.push_move(m)?;
        m.to_object(py)
    }

    /// Parses a legal move in UCI notation.
    fn parse_uci(&self, py: Python<'_>, uci: &str) -> PyResult<Py<Move>> {
        self.state.parse_uci(uci)?.to_object(py)
    }

    /// Parses a legal move in algebraic notation.
    fn parse_san(&self, py: Python<'_>, san: &str) -> PyResult<Py<Move>> {
        self.state.parse_san(san)?.to_object(py)
    }

    /// A legal move in standard algebraic notation.
    fn san(&self, r#move: MoveArgument) -> PyResult<String> {
        self.state.san(r#move.0, false).ok_or_else(|| illegal(r#move.0, &self.state))
    }

    /// A legal move in long algebraic notation.
    fn lan(&self, r#move: MoveArgument) -> PyResult<String> {
        self.state.san(r#move.0, true).ok_or_else(|| illegal(r#move.0, &self.state))
    }

    /// A sequence of legal moves with move numbers, as in ``1. e4 e5 2. Nf3``.
    fn variation_san(&self, variation: &Bound<'_, PyAny>) -> PyResult<String> {
        let mut state = self.state;
        let mut text = String::new();
        for m in variation.try_iter()? {
            let m = m?.extract::<MoveArgument>()?.0;
            if !m.is_null() && !state.is_legal(m) {
                return Err(illegal(m, &state));
            }
            let number = state.setup.fullmove_number;
            if state.turn().is_white() {
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(&format!("{number}. "));
            } else if text.is_empty() {
                text.push_str(&format!("{number}..."));
            } else {
                text.push(' ');
            }
            text.push_str(&state.san(m, false).ok_or_else(|| illegal(m, &state))?);
            state.push(m);
        }
        Ok(text)
    }

    /// A move in UCI notation, with castling as on this board or as requested.
    #[pyo3(signature = (r#move, *, chess960=None))]
    fn uci(&self, r#move: MoveArgument, chess960: Option<bool>) -> String {
        let m = self.state.king_takes_rook(r#move.0);
        self.state.written_as(m, chess960.unwrap_or(self.state.chess960)).uci()
    }

    /// The FEN of the position. En passant is written if it is legal (``"legal"``), pseudo-legal (``"xfen"``),
    /// or after every double push (``"fen"``).
    #[pyo3(signature = (*, shredder=false, en_passant="legal", promoted=None))]
    fn fen(&self, shredder: bool, en_passant: &str, promoted: Option<bool>) -> PyResult<String> {
        let style = if shredder { FenStyle::Shredder } else { FenStyle::Standard };
        Ok(self.state.fen(style, en_passant_of(en_passant)?, promoted.unwrap_or(false)))
    }

    /// Whether the move is legal.
    fn is_legal(&self, r#move: MoveArgument) -> bool {
        self.state.is_legal(r#move.0)
    }

    /// Whether the move is legal but for the safety of the king.
    fn is_pseudo_legal(&self, r#move: MoveArgument) -> bool {
        self.state.is_pseudo_legal(r#move.0)
    }

    /// The legal moves: iterable, countable, testable with ``in``; generated when needed.
    #[getter]
    fn legal_moves(slf: &Bound<'_, Self>) -> LegalMoveGenerator {
        LegalMoveGenerator { board: slf.clone().into_any().unbind() }
    }

    /// The pseudo-legal moves: iterable, countable, testable with ``in``; generated when needed.
    #[getter]
    fn pseudo_legal_moves(slf: &Bound<'_, Self>) -> PseudoLegalMoveGenerator {
        PseudoLegalMoveGenerator { board: slf.clone().into_any().unbind() }
    }

    /// An iterator over the legal moves between these squares; castling goes to the square of the rook.
    #[pyo3(signature = (from_mask=ALL, to_mask=ALL))]
    fn generate_legal_moves<'py>(
        &self,
        py: Python<'py>,
        from_mask: AnySquares,
        to_mask: AnySquares,
    ) -> PyResult<Bound<'py, PyIterator>> {
        iterator(py, &self.state.legal_moves(from_mask.0, to_mask.0))
    }

    /// An iterator over the pseudo-legal moves between these squares.
    #[pyo3(signature = (from_mask=ALL, to_mask=ALL))]
    fn generate_pseudo_legal_moves<'py>(
        &self,
        py: Python<'py>,
        from_mask: AnySquares,
        to_mask: AnySquares,
    ) -> PyResult<Bound<'py, PyIterator>> {
        iterator(py, &self.state.pseudo_legal_moves(from_mask.0, to_mask.0))
    }

    /// An iterator over the legal captures between these squares.
    #[pyo3(signature = (from_mask=ALL, to_mask=ALL))]
    fn generate_legal_captures<'py>(
        &self,
        py: Python<'py>,
        from_mask: AnySquares,
        to_mask: AnySquares,
    ) -> PyResult<Bound<'py, PyIterator>> {
        let mut moves = self.state.legal_moves(from_mask.0, to_mask.0);
        moves.retain(|&m| self.state.is_capture(m));
        iterator(py, &moves)
    }

    /// An iterator over the pseudo-legal captures between these squares.
    #[pyo3(signature = (from_mask=ALL, to_mask=ALL))]
    fn generate_pseudo_legal_captures<'py>(
        &self,
        py: Python<'py>,
        from_mask: AnySquares,
        to_mask: AnySquares,
    ) -> PyResult<Bound<'py, PyIterator>> {
        let mut moves = self.state.pseudo_legal_moves(from_mask.0, to_mask.0);
        moves.retain(|&m| self.state.is_capture(m));
        iterator(py, &moves)
    }

    /// An iterator over the legal en-passant captures between these squares.
    #[pyo3(signature = (from_mask=ALL, to_mask=ALL))]
    fn generate_legal_ep<'py>(
        &self,
        py: Python<'py>,
        from_mask: AnySquares,
        to_mask: AnySquares,
    ) -> PyResult<Bound<'py, PyIterator>> {
        iterator(py, &self.state.legal_en_passant(from_mask.0, to_mask.0))
    }

    /// An iterator over the pseudo-legal en-passant captures between these squares.
    #[pyo3(signature = (from_mask=ALL, to_mask=ALL))]
    fn generate_pseudo_legal_ep<'py>(
        &self,
        py: Python<'py>,
        from_mask: AnySquares,
        to_mask: AnySquares,
    ) -> PyResult<Bound<'py, PyIterator>> {
        iterator(py, &self.state.pseudo_legal_en_passant(from_mask.0, to_mask.0))
    }

    /// An iterator over the legal castling moves of kings and rooks on these squares.
    #[pyo3(signature = (from_mask=ALL, to_mask=ALL))]
    fn generate_castling_moves<'py>(
        &self,
        py: Python<'py>,
        from_mask: AnySquares,
        to_mask: AnySquares,
    ) -> PyResult<Bound<'py, PyIterator>> {
        let moves = self.state.castling_moves(from_mask.0, to_mask.0);
        let written = moves.map(|m| self.state.written_as(m, self.state.chess960));
        iterator(py, &written.collect::<Vec<_>>())
    }

    /// The legal move between two squares; a pawn that reaches the last rank becomes a queen by
    /// default. Raises IllegalMoveError if there is none.
    #[pyo3(signature = (from_square, to_square, promotion=None))]
    fn find_move(
        &self,
        py: Python<'_>,
        from_square: AnySquare,
        to_square: AnySquare,
        promotion: Option<AnyPieceType>,
    ) -> PyResult<Py<Move>> {
        let state = &self.state;
        let plain = AnyMove::new(from_square.0, to_square.0);
        let wanted = promotion.map(|piece| piece.0);
        let queen = wanted.or(Some(chess::PieceType::Queen));
        let candidates = [plain.with_promotion(wanted), plain.with_promotion(queen)];
        let found = candidates.into_iter().find(|&m| state.is_legal(m));
        let m = found.ok_or_else(|| {
            IllegalMoveError::new_err(format!(
                "no matching legal move for {} ({} -> {}) in {}",
                plain.uci(),
                from_square.0,
                to_square.0,
                state.short_fen()
            ))
        })?;
        state.written_as(state.king_takes_rook(m), state.chess960).to_object(py)
    }
}
