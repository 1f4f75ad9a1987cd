//! The state of a tab: chess and Paco Ŝako side by side, distinguished by their messages and jobs.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use pra::config::{HEADS, PIECE_HEADS};
use pra::masks::head_name;

use crate::job::{GameKind, Input, Output};
use crate::paco::{self, PacoSession};
use crate::protocol::{
    ClientMessage, HeadInfo, ModelInfo, NoticeLevel, PROTOCOL, Saved, ServerMessage, Welcome,
};
use crate::session::{Session, Uploads, levels, ratings};
use crate::tabs::Tabs;

/// The state of a tab.
pub struct Tab {
    chess: Session,
    paco: PacoSession,
    uploads: Arc<TabUploads>,
}

/// The uploads of a tab.
struct TabUploads {
    tabs: Tabs,
    tab: u64,
}

impl Uploads for TabUploads {
    fn text(&self, upload: u64) -> Option<Arc<str>> {
        self.tabs.upload(self.tab, upload)
    }
}

impl Tab {
    /// A new tab with this number.
    pub fn new(number: u64, tabs: &Tabs) -> Self {
        let uploads = Arc::new(TabUploads { tabs: tabs.clone(), tab: number });
        let welcome = welcome(number, tabs.cores());
        let chess = Session::new(welcome, number, uploads.clone());
        Self { chess, paco: PacoSession::new(number), uploads }
    }

    /// Handles an input at a monotonic time; returns the outputs.
    pub fn handle(&mut self, input: Input, now: Duration) -> Vec<Output> {
        let mut out = Vec::new();
        match input {
            Input::Message(message) if message.is_paco() => self.paco.message(message, &mut out),
            Input::Update(id, update) if id.game == GameKind::Paco => {
                self.paco.update(id, update, &mut out);
            }
            Input::Message(ClientMessage::Hello { protocol, saved, upload }) => {
                let (saved, problem) = match upload.map(|upload| self.saved(upload)) {
                    None => (saved, None),
                    Some(Ok(saved)) => (Some(saved), None),
                    Some(Err(problem)) => (None, Some(problem)),
                };
                let paco = saved.as_ref().and_then(|saved| saved.paco.clone());
                let hello = ClientMessage::Hello { protocol, saved, upload: None };
                out = self.chess.handle(Input::Message(hello), now);
                if let Some(text) = problem {
                    let (level, about) = (NoticeLevel::Error, Some("hello".to_owned()));
                    out.push(Output::Send(ServerMessage::Notice { level, text, about }));
                }
                if let Some(saved) = paco {
                    self.paco.restore(&saved, &mut out);
                }
            }
            input => out = self.chess.handle(input, now),
        }
        out
    }

    /// The state saved by the page, from an upload.
    fn saved(&self, upload: u64) -> Result<Box<Saved>, String> {
        let text = self.uploads.text(upload).ok_or("The saved game is no longer there.")?;
        serde_json::from_str(&text).map_err(|_| "The saved game cannot be read.".to_owned())
    }
}

fn welcome(session: u64, cores: usize) -> Welcome {
    Welcome {
        protocol: PROTOCOL,
        session,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        cores,
        levels: levels(),
        ratings: ratings(),
        paco_levels: paco::levels(),
        model: model().clone(),
    }
}

/// The layers and heads of the embedded model.
fn model() -> &'static ModelInfo {
    static MODEL: OnceLock<ModelInfo> = OnceLock::new();
    MODEL.get_or_init(|| {
        let layers = pra::embedded().map_or(0, |weights| weights.config().depth);
        let head = |n| HeadInfo { name: head_name(n).to_owned(), free: n >= PIECE_HEADS };
        ModelInfo { layers, heads: (0..HEADS).map(head).collect() }
    })
}
