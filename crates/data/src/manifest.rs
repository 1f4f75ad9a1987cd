//! What a data set says of itself, and how far the making of one has come.
//!
//! `manifest.json` is written when all files are there, and `_SUCCESS` after it: the last line of work,
//! with the hash of the manifest in it. Until then `_progress.json` tells what is finished and where to
//! go on. There is no time and no name of a machine in any of them.

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::prepare::{Counts, FileFormat, InputFile, PrepareOptions};
use crate::{Column, DataError, Split, files};

/// The name of the manifest.
pub const MANIFEST: &str = "manifest.json";
/// The name of the file that is there when everything else is.
pub const SUCCESS: &str = "_SUCCESS";
/// The name of the file that tells how far unfinished work has come.
pub(crate) const PROGRESS: &str = "_progress.json";
/// The version of the layout of folders and files.
pub(crate) const VERSION: u32 = 1;
/// A manifest or a progress longer than this is none.
const MAX_JSON: u64 = 256 << 20;

/// A file of rows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardFile {
    /// Its name in the folder of the data set, with slashes.
    pub path: String,
    /// What its rows are for.
    pub split: Split,
    /// How many rows it has.
    pub rows: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// The BLAKE3 hash of these bytes.
    pub blake3: String,
}

/// A column, for those who read the manifest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnNote {
    /// Its name.
    pub name: String,
    /// Its type.
    pub r#type: String,
    /// What it means.
    pub meaning: String,
}

/// Everything about a data set but its rows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of this layout.
    pub version: u32,
    /// The version of the program that wrote it.
    pub tabiya: String,
    /// What it was made of.
    pub inputs: Vec<InputFile>,
    /// How it was made.
    pub options: PrepareOptions,
    /// What else decides what its rows are, if they were not read from games but made: by rescoring, by
    /// self-play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Value>,
    /// The columns.
    pub columns: Vec<ColumnNote>,
    /// What was counted.
    pub counts: Counts,
    /// How many rows are for training and for validation.
    pub rows: SplitRows,
    /// How many things were wrong with the inputs.
    pub problems: u64,
    /// The first of them.
    pub first_problems: Vec<String>,
    /// The files.
    pub files: Vec<ShardFile>,
}

/// A number for each split.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplitRows {
    /// For training.
    pub train: u64,
    /// For validation.
    pub validation: u64,
}

impl SplitRows {
    /// The number of one split.
    pub const fn of(&self, split: Split) -> u64 {
        match split {
            Split::Train => self.train,
            Split::Validation => self.validation,
        }
    }

    pub(crate) const fn of_mut(&mut self, split: Split) -> &mut u64 {
        match split {
            Split::Train => &mut self.train,
            Split::Validation => &mut self.validation,
        }
    }
}

impl Manifest {
    /// The manifest of a finished data set. Its paths are checked to stay within the folder.
    pub fn open(folder: &Path) -> Result<Self, DataError> {
        let fail = |reason: &str| DataError::NotADataSet {
            path: folder.to_owned(),
            reason: reason.to_owned(),
        };
        if !folder.join(SUCCESS).exists() {
            let is_unfinished = folder.join(PROGRESS).exists();
            return Err(fail(match is_unfinished {
                true => "the data set is not finished; run the same command again to go on",
                false => "no data set: there is no _SUCCESS",
            }));
        }
        let path = folder.join(MANIFEST);
        let manifest: Self = read_json(&path)?;
        if manifest.version != VERSION {
            return Err(fail(&format!("version {} of the layout is not known", manifest.version)));
        }
        for file in &manifest.files {
            let is_plain = Path::new(&file.path)
                .components()
                .all(|part| matches!(part, std::path::Component::Normal(_)));
            if !is_plain {
                return Err(DataError::damaged(&path, format!("'{}' leads elsewhere", file.path)));
            }
        }
        Ok(manifest)
    }

    /// How files are laid out.
    pub const fn format(&self) -> FileFormat {
        self.options.format
    }

    /// The columns its files have.
    pub fn column_list(&self) -> Result<Vec<Column>, DataError> {
        match self.format() {
            FileFormat::Parquet => self.options.columns(),
            FileFormat::Packed => Ok(Column::PACKED.to_vec()),
        }
    }

    /// Writes it, and then that all is well.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), DataError> {
        let written = write_json(&folder.join(MANIFEST), self)?;
        files::write(&folder.join(SUCCESS), format!("{}\n", written.blake3).as_bytes())?;
        Ok(())
    }
}

/// The names and meanings of columns.
pub(crate) fn notes(columns: &[Column]) -> Vec<ColumnNote> {
    let note = |column: &Column| ColumnNote {
        name: column.name().to_owned(),
        r#type: column.data_type().to_string(),
        meaning: column.meaning().to_owned(),
    };
    columns.iter().map(note).collect()
}

/// What is to be made of what. The same plan makes the same files.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    pub version: u32,
    pub tabiya: String,
    pub inputs: Vec<InputFile>,
    pub options: PrepareOptions,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Value>,
}

impl Plan {
    pub(crate) fn new(
        inputs: Vec<InputFile>,
        options: &PrepareOptions,
        made: Option<Value>,
    ) -> Self {
        let tabiya = env!("CARGO_PKG_VERSION").to_owned();
        Self { version: VERSION, tabiya, inputs, options: options.clone(), made }
    }

    /// The first thing in which another plan differs, in words.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        let [old, new] = [other, self].map(|plan| serde_json::to_value(plan).unwrap_or_default());
        difference("", &old, &new)
    }
}

/// The first value that differs, with the way to it.
fn difference(at: &str, old: &Value, new: &Value) -> Option<String> {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let gone = old.keys().filter(|name| !new.contains_key(*name));
            new.keys().chain(gone).find_map(|name| {
                let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
                let [old, new] = [old, new].map(|map| map.get(name).unwrap_or(&Value::Null));
                difference(&at, old, new)
            })
        }
        _ if old == new => None,
        _ => {
            let short = |value: &Value| {
                let text = value.to_string();
                if text.chars().count() <= 60 {
                    text
                } else {
                    text.chars().take(57).collect::<String>() + "…"
                }
            };
            Some(format!("{at} was {} and is now {}", short(old), short(new)))
        }
    }
}

/// Reads JSON that somebody may have tampered with.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, DataError> {
    let length = fs::metadata(path).map_err(DataError::io("read", path))?.len();
    if length > MAX_JSON {
        return Err(DataError::damaged(path, format!("{length} bytes are too many")));
    }
    let bytes = fs::read(path).map_err(DataError::io("read", path))?;
    serde_json::from_slice(&bytes).map_err(|error| DataError::damaged(path, error))
}

pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<files::Written, DataError> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| DataError::Encode { path: path.to_owned(), reason: error.to_string() })?;
    text.push('\n');
    files::write(path, text.as_bytes())
}

/// The path of a file of rows.
pub(crate) fn shard_name(split: Split, number: usize, format: FileFormat) -> String {
    format!("{split}/{split}-{number:05}.{}", format.extension())
}
