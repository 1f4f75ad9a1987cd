//! The log of a training: `log.jsonl`, one JSON object per line.
//!
//! Lines are appended. A resumed run drops the lines after its checkpoint and keeps the text of the
//! others unchanged. The numbers may go to TensorBoard as well; a resumed run writes them again, from the
//! first line, so that no step is there twice.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use data::write_atomic;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::TrainError;
use crate::event_file::{self, EventFile};

/// The name of the log.
pub const LOG: &str = "log.jsonl";
/// Logs are read up to this size.
const MAX_BYTES: u64 = 1 << 30;

/// A line of a log.
pub trait LogLine: Serialize + DeserializeOwned {
    /// Steps taken when it was written.
    fn step(&self) -> u64;
}

/// The lines of a log; text that does not parse is skipped.
pub fn read<L: LogLine>(path: &Path) -> Vec<L> {
    read_until(path, u64::MAX).into_iter().map(|(_, line)| line).collect()
}

/// The lines up to a step, with their text.
fn read_until<L: LogLine>(path: &Path, last_step: u64) -> Vec<(String, L)> {
    let bytes = regular::read(path, MAX_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let line = |text: &str| Some((text.to_owned(), serde_json::from_str::<L>(text).ok()?));
    text.lines().filter_map(line).filter(|(_, line)| line.step() <= last_step).collect()
}

/// A log. Nothing is written before [`resume`](Log::resume) or [`append`](Log::append).
#[derive(Debug)]
pub struct Log<L> {
    path: PathBuf,
    file: Option<File>,
    lines: Vec<L>,
    /// The directory of event files, and the one of this process.
    board: Option<(PathBuf, Option<EventFile>)>,
}

impl<L: LogLine> Log<L> {
    /// The log in an output directory.
    pub fn new(out: &Path) -> Self {
        Self { path: out.join(LOG), file: None, lines: Vec::new(), board: None }
    }

    /// The log, with an event file of TensorBoard in a directory, if one is given.
    #[must_use]
    pub fn with_tensorboard(mut self, folder: Option<&Path>) -> Self {
        self.board = folder.map(|folder| (folder.to_owned(), None));
        self
    }

    /// Reads the lines of an earlier process and drops those after `last_step`.
    pub fn resume(&mut self, last_step: u64) -> Result<(), TrainError> {
        let kept = read_until(&self.path, last_step);
        let text: String = kept.iter().map(|(text, _)| format!("{text}\n")).collect();
        write_atomic(&self.path, text.as_bytes())?;
        self.lines = kept.into_iter().map(|(_, line)| line).collect();
        self.file = None;
        self.restart_board()
    }

    /// Writes all lines to a new event file.
    fn restart_board(&mut self) -> Result<(), TrainError> {
        let Some((folder, events)) = &mut self.board else { return Ok(()) };
        let events = events.insert(EventFile::create(folder)?);
        self.lines.iter().try_for_each(|line| write_scalars(events, line))
    }

    /// All lines.
    pub fn lines(&self) -> &[L] {
        &self.lines
    }

    /// Appends a line.
    pub fn append(&mut self, line: L) -> Result<(), TrainError> {
        let text = serde_json::to_string(&line).unwrap_or_default() + "\n";
        if let Some((_, Some(events))) = &mut self.board {
            write_scalars(events, &line)?;
        }
        self.lines.push(line);
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let file = OpenOptions::new().append(true).create(true).open(&self.path);
                self.file.insert(file.map_err(TrainError::io("open", &self.path))?)
            }
        };
        file.write_all(text.as_bytes()).map_err(TrainError::io("write", &self.path))
    }

    /// Syncs the file to disk.
    pub fn sync(&self) -> Result<(), TrainError> {
        let Some(file) = &self.file else { return Ok(()) };
        file.sync_all().map_err(TrainError::io("write", &self.path))
    }
}

fn write_scalars<L: LogLine>(events: &mut EventFile, line: &L) -> Result<(), TrainError> {
    match serde_json::to_value(line) {
        Ok(Value::Object(values)) => events.scalars(line.step(), &event_file::tags(&values)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
    struct Entry {
        step: u64,
        loss: f64,
    }

    impl LogLine for Entry {
        fn step(&self) -> u64 {
            self.step
        }
    }

    #[test]
    fn a_resumed_log_keeps_the_text_up_to_its_step_and_drops_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOG);
        // A digit that parsing and printing would lose, a truncated line, a line of a later step.
        let first = "{\"step\":1,\"loss\":0.10000000000000000001}\n";
        let later = "{\"step\":3,\"loss\":0.25}\n{\"step\":4,\"lo";
        std::fs::write(&path, format!("{first}nonsense\n{later}")).unwrap();
        let mut log = Log::<Entry>::new(folder.path());
        log.resume(2).unwrap();
        assert_eq!(log.lines(), [Entry { step: 1, loss: 0.1 }]);
        log.append(Entry { step: 3, loss: 0.5 }).unwrap();
        log.sync().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, format!("{first}{{\"step\":3,\"loss\":0.5}}\n"));
        assert_eq!(read::<Entry>(&path), log.lines());
        assert!(read::<Entry>(&folder.path().join("missing")).is_empty());
    }
}
