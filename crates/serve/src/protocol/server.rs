//! Messages of the server.

use serde::{Deserialize, Serialize};

use super::{
    Color, GameResult, PacoHintMessage, PacoLevel, PacoMessage, Player, SavedReport, ScoreMessage,
    Shape, Square, TimeControl, Uci, VariantName, Wdl,
};

/// A message of the server.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage {
    Welcome(Welcome),
    Game(GameMessage),
    Position(PositionMessage),
    Play(PlayMessage),
    Hint {
        node: u32,
        uci: Uci,
        san: String,
    },
    Lines(LinesMessage),
    Threat {
        node: u32,
        uci: Uci,
        san: String,
        score: ScoreMessage,
    },
    Model(ModelMessage),
    Attention(AttentionMessage),
    Preview {
        node: u32,
        moves: Vec<Uci>,
        fen: String,
        last: Option<(Square, Square)>,
        check: Option<Square>,
    },
    Progress {
        done: usize,
        total: usize,
    },
    Report(ReportMessage),
    Learn(LearnMessage),
    Pgn {
        text: String,
    },
    Paco(Box<PacoMessage>),
    PacoHint(PacoHintMessage),
    Notice {
        level: NoticeLevel,
        text: String,
        about: Option<String>,
    },
}

/// The kind of a notice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeLevel {
    Info,
    Error,
}

/// The answer to `hello`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Welcome {
    pub protocol: u32,
    pub session: u64,
    pub version: String,
    pub cores: usize,
    pub levels: Vec<Level>,
    pub ratings: Vec<u16>,
    pub paco_levels: Vec<PacoLevel>,
    pub model: ModelInfo,
}

/// A strength.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Level {
    pub name: String,
    pub detail: String,
}

/// The transformer.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ModelInfo {
    pub layers: usize,
    pub heads: Vec<HeadInfo>,
}

/// An attention head.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HeadInfo {
    pub name: String,
    pub free: bool,
}

/// The whole tree.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameMessage {
    pub document: u64,
    pub variant: VariantName,
    pub start_fen: String,
    pub tags: Vec<(String, String)>,
    pub result: GameResult,
    pub nodes: Vec<TreeNode>,
    pub problem: Option<String>,
}

/// A node of the tree.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TreeNode {
    pub id: u32,
    pub parent: Option<u32>,
    pub ply: usize,
    pub uci: Option<Uci>,
    pub san: Option<String>,
    pub children: Vec<u32>,
    pub comment: String,
    pub nags: Vec<u8>,
    pub shapes: Vec<Shape>,
    pub score: Option<ScoreMessage>,
    pub mark: Option<JudgementName>,
    pub loss: Option<f64>,
    pub better: Option<Better>,
    pub refutation: Option<Better>,
}

/// A judgement by expected points lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum JudgementName {
    #[serde(rename = "?!")]
    Dubious,
    #[serde(rename = "?")]
    Mistake,
    #[serde(rename = "??")]
    Blunder,
}

/// A line with its score.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Better {
    pub uci: Vec<Uci>,
    pub san: Vec<String>,
    pub score: ScoreMessage,
}

/// The position shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PositionMessage {
    pub document: u64,
    pub node: u32,
    pub fen: String,
    pub turn: Color,
    pub legal: Vec<LegalMove>,
    pub check: Option<Square>,
    pub last: Option<(Square, Square)>,
    pub outcome: Option<OutcomeMessage>,
    pub opening: Option<Opening>,
    pub spoken: String,
}

/// A legal move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LegalMove {
    pub uci: Uci,
    pub san: String,
    pub from: Square,
    pub to: Vec<Square>,
    pub promotion: Option<PromotionPiece>,
}

/// The piece of a promotion.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum PromotionPiece {
    #[serde(rename = "q")]
    Queen,
    #[serde(rename = "r")]
    Rook,
    #[serde(rename = "b")]
    Bishop,
    #[serde(rename = "n")]
    Knight,
}

/// The end of a game by rule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OutcomeMessage {
    pub result: GameResult,
    pub reason: String,
}

/// The name of an opening.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Opening {
    pub eco: String,
    pub name: String,
}

/// The state of the game in play.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayStatus {
    None,
    Playing,
    Over,
}

/// The game in play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlayMessage {
    pub status: PlayStatus,
    pub white: Player,
    pub black: Player,
    pub clock: Option<TimeControl>,
    pub white_ms: u64,
    pub black_ms: u64,
    pub running: Option<Color>,
    pub node: u32,
    pub line: Vec<Uci>,
    pub thinking: bool,
    pub result: GameResult,
    pub reason: Option<String>,
    pub claimable: Option<String>,
    pub can_take_back: bool,
}

/// A line of the engine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PvMessage {
    pub score: ScoreMessage,
    pub wdl: Wdl,
    pub uci: Vec<Uci>,
    pub san: Vec<String>,
}

/// The lines of the engine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LinesMessage {
    pub node: u32,
    pub depth: i32,
    pub seldepth: usize,
    pub nodes: u64,
    pub nps: u64,
    pub lines: Vec<PvMessage>,
    pub done: bool,
}

/// The predictions of the model.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ModelMessage {
    pub node: u32,
    pub wdl: Wdl,
    pub moves: Vec<ModelMove>,
}

/// A predicted move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ModelMove {
    pub uci: Uci,
    pub san: String,
    pub probability: f32,
    pub loss: Option<f64>,
    pub kind: Option<MoveKind>,
}

/// How prediction and engine differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveKind {
    Hard,
    Trap,
}

/// Attention weights.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AttentionMessage {
    pub node: u32,
    pub layer: usize,
    pub head: usize,
    pub weights: Vec<u16>,
}

/// The analysis of a whole game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ReportMessage {
    pub document: u64,
    pub complete: bool,
    pub white: PlayerReport,
    pub black: PlayerReport,
    pub graph: Vec<GraphPoint>,
    pub saved: SavedReport,
}

/// The report of a player.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlayerReport {
    pub name: String,
    pub accuracy: f64,
    pub marks: [usize; 3],
    pub mean_loss: f64,
    pub moves: usize,
}

/// A point of the evaluation graph.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct GraphPoint {
    pub node: u32,
    pub score: ScoreMessage,
    pub expectation: f64,
    pub mark: Option<JudgementName>,
}

/// "Learn from your mistakes".
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LearnMessage {
    pub color: Color,
    pub index: usize,
    pub total: usize,
    pub state: LearnState,
    pub node: Option<u32>,
    pub played: Option<String>,
    pub tried: Option<String>,
    pub best: Option<String>,
    pub right: usize,
}

/// The state of an exercise.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LearnState {
    Find,
    Thinking,
    Right,
    Wrong,
    Shown,
    Done,
}

/// The answer to an upload.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Upload {
    pub upload: u64,
    pub games: Vec<UploadedGame>,
}

/// A game of an upload.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct UploadedGame {
    pub title: String,
    pub result: GameResult,
    pub plies: usize,
    pub problem: Option<String>,
}
