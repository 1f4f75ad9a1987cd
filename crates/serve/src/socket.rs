//! The WebSocket of a tab: one task that owns its state, handles its messages, and starts and stops its jobs.
//!
//! No reads while sending or over the rate limit: TCP backpressure slows the client.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::job::{Input, JobId, Output, Update};
use crate::protocol::{ClientMessage, NoticeLevel, ServerMessage};
use crate::tab::Tab;
use crate::tabs::TabPermit;
use crate::token_bucket::TokenBucket;
use crate::workers::mailbox::{Mailbox, TabEvent};
use crate::workers::{JobHandle, Workers};

/// Timeout of sending a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
/// Time between pings.
const PING_INTERVAL: Duration = Duration::from_secs(20);
/// Idle timeout; pongs count as activity.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// Invalid messages before closing.
const MAX_MALFORMED: u32 = 20;
/// Concurrent jobs of a tab.
const MAX_JOBS: usize = 16;
/// The fixed cost of a message.
const MESSAGE_COST: Duration = Duration::from_millis(8);
/// The weight of the time to compute the answer.
const TIME_FACTOR: u32 = 10;
/// The burst of the rate limit.
const BURST: Duration = Duration::from_secs(1);

/// Why a socket is closed.
enum End {
    /// The client has closed it, is too slow, or has violated the WebSocket protocol.
    Gone,
    /// The server closes it, with code and reason.
    Closed(u16, &'static str),
}

/// An open tab with its connection.
struct Connection {
    socket: WebSocket,
    permit: TabPermit,
    workers: Arc<Workers>,
    mailbox: Arc<Mailbox>,
    /// Running jobs, cancelled on drop.
    jobs: HashMap<JobId, JobHandle>,
    tab: Tab,
    begun: Instant,
    timer: Option<Duration>,
    malformed: u32,
    rate_limit: TokenBucket,
}

/// Serves a tab until its socket is closed.
pub async fn run(socket: WebSocket, permit: TabPermit) {
    let begun = Instant::now();
    let mut connection = Connection {
        socket,
        workers: Arc::clone(permit.tabs().workers()),
        mailbox: Arc::default(),
        jobs: HashMap::new(),
        tab: Tab::new(permit.number(), permit.tabs()),
        permit,
        begun,
        timer: None,
        malformed: 0,
        rate_limit: TokenBucket::new(BURST, begun),
    };
    let end = connection.serve().await;
    connection.jobs.clear();
    if let End::Closed(code, reason) = end {
        let frame = CloseFrame { code, reason: reason.into() };
        let _ = connection.send_frame(Message::Close(Some(frame))).await;
    }
}

impl Connection {
    async fn serve(&mut self) -> End {
        let mut last_frame = Instant::now();
        let mut pings = interval(PING_INTERVAL);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let wait = self.rate_limit.wait(Instant::now());
            let timer = self.timer.map(|at| at.saturating_sub(self.begun.elapsed()));
            let result = tokio::select! {
                biased;
                () = sleep(timer.unwrap_or_default()), if timer.is_some() => {
                    self.timer = None;
                    self.handle(Input::Timer).await
                }
                event = self.mailbox.next() => self.handle_event(event).await,
                message = self.socket.recv(), if wait.is_zero() => match message {
                    Some(Ok(message)) => {
                        last_frame = Instant::now();
                        self.read(message).await
                    }
                    Some(Err(_)) | None => Err(End::Gone),
                },
                () = sleep(wait), if !wait.is_zero() => Ok(()),
                _ = pings.tick() => match last_frame.elapsed() < IDLE_TIMEOUT {
                    true => self.send_frame(Message::Ping(Bytes::new())).await,
                    false => Err(End::Gone),
                },
            };
            if let Err(end) = result {
                return end;
            }
        }
    }

    /// Handles a frame from the page.
    async fn read(&mut self, message: Message) -> Result<(), End> {
        let started = Instant::now();
        let result = match message {
            Message::Text(text) => match serde_json::from_str::<ClientMessage>(&text) {
                Ok(message) => self.handle(Input::Message(message)).await,
                Err(error) => self.refuse(&format!("invalid message: {error}")).await,
            },
            Message::Binary(_) => self.refuse("invalid message: a binary frame").await,
            Message::Close(_) => Err(End::Gone),
            Message::Ping(_) | Message::Pong(_) => Ok(()),
        };
        let now = Instant::now();
        self.rate_limit.take(MESSAGE_COST + TIME_FACTOR * (now - started), now);
        result
    }

    /// Answers an invalid message, a limited number of times.
    async fn refuse(&mut self, text: &str) -> Result<(), End> {
        self.malformed += 1;
        if self.malformed > MAX_MALFORMED {
            return Err(End::Closed(close_code::POLICY, "too many malformed messages"));
        }
        self.notify(NoticeLevel::Error, text).await
    }

    async fn notify(&mut self, level: NoticeLevel, text: &str) -> Result<(), End> {
        self.send(&ServerMessage::Notice { level, text: text.to_owned(), about: None }).await
    }

    /// Handles an event of the jobs.
    async fn handle_event(&mut self, event: TabEvent) -> Result<(), End> {
        match event {
            TabEvent::Waiting => {
                let text = "Other searches use all cores: this one is queued.";
                self.notify(NoticeLevel::Info, text).await
            }
            TabEvent::Update(id, update) => {
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
                    let handle = self.workers.start(self.permit.number(), job, &self.mailbox);
                    self.jobs.insert(id, handle);
                }
                Output::Start(job) => {
                    let refusal = Update::Failed("too many searches at once".to_owned());
                    self.mailbox.post(TabEvent::Update(job.id, refusal));
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
        // Messages are plain data: serialization cannot fail.
        let Ok(text) = serde_json::to_string(message) else { return Ok(()) };
        self.send_frame(Message::text(text)).await
    }

    async fn send_frame(&mut self, message: Message) -> Result<(), End> {
        match timeout(SEND_TIMEOUT, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(End::Gone),
        }
    }
}
