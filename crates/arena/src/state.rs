//! The state file: the settings of a match, then one line of JSON for each finished game. A match that was
//! killed resumes from it.
//!
//! Lines are only appended, each in one write. An incomplete last line is dropped; anything else that is
//! unexpected is an error, so that two matches are never mixed.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::GameRecord;

/// The first key of the header; its value is the version of the format.
const FORMAT: &str = "tabiya_match";
const VERSION: u64 = 1;

/// Why a state file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The file cannot be opened, read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// `open`, `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another match writes it.
    #[error("{} is in use by another match", .0.display())]
    InUse(PathBuf),
    /// The file is something else.
    #[error("{} is not the state of a match", .0.display())]
    NotAState(PathBuf),
    /// The header is damaged or of another match.
    #[error("cannot resume {}: {reason}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// The difference.
        reason: String,
    },
    /// A line is damaged.
    #[error("{}, line {line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// Why.
        reason: String,
    },
}

/// An open state file.
#[derive(Debug)]
pub struct State {
    file: File,
    path: PathBuf,
}

impl State {
    /// Opens or creates the file of a match with these settings, and reads its finished games.
    pub fn open(path: &Path, settings: &Value) -> Result<(Self, Vec<GameRecord>), StateError> {
        let io = |action| move |source| StateError::Io { action, path: path.to_owned(), source };
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let mut file = options.open(path).map_err(io("open"))?;
        // Two matches with one file would play the same games. Where files cannot be locked, that is up
        // to the user.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(StateError::InUse(path.to_owned()));
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(io("read"))?;
        // A file of another kind is left alone, even without a line end.
        if !text.is_empty() && !text.starts_with(&format!("{{\"{FORMAT}\"")) {
            return Err(StateError::NotAState(path.to_owned()));
        }
        let complete = text.rfind('\n').map_or(0, |end| end + 1);
        if complete < text.len() {
            file.set_len(complete as u64).map_err(io("write"))?;
            file.seek(SeekFrom::End(0)).map_err(io("write"))?;
        }
        let mut state = Self { file, path: path.to_owned() };
        let mut lines = text[..complete].lines();
        let Some(header) = lines.next() else {
            // Not by serde, so that the key of the format comes first.
            state.append(&format!("{{\"{FORMAT}\":{VERSION},\"settings\":{settings}}}"))?;
            return Ok((state, Vec::new()));
        };
        check_header(header, settings)
            .map_err(|reason| StateError::Header { path: path.to_owned(), reason })?;
        let records = read_records(lines).map_err(|(line, reason)| StateError::Line {
            path: path.to_owned(),
            line,
            reason,
        })?;
        Ok((state, records))
    }

    /// Appends a finished game.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), StateError> {
        let line = serde_json::to_string(record).map_err(io::Error::from);
        line.map_err(|source| self.write_error(source)).and_then(|line| self.append(&line))
    }

    fn append(&mut self, line: &str) -> Result<(), StateError> {
        // One write: a kill leaves a complete line or none.
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.map_err(|source| self.write_error(source))
    }

    fn write_error(&self, source: io::Error) -> StateError {
        StateError::Io { action: "write", path: self.path.clone(), source }
    }
}

/// The games of the lines after the header. A game may be there twice only if it was played again because
/// its opening had not been stored: then the later one counts. An error has the number of its line.
fn read_records<'a>(
    lines: impl Iterator<Item = &'a str>,
) -> Result<Vec<GameRecord>, (usize, String)> {
    let mut records: Vec<GameRecord> = Vec::new();
    let mut index_of = HashMap::new();
    for (n, text) in lines.enumerate() {
        let line = n + 2;
        let record: GameRecord =
            serde_json::from_str(text).map_err(|error| (line, error.to_string()))?;
        match index_of.entry(record.game) {
            Entry::Vacant(entry) => {
                entry.insert(records.len());
                records.push(record);
            }
            Entry::Occupied(entry) => {
                let earlier = &mut records[*entry.get()];
                if earlier.opening.is_some() || record.opening.is_none() {
                    return Err((line, format!("game {} is there twice", record.game)));
                }
                *earlier = record;
            }
        }
    }
    Ok(records)
}

