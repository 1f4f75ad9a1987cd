//! `Board`: a state with its history. This file has its construction, pieces and fields.

use chess::{Bitboard, Color, PieceType, Setup, Square};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use super::convert::{AnyColor, AnyPieceType, AnySquare, AnySquares};
use super::moves::AnyMove;
use super::piece::{Piece, number};
use super::square_set::SquareSet;
use super::state::State;

/// The FEN of the initial position.
pub const STARTING_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A board with its history. ``tabiya.chess.Board`` extends it.
#[pyclass(subclass, module = "tabiya._tabiya")]
pub struct Board {
    /// The position.
    pub state: State,
    /// The states before each move, with the move.
    pub stack: Vec<(State, AnyMove)>,
}

impl Board {
    /// Checks the text of a FEN.
    pub fn parse(fen: Option<&str>, chess960: bool) -> PyResult<State> {
        match fen {
            None => Ok(State { chess960, ..State::from(Setup::EMPTY) }),
            Some(STARTING_FEN) => Ok(State { chess960, ..State::initial() }),
            Some(fen) => State::from_fen(fen, chess960)
                .map_err(|error| PyValueError::new_err(format!("{error}: {fen:?}"))),
        }
    }

    fn set_board(&mut self, board: chess::Board, promoted: Bitboard) {
        self.state.setup.board = board;
        self.state.promoted = promoted;
        self.stack.clear();
    }
}

fn clock(value: i64, what: &str) -> PyResult<u16> {
    u16::try_from(value)
        .map_err(|_| PyValueError::new_err(format!("{what} must be from 0 to 65535, not {value}")))
}

#[pymethods]
impl Board {
    #[new]
    #[pyo3(signature = (fen=Some(STARTING_FEN), *, chess960=false))]
    fn new(fen: Option<&str>, chess960: bool) -> PyResult<Self> {
        Ok(Self { state: Self::parse(fen, chess960)?, stack: Vec::new() })
    }

