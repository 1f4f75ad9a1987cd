//! Runs the jobs of the tabs on blocking threads, at most one per core at a time.
//!
//! | file | holds |
//! |---|---|
//! | `permits` | a semaphore with priorities |
//! | `engines` | a pool of engines |
//! | `search` | searches for moves and lines |
//! | `game` | the analysis of a whole game |
//! | `model` | the human-like model |
//! | `paco` | the player of Paco Ŝako |
//! | `mailbox` | updates to the tab |

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
use mailbox::{Mailbox, TabEvent};
use model::Model;
use permits::{Permit, Permits};

/// Engines in the pool besides one per core.
const SPARE_ENGINES: usize = 4;
/// The time slice of an analysis while other analyses wait.
const SLICE: Duration = Duration::from_millis(600);
/// Its time slice while urgent jobs wait.
const SHORT_SLICE: Duration = Duration::from_millis(80);
/// A job that waits longer than this for a permit reports it.
const REPORT_WAITING: Duration = Duration::from_millis(1500);

/// State shared by all jobs.
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

    /// Opens a tab: engines are kept for it.
    pub fn open(&self, tab: u64) {
        self.engines.open(tab);
    }

    /// Closes a tab: its engines are dropped.
    pub fn close(&self, tab: u64) {
        self.engines.close(tab);
    }

    /// Starts a job of a tab. It ends soon after the handle is dropped or stopped, and posts its last update.
    pub fn start(self: &Arc<Self>, tab: u64, job: Job, mailbox: &Arc<Mailbox>) -> JobHandle {
        let (handle, stop) = watch::channel(false);
        let context =
            Context { workers: Arc::clone(self), mailbox: Arc::clone(mailbox), tab, id: job.id };
        // A panic is caught by the inner task, and becomes an update.
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
    /// Requests cancellation.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

/// Cancellation signal.
#[derive(Clone)]
struct Stop(watch::Receiver<bool>);

impl Stop {
    /// Waits for the signal.
    async fn stopped(&mut self) {
        // An error means that the handle was dropped.
        let _ = self.0.wait_for(|stop| *stop).await;
    }

    fn is_stopped(&self) -> bool {
        *self.0.borrow() || self.0.has_changed().is_err()
    }
}

/// Calls a function when dropped, so that a computation ends with the task that awaits it, also at the shutdown of
/// the runtime.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        self.0();
    }
}

/// The context of a job.
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
            Work::Predict { .. } | Work::Attention { .. } => self.workers.model.run(work).await,
            Work::PacoTurn(task) => paco::turn(&self, *task, &mut stop).await,
            Work::PacoIn { position, turns } => {
                paco::paco_in(&self, *position, turns, &mut stop).await
            }
        }
    }

    fn report(&self, update: Update) {
        self.mailbox.post(TabEvent::Update(self.id, update));
    }

    /// Acquires a permit, and reports a long wait to the tab; `None` if cancelled.
    async fn permit(&self, is_urgent: bool, stop: &mut Stop) -> Option<Permit> {
        let acquire = async {
            let mut permit = std::pin::pin!(self.workers.permits.acquire(is_urgent));
            match timeout(REPORT_WAITING, permit.as_mut()).await {
                Ok(permit) => permit,
                Err(_) => {
                    self.mailbox.post(TabEvent::Waiting);
                    permit.await
                }
            }
        };
        tokio::select! {
            permit = acquire => Some(permit),
            () = stop.stopped() => None,
        }
    }

    /// Whether an infinite search has used up its time slice.
    fn is_slice_over(&self, elapsed: Duration) -> bool {
        let (urgent, others) = self.workers.permits.waiting();
        (urgent > 0 && elapsed >= SHORT_SLICE) || (others > 0 && elapsed >= SLICE)
    }
}
