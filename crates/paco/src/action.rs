//! Actions, and their two machine forms: policy indices and JSON.
//!
//! A turn is a sequence of actions: `Lift` a piece or a union, `Place` the hand (repeatedly in a chain),
//! `Promote` a pawn that has arrived. All legal actions of a state are of one kind.
//!
//! | policy index | action |
//! |---|---|
//! | 1..=64 | `Lift(square)`, 1 + square |
//! | 65..=128 | `Place(square)`, 65 + square |
//! | 129..=132 | `Promote` to rook, knight, bishop, queen |
//!
//! Seen *with perspective* the squares are mirrored by rank for Black.

use alloc::string::{String, ToString};
use core::fmt;

use chess::{Color, Square};
use serde_json::{Value, json};

use crate::PieceType;

/// One action of a player.
///
/// ```
/// use tabiya_paco::chess::{Color, Square};
/// use tabiya_paco::{Action, PieceType};
/// let action = Action::Lift(Square::E2);
/// assert_eq!(action.policy_index(), 13);
/// assert_eq!(action.policy_index_for(Color::Black), 1 + Square::E7.index() as u8);
/// assert_eq!(Action::from_policy_index(132), Some(Action::Promote(PieceType::Queen)));
/// assert_eq!(action.to_json().to_string(), r#"{"Lift":12}"#);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Lifts the piece or the union on the square.
    Lift(Square),
    /// Places the hand on the square.
    Place(Square),
    /// Promotes the pending pawn to a rook, knight, bishop or queen.
    Promote(PieceType),
}

impl Action {
    /// The policy index with absolute squares, 1..=132.
    ///
    /// A promotion to anything but rook, knight or bishop counts as one to a queen.
    pub const fn policy_index(self) -> u8 {
        match self {
            Self::Lift(square) => 1 + square.index() as u8,
            Self::Place(square) => 65 + square.index() as u8,
            Self::Promote(PieceType::Rook) => 129,
            Self::Promote(PieceType::Knight) => 130,
            Self::Promote(PieceType::Bishop) => 131,
            Self::Promote(_) => 132,
        }
    }

    /// The action of a policy index with absolute squares.
    pub const fn from_policy_index(index: u8) -> Option<Self> {
        match index {
            1..=64 => Some(Self::Lift(Square::from_index_wrapping(index as usize - 1))),
            65..=128 => Some(Self::Place(Square::from_index_wrapping(index as usize - 65))),
            129 => Some(Self::Promote(PieceType::Rook)),
            130 => Some(Self::Promote(PieceType::Knight)),
            131 => Some(Self::Promote(PieceType::Bishop)),
            132 => Some(Self::Promote(PieceType::Queen)),
            _ => None,
        }
    }

    /// The same action on the board mirrored by rank.
    pub const fn mirrored(self) -> Self {
        match self {
            Self::Lift(square) => Self::Lift(Square::from_index_wrapping(square.index() ^ 56)),
            Self::Place(square) => Self::Place(Square::from_index_wrapping(square.index() ^ 56)),
            Self::Promote(piece) => Self::Promote(piece),
        }
    }

    /// The policy index as this player sees it, with his own side at the bottom.
    pub const fn policy_index_for(self, player: Color) -> u8 {
        match player {
            Color::White => self.policy_index(),
            Color::Black => self.mirrored().policy_index(),
        }
    }

    /// The action of a policy index as this player sees it.
    pub const fn from_policy_index_for(index: u8, player: Color) -> Option<Self> {
        match (Self::from_policy_index(index), player) {
            (Some(action), Color::Black) => Some(action.mirrored()),
            (action, _) => action,
        }
    }

    /// `{"Lift":12}`, `{"Place":28}` or `{"Promote":"Queen"}`.
    pub fn to_json(self) -> Value {
        match self {
            Self::Lift(square) => json!({ "Lift": square.index() }),
            Self::Place(square) => json!({ "Place": square.index() }),
            Self::Promote(piece) => json!({ "Promote": piece.name() }),
        }
    }

