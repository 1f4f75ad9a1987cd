//! The jobs that a session starts, and their updates.
//!
//! A session has no thread and no clock. It takes an [`Input`] and the time, and returns [`Output`]s: messages
//! for the page, jobs for the workers, the time of its next [`Input::Timer`]. Jobs carry ids, so that late
//! answers are recognized.

use std::time::Duration;

use chess::pgn::GameTree;
use chess::{Game, Move, Position};
use engine::analysis::GameAnalysis;
use engine::search::{Limits, Weakening};
use engine::value::Value;
use pra::predict::PositionPrediction;

use crate::protocol::{ClientMessage, ServerMessage};

/// An input of a session.
#[derive(Debug)]
pub enum Input {
    /// A message from the page.
    Message(ClientMessage),
    /// An update from a worker.
    Update(JobId, Update),
    /// The timer of the last [`Output::SetTimer`]; an early or replaced one has no effect.
    Timer,
}

/// An output of a session.
#[derive(Debug)]
pub enum Output {
    /// Send a message to the page.
    Send(ServerMessage),
    /// Start a job.
    Start(Job),
    /// Stop a job. It still answers, once and soon, with its result so far.
    Stop(JobId),
    /// Set the timer: [`Input::Timer`] at this time, which replaces an earlier one; `None`: no timer.
    SetTimer(Option<Duration>),
}

/// The game of a tab that a job belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameKind {
    /// Chess.
    Chess,
    /// Paco Ŝako.
    Paco,
}

/// The identifier of a job, unique within a tab.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct JobId {
    /// The game that started it.
    pub game: GameKind,
    /// Sequence number in that game.
    pub number: u64,
}

/// A job for the workers.
#[derive(Debug)]
pub struct Job {
    /// Its identifier.
    pub id: JobId,
    /// The task.
    pub work: Work,
}

/// The task of a job. Its updates are any number of [`Update::Lines`] or [`Update::Progress`], and then one
/// other.
#[derive(Debug)]
pub enum Work {
    /// Searches a position: [`Update::Lines`] as they change, [`Update::Found`] at the end.
    Search(Search),
    /// The move probabilities and the value of a position: [`Update::Prediction`].
    Predict {
        /// The position with its history.
        game: Game,
        /// The rating of both players; `None` if unknown.
        rating: Option<u16>,
    },
    /// The attention weights of a head: [`Update::Attention`].
    Attention {
        /// The position.
        position: Position,
        /// Counted from 0.
        layer: usize,
        /// Counted from 0.
        head: usize,
    },
    /// Analyzes the main line of a game: [`Update::Progress`] after each position, [`Update::Analysed`].
    AnalyseGame {
        /// The game.
        tree: GameTree,
        /// The limits of the first look at each position.
        limits: Limits,
    },
    /// A turn of Paco Ŝako: [`Update::PacoTurn`].
    PacoTurn(Box<PacoTurn>),
    /// A search for a forced Paco: [`Update::PacoIn`].
    PacoIn {
        /// The position.
        position: Box<paco::Position>,
        /// The most turns.
        turns: u8,
    },
}

/// A turn of Paco Ŝako to be chosen.
#[derive(Clone, Debug)]
pub struct PacoTurn {
    /// The position.
    pub position: paco::Position,
    /// The keys of the positions after earlier turns.
    pub seen: Vec<u64>,
    /// How it is chosen.
    pub strategy: paco::Strategy,
    /// The depth of a search in turns.
    pub depth: u32,
    /// The time of a search.
    pub time: Duration,
    /// Chooses among equal turns.
    pub seed: u64,
}

/// A search.
#[derive(Clone, Debug)]
pub struct Search {
    /// Its purpose, which determines its priority.
    pub purpose: Purpose,
    /// The position with its history.
    pub game: Game,
    /// Its limits; an infinite search runs until it is stopped.
    pub limits: Limits,
    /// The number of lines.
    pub multi_pv: usize,
    /// Limited strength.
    pub weakening: Option<Weakening>,
}

/// The purpose of a search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Purpose {
    /// To play a move or give a hint: a person waits for it.
    Play,
    /// To show lines of the current position.
    Analysis,
    /// To compare a few moves, briefly.
    Check,
}

/// An update of a job.
#[derive(Debug)]
pub enum Update {
    /// The lines so far, rate-limited by the worker.
    Lines(Lines),
    /// The end of a search.
    Found {
        /// The move to play; none without a legal move.
        best: Option<Move>,
        /// The last lines.
        lines: Lines,
    },
    /// The prediction of the model.
    Prediction(PositionPrediction),
    /// Attention weights by query and key square, in board coordinates; empty if there is no such head.
    Attention(Vec<f32>),
    /// Progress of the analysis of a game.
    Progress {
        /// Positions evaluated.
        done: usize,
        /// All positions, the start included.
        total: usize,
    },
    /// The analysis of a game, up to where it was stopped.
    Analysed(Box<GameAnalysis>),
    /// The actions of a turn; `None` if no turn can be completed.
    PacoTurn(Option<Vec<paco::Action>>),
    /// Whether a Paco can be forced, and within how many turns.
    PacoIn {
        /// The least number of turns found to be enough, or the requested number.
        turns: u8,
        /// The first turn.
        answer: paco::PacoIn,
    },
    /// The job failed; a one-line message.
    Failed(String),
}

/// The state of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lines {
    /// The depth of the first line.
    pub depth: i32,
    /// The deepest ply reached.
    pub seldepth: usize,
    /// Nodes searched.
    pub nodes: u64,
    /// Time since the start of the search.
    pub elapsed: Duration,
    /// The best first.
    pub lines: Vec<ScoredLine>,
}

/// A line with its score.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScoredLine {
    /// For the side to move, in centipawns.
    pub score: Value,
    /// The moves.
    pub moves: Vec<Move>,
}
