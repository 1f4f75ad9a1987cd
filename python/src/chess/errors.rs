//! The exceptions of moves, all of them `ValueError`s.

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;

create_exception!(tabiya.chess, InvalidMoveError, PyValueError, "The text of a move is malformed.");
create_exception!(
    tabiya.chess,
    IllegalMoveError,
    PyValueError,
    "The move is well-formed, but illegal in the position."
);
create_exception!(
    tabiya.chess,
    AmbiguousMoveError,
    PyValueError,
    "The text of a move fits several legal moves."
);
