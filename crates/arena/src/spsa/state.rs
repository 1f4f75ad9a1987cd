//! The state of a tuning, and its file: JSON that is replaced atomically after every iteration, and locked.

use std::path::{Path, PathBuf};

use data::{DataError, FolderLock, write_atomic};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{GainSchedule, Trial};
use crate::state::compare_settings;

const VERSION: u32 = 1;
/// At most about this many points of the parameters are kept for the plot.
const MAX_POINTS: u32 = 1000;
/// The largest state file.
const MAX_BYTES: u64 = 1 << 28;

/// How far a tuning is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Tuning {
    /// Finished iterations.
    pub iterations: u32,
    /// The values of the parameters.
    #[serde(with = "exact")]
    pub values: Vec<f64>,
    /// Games that the first engine of a trial won, drew and lost.
    pub games: [u64; 3],
    /// Crashes, illegal moves and time losses.
    pub faults: u64,
    /// Values after some iterations, for the plot.
    pub history: Vec<(u32, Vec<f64>)>,
}

/// Why a state file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuningError {
    /// It cannot be locked, read or written.
    #[error(transparent)]
    Data(#[from] DataError),
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is something else, or damaged.
    #[error("{} is not the state of a tuning: {reason}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// It belongs to another tuning.
    #[error("cannot resume {}: {reason}", path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// The first difference.
        reason: String,
    },
}

impl Tuning {
    /// Before the first iteration.
    pub fn new(schedule: &GainSchedule) -> Self {
        let values = schedule.start();
        let history = vec![(0, values.clone())];
        Self { iterations: 0, values, games: [0; 3], faults: 0, history }
    }

    /// Counts a finished trial, with the games its first engine won, drew and lost.
    pub fn add(&mut self, schedule: &GainSchedule, trial: &Trial, games: [u32; 3], faults: u32) {
        let result = games[0] as i32 - games[2] as i32;
        schedule.update(&mut self.values, trial, result);
        self.iterations += 1;
        self.faults += u64::from(faults);
        for (total, games) in self.games.iter_mut().zip(games) {
            *total += u64::from(games);
        }
        let every = schedule.iterations.div_ceil(MAX_POINTS);
        if self.iterations.is_multiple_of(every) || self.iterations == schedule.iterations {
            self.history.push((self.iterations, self.values.clone()));
        }
    }

    /// Whether it can be a state of this schedule.
    fn check(&self, schedule: &GainSchedule) -> Result<(), String> {
        let parameters = &schedule.parameters;
        let is_valid = |values: &[f64]| {
            values.len() == parameters.len()
                && values.iter().zip(parameters).all(|(v, p)| (p.min..=p.max).contains(v))
        };
        if self.iterations > schedule.iterations {
            return Err(format!("{} iterations of {}", self.iterations, schedule.iterations));
        }
        let mut all = self.history.iter().map(|(_, values)| values).chain([&self.values]);
        match all.all(|values| is_valid(values)) {
            true => Ok(()),
            false => Err("values that are not those of the parameters".to_owned()),
        }
    }
}

/// Numbers as text, which is read back to the bit; numbers of JSON may change in the last one.
mod exact {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        values.iter().map(f64::to_string).collect::<Vec<String>>().serialize(serializer)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
        let values = Vec::<String>::deserialize(deserializer)?;
        values.iter().map(|value| value.parse().map_err(D::Error::custom)).collect()
    }
}

#[derive(Serialize, Deserialize)]
struct Content {
    tabiya_tune: u32,
    settings: Value,
    state: Tuning,
}

/// An open state file.
#[derive(Debug)]
pub struct SavedState {
    path: PathBuf,
    settings: Value,
    _lock: FolderLock,
}

impl SavedState {
    /// Locks the file of a tuning with these settings, and reads it if it exists.
    pub fn open(
        path: &Path,
        settings: Value,
        schedule: &GainSchedule,
    ) -> Result<(Self, Tuning), TuningError> {
        let lock = FolderLock::acquire_file(path)?;
        let saved = Self { path: path.to_owned(), settings, _lock: lock };
        if !path.exists() {
            return Ok((saved, Tuning::new(schedule)));
        }
        let text = data::read_text(path, MAX_BYTES).map_err(|error| TuningError::Read {
            path: path.to_owned(),
            source: std::io::Error::other(error),
        })?;
        let content = |reason: String| TuningError::Content { path: path.to_owned(), reason };
        let found: Content =
            serde_json::from_slice(&text).map_err(|error| content(error.to_string()))?;
        if found.tabiya_tune != VERSION {
            return Err(content(format!("version {}, not {VERSION}", found.tabiya_tune)));
        }
        compare_settings(&found.settings, &saved.settings)
            .map_err(|reason| TuningError::Settings { path: path.to_owned(), reason })?;
        found.state.check(schedule).map_err(content)?;
        Ok((saved, found.state))
    }

    /// Replaces the file.
    pub fn save(&self, state: &Tuning) -> Result<(), TuningError> {
        let content =
            Content { tabiya_tune: VERSION, settings: self.settings.clone(), state: state.clone() };
        let text = serde_json::to_string(&content).map_err(|error| TuningError::Content {
            path: self.path.clone(),
            reason: error.to_string(),
        })?;
        Ok(write_atomic(&self.path, format!("{text}\n").as_bytes())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spsa::Parameter;
    use serde_json::json;

    #[test]
    fn a_state_is_resumed_and_another_or_a_damaged_one_rejected() {
        let parameters = Parameter::parse_lines("x, int, 10, 0, 100, 4, 0.05").unwrap();
        let schedule = GainSchedule { parameters, iterations: 5, seed: 1 };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tune.json");
        let settings = json!({"tc": "8+0.08", "seed": 1});
        let open = || SavedState::open(&path, settings.clone(), &schedule);
        let (saved, mut state) = open().unwrap();
        let trial = schedule.trial(&state.values, 1);
        state.add(&schedule, &trial, [2, 0, 0], 1);
        saved.save(&state).unwrap();
        assert!(matches!(open(), Err(TuningError::Data(_))), "locked");
        drop(saved);
        let found = open().unwrap().1;
        assert_eq!((found.iterations, &found.values), (state.iterations, &state.values));
        assert_eq!((state.iterations, state.games, state.history.len()), (1, [2, 0, 0], 2));
        let other = SavedState::open(&path, json!({"tc": "1+0.01", "seed": 1}), &schedule);
        let error = other.unwrap_err().to_string();
        assert!(error.contains("'tc': \"8+0.08\" there, \"1+0.01\" now"), "{error}");
        let text = std::fs::read_to_string(&path).unwrap();
        for bad in [
            text.replace("\"iterations\":1", "\"iterations\":9"),
            text.replace("\"values\":[\"", "\"values\":[\"1e9\",\""),
            text.replace("\"values\":[\"", "\"values\":[\"x"),
            text.replace("tabiya_tune\":1", "tabiya_tune\":2"),
            text[..text.len() / 2].to_owned(),
            "notes".to_owned(),
        ] {
            std::fs::write(&path, &bad).unwrap();
            assert!(matches!(open(), Err(TuningError::Content { .. })), "{bad}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), bad);
        }
    }
}
