//! The session of a tab: a state machine for chess, messages in and messages out.
//!
//! | file | holds |
//! |---|---|
//! | `document` | the game tree with the judgements of the analysis |
//! | `position` | the position shown: legal moves, words, opening |
//! | `load`, `restore` | games from texts, uploads and the page's saved state |
//! | `keep` | the saved form of the report |
//! | `edit` | comments, glyphs, shapes, order of lines, tags |
//! | `play`, `clock`, `players` | the game in play, its clocks, its players |
//! | `lines` | the engine's lines and threats for the position shown |
//! | `model` | human-move predictions, attention weights |
//! | `report`, `learn` | the analysis of the whole game, exercises from it |
//! | `openings` | names of openings |
//! | `slot` | at most one job per slot |
//! | `refusal` | errors of messages |
//!
//! Handlers only change the state. After every input `Session::flush` sends the changed parts, and starts and stops
//! jobs to match the state.

mod clock;
mod document;
mod edit;
mod keep;
mod learn;
mod lines;
mod load;
mod model;
mod openings;
mod play;
mod players;
mod position;
mod refusal;
mod report;
mod restore;
mod slot;

use std::sync::Arc;
use std::time::Duration;

use chess::pgn::{GameTree, NodeId};
use chess::rng::Rng;

use crate::job::{GameKind, Input, Job, JobId, Output, Update, Work};
use crate::protocol::{
    ClientMessage, NoticeLevel, PROTOCOL, Player, Saved, ServerMessage, Welcome,
};
use document::Document;
use learn::Learn;
use lines::EngineView;
use model::ModelView;
use play::Play;
use refusal::Refusal;
use report::Analysis;
use slot::Slot;

pub use openings::opening;
pub use players::{levels, ratings};

/// Access to uploaded texts.
pub trait Uploads: Send + Sync {
    /// The text of an upload; none if there is no such upload, or it has been dropped.
    fn text(&self, upload: u64) -> Option<Arc<str>>;
}

/// The maximum length of a notice in characters.
const MAX_NOTICE: usize = 400;

/// A node of a document: node ids are only valid within one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct DocumentNode {
    document: u64,
    node: NodeId,
}

/// The parts of the state changed by this input.
#[derive(Default)]
struct Changed {
    game: bool,
    position: bool,
    play: bool,
}

/// The chess part of a tab.
pub struct Session {
    welcome: Welcome,
    uploads: Arc<dyn Uploads>,
    rng: Rng,
    now: Duration,
    document: Document,
    /// The node shown.
    cursor: NodeId,
    play: Option<Play>,
    play_job: Slot<(DocumentNode, Player)>,
    hint: Slot<DocumentNode>,
    engine: EngineView,
    model: ModelView,
    analysis: Analysis,
    learn: Option<Learn>,
    learn_check: Slot<learn::Try>,
    jobs: u64,
    timer: Option<Duration>,
    changed: Changed,
    out: Vec<Output>,
}

impl Session {
    /// A session with the initial position. The welcome is the answer to `hello`. Deterministic: the same seed and
    /// inputs give the same outputs.
    pub fn new(welcome: Welcome, seed: u64, uploads: Arc<dyn Uploads>) -> Self {
        Self {
            welcome,
            uploads,
            rng: Rng::from_seed(seed),
            now: Duration::ZERO,
            document: Document::new(1, GameTree::default(), None),
            cursor: NodeId::ROOT,
            play: None,
            play_job: Slot::default(),
            hint: Slot::default(),
            engine: EngineView::default(),
            model: ModelView::default(),
            analysis: Analysis::default(),
            learn: None,
            learn_check: Slot::default(),
            jobs: 0,
            timer: None,
            changed: Changed::default(),
            out: Vec::new(),
        }
    }

    /// Handles an input at a monotonic time; returns the outputs.
    pub fn handle(&mut self, input: Input, now: Duration) -> Vec<Output> {
        self.now = self.now.max(now);
        // Flag fall first: a message after it is too late.
        self.tick();
        match input {
            Input::Message(message) => {
                let name = message.name();
                if let Err(refusal) = self.message(message) {
                    self.notice(NoticeLevel::Error, refusal.to_string(), Some(name));
                }
            }
            Input::Update(id, update) => self.update(id, update),
            Input::Timer => {}
        }
        self.flush();
        std::mem::take(&mut self.out)
    }

