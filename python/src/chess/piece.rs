//! `Piece`: a piece type and a color.

use chess::{Color, PieceType};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::convert::{AnyColor, AnyPieceType};

/// A piece: its type and its color.
///
/// >>> from tabiya import chess
/// >>> knight = chess.Piece.from_symbol("n")
/// >>> knight.piece_type == chess.KNIGHT, knight.color == chess.BLACK
/// (True, True)
#[pyclass(frozen, module = "tabiya.chess")]
pub struct Piece(pub chess::Piece);

#[pymethods]
impl Piece {
    #[new]
    fn new(piece_type: AnyPieceType, color: AnyColor) -> Self {
        Self(chess::Piece::new(color.0, piece_type.0))
    }

    /// The piece type, from PAWN to KING.
    #[getter]
    fn piece_type(&self) -> usize {
        self.0.piece_type().index() + 1
    }

    /// The color, WHITE or BLACK.
    #[getter]
    fn color(&self) -> bool {
        self.0.is_white()
    }

    /// The letter of the piece, upper case for White.
    fn symbol(&self) -> char {
        self.0.letter()
    }

    /// The figurine of the piece, or that of the other color.
    #[pyo3(signature = (*, invert_color=false))]
    fn unicode_symbol(&self, invert_color: bool) -> char {
        let color = if invert_color { !self.0.color() } else { self.0.color() };
        chess::Piece::new(color, self.0.piece_type()).symbol()
    }

    /// The piece of a letter. Raises ValueError for anything but ``PNBRQKpnbrqk``.
    #[classmethod]
    fn from_symbol(_cls: &Bound<'_, PyType>, symbol: &str) -> PyResult<Self> {
        let mut letters = symbol.chars();
        let piece = letters.next().filter(|_| letters.next().is_none());
        let piece = piece.and_then(chess::Piece::from_letter);
        piece.map(Self).ok_or_else(|| PyValueError::new_err(format!("{symbol:?} is not a piece")))
    }

    fn __str__(&self) -> char {
        self.0.letter()
    }

    fn __repr__(&self) -> String {
        format!("Piece.from_symbol('{}')", self.0.letter())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().0 == self.0)
    }

    fn __hash__(&self) -> u64 {
        let color = if self.0.color() == Color::White { 0 } else { 6 };
        self.0.piece_type().index() as u64 + color
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (usize, bool)) {
        (slf.get_type(), (slf.get().piece_type(), slf.get().color()))
    }

    fn _repr_svg_(&self) -> String {
        let defs = chess::svg::piece_defs([self.0.piece_type()]);
        let shape = chess::svg::piece_svg(self.0, 0.0, 0.0, 45.0);
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="45" height="45" viewBox="0 0 45 45"><defs>{defs}</defs>{shape}</svg>"#
        )
    }
}

/// The number of a piece type in Python.
pub fn number(piece_type: PieceType) -> usize {
    piece_type.index() + 1
}
