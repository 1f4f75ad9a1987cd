//! A log of all lines between the client and its engines.

use std::fs::File;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A log file shared by all engine processes, or none.
#[derive(Clone, Default)]
pub struct Log(Option<Arc<(Mutex<File>, Instant)>>);

impl Log {
    /// Logs to a file, with the seconds since now on each line.
    pub fn new(file: File) -> Self {
        Self(Some(Arc::new((Mutex::new(file), Instant::now()))))
    }

    pub(crate) fn write(&self, label: &str, arrow: &str, text: &str) {
        if let Some(log) = &self.0 {
            let line = format!("{:10.3} {label} {arrow} {text}\n", log.1.elapsed().as_secs_f64());
            // A log that cannot be written must not end a match.
            let _ = log.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
        }
    }
}