    fn message(&mut self, message: ClientMessage) -> Result<(), Refusal> {
        match message {
            // Uploads are resolved by the tab, which also restores Paco Ŝako.
            ClientMessage::Hello { protocol, saved, .. } => self.hello(protocol, saved),
            ClientMessage::NewGame { variant, position, fen, white, black, clock } => {
                self.new_game(variant, position, fen.as_deref(), [white, black], clock)
            }
            ClientMessage::PlayFrom { white, black, clock } => {
                self.play_from([white, black], clock)
            }
            ClientMessage::Load { text } => self.load(&text),
            ClientMessage::Open { upload, game } => self.open_upload(upload, game),
            ClientMessage::Move { uci, explore } => self.move_by_uci(&uci, explore),
            ClientMessage::TypeMove { text, explore } => self.type_move(&text, explore),
            ClientMessage::GoTo { node } => self.go_to(node),
            ClientMessage::Takeback {} => self.take_back(),
            ClientMessage::Hint {} => self.request_hint(),
            ClientMessage::Resign {} => self.resign(),
            ClientMessage::ClaimDraw {} => self.claim_draw(),
            ClientMessage::SetComment { node, text } => self.set_comment(node, &text),
            ClientMessage::SetNags { node, nags } => self.set_nags(node, &nags),
            ClientMessage::SetShapes { node, shapes } => self.set_shapes(node, &shapes),
            ClientMessage::PromoteVariation { node } => self.promote_variation(node),
            ClientMessage::MakeMainLine { node } => self.make_main_line(node),
            ClientMessage::DeleteNode { node } => self.delete_node(node),
            ClientMessage::SetTags { tags } => self.set_tags(&tags),
            ClientMessage::GetPgn {} => {
                let text = self.document.tree.to_string();
                self.send(ServerMessage::Pgn { text });
                Ok(())
            }
            ClientMessage::SetEngine { on, multipv, threat } => {
                self.engine.set(on, multipv, threat);
                Ok(())
            }
            ClientMessage::SetModel { on, rating } => {
                self.model.set(on, rating);
                Ok(())
            }
            ClientMessage::GetAttention { layer, head } => self.request_attention(layer, head),
            ClientMessage::Preview { node, moves } => self.preview(node, moves),
            ClientMessage::AnalyseGame { seconds } => self.analyse_game(seconds),
            ClientMessage::StopAnalysis {} => {
                self.stop_analysis();
                Ok(())
            }
            ClientMessage::Learn { color } => self.start_learning(color.into()),
            ClientMessage::LearnTry { uci } => self.learn_try(&uci),
            ClientMessage::LearnShow {} => self.learn_show(),
            ClientMessage::LearnNext {} => self.learn_next(),
            ClientMessage::LearnEnd {} => {
                self.learn = None;
                Ok(())
            }
            _ => Err(Refusal::NotChess),
        }
    }

    fn hello(&mut self, protocol: u32, saved: Option<Box<Saved>>) -> Result<(), Refusal> {
        if protocol != PROTOCOL {
            return Err(Refusal::Protocol(protocol));
        }
        self.send(ServerMessage::Welcome(self.welcome.clone()));
        self.changed = Changed { game: true, position: true, play: true };
        match saved {
            Some(saved) => self.restore(&saved),
            None => Ok(()),
        }
    }

    fn update(&mut self, id: JobId, update: Update) {
        // Every job belongs to one slot; the others ignore its id.
        match update {
            Update::Lines(lines) => return self.engine_lines(id, lines),
            Update::Found { best, lines } => {
                self.play_found(id, best);
                self.hint_found(id, best);
                self.threat_found(id, &lines);
                self.model_checked(id, &lines);
                self.learn_checked(id, &lines);
                self.engine_found(id, lines);
            }
            Update::Prediction(prediction) => {
                self.play_predicted(id, &prediction);
                self.model_predicted(id, prediction);
            }
            Update::Attention(weights) => self.attention_found(id, &weights),
            Update::Progress { done, total } => return self.analysis_progress(id, done, total),
            Update::Analysed(analysis) => self.analysed(id, *analysis),
            Update::PacoTurn(_) | Update::PacoIn { .. } => {}
            Update::Failed(problem) => self.failed(id, problem),
        }
        // Unexpected update from a worker: the job fails.
        self.failed(id, "unexpected update from a worker: this is a bug".to_owned());
    }

    /// A job failed. Its slot is marked as failed, so that the job is not restarted at once.
    fn failed(&mut self, id: JobId, problem: String) {
        let known = [
            self.play_failed(id),
            self.hint.finish(id).is_some(),
            self.engine.failed(id),
            self.model.failed(id),
            self.analysis.failed(id),
            self.learn_failed(id),
        ];
        if known.contains(&true) {
            self.notice(NoticeLevel::Error, problem, None);
        }
    }

    /// Sends the changed parts; starts and stops jobs and the timer to match the state.
    fn flush(&mut self) {
        let changed = std::mem::take(&mut self.changed);
        if changed.game {
            let message = self.document.message();
            self.send(ServerMessage::Game(message));
        }
        if changed.position {
            let message = self.position_message();
            self.send(ServerMessage::Position(message));
        }
        if changed.play {
            let message = self.play_message();
            self.send(ServerMessage::Play(message));
        }
        self.play_jobs();
        self.engine_jobs(changed.position);
        self.model_jobs(changed.position);
        self.learn_jobs();
        let timers = [self.play_timer(), self.engine.timer()];
        let timer = timers.into_iter().flatten().min();
        if timer != self.timer {
            self.timer = timer;
            self.out.push(Output::SetTimer(timer));
        }
    }

    /// The node shown, with its document.
    fn place(&self) -> DocumentNode {
        DocumentNode { document: self.document.number, node: self.cursor }
    }

    /// Opens another game; discards the game in play, analysis and exercises.
    fn open(&mut self, tree: GameTree, problem: Option<String>) {
        self.discard_analysis();
        self.learn = None;
        self.play = None;
        self.document = Document::new(self.document.number + 1, tree, problem);
        self.cursor = NodeId::ROOT;
        self.changed = Changed { game: true, position: true, play: true };
    }

    fn show(&mut self, node: NodeId) {
        if self.cursor != node {
            self.cursor = node;
            self.changed.position = true;
        }
    }

    fn go_to(&mut self, node: u32) -> Result<(), Refusal> {
        let node = self.document.find(node)?;
        self.show(node);
        Ok(())
    }

    fn send(&mut self, message: ServerMessage) {
        self.out.push(Output::Send(message));
    }

    /// A one-line notice, sanitized: errors may quote the page's input.
    fn notice(&mut self, level: NoticeLevel, text: String, about: Option<&str>) {
        let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        let text: String = plain.take(MAX_NOTICE).collect();
        let about = about.map(str::to_owned);
        self.send(ServerMessage::Notice { level, text, about });
    }

    fn start(&mut self, work: Work) -> JobId {
        self.jobs += 1;
        let id = JobId { game: GameKind::Chess, number: self.jobs };
        self.out.push(Output::Start(Job { id, work }));
        id
    }
}
