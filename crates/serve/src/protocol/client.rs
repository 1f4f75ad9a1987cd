//! Messages of the page.

use serde::{Deserialize, Serialize};

use super::{
    Color, GameResult, JudgementName, PacoAction, PacoPlayer, Player, Shape, TimeControl, Uci,
};

/// A message of the page.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientMessage {
    Hello {
        protocol: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        saved: Option<Box<Saved>>,
        /// The saved state as an upload, where it is too long for a message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        upload: Option<u64>,
    },
    NewGame {
        variant: VariantName,
        #[serde(default)]
        position: Option<u16>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fen: Option<String>,
        white: Player,
        black: Player,
        clock: Option<TimeControl>,
    },
    PlayFrom {
        white: Player,
        black: Player,
        clock: Option<TimeControl>,
    },
    Load {
        text: String,
    },
    Open {
        upload: u64,
        game: usize,
    },
    Move {
        uci: Uci,
        /// Always a variation, never a move of the game in play.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        explore: bool,
    },
    TypeMove {
        text: String,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        explore: bool,
    },
    GoTo {
        node: u32,
    },
    Takeback {},
    Hint {},
    Resign {},
    ClaimDraw {},
    SetComment {
        node: u32,
        text: String,
    },
    SetNags {
        node: u32,
        nags: Vec<u8>,
    },
    SetShapes {
        node: u32,
        shapes: Vec<Shape>,
    },
    PromoteVariation {
        node: u32,
    },
    MakeMainLine {
        node: u32,
    },
    DeleteNode {
        node: u32,
    },
    SetTags {
        tags: Vec<(String, String)>,
    },
    GetPgn {},
    SetEngine {
        on: bool,
        multipv: usize,
        threat: bool,
    },
    SetModel {
        on: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rating: Option<u16>,
    },
    GetAttention {
        layer: usize,
        head: usize,
    },
    Preview {
        node: u32,
        moves: Vec<Uci>,
    },
    AnalyseGame {
        seconds: f64,
    },
    StopAnalysis {},
    Learn {
        color: Color,
    },
    LearnTry {
        uci: Uci,
    },
    LearnShow {},
    LearnNext {},
    LearnEnd {},
    PacoNew {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fen: Option<String>,
        white: PacoPlayer,
        black: PacoPlayer,
    },
    PacoLoad {
        text: String,
        white: PacoPlayer,
        black: PacoPlayer,
    },
    PacoAct {
        action: PacoAction,
    },
    PacoUndo {
        all: bool,
    },
    PacoTakeback {},
    PacoResign {},
    PacoGoTo {
        turns: usize,
        actions: usize,
    },
    PacoPlayFrom {},
    PacoHint {
        paco_in: u8,
    },
    PacoThreats {
        on: bool,
    },
}

impl ClientMessage {
    /// The `type` of the message.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Hello { .. } => "hello",
            Self::NewGame { .. } => "new_game",
            Self::PlayFrom { .. } => "play_from",
            Self::Load { .. } => "load",
            Self::Open { .. } => "open",
            Self::Move { .. } => "move",
            Self::TypeMove { .. } => "type_move",
            Self::GoTo { .. } => "go_to",
            Self::Takeback {} => "takeback",
            Self::Hint {} => "hint",
            Self::Resign {} => "resign",
            Self::ClaimDraw {} => "claim_draw",
            Self::SetComment { .. } => "set_comment",
            Self::SetNags { .. } => "set_nags",
            Self::SetShapes { .. } => "set_shapes",
            Self::PromoteVariation { .. } => "promote_variation",
            Self::MakeMainLine { .. } => "make_main_line",
            Self::DeleteNode { .. } => "delete_node",
            Self::SetTags { .. } => "set_tags",
            Self::GetPgn {} => "get_pgn",
            Self::SetEngine { .. } => "set_engine",
            Self::SetModel { .. } => "set_model",
            Self::GetAttention { .. } => "get_attention",
            Self::Preview { .. } => "preview",
            Self::AnalyseGame { .. } => "analyse_game",
            Self::StopAnalysis {} => "stop_analysis",
            Self::Learn { .. } => "learn",
            Self::LearnTry { .. } => "learn_try",
            Self::LearnShow {} => "learn_show",
            Self::LearnNext {} => "learn_next",
            Self::LearnEnd {} => "learn_end",
            Self::PacoNew { .. } => "paco_new",
            Self::PacoLoad { .. } => "paco_load",
            Self::PacoAct { .. } => "paco_act",
            Self::PacoUndo { .. } => "paco_undo",
            Self::PacoTakeback {} => "paco_takeback",
            Self::PacoResign {} => "paco_resign",
            Self::PacoGoTo { .. } => "paco_go_to",
            Self::PacoPlayFrom {} => "paco_play_from",
            Self::PacoHint { .. } => "paco_hint",
            Self::PacoThreats { .. } => "paco_threats",
        }
    }

    /// Whether the message is for the Paco Ŝako session.
    pub fn is_paco(&self) -> bool {
        self.name().starts_with("paco_")
    }
}

/// The variant of a new game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VariantName {
    Chess,
    Chess960,
}

/// The state that the page saves across reloads.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pgn: Option<String>,
    pub path: Vec<Uci>,
    pub play: Option<SavedPlay>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<SavedReport>,
    pub paco: Option<SavedPaco>,
}

/// The game in play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedPlay {
    pub white: Player,
    pub black: Player,
    pub clock: Option<TimeControl>,
    pub white_ms: u64,
    pub black_ms: u64,
    pub line: Vec<Uci>,
    pub result: GameResult,
    pub reason: Option<String>,
}

/// The analysis of the whole game, as a report carries it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedReport {
    pub complete: bool,
    pub start: i32,
    pub line: Vec<Uci>,
    pub moves: Vec<Option<SavedMove>>,
}

/// The analysis of a move; scores are the engine's own, from White's point of view.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedMove {
    pub score: i32,
    pub loss: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<JudgementName>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reply: Vec<Uci>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub better: Option<(Vec<Uci>, i32)>,
}

/// The game of Paco Ŝako.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedPaco {
    pub start: String,
    pub actions: Vec<String>,
    pub white: PacoPlayer,
    pub black: PacoPlayer,
}
