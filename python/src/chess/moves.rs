//! `Move`: two squares, and perhaps a promotion, that need not fit any board.
//!
//! The class is immutable, so moves are shared: every move without a promotion or with a usual one exists
//! once per process, and a list of legal moves allocates nothing but the list.

use std::hash::{DefaultHasher, Hash, Hasher};

use chess::{PieceType, Square};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use super::convert::{AnyPieceType, AnySquare};
use super::errors::InvalidMoveError;

/// A move in four bytes: squares, promotion and drop. The null move has equal squares a1 and a1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AnyMove {
    from: u8,
    to: u8,
    /// 0, or 1 to 6 from pawn to king.
    promotion: u8,
    drop: u8,
}

impl AnyMove {
    /// The null move.
    pub const NULL: Self = Self { from: 0, to: 0, promotion: 0, drop: 0 };

    /// A move without promotion.
    pub const fn new(from: Square, to: Square) -> Self {
        Self { from: from.index() as u8, to: to.index() as u8, promotion: 0, drop: 0 }
    }

    /// The move with this promotion.
    pub const fn with_promotion(self, piece_type: Option<PieceType>) -> Self {
        Self { promotion: code(piece_type), ..self }
    }

    /// The move with another target.
    pub const fn with_to(self, to: Square) -> Self {
        Self { to: to.index() as u8, ..self }
    }

    /// Whether it is the null move.
    pub const fn is_null(self) -> bool {
        self.from == 0 && self.to == 0 && self.promotion == 0 && self.drop == 0
    }

    /// The origin; `None` for a null move.
    pub const fn from(self) -> Option<Square> {
        if self.is_null() { None } else { Square::from_index(self.from as usize) }
    }

    /// The target; `None` for a null move.
    pub const fn to(self) -> Option<Square> {
        if self.is_null() { None } else { Square::from_index(self.to as usize) }
    }

    /// The promotion piece.
    pub const fn promotion(self) -> Option<PieceType> {
        piece_type(self.promotion)
    }

    /// The dropped piece, in variants with drops.
    pub const fn drop(self) -> Option<PieceType> {
        piece_type(self.drop)
    }

    /// The move in UCI notation.
    pub fn uci(self) -> String {
        if self.is_null() {
            return "0000".into();
        }
        let square = |n: u8| Square::from_index_wrapping(n.into()).name();
        if let Some(drop) = self.drop() {
            return format!("{}@{}", drop.letter().to_ascii_uppercase(), square(self.to));
        }
        let mut text = String::with_capacity(5);
        text.push_str(square(self.from));
        text.push_str(square(self.to));
        text.extend(self.promotion().map(|piece| piece.letter().to_ascii_lowercase()));
        text
    }

    /// Parses UCI notation.
    pub fn parse(uci: &str) -> Result<Self, String> {
        if uci == "0000" {
            return Ok(Self::NULL);
        }
        let wrong = || format!("invalid uci: {uci:?}");
        let square = |range| {
            uci.get(range).and_then(|name: &str| name.parse::<Square>().ok()).ok_or_else(wrong)
        };
        let letters: Vec<char> = uci.chars().collect();
        match letters[..] {
            [piece, '@', _, _] => {
                let drop = PieceType::from_letter(piece).ok_or_else(wrong)?;
                let to = square(2..4)?;
                Ok(Self { drop: code(Some(drop)), ..Self::new(to, to) })
            }
            [_, _, _, _] | [_, _, _, _, _] => {
                let m = Self::new(square(0..2)?, square(2..4)?);
                if m.from == m.to {
                    return Err(format!("{} (use 0000 for null moves)", wrong()));
                }
                let promotion = letters.get(4).map(|&piece| {
                    PieceType::from_letter(piece).filter(|_| piece.is_ascii_lowercase())
                });
                match promotion {
                    Some(None) => Err(wrong()),
                    Some(piece_type) => Ok(m.with_promotion(piece_type)),
                    None => Ok(m),
                }
            }
            _ => Err(wrong()),
        }
    }

    /// The Python object: the shared one where there is one.
    pub fn to_object(self, py: Python<'_>) -> PyResult<Py<Move>> {
        let moves = shared(py)?;
        Ok(match self.index() {
            Some(index) => moves[index].clone_ref(py),
            None => Py::new(py, Move(self))?,
        })
    }

