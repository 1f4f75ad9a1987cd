//! The messages between the page and its server, as `web/protocol.d.ts` defines and documents them.
//!
//! JSON text frames, tagged by `type`. The set is closed: unknown messages and fields are errors.
//! Squares are checked when a message is parsed; moves are text until they are parsed in a position.

#![allow(missing_docs, reason = "web/protocol.d.ts documents the fields")]

mod client;
mod paco;
mod server;

use serde::{Deserialize, Serialize};

pub use client::{ClientMessage, Saved, SavedMove, SavedPaco, SavedPlay, SavedReport, VariantName};
pub use paco::{
    PacoAction, PacoEnding, PacoHand, PacoHintMessage, PacoLevel, PacoMessage, PacoPiece,
    PacoPlayer, PacoPromotion, PacoSako, PacoShown, PacoSquare, PacoTurn, Required,
};
pub use server::{
    AttentionMessage, Better, GameMessage, GraphPoint, HeadInfo, JudgementName, LearnMessage,
    LearnState, LegalMove, Level, LinesMessage, ModelInfo, ModelMessage, ModelMove, MoveKind,
    NoticeLevel, Opening, OutcomeMessage, PlayMessage, PlayStatus, PlayerReport, PositionMessage,
    PromotionPiece, PvMessage, ReportMessage, ServerMessage, TreeNode, Upload, UploadedGame,
    Welcome,
};

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;

/// A square, `a1` to `h8`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Square(pub chess::Square);

impl TryFrom<String> for Square {
    type Error = chess::ParseSquareError;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        name.parse().map(Self)
    }
}

impl From<Square> for String {
    fn from(square: Square) -> Self {
        square.0.name().to_owned()
    }
}

impl From<chess::Square> for Square {
    fn from(square: chess::Square) -> Self {
        Self(square)
    }
}

/// A move in UCI notation, castling as king takes rook.
pub type Uci = String;

/// A color.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Color {
    White,
    Black,
}

impl From<chess::Color> for Color {
    fn from(color: chess::Color) -> Self {
        if color.is_white() { Self::White } else { Self::Black }
    }
}

impl From<Color> for chess::Color {
    fn from(color: Color) -> Self {
        match color {
            Color::White => Self::White,
            Color::Black => Self::Black,
        }
    }
}

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum GameResult {
    #[serde(rename = "1-0")]
    White,
    #[serde(rename = "0-1")]
    Black,
    #[serde(rename = "1/2-1/2")]
    Draw,
    #[default]
    #[serde(rename = "*")]
    Unknown,
}

impl From<chess::pgn::GameResult> for GameResult {
    fn from(result: chess::pgn::GameResult) -> Self {
        match result {
            chess::pgn::GameResult::WhiteWins => Self::White,
            chess::pgn::GameResult::BlackWins => Self::Black,
            chess::pgn::GameResult::Draw => Self::Draw,
            chess::pgn::GameResult::Unknown => Self::Unknown,
        }
    }
}

impl From<GameResult> for chess::pgn::GameResult {
    fn from(result: GameResult) -> Self {
        match result {
            GameResult::White => Self::WhiteWins,
            GameResult::Black => Self::BlackWins,
            GameResult::Draw => Self::Draw,
            GameResult::Unknown => Self::Unknown,
        }
    }
}

/// A score from White's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreMessage {
    Cp(i32),
    Mate(i32),
}

impl From<chess::Score> for ScoreMessage {
    fn from(score: chess::Score) -> Self {
        match score {
            chess::Score::Centipawns(cp) => Self::Cp(cp),
            chess::Score::Mate(moves) => Self::Mate(moves),
        }
    }
}

/// Per mille of wins, draws and losses of White.
pub type Wdl = [u32; 3];

/// The player of a color.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Player {
    Person {},
    Engine {
        level: usize,
    },
    Model {
        /// Games that an older page has saved have none.
        #[serde(default = "default_rating")]
        rating: u16,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        temperature: Option<f32>,
    },
}

const fn default_rating() -> u16 {
    1600
}

/// A time control.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeControl {
    pub initial_ms: u64,
    pub increment_ms: u64,
}

/// An arrow, or a marked square.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    pub color: ShapeColor,
    pub from: Square,
    pub to: Option<Square>,
}

/// The color of a shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShapeColor {
    Green,
    Red,
    Yellow,
    Blue,
}
