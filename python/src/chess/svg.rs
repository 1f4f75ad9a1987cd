//! Pictures of boards.

use chess::svg::{Arrow, BoardPicture, ShapeColor};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::board::Board;
use super::convert::{AnyColor, AnySquare, AnySquares};

/// The SVG of a board: see ``tabiya.chess.svg.board``.
#[pyfunction]
#[pyo3(signature = (board, *, orientation, lastmove, check, arrows, squares, size, coordinates))]
#[expect(clippy::too_many_arguments, reason = "they are the keywords of the Python function")]
pub fn board_svg(
    board: Option<&Bound<'_, Board>>,
    orientation: AnyColor,
    lastmove: Option<(AnySquare, AnySquare)>,
    check: Option<AnySquare>,
    arrows: Vec<(AnySquare, AnySquare, String)>,
    squares: AnySquares,
    size: u32,
    coordinates: bool,
) -> PyResult<String> {
    let arrows = arrows.into_iter().map(|(tail, head, color)| {
        let color = shape_color(&color)?;
        Ok(Arrow::new(tail.0, head.0, color))
    });
    let pieces = match board {
        Some(board) => board.try_borrow()?.state.board().iter().collect(),
        None => Vec::new(),
    };
    let picture = BoardPicture {
        pieces,
        orientation: orientation.0,
        coordinates,
        last_move: lastmove.map(|(from, to)| (from.0, to.0)),
        check: check.map(|square| square.0),
        highlights: squares.0,
        arrows: arrows.collect::<PyResult<_>>()?,
        size,
        ..BoardPicture::default()
    };
    Ok(picture.to_svg())
}

fn shape_color(name: &str) -> PyResult<ShapeColor> {
    let letter = name.chars().next().map(|letter| letter.to_ascii_uppercase());
    let known = ["green", "red", "yellow", "blue"].contains(&name);
    letter.filter(|_| known).and_then(ShapeColor::from_letter).ok_or_else(|| {
        PyValueError::new_err(format!("an arrow is green, red, yellow or blue, not {name:?}"))
    })
}
