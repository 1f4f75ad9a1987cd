//! `Action`: lift, place or promote.

use std::hash::{DefaultHasher, Hash, Hasher};

use chess::Color;
use paco::PieceType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

/// One action of a turn: lift what stands on a square, place it on another, or promote a pawn.
///
/// >>> from tabiya import paco
/// >>> action = paco.Action.lift(12)
/// >>> action, action.index, action.to_json()
/// (Action.lift(12), 13, {'Lift': 12})
/// >>> paco.Action(132).promotion
/// 'Queen'
#[pyclass(name = "Action", module = "tabiya.paco", frozen)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Action(pub paco::Action);

/// An action, a policy index, or an object like `{"Lift": 12}`.
pub struct AnyAction(pub paco::Action);

fn of_index(index: i64) -> PyResult<paco::Action> {
    let action = u8::try_from(index).ok().and_then(paco::Action::from_policy_index);
    action.ok_or_else(|| {
        PyValueError::new_err(format!("a policy index is from 1 to 132, not {index}"))
    })
}

pub fn square(index: i64) -> PyResult<chess::Square> {
    let square = usize::try_from(index).ok().and_then(chess::Square::from_index);
    square.ok_or_else(|| PyValueError::new_err(format!("{index} is not a square from 0 to 63")))
}

fn piece(name: &str) -> PyResult<PieceType> {
    let named = |piece: &PieceType| {
        piece.name().eq_ignore_ascii_case(name) || piece.letter().to_string() == name
    };
    PieceType::PROMOTIONS.into_iter().find(named).ok_or_else(|| {
        PyValueError::new_err(format!(
            "'{name}' is not a promotion: there are Rook, Knight, Bishop, Queen"
        ))
    })
}

impl<'py> FromPyObject<'_, 'py> for AnyAction {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(action) = value.cast::<Action>() {
            return Ok(Self(action.get().0));
        }
        if let Ok(index) = value.extract::<i64>() {
            return of_index(index).map(Self);
        }
        if let Ok(object) = value.cast::<PyDict>()
            && object.len() == 1
            && let Some((key, value)) = object.iter().next()
            && let Ok(key) = key.extract::<String>()
        {
            let action = match key.as_str() {
                "Lift" => Some(paco::Action::Lift(square(value.extract()?)?)),
                "Place" => Some(paco::Action::Place(square(value.extract()?)?)),
                "Promote" => Some(paco::Action::Promote(piece(&value.extract::<String>()?)?)),
                _ => None,
            };
            if let Some(action) = action {
                return Ok(Self(action));
            }
        }
        Err(PyTypeError::new_err(
            "an action must be an Action, a policy index, or a dict like {\"Lift\": 12}",
        ))
    }
}

#[pymethods]
impl Action {
    #[new]
    fn new(index: i64) -> PyResult<Self> {
        of_index(index).map(Self)
    }

    /// Lifts the piece or the union on a square.
    #[classmethod]
    fn lift(_: &Bound<'_, PyType>, on: i64) -> PyResult<Self> {
        square(on).map(paco::Action::Lift).map(Self)
    }

    /// Places the hand on a square.
    #[classmethod]
    fn place(_: &Bound<'_, PyType>, on: i64) -> PyResult<Self> {
        square(on).map(paco::Action::Place).map(Self)
    }

    /// Promotes to a `"Rook"`, `"Knight"`, `"Bishop"` or `"Queen"`.
    #[classmethod]
    fn promote(_: &Bound<'_, PyType>, to: &str) -> PyResult<Self> {
        piece(to).map(paco::Action::Promote).map(Self)
    }

    /// The policy index with absolute squares, 1 to 132.
    #[getter]
    fn index(&self) -> u8 {
        self.0.policy_index()
    }

    /// The policy index as a player sees it: for Black (`False`) squares are mirrored by rank.
    fn index_for(&self, player: bool) -> u8 {
        self.0.policy_index_for(if player { Color::White } else { Color::Black })
    }

    /// `"Lift"`, `"Place"` or `"Promote"`.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0 {
            paco::Action::Lift(_) => "Lift",
            paco::Action::Place(_) => "Place",
            paco::Action::Promote(_) => "Promote",
        }
    }

    /// The square, a1 = 0; ``None`` for promotions.
    #[getter]
    fn square(&self) -> Option<usize> {
        match self.0 {
            paco::Action::Lift(square) | paco::Action::Place(square) => Some(square.index()),
            paco::Action::Promote(_) => None,
        }
    }

    /// The name of the promotion piece.
    #[getter]
    fn promotion(&self) -> Option<&'static str> {
        match self.0 {
            paco::Action::Promote(piece) => Some(piece.name()),
            _ => None,
        }
    }

    /// The action on the board mirrored by rank.
    fn mirrored(&self) -> Self {
        Self(self.0.mirrored())
    }

    /// An object as the reference library writes it, like ``{"Lift": 12}``.
    #[allow(clippy::wrong_self_convention, reason = "methods for Python borrow")]
    fn to_json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let object = PyDict::new(py);
        match self.square() {
            Some(square) => object.set_item(self.kind(), square)?,
            None => object.set_item(self.kind(), self.promotion())?,
        }
        Ok(object)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get() == self)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }

    fn __index__(&self) -> u8 {
        self.index()
    }

    fn __getnewargs__(&self) -> (u8,) {
        (self.index(),)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        match self.0 {
            paco::Action::Lift(square) => format!("Action.lift({})", square.index()),
            paco::Action::Place(square) => format!("Action.place({})", square.index()),
            paco::Action::Promote(piece) => format!("Action.promote('{}')", piece.name()),
        }
    }
}
