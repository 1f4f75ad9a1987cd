//! Messages about Paco Ŝako.

use serde::{Deserialize, Serialize};

use super::{Color, GameResult, Square};

/// The player of a color.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum PacoPlayer {
    Person {},
    Player { level: usize },
}

/// A piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "named by the piece")]
pub enum PacoPiece {
    #[serde(rename = "p")]
    Pawn,
    #[serde(rename = "r")]
    Rook,
    #[serde(rename = "n")]
    Knight,
    #[serde(rename = "b")]
    Bishop,
    #[serde(rename = "q")]
    Queen,
    #[serde(rename = "k")]
    King,
}

/// The piece of a promotion.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum PacoPromotion {
    #[serde(rename = "r")]
    Rook,
    #[serde(rename = "n")]
    Knight,
    #[serde(rename = "b")]
    Bishop,
    #[serde(rename = "q")]
    Queen,
}

/// One action of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PacoAction {
    Lift(Square),
    Place(Square),
    Promote(PacoPromotion),
}

/// The kind of the next action.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Required {
    Lift,
    Place,
    Promote,
}

/// A strength of the player.
pub type PacoLevel = super::Level;

/// The game of Paco Ŝako.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PacoMessage {
    pub white: PacoPlayer,
    pub black: PacoPlayer,
    pub start: String,
    pub fen: String,
    pub board: Vec<PacoSquare>,
    pub hand: Option<PacoHand>,
    pub turn: Color,
    pub required: Required,
    pub promotion: Option<Square>,
    pub legal: Vec<PacoAction>,
    pub unfinished: bool,
    pub stuck: bool,
    pub turns: Vec<PacoTurn>,
    pub shown: PacoShown,
    pub live: bool,
    pub last: Vec<Square>,
    pub sako: Option<PacoSako>,
    pub thinking: bool,
    pub ending: Option<PacoEnding>,
    pub spoken: String,
}

/// An occupied square.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PacoSquare {
    pub square: Square,
    pub white: Option<PacoPiece>,
    pub black: Option<PacoPiece>,
}

/// The lifted piece or union.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PacoHand {
    pub square: Square,
    pub piece: PacoPiece,
    pub partner: Option<PacoPiece>,
}

/// A turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PacoTurn {
    pub color: Color,
    pub notation: String,
    pub actions: Vec<String>,
}

/// The position shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PacoShown {
    pub turns: usize,
    pub actions: usize,
}

/// Players in Ŝako.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PacoSako {
    pub white: bool,
    pub black: bool,
}

/// How the game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PacoEnding {
    pub result: GameResult,
    pub reason: String,
}

/// A hint.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PacoHintMessage {
    pub paco_in: Option<u8>,
    pub notation: Option<String>,
    pub actions: Vec<String>,
    pub text: String,
}