    /// Parses the output of [`to_json`](Self::to_json).
    ///
    /// ```
    /// use tabiya_paco::{Action, chess::Square};
    /// let value: serde_json::Value = serde_json::from_str(r#"{"Place":28}"#).unwrap();
    /// assert_eq!(Action::from_json(&value), Ok(Action::Place(Square::E4)));
    /// assert!(Action::from_json(&serde_json::json!({"Place": 64})).is_err());
    /// ```
    pub fn from_json(value: &Value) -> Result<Self, ParseActionError> {
        let refuse = || ParseActionError(value.to_string());
        let object = value.as_object().filter(|object| object.len() == 1).ok_or_else(refuse)?;
        let (kind, argument) = object.iter().next().ok_or_else(refuse)?;
        let square = || {
            argument.as_u64().filter(|&n| n < 64).map(|n| Square::from_index_wrapping(n as usize))
        };
        let action = match kind.as_str() {
            "Lift" => square().map(Self::Lift),
            "Place" => square().map(Self::Place),
            "Promote" => PieceType::PROMOTIONS
                .into_iter()
                .find(|piece| argument.as_str() == Some(piece.name()))
                .map(Self::Promote),
            _ => None,
        };
        action.ok_or_else(refuse)
    }
}

/// As [`to_json`](Action::to_json) writes it.
#[cfg(feature = "serde")]
impl serde::Serialize for Action {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Action {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_json(&Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lift(square) => write!(f, "lift {square}"),
            Self::Place(square) => write!(f, "place {square}"),
            Self::Promote(piece) => write!(f, "promote to {}", piece.name().to_lowercase()),
        }
    }
}

/// The JSON value is not an action.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "an action is {{\"Lift\": 0–63}}, {{\"Place\": 0–63}} or {{\"Promote\": \"Rook|Knight|Bishop|Queen\"}}, not {0}"
)]
pub struct ParseActionError(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policy_indices_round_trip() {
        let mut known = 0;
        for index in 0..=255 {
            let Some(action) = Action::from_policy_index(index) else { continue };
            known += 1;
            assert_eq!(action.policy_index(), index);
            assert_eq!(Action::from_json(&action.to_json()), Ok(action));
            for player in Color::ALL {
                let seen = action.policy_index_for(player);
                assert_eq!(Action::from_policy_index_for(seen, player), Some(action));
            }
        }
        assert_eq!(known, 132);
        assert_eq!(Action::from_policy_index(0), None);
        assert_eq!(Action::from_policy_index(133), None);
    }

    #[test]
    fn perspective_mirrors_ranks_and_keeps_files() {
        let lift = Action::Lift(Square::B8);
        assert_eq!(lift.policy_index_for(Color::Black), Action::Lift(Square::B1).policy_index());
        assert_eq!(lift.policy_index_for(Color::White), lift.policy_index());
    }

    #[cfg(feature = "serde")]
    #[test]
    fn actions_round_trip_through_serde() {
        for action in [Action::Lift(Square::A1), Action::Promote(PieceType::Queen)] {
            let json = serde_json::to_string(&action).unwrap();
            assert_eq!(json, action.to_json().to_string());
            assert_eq!(serde_json::from_str::<Action>(&json).unwrap(), action);
        }
        assert!(serde_json::from_str::<Action>(r#"{"Place":64}"#).is_err());
    }

    #[test]
    fn other_json_is_rejected_with_its_text() {
        for text in [
            "3",
            "{}",
            r#"{"Lift":-1}"#,
            r#"{"Lift":1.5}"#,
            r#"{"Promote":"King"}"#,
            r#"{"Lift":1,"Place":2}"#,
            r#"{"lift":1}"#,
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            let error = Action::from_json(&value).unwrap_err();
            assert!(error.to_string().ends_with(&value.to_string()), "{error}");
        }
    }
}
