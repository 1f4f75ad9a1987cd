//! One WebSocket a tab: messages in, messages out, jobs started and stopped in between.
//!
//! A tab is one task that owns its state. While it sends, it reads nothing; while it owes time, it reads nothing:
//! whoever sends too fast or reads too slowly is held back by TCP, and hurts nobody else.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::credit::Credit;
use crate::job::{Input, JobId, Output, Update};
use crate::protocol::{ClientMessage, NoticeLevel, ServerMessage};
use crate::tab::Tab;
use crate::tabs::TabPermit;
use crate::workers::mailbox::{Mailbox, News};
use crate::workers::{JobHandle, Workers};

/// The time to take a message: who reads slower is dropped.
const SEND_TIME: Duration = Duration::from_secs(10);
/// Time between pings.
const PING_EVERY: Duration = Duration::from_secs(20);
/// A tab that has not been heard of for so long, not even by a pong, is gone.
const SILENCE: Duration = Duration::from_secs(60);
/// Messages that are none before the socket is closed.
const MAX_MALFORMED: u32 = 20;
/// Jobs of a tab at a time.
const MAX_JOBS: usize = 16;
/// What a message costs,
const MESSAGE_COST: Duration = Duration::from_millis(8);
/// and how much the time of computing its answer counts.
const TIME_FACTOR: u32 = 10;
/// How much a tab may spend at once. It earns a second a second.
const MAX_CREDIT: Duration = Duration::from_secs(1);

/// Why a socket ends.
enum End {
    /// The other side has closed it, is too slow, or has broken the protocol.
    Gone,
    /// We close it, for a reason.
    Refused(u16, &'static str),
}

/// An open tab with its connection.
struct Connection {
    socket: WebSocket,
    place: TabPermit,
    workers: Arc<Workers>,
    mailbox: Arc<Mailbox>,
    /// Jobs that have not answered yet. They end when they are dropped.
    jobs: HashMap<JobId, JobHandle>,
    tab: Tab,
    begun: Instant,
    timer: Option<Duration>,
    malformed: u32,
    credit: Credit,
}

/// Serves a tab until its socket is closed.
pub async fn run(socket: WebSocket, place: TabPermit) {
    let begun = Instant::now();
    let mut connection = Connection {
        socket,
        workers: Arc::clone(place.tabs().workers()),
        mailbox: Arc::default(),
        jobs: HashMap::new(),
        tab: Tab::new(place.number(), place.tabs()),
        place,
        begun,
        timer: None,
        malformed: 0,
        credit: Credit::new(MAX_CREDIT, begun),
    };
    let end = connection.serve().await;
    connection.jobs.clear();
    if let End::Refused(code, reason) = end {
        let frame = CloseFrame { code, reason: reason.into() };
        let _ = connection.send_frame(Message::Close(Some(frame))).await;
    }
}

impl Connection {
    async fn serve(&mut self) -> End {
        let mut heard = Instant::now();
        let mut pings = interval(PING_EVERY);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let debt = self.credit.debt(Instant::now());
            let timer = self.timer.map(|at| at.saturating_sub(self.begun.elapsed()));
            let result = tokio::select! {
                biased;
                () = sleep(timer.unwrap_or_default()), if timer.is_some() => {
                    self.timer = None;
                    self.handle(Input::Timer).await
                }
                news = self.mailbox.next() => self.hear(news).await,
                message = self.socket.recv(), if debt.is_zero() => match message {
                    Some(Ok(message)) => {
                        heard = Instant::now();
                        self.read(message).await
                    }
                    Some(Err(_)) | None => Err(End::Gone),
                },
                () = sleep(debt), if !debt.is_zero() => Ok(()),
                _ = pings.tick() => match heard.elapsed() < SILENCE {
                    true => self.send_frame(Message::Ping(Bytes::new())).await,
                    false => Err(End::Gone),
                },
            };
            if let Err(end) = result {
                return end;
            }
        }
    }

    /// A frame of the page.
    async fn read(&mut self, message: Message) -> Result<(), End> {
        let started = Instant::now();
        let result = match message {
            Message::Text(text) => match serde_json::from_str::<ClientMessage>(&text) {
                Ok(message) => self.handle(Input::Message(message)).await,
                Err(error) => self.refuse(&format!("this is no message: {error}")).await,
            },
            Message::Binary(_) => self.refuse("messages are text").await,
            Message::Close(_) => Err(End::Gone),
            Message::Ping(_) | Message::Pong(_) => Ok(()),
        };
        let now = Instant::now();
        self.credit.spend(MESSAGE_COST + TIME_FACTOR * (now - started), now);
        result
    }

    /// Answers what is no message, a limited number of times.
    async fn refuse(&mut self, text: &str) -> Result<(), End> {
        self.malformed += 1;
        if self.malformed > MAX_MALFORMED {
            return Err(End::Refused(close_code::POLICY, "too many malformed messages"));
        }
        self.notify(NoticeLevel::Error, text).await
    }

    async fn notify(&mut self, level: NoticeLevel, text: &str) -> Result<(), End> {
        self.send(&ServerMessage::Notice { level, text: text.to_owned(), about: None }).await
    }

    /// News of a job.
    async fn hear(&mut self, news: News) -> Result<(), End> {
        match news {
            News::Waits => {
                let text = "Other searches use all cores: this one waits for its turn.";
                self.notify(NoticeLevel::Info, text).await
            }
            News::Update(id, update) => {
                if !matches!(update, Update::Lines(_) | Update::Progress { .. }) {
                    self.jobs.remove(&id);
                }
                self.handle(Input::Update(id, update)).await
            }
        }
    }

    async fn handle(&mut self, input: Input) -> Result<(), End> {
        let now = self.begun.elapsed();
        for output in self.tab.handle(input, now) {
            match output {
                Output::Send(message) => self.send(&message).await?,
                Output::Start(job) if self.jobs.len() < MAX_JOBS => {
                    let id = job.id;
                    let handle = self.workers.start(self.place.number(), job, &self.mailbox);
                    self.jobs.insert(id, handle);
                }
                Output::Start(job) => {
                    let refusal = Update::Failed("too many searches at once".to_owned());
                    self.mailbox.post(News::Update(job.id, refusal));
                }
                Output::Stop(id) => {
                    if let Some(job) = self.jobs.get(&id) {
                        job.stop();
                    }
                }
                Output::SetTimer(at) => self.timer = at,
            }
        }
        Ok(())
    }

    async fn send(&mut self, message: &ServerMessage) -> Result<(), End> {
        // Messages are plain data, which cannot fail to be written.
        let Ok(text) = serde_json::to_string(message) else { return Ok(()) };
        self.send_frame(Message::text(text)).await
    }

    async fn send_frame(&mut self, message: Message) -> Result<(), End> {
        match timeout(SEND_TIME, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(End::Gone),
        }
    }
}
