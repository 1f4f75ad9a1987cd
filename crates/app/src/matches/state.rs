//! The state file: what a match was asked for, and each game when it is finished, one line of JSON
//! each. A match that was killed goes on from there.
//!
//! Lines are written whole and only added. Whatever stands behind the last whole line was cut off in
//! the middle, and is dropped. Everything else that is not as it should be is an error: it is better
//! to ask than to mix two matches.

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context, bail, ensure};
use serde_json::{Map, Value};

use super::record::GameRecord;

/// What the header line begins with; the number is that of the format.
const FORMAT: &str = "tabiya_match";
const VERSION: u64 = 1;

/// An open state file.
pub struct State {
    file: File,
}

impl State {
    /// Opens the file of a match with these settings, and reads the games that are finished. Settings
    /// must be the same as when it was begun.
    pub fn open(path: &Path, settings: &Value) -> anyhow::Result<(Self, Vec<GameRecord>)> {
        let name = path.display();
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let mut file = options.open(path).with_context(|| format!("cannot open {name}"))?;
        // Two matches that write the same file would play the same games twice. Where files cannot
        // be locked, that is up to the user.
        let is_taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        ensure!(!is_taken, "{name} is in use by another match");
        let mut text = String::new();
        file.read_to_string(&mut text).with_context(|| format!("cannot read {name}"))?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        // A file of another kind is left alone, even if it has no line end.
        let is_ours = text.is_empty() || text.starts_with(&format!("{{\"{FORMAT}\""));
        ensure!(is_ours, "{name} is not the state of a match");
        if whole < text.len() {
            file.set_len(whole as u64).with_context(|| format!("cannot write {name}"))?;
            file.seek(SeekFrom::End(0))?;
        }
        let mut lines = text[..whole].lines();
        let mut state = Self { file };
        let Some(header) = lines.next() else {
            // Written by hand so that the file begins with what it is.
            state.line(&format!("{{\"{FORMAT}\":{VERSION},\"settings\":{settings}}}"))?;
            return Ok((state, Vec::new()));
        };
        check_header(header, settings).with_context(|| format!("cannot go on with {name}"))?;
        let mut records: Vec<GameRecord> = Vec::new();
        let mut seen = HashSet::new();
        for (number, line) in lines.enumerate() {
            let record: GameRecord = serde_json::from_str(line)
                .with_context(|| format!("{name}, line {}", number + 2))?;
            let (line, game) = (number + 2, record.game);
            ensure!(seen.insert(game), "{name}, line {line}: game {game} is there twice");
            records.push(record);
        }
        Ok((state, records))
    }

    /// Adds a finished game.
    pub fn add(&mut self, record: &GameRecord) -> anyhow::Result<()> {
        self.line(&serde_json::to_string(record)?)
    }

    fn line(&mut self, text: &str) -> anyhow::Result<()> {
        // One write, so that a kill leaves a whole line or none.
        self.file.write_all(format!("{text}\n").as_bytes()).context("cannot write the state file")
    }
}

/// Compares the settings of the file with ours, and names the first that differs.
fn check_header(header: &str, settings: &Value) -> anyhow::Result<()> {
    let header: Value = serde_json::from_str(header).context("its first line is damaged")?;
    let version = &header[FORMAT];
    ensure!(version == VERSION, "it is of format {version}, not {VERSION}");
    let none = Map::new();
    let theirs = header["settings"].as_object().unwrap_or(&none);
    let ours = settings.as_object().unwrap_or(&none);
    for name in ours.keys().chain(theirs.keys()) {
        let (theirs, ours) = (theirs.get(name), ours.get(name));
        if theirs != ours {
            let show = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_string);
            bail!(
                "it was begun with another setting of '{name}': {} there, {} now",
                show(theirs),
                show(ours)
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::record::{Ending, Fault, SideReport};
    use serde_json::json;
    use std::path::PathBuf;

    fn record(game: u32) -> GameRecord {
        let mut sides = [SideReport::default(), SideReport::default()];
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
            sides,
        }
    }

    fn temporary(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("tabiya-{}-{name}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        path
    }

    #[test]
    fn games_are_kept_and_a_line_that_was_cut_off_is_dropped() {
        let path = temporary("state.jsonl");
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
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_that_is_in_use_is_refused() {
        let path = temporary("used.jsonl");
        let state = State::open(&path, &json!({})).unwrap();
        let error = State::open(&path, &json!({})).err().unwrap();
        assert!(error.to_string().contains("in use"), "{error}");
        drop(state);
        assert!(State::open(&path, &json!({})).is_ok());
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn another_match_and_damaged_lines_are_refused_and_left_alone() {
        let path = temporary("refused.jsonl");
        let settings = json!({"tc": "8+0.08", "seed": 1});
        drop(State::open(&path, &settings).unwrap());
        let error = |settings: &Value| format!("{:#}", State::open(&path, settings).err().unwrap());
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
        std::fs::remove_file(path).unwrap();
    }
}
