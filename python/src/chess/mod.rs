//! `tabiya.chess`: boards and moves with the interface of python-chess.
//!
//! The rules of any board are in `state`, `castling`, `generate`, `status`, `fen` and `san`, free of Python.
//! The classes are in the other files; `python/tabiya/chess` has what needs no speed.

mod board;
mod board_moves;
mod board_rules;
mod castling;
mod convert;
mod errors;
mod fen;
mod generate;
mod generators;
mod moves;
mod piece;
mod san;
mod square_set;
mod state;
mod status;
mod svg;

pub use board::Board;
pub use convert::BoardArgument;
pub use moves::Move;

use pyo3::prelude::*;

/// The attack tables: knight, king, and pawns of Black and of White, for every square.
#[pyfunction]
fn attack_tables() -> [Vec<u64>; 4] {
    use chess::{Color, Square, attacks};
    let table =
        |of: &dyn Fn(Square) -> chess::Bitboard| Square::all().map(|square| of(square).0).collect();
    [
        table(&attacks::knight),
        table(&attacks::king),
        table(&|square| attacks::pawn(Color::Black, square)),
        table(&|square| attacks::pawn(Color::White, square)),
    ]
}

/// Adds the classes to the extension module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add_class::<Board>()?;
    module.add_class::<Move>()?;
    module.add_class::<piece::Piece>()?;
    module.add_class::<square_set::SquareSet>()?;
    module.add_class::<generators::LegalMoveGenerator>()?;
    module.add_class::<generators::PseudoLegalMoveGenerator>()?;
    module.add("InvalidMoveError", py.get_type::<errors::InvalidMoveError>())?;
    module.add("IllegalMoveError", py.get_type::<errors::IllegalMoveError>())?;
    module.add("AmbiguousMoveError", py.get_type::<errors::AmbiguousMoveError>())?;
    module.add_function(wrap_pyfunction!(attack_tables, module)?)?;
    module.add_function(wrap_pyfunction!(svg::board_svg, module)?)?;
    Ok(())
}