    /// The index among the shared moves.
    pub(super) fn index(self) -> Option<usize> {
        let choice = match self.promotion {
            0 => 0,
            2..=5 => self.promotion as usize - 1,
            _ => return None,
        };
        (self.drop == 0).then_some((choice * 64 + self.from as usize) * 64 + self.to as usize)
    }
}

const fn code(piece: Option<PieceType>) -> u8 {
    match piece {
        Some(piece) => piece.index() as u8 + 1,
        None => 0,
    }
}

const fn piece_type(code: u8) -> Option<PieceType> {
    match code {
        1..=6 => Some(PieceType::ALL[code as usize - 1]),
        _ => None,
    }
}

/// The shared moves, by [`AnyMove::index`].
pub(super) fn shared(py: Python<'_>) -> PyResult<&Vec<Py<Move>>> {
    static SHARED: PyOnceLock<Vec<Py<Move>>> = PyOnceLock::new();
    SHARED.get_or_try_init(py, || {
        let promotions = [0u8, 2, 3, 4, 5];
        let squares = || 0..64u8;
        promotions
            .into_iter()
            .flat_map(|promotion| squares().map(move |from| (promotion, from)))
            .flat_map(|(promotion, from)| squares().map(move |to| (promotion, from, to)))
            .map(|(promotion, from, to)| {
                Py::new(py, Move(AnyMove { from, to, promotion, drop: 0 }))
            })
            .collect()
    })
}

/// A move from one square to another, perhaps with a promotion.
///
/// Castling is the king's move, ``e1g1``, or on a Chess960 board the king taking its own rook.
///
/// >>> from tabiya import chess
/// >>> move = chess.Move.from_uci("e7e8q")
/// >>> move.from_square == chess.E7, move.promotion == chess.QUEEN, move.uci()
/// (True, True, 'e7e8q')
#[pyclass(frozen, module = "tabiya.chess")]
pub struct Move(pub AnyMove);

#[pymethods]
impl Move {
    #[new]
    #[pyo3(signature = (from_square, to_square, promotion=None, drop=None))]
    fn new(
        from_square: AnySquare,
        to_square: AnySquare,
        promotion: Option<AnyPieceType>,
        drop: Option<AnyPieceType>,
    ) -> Self {
        let m = AnyMove::new(from_square.0, to_square.0).with_promotion(promotion.map(|p| p.0));
        Self(AnyMove { drop: code(drop.map(|p| p.0)), ..m })
    }

    /// The square the piece moves from.
    #[getter(from_square)]
    fn origin(&self) -> u8 {
        self.0.from
    }

    /// The square the piece moves to.
    #[getter]
    fn to_square(&self) -> u8 {
        self.0.to
    }

    /// The piece type a pawn promotes to, or None.
    #[getter]
    fn promotion(&self) -> Option<u8> {
        (self.0.promotion > 0).then_some(self.0.promotion)
    }

    /// The piece type that is dropped, or None. Boards of chess have no such moves.
    #[getter]
    fn drop(&self) -> Option<u8> {
        (self.0.drop > 0).then_some(self.0.drop)
    }

    /// The move in UCI notation.
    fn uci(&self) -> String {
        self.0.uci()
    }

    /// The move in the notation of the XBoard protocol: a null move is ``@@@@``.
    fn xboard(&self) -> String {
        if self.0.is_null() { "@@@@".into() } else { self.0.uci() }
    }

    /// Parses UCI notation; ``0000`` is the null move. Raises InvalidMoveError for anything else.
    #[classmethod]
    fn from_uci(_cls: &Bound<'_, PyType>, uci: &str) -> PyResult<Py<Self>> {
        let m = AnyMove::parse(uci).map_err(InvalidMoveError::new_err)?;
        m.to_object(_cls.py())
    }

    /// The null move, which passes the turn.
    #[classmethod]
    fn null(_cls: &Bound<'_, PyType>) -> PyResult<Py<Self>> {
        AnyMove::NULL.to_object(_cls.py())
    }

    fn __bool__(&self) -> bool {
        !self.0.is_null()
    }

    fn __str__(&self) -> String {
        self.0.uci()
    }

    fn __repr__(&self) -> String {
        format!("Move.from_uci('{}')", self.0.uci())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().0 == self.0)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, Arguments) {
        let m = slf.get();
        (slf.get_type(), (m.0.from, m.0.to, m.promotion(), m.drop()))
    }
}

/// The arguments of the constructor.
type Arguments = (u8, u8, Option<u8>, Option<u8>);
