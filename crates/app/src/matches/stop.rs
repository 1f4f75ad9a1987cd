//! The wish to stop, seen by all threads of a match: Ctrl-C, a decided test, an error.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::interrupt;

/// Flags that are set once.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Flags>);

#[derive(Debug, Default)]
struct Flags {
    stop: AtomicBool,
    interrupted: AtomicBool,
}

impl Stop {
    pub fn set(&self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }

    pub fn is_set(&self) -> bool {
        self.0.stop.load(Ordering::Relaxed)
    }

    /// Whether it was the user who wished so.
    pub fn is_interrupted(&self) -> bool {
        self.0.interrupted.load(Ordering::Relaxed)
    }

    /// Stops on Ctrl-C and when the program is asked to end. The second time it ends at once; engines
    /// then find their input closed.
    pub fn on_interrupt(&self) -> anyhow::Result<()> {
        let stop = self.clone();
        interrupt::listen(move || {
            stop.0.interrupted.store(true, Ordering::Relaxed);
            stop.set();
        })?;
        Ok(())
    }
}
