//! Arguments: squares, piece types, colors, sets of squares and moves, with the reason if they are wrong.

use chess::{Bitboard, Color, Piece, PieceType, Setup, Square};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::board::Board;
use super::moves::{AnyMove, Move};
use super::square_set::SquareSet;
use super::state::State;

/// A square by its number, a1 = 0.
#[derive(Clone, Copy)]
pub struct AnySquare(pub Square);

/// A piece type by its number, 1 (pawn) to 6 (king).
#[derive(Clone, Copy)]
pub struct AnyPieceType(pub PieceType);

/// A color: true is White.
#[derive(Clone, Copy)]
pub struct AnyColor(pub Color);

/// A set of squares: a `SquareSet`, a number whose bits are squares, or an iterable of squares.
#[derive(Clone, Copy)]
pub struct AnySquares(pub Bitboard);

/// A move of our own class, or any object with the same attributes.
#[derive(Clone, Copy)]
pub struct MoveArgument(pub AnyMove);

fn number(value: Borrowed<'_, '_, PyAny>, what: &str) -> PyResult<i64> {
    value.extract::<i64>().map_err(|_| {
        let kind = value.get_type().name().map_or_else(|_| "?".into(), |name| name.to_string());
        PyTypeError::new_err(format!("{what} must be an int, not {kind}"))
    })
}

/// What has this number, or an error that says what it is not.
fn checked<T>(
    value: Borrowed<'_, '_, PyAny>,
    what: &str,
    range: &str,
    of_number: impl FnOnce(usize) -> Option<T>,
) -> PyResult<T> {
    let n = number(value, what)?;
    let found = usize::try_from(n).ok().and_then(of_number);
    found.ok_or_else(|| PyValueError::new_err(format!("{n} is not {what} {range}")))
}

impl<'py> FromPyObject<'_, 'py> for AnySquare {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        checked(value, "a square", "from 0 to 63", Square::from_index).map(Self)
    }
}

impl<'py> FromPyObject<'_, 'py> for AnyPieceType {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let piece_type = |n: usize| PieceType::ALL.get(n.checked_sub(1)?).copied();
        checked(value, "a piece type", "from 1 to 6", piece_type).map(Self)
    }
}

impl<'py> FromPyObject<'_, 'py> for AnyColor {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(if value.is_truthy()? { Color::White } else { Color::Black }))
    }
}

impl<'py> FromPyObject<'_, 'py> for AnySquares {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(set) = value.cast::<SquareSet>() {
            return Ok(Self(set.try_borrow()?.0));
        }
        if let Ok(mask) = value.extract::<u64>() {
            return Ok(Self(Bitboard(mask)));
        }
        if value.hasattr("__int__")? {
            // Any other number, a negative complement among them, and sets of other libraries.
            let whole = value.call_method0("__int__")?.call_method1("__and__", (u64::MAX,))?;
            return Ok(Self(Bitboard(whole.extract()?)));
        }
        let Ok(squares) = value.try_iter() else {
            return Err(PyTypeError::new_err(
                "squares must be a SquareSet, an int or an iterable of squares",
            ));
        };
        squares
            .map(|square| Ok(square?.extract::<AnySquare>()?.0))
            .collect::<PyResult<_>>()
            .map(Self)
    }
}

impl<'py> FromPyObject<'_, 'py> for MoveArgument {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(m) = value.cast::<Move>() {
            return Ok(Self(m.get().0));
        }
        let Ok(uci) = value.call_method0("uci").and_then(|uci| uci.extract::<String>()) else {
            return Err(PyTypeError::new_err("a move must be a Move"));
        };
        AnyMove::parse(&uci).map(Self).map_err(PyValueError::new_err)
    }
}

/// A board of our own class, or any object with the attributes of one, such as a board of python-chess.
#[derive(Clone, Copy)]
pub struct BoardArgument(pub State);

impl<'py> FromPyObject<'_, 'py> for BoardArgument {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(board) = value.cast::<Board>() {
            return Ok(Self(board.try_borrow()?.state));
        }
        let Ok(occupied) = value.getattr("occupied_co") else {
            let kind = value.get_type().name()?;
            return Err(PyTypeError::new_err(format!("a position must be a board, not {kind}")));
        };
        board_like(&value, &occupied).map(Self)
    }
}

/// The state of an object with the attributes of a board.
fn board_like(value: &Bound<'_, PyAny>, occupied: &Bound<'_, PyAny>) -> PyResult<State> {
    let mask = |name: &str| Ok::<_, PyErr>(Bitboard(value.getattr(name)?.extract()?));
    let mut state = State::from(Setup::EMPTY);
    let names = ["pawns", "knights", "bishops", "rooks", "queens", "kings"];
    for (piece_type, name) in PieceType::ALL.into_iter().zip(names) {
        let pieces = mask(name)?;
        for (index, color) in [Color::Black, Color::White].into_iter().enumerate() {
            let own = Bitboard(occupied.get_item(index)?.extract()?);
            for square in pieces & own {
                state.setup.board.put(square, Piece::new(color, piece_type));
            }
        }
    }
    state.setup.turn = value.getattr("turn")?.extract::<AnyColor>()?.0;
    state.setup.castling_rooks = mask("castling_rights")?;
    state.setup.en_passant =
        value.getattr("ep_square")?.extract::<Option<AnySquare>>()?.map(|square| square.0);
    state.setup.halfmove_clock = value.getattr("halfmove_clock")?.extract()?;
    state.setup.fullmove_number = value.getattr("fullmove_number")?.extract()?;
    state.promoted = mask("promoted")?;
    state.chess960 = value.getattr("chess960")?.is_truthy()?;
    Ok(state)
}