/// Compares the settings of the file with ours; an error names the first difference.
fn check_header(header: &str, settings: &Value) -> Result<(), String> {
    let header: Value =
        serde_json::from_str(header).map_err(|error| format!("its header is damaged: {error}"))?;
    let version = &header[FORMAT];
    if version != VERSION {
        return Err(format!("its format has version {version}, not {VERSION}"));
    }
    compare_settings(&header["settings"], settings)
}

/// Compares the settings of a state file with ours; an error names the first difference.
pub(crate) fn compare_settings(theirs: &Value, ours: &Value) -> Result<(), String> {
    let none = Map::new();
    let [theirs, ours] = [theirs, ours].map(|settings| settings.as_object().unwrap_or(&none));
    for name in ours.keys().chain(theirs.keys()) {
        let (theirs, ours) = (theirs.get(name), ours.get(name));
        if theirs != ours {
            let show = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_string);
            let (theirs, ours) = (show(theirs), show(ours));
            return Err(format!("it has another setting of '{name}': {theirs} there, {ours} now"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ending, Fault, PlayerRecord};
    use serde_json::json;

    fn record(game: u32) -> GameRecord {
        let mut sides = [PlayerRecord::default(), PlayerRecord::default()];
        sides[0].faults.add(Fault::IllegalPv, 3, "e2e5");
        sides[0].lowest_clock = Some(12.5);
        GameRecord {
            game,
            white: 0,
            black: 1,
            winner: game.is_multiple_of(2).then_some(chess::Color::Black),
            ending: Ending::FiftyMoves,
            reason: "draw".to_owned(),
            plies: 200,
            seconds: 1.5,
            opening: None,
            sides,
        }
    }

    #[test]
    fn games_are_stored_and_an_incomplete_line_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("state.jsonl");
        let settings = json!({"tc": "8+0.08", "seed": 1});
        let (mut state, records) = State::open(&path, &settings).unwrap();
        assert_eq!(records, []);
        state.add(&record(1)).unwrap();
        state.add(&record(2)).unwrap();
        drop(state);
        let whole = std::fs::read(&path).unwrap();
        for cut in [1, 5, 40] {
            std::fs::write(&path, &whole[..whole.len() - cut]).unwrap();
            let (mut state, records) = State::open(&path, &settings).unwrap();
            assert_eq!(records, [record(1)], "cut by {cut}");
            state.add(&record(2)).unwrap();
            drop(state);
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
        let (_, records) = State::open(&path, &settings).unwrap();
        assert_eq!(records, [record(1), record(2)]);
    }

    #[test]
    fn a_file_in_use_is_rejected() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("used.jsonl");
        let state = State::open(&path, &json!({})).unwrap();
        let error = State::open(&path, &json!({})).err().unwrap();
        assert!(error.to_string().contains("in use"), "{error}");
        drop(state);
        assert!(State::open(&path, &json!({})).is_ok());
    }

    #[test]
    fn another_match_and_damaged_lines_are_rejected_and_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("refused.jsonl");
        let settings = json!({"tc": "8+0.08", "seed": 1});
        drop(State::open(&path, &settings).unwrap());
        let error = |settings: &Value| State::open(&path, settings).unwrap_err().to_string();
        assert!(error(&json!({"tc": "1+0.01", "seed": 1})).contains("'tc'"));
        assert!(error(&json!({"tc": "8+0.08"})).contains("'seed'"));
        let header = std::fs::read_to_string(&path).unwrap();
        for bad in ["[Event \"x\"]\n\n1. e4 *\n", "notes", &format!("{header}rubbish\n")] {
            std::fs::write(&path, bad).unwrap();
            error(&settings);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), bad);
        }
        let twice = serde_json::to_string(&record(1)).unwrap();
        std::fs::write(&path, format!("{header}{twice}\n{twice}\n")).unwrap();
        assert!(error(&settings).contains("twice"));
    }

    #[test]
    fn a_game_that_was_played_again_with_its_opening_replaces_the_earlier_one() {
        let again = GameRecord { opening: Some("startpos moves e2e4".to_owned()), ..record(1) };
        let lines = [record(1), record(2), again.clone(), again.clone()]
            .map(|record| serde_json::to_string(&record).unwrap());
        let read = |count| read_records(lines[..count].iter().map(String::as_str));
        assert_eq!(read(3), Ok(vec![again, record(2)]));
        assert!(read(4).is_err());
    }
}
