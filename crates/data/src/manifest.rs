//! What a data set says of itself, and how far the making of one has come.
//!
//! `_manifest.json` is written when all files are there, and `_SUCCESS` after it: the last line of work,
//! with the hash of the manifest in it. Until then `_progress.json` tells what is finished and where to
//! go on. There is no time and no name of a machine in any of them. Their names begin with an underscore:
//! readers of folders of Parquet files (pyarrow, Spark, DuckDB) skip such files.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bounds::check_counts;
use crate::prepare::{Counts, FileFormat, InputFile, PrepareOptions};
use crate::{Column, DataError, Split, files};

/// The name of the manifest.
const MANIFEST: &str = "_manifest.json";
/// Its name until version 0.1, still read.
const OLD_MANIFEST: &str = "manifest.json";
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
    /// Where the manifest of a data set is: `_manifest.json`, or `manifest.json` in older ones.
    pub fn path(folder: &Path) -> PathBuf {
        let [new, old] = [MANIFEST, OLD_MANIFEST].map(|name| folder.join(name));
        if !new.exists() && old.exists() { old } else { new }
    }

    /// The manifest of a finished data set. Everything in it is checked: options as if they came from
    /// the command line, counts for their size, paths to stay within the folder.
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
        let path = Self::path(folder);
        let manifest: Self = read_json(&path)?;
        if manifest.version != VERSION {
            return Err(fail(&format!("version {} of the layout is not known", manifest.version)));
        }
        manifest.check().map_err(|reason| DataError::damaged(&path, reason))?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), String> {
        self.options.check().map_err(|error| format!("options: {error}"))?;
        check_counts("counts", &self.counts)?;
        check_counts("rows", &self.rows)?;
        check_counts("problems", &self.problems)?;
        check_counts("inputs", &self.inputs)?;
        check_files(&self.files)
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
        remove_if_there(&folder.join(OLD_MANIFEST))?;
        files::write(&folder.join(SUCCESS), format!("{}\n", written.blake3).as_bytes())?;
        Ok(())
    }
}

/// Removes the manifest of a data set that is to be made again.
pub(crate) fn remove(folder: &Path) -> Result<(), DataError> {
    [MANIFEST, OLD_MANIFEST].iter().try_for_each(|name| remove_if_there(&folder.join(name)))
}

fn remove_if_there(path: &Path) -> Result<(), DataError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(DataError::io("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// Files that a manifest or a progress file lists: their counts are bounded and their paths stay within
/// the folder.
pub(crate) fn check_files(files: &[ShardFile]) -> Result<(), String> {
    check_counts("files", &files)?;
    let is_plain = |file: &&ShardFile| {
        let mut parts = Path::new(&file.path).components();
        parts.all(|part| matches!(part, std::path::Component::Normal(_)))
    };
    let leads_elsewhere = files.iter().find(|file| !is_plain(file));
    leads_elsewhere.map_or(Ok(()), |file| Err(format!("'{}' leads elsewhere", file.path)))
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

/// Reads JSON that somebody may have tampered with.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, DataError> {
    let bytes = regular::read(path, MAX_JSON).map_err(DataError::io("read", path))?;
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
