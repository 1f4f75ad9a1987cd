//! The engine of a session: idle, or on the thread of its search.
//!
//! Ownership is the lock: while a search runs, its thread owns the engine, so nothing else can change it.
//! The engine is handed over once the thread has started; where no thread can be started, it stays.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;

use uci::Output;

use crate::search::{Control, Engine, builder};

/// An engine that is either idle or searching.
pub struct EngineSlot {
    state: State,
    output: Output,
}

enum State {
    Idle(Box<Engine>),
    Busy(Running),
    /// The thread of the search has not returned the engine.
    Lost,
}

struct Running {
    thread: JoinHandle<Option<Box<Engine>>>,
    control: Arc<Control>,
    /// The last line is sent or about to be: the thread ends without further work.
    answered: Arc<AtomicBool>,
}

/// Why there is no engine to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SlotError {
    /// A search is running and has not been stopped.
    #[error("a search is running, send stop first")]
    Busy,
    /// The engine is gone, and there is no memory for another.
    #[error("there is no engine")]
    Lost,
}

impl EngineSlot {
    pub fn new(engine: Engine, output: Output) -> Self {
        Self { state: State::Idle(Box::new(engine)), output }
    }

    /// The engine, if it is idle.
    pub fn engine(&mut self) -> Result<&mut Engine, SlotError> {
        match &mut self.state {
            State::Idle(engine) => Ok(engine),
            State::Busy(_) => Err(SlotError::Busy),
            State::Lost => Err(SlotError::Lost),
        }
    }

    /// Whether a search is running that has neither answered nor been stopped.
    pub fn is_searching(&self) -> bool {
        matches!(&self.state, State::Busy(running)
            if !running.answered.load(SeqCst) && !running.control.is_stopped())
    }

    pub fn stop(&self) {
        if let State::Busy(running) = &self.state {
            running.control.stop();
        }
    }

    pub fn ponder_hit(&self) {
        if let State::Busy(running) = &self.state {
            running.control.ponder_hit();
        }
    }

    /// Waits for the end of the search; false if there is no engine afterwards.
    pub fn join(&mut self) -> bool {
        self.state = match std::mem::replace(&mut self.state, State::Lost) {
            State::Busy(running) => match running.thread.join() {
                Ok(Some(engine)) => State::Idle(engine),
                _ => State::Lost,
            },
            other => other,
        };
        matches!(self.state, State::Idle(_))
    }

    /// Runs `work` on its own thread, and sends the line that it returns last. If it panics, `fallback`
    /// is sent instead; if no thread can be started, the error is returned.
    pub fn start(
        &mut self,
        pondering: bool,
        fallback: Option<String>,
        work: impl FnOnce(&mut Engine, &Control, &Output) -> Option<String> + Send + 'static,
    ) -> io::Result<()> {
        let control = Arc::new(Control::new(pondering));
        let answered = Arc::new(AtomicBool::new(false));
        let output = self.output.clone();
        let (thread_control, thread_answered) = (Arc::clone(&control), Arc::clone(&answered));
        let (hand_over, receive) = channel::<Box<Engine>>();
        let run = move || {
            let mut engine = receive.recv().ok()?;
            let result =
                catch_unwind(AssertUnwindSafe(|| work(&mut engine, &thread_control, &output)));
            let last = result.unwrap_or_else(|_| {
                output.error("the search panicked");
                engine.new_game();
                fallback
            });
            thread_answered.store(true, SeqCst);
            if let Some(last) = last {
                output.line(last);
            }
            Some(engine)
        };
        let thread = builder().and_then(|builder| builder.spawn(run))?;
        let busy = State::Busy(Running { thread, control, answered });
        if let State::Idle(engine) = std::mem::replace(&mut self.state, busy) {
            let _ = hand_over.send(engine);
        }
        Ok(())
    }
}

impl Drop for EngineSlot {
    fn drop(&mut self) {
        self.stop();
        self.join();
    }
}
