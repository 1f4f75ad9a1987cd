//! Jobs of the tabs, on threads of their own: as many at once as there are cores.
//!
//! | file | holds |
//! |---|---|
//! | `permits` | who may compute |
//! | `engines` | engines that are kept between searches |
//! | `search` | searches for moves and lines |
//! | `game` | the analysis of a whole game |
//! | `model` | the human-like model |
//! | `paco` | the player of Paco Ŝako |
//! | `mailbox` | what jobs tell their tab |

mod engines;
mod game;
pub mod mailbox;
mod model;
mod paco;
mod permits;
mod search;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use crate::job::{Job, JobId, Update, Work};
use engines::Engines;
use mailbox::{Mailbox, News};
use model::Model;
use permits::{Permit, Permits};

/// Engines that are kept besides one a core.
const SPARE_ENGINES: usize = 4;
/// An analysis gives way to another after this time,
const SLICE: Duration = Duration::from_millis(600);
/// and to a move that someone waits for after this.
const SHORT_SLICE: Duration = Duration::from_millis(80);
/// A job that waits longer than this reports it.
const PATIENCE: Duration = Duration::from_millis(1500);

/// What all jobs share.
pub struct Workers {
    permits: Permits,
    engines: Engines,
    model: Model,
}

impl Workers {
    /// Workers for this many cores.
    pub fn new(cores: usize) -> Self {
        Self {
            permits: Permits::new(cores),
            engines: Engines::new(cores + SPARE_ENGINES),
            model: Model::default(),
        }
    }

    /// A tab is open from now on: engines are kept for it.
    pub fn open(&self, tab: u64) {
        self.engines.open(tab);
    }

    /// A tab is gone, and its engines with it.
    pub fn close(&self, tab: u64) {
        self.engines.close(tab);
    }

    /// Starts a job of a tab. It ends soon after the handle is dropped or stopped, and has then posted
    /// its answer.
    pub fn start(self: &Arc<Self>, tab: u64, job: Job, mailbox: &Arc<Mailbox>) -> JobHandle {
        let (handle, stop) = watch::channel(false);
        let context =
            Context { workers: Arc::clone(self), mailbox: Arc::clone(mailbox), tab, id: job.id };
        // A panic of a job is caught by its task, and becomes an answer here.
        let work = tokio::spawn(async move {
            let answer = tokio::spawn(context.clone().run(job.work, Stop(stop))).await;
            let failed = |_| Update::Failed("a bug ended the computation".to_owned());
            context.report(answer.unwrap_or_else(failed));
        });
        drop(work);
        JobHandle(handle)
    }
}

/// A running job.
pub struct JobHandle(watch::Sender<bool>);

impl JobHandle {
    /// Asks it to end.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

/// Tells a job when to end.
#[derive(Clone)]
struct Stop(watch::Receiver<bool>);

impl Stop {
    /// Waits until the job should end.
    async fn stopped(&mut self) {
        // An error means that the tab is gone.
        let _ = self.0.wait_for(|stop| *stop).await;
    }

    fn is_stopped(&self) -> bool {
        *self.0.borrow() || self.0.has_changed().is_err()
    }
}

/// Calls a function when it is dropped: a computation ends with the task that waits for it, also when the
/// runtime shuts down and nobody stops it.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        self.0();
    }
}

/// A job and its surroundings.
#[derive(Clone)]
struct Context {
    workers: Arc<Workers>,
    mailbox: Arc<Mailbox>,
    tab: u64,
    id: JobId,
}

impl Context {
    async fn run(self, work: Work, mut stop: Stop) -> Update {
        match work {
            Work::Search(search) => search::run(&self, search, &mut stop).await,
            Work::AnalyseGame { tree, limits } => game::run(&self, tree, limits, stop).await,
            Work::Predict(_) | Work::Attention { .. } => self.workers.model.answer(work).await,
            Work::PacoTurn(task) => paco::turn(&self, *task, &mut stop).await,
            Work::PacoIn { position, turns } => {
                paco::paco_in(&self, *position, turns, &mut stop).await
            }
        }
    }

    fn report(&self, update: Update) {
        self.mailbox.post(News::Update(self.id, update));
    }

    /// Waits for a permit, and tells the tab if that takes long; `None` if the job should end.
    async fn permit(&self, is_urgent: bool, stop: &mut Stop) -> Option<Permit> {
        let acquire = async {
            let mut permit = std::pin::pin!(self.workers.permits.acquire(is_urgent));
            match timeout(PATIENCE, permit.as_mut()).await {
                Ok(permit) => permit,
                Err(_) => {
                    self.mailbox.post(News::Waits);
                    permit.await
                }
            }
        };
        tokio::select! {
            permit = acquire => Some(permit),
            () = stop.stopped() => None,
        }
    }

    /// Whether a computation without an end should give way after this time.
    fn is_due(&self, elapsed: Duration) -> bool {
        let (urgent, others) = self.workers.permits.waiting();
        (urgent > 0 && elapsed >= SHORT_SLICE) || (others > 0 && elapsed >= SLICE)
    }
}