    /// A copy: with the whole history, without (``stack=False``), or with that many moves of it.
    #[pyo3(signature = (*, stack=None))]
    fn copy<'py>(
        slf: &Bound<'py, Self>,
        stack: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let this = slf.try_borrow()?;
        let kept = match stack {
            None => usize::MAX,
            Some(stack) => match stack.extract::<bool>() {
                Ok(all) => {
                    if all {
                        usize::MAX
                    } else {
                        0
                    }
                }
                Err(_) => stack.extract::<usize>()?,
            },
        };
        let skipped = this.stack.len().saturating_sub(kept);
        let class = slf.get_type();
        let copy = class.call_method1(pyo3::intern!(slf.py(), "__new__"), (&class,))?;
        {
            let mut board = copy.cast::<Self>()?.try_borrow_mut()?;
            board.state = this.state;
            board.stack = this.stack[skipped..].to_vec();
        }
        Ok(copy)
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::copy(slf, None)
    }

    fn __deepcopy__<'py>(
        slf: &Bound<'py, Self>,
        _memo: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::copy(slf, None)
    }

    /// Takes over the position before the first move of the history of another board.
    fn _set_root(&mut self, other: &Bound<'_, Self>) -> PyResult<()> {
        let other = other.try_borrow()?;
        self.state = other.stack.first().map_or(other.state, |(state, _)| *state);
        self.stack.clear();
        Ok(())
    }

    /// Sets the position of a FEN and clears the history. Raises ValueError with the reason if it is none.
    fn set_fen(&mut self, fen: &str) -> PyResult<()> {
        self.state = Self::parse(Some(fen), self.state.chess960)?;
        self.stack.clear();
        Ok(())
    }

    /// Sets the initial position and clears the history.
    fn reset(&mut self) {
        self.state = State { chess960: self.state.chess960, ..State::initial() };
        self.stack.clear();
    }

    /// Clears board and history.
    fn clear(&mut self) {
        self.state = State { chess960: self.state.chess960, ..State::from(Setup::EMPTY) };
        self.stack.clear();
    }

    /// Sets the pieces of the initial position.
    fn reset_board(&mut self) {
        self.set_board(chess::Board::INITIAL, Bitboard::EMPTY);
    }

    /// Removes all pieces.
    fn clear_board(&mut self) {
        self.set_board(chess::Board::EMPTY, Bitboard::EMPTY);
    }

    /// Clears the history.
    fn clear_stack(&mut self) {
        self.stack.clear();
    }

    /// Sets the pieces of the first field of a FEN.
    fn set_board_fen(&mut self, fen: &str) -> PyResult<()> {
        let parsed = State::parse_placement(fen.trim());
        let (board, promoted) =
            parsed.map_err(|error| PyValueError::new_err(format!("{error}: {fen:?}")))?;
        self.set_board(board, promoted);
        Ok(())
    }

    /// The pieces as the first field of a FEN.
    #[pyo3(signature = (*, promoted=Some(false)))]
    fn board_fen(&self, promoted: Option<bool>) -> String {
        let style = chess::FenStyle::Standard;
        let mark = promoted.unwrap_or(false);
        let fen = self.state.fen(style, super::fen::EnPassant::Always, mark);
        fen.split(' ').next().unwrap_or_default().into()
    }

    /// The side to move.
    #[getter]
    fn turn(&self) -> bool {
        self.state.turn().is_white()
    }

    #[setter]
    fn set_turn(&mut self, color: AnyColor) {
        self.state.setup.turn = color.0;
    }

    /// The castling rights as the squares of the rooks. `clean_castling_rights` has those that are possible.
    #[getter]
    fn castling_rights(&self) -> u64 {
        self.state.setup.castling_rooks.0
    }

    #[setter]
    fn set_castling_rights(&mut self, rooks: AnySquares) {
        self.state.setup.castling_rooks = rooks.0;
    }

    /// The square passed by the last double push of a pawn, whether or not it can be captured, or None.
    #[getter]
    fn ep_square(&self) -> Option<usize> {
        self.state.setup.en_passant.map(Square::index)
    }

    #[setter]
    fn set_ep_square(&mut self, square: Option<AnySquare>) {
        self.state.setup.en_passant = square.map(|square| square.0);
    }

    /// Plies since the last capture or pawn move.
    #[getter]
    fn halfmove_clock(&self) -> u16 {
        self.state.setup.halfmove_clock
    }

    #[setter]
    fn set_halfmove_clock(&mut self, plies: i64) -> PyResult<()> {
        self.state.setup.halfmove_clock = clock(plies, "the halfmove clock")?;
        Ok(())
    }

    /// The number of the move, from 1, incremented after Black's moves.
    #[getter]
    fn fullmove_number(&self) -> u16 {
        self.state.setup.fullmove_number
    }

    #[setter]
    fn set_fullmove_number(&mut self, moves: i64) -> PyResult<()> {
        self.state.setup.fullmove_number = clock(moves, "the move number")?;
        Ok(())
    }

    /// Whether castling follows the rules of Chess960.
    #[getter]
    fn chess960(&self) -> bool {
        self.state.chess960
    }

    #[setter]
    fn set_chess960(&mut self, chess960: bool) {
        self.state.chess960 = chess960;
    }

    /// The squares of promoted pieces.
    #[getter]
    fn promoted(&self) -> u64 {
        self.state.promoted.0
    }

    #[setter]
    fn set_promoted(&mut self, squares: AnySquares) {
        self.state.promoted = squares.0;
    }

    /// The squares of the pawns.
    #[getter]
    fn pawns(&self) -> u64 {
        self.state.board().piece_type(PieceType::Pawn).0
    }

    /// The squares of the knights.
    #[getter]
    fn knights(&self) -> u64 {
        self.state.board().piece_type(PieceType::Knight).0
    }

    /// The squares of the bishops.
    #[getter]
    fn bishops(&self) -> u64 {
        self.state.board().piece_type(PieceType::Bishop).0
    }

    /// The squares of the rooks.
    #[getter]
    fn rooks(&self) -> u64 {
        self.state.board().piece_type(PieceType::Rook).0
    }

    /// The squares of the queens.
    #[getter]
    fn queens(&self) -> u64 {
        self.state.board().piece_type(PieceType::Queen).0
    }

    /// The squares of the kings.
    #[getter]
    fn kings(&self) -> u64 {
        self.state.board().piece_type(PieceType::King).0
    }

    /// Every square with a piece on it.
    #[getter]
    fn occupied(&self) -> u64 {
        self.state.occupied().0
    }

    /// The squares of Black's (index 0, BLACK) and White's pieces (index 1, WHITE).
    #[getter]
    fn occupied_co(&self) -> (u64, u64) {
        let of = |color| self.state.board().color(color).0;
        (of(Color::Black), of(Color::White))
    }

    /// The squares of the pieces of a type and color, as a number.
    fn pieces_mask(&self, piece_type: AnyPieceType, color: AnyColor) -> u64 {
        self.state.board().pieces(color.0, piece_type.0).0
    }

    /// The squares of the pieces of a type and color.
    fn pieces(&self, piece_type: AnyPieceType, color: AnyColor) -> SquareSet {
        SquareSet(self.state.board().pieces(color.0, piece_type.0))
    }

    /// The piece on a square, or None.
    fn piece_at(&self, square: AnySquare) -> Option<Piece> {
        self.state.board().piece_at(square.0).map(Piece)
    }

    /// The type of the piece on a square, or None.
    fn piece_type_at(&self, square: AnySquare) -> Option<usize> {
        self.state.board().piece_type_at(square.0).map(number)
    }

    /// The color of the piece on a square, or None.
    fn color_at(&self, square: AnySquare) -> Option<bool> {
        self.state.board().piece_at(square.0).map(|piece| piece.is_white())
    }

    /// The square of a player's king, or None.
    fn king(&self, color: AnyColor) -> Option<usize> {
        self.state.king(color.0).map(Square::index)
    }

    /// Puts a piece on a square, or removes what is there, and clears the history.
    #[pyo3(signature = (square, piece, promoted=false))]
    fn set_piece_at(
        &mut self,
        square: AnySquare,
        piece: Option<&Bound<'_, PyAny>>,
        promoted: bool,
    ) -> PyResult<()> {
        let piece = piece.map(any_piece).transpose()?;
        self.state.set_piece(square.0, piece, promoted);
        self.stack.clear();
        Ok(())
    }

    /// Removes and returns the piece on a square, or None, and clears the history.
    fn remove_piece_at(&mut self, square: AnySquare) -> Option<Piece> {
        let piece = self.state.board().piece_at(square.0);
        self.state.set_piece(square.0, None, false);
        self.stack.clear();
        piece.map(Piece)
    }

    /// The pieces by their squares, a dictionary.
    #[pyo3(signature = (*, mask=AnySquares(Bitboard::FULL)))]
    fn piece_map<'py>(&self, py: Python<'py>, mask: AnySquares) -> PyResult<Bound<'py, PyDict>> {
        let pieces = PyDict::new(py);
        for (square, piece) in self.state.board().iter().filter(|(square, _)| mask.0.has(*square)) {
            pieces.set_item(square.index(), Piece(piece))?;
        }
        Ok(pieces)
    }

    /// Sets all pieces from a mapping of squares to pieces and clears the history.
    fn set_piece_map(&mut self, pieces: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut board = chess::Board::EMPTY;
        for item in pieces.call_method0("items")?.try_iter()? {
            let (square, piece): (AnySquare, Bound<'_, PyAny>) = item?.extract()?;
            board.put(square.0, any_piece(&piece)?);
        }
        self.set_board(board, Bitboard::EMPTY);
        Ok(())
    }

    /// The number of the Chess960 start position whose pieces are on the board, or None.
    fn chess960_pos(&self) -> Option<u16> {
        let numbers = 0..chess::chess960::STARTS;
        let board = *self.state.board();
        let setup = State { chess960: true, ..self.state };
        if setup.clean_castling_rights() != board.piece_type(PieceType::Rook)
            || self.state.turn() != Color::White
            || self.state.setup.en_passant.is_some()
        {
            return None;
        }
        numbers
            .into_iter()
            .find(|&n| chess::chess960::start(n).is_some_and(|p| *p.board() == board))
    }

    /// Sets a start position of Chess960 by its number from 0 to 959.
    fn set_chess960_pos(&mut self, number: u16) -> PyResult<()> {
        let position = chess::chess960::start(number).ok_or_else(|| {
            PyValueError::new_err(format!("chess960 position index not 0 <= {number:?} <= 959"))
        })?;
        self.state = State { chess960: true, ..State::from(Setup::from(position)) };
        self.stack.clear();
        Ok(())
    }

    /// A copy of the board of the same class with nothing on it.
    #[classmethod]
    fn empty<'py>(class: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyAny>> {
        class.call1((class.py().None(),))
    }
}

/// A piece of our own class, or any object with its attributes.
fn any_piece(piece: &Bound<'_, PyAny>) -> PyResult<chess::Piece> {
    if let Ok(piece) = piece.cast::<Piece>() {
        return Ok(piece.get().0);
    }
    let attributes = || -> PyResult<chess::Piece> {
        let piece_type: AnyPieceType = piece.getattr("piece_type")?.extract()?;
        let color: AnyColor = piece.getattr("color")?.extract()?;
        Ok(chess::Piece::new(color.0, piece_type.0))
    };
    attributes().map_err(|_| PyTypeError::new_err("a piece must be a Piece or None"))
}
