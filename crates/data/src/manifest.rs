//! The manifest of a data set.
//!
//! `_manifest.json` is written when all shards are complete, then `_SUCCESS` with the hash of the
//! manifest. Until then the progress log `_progress.json` lists the finished shards and the resume cursor.
//! None of them contains a time or a host name. Readers of Parquet directories (pyarrow, Spark, DuckDB) skip
//! names that begin with an underscore.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::bounds::check_counts;
use crate::plan::DataSetPlan;
use crate::prepare::{Counts, FileFormat, ResumePoint};
use crate::{Column, DataError, Split, files};

/// Name of the manifest.
const MANIFEST: &str = "_manifest.json";
/// Its old name, still read.
const OLD_MANIFEST: &str = "manifest.json";
/// Name of the file that marks a complete data set.
pub const SUCCESS: &str = "_SUCCESS";
/// Name of the progress log.
pub(crate) const PROGRESS: &str = "_progress.json";
/// Version of the layout of directories and files.
pub(crate) const VERSION: u32 = 1;
/// Maximum size of a manifest or progress log.
const MAX_JSON: u64 = 256 << 20;

/// A shard: a file of rows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardFile {
    /// Path relative to the directory of the data set, with slashes.
    pub path: String,
    /// The split of its rows.
    pub split: Split,
    /// Number of rows.
    pub rows: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// BLAKE3 hash of the file.
    pub blake3: String,
}

/// Description of a column.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnNote {
    /// Name.
    pub name: String,
    /// Arrow data type.
    pub r#type: String,
    /// Meaning, in a sentence.
    pub meaning: String,
}

/// The manifest of a data set.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// Inputs and options.
    #[serde(flatten)]
    pub plan: DataSetPlan,
    /// The schema.
    pub columns: Vec<ColumnNote>,
    /// Counts of games and positions.
    pub counts: Counts,
    /// Number of rows per split.
    pub rows: SplitRows,
    /// Number of problems with the inputs.
    pub problems: u64,
    /// The first problems.
    pub first_problems: Vec<String>,
    /// The shards.
    pub files: Vec<ShardFile>,
    /// Fields that do not exist; `deny_unknown_fields` does not work with `flatten`.
    #[serde(flatten, skip_serializing)]
    unknown: BTreeMap<String, serde_json::Value>,
}

/// Number of rows per split.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplitRows {
    /// Training rows.
    pub train: u64,
    /// Validation rows.
    pub validation: u64,
}

impl SplitRows {
    /// Number of rows of a split.
    pub const fn of(&self, split: Split) -> u64 {
        match split {
            Split::Train => self.train,
            Split::Validation => self.validation,
        }
    }

    /// Number of rows of all splits.
    pub const fn total(&self) -> u64 {
        self.train + self.validation
    }

    pub(crate) const fn of_mut(&mut self, split: Split) -> &mut u64 {
        match split {
            Split::Train => &mut self.train,
            Split::Validation => &mut self.validation,
        }
    }
}

impl Manifest {
    /// The manifest of a finished run.
    pub(crate) fn new(
        plan: DataSetPlan,
        point: &ResumePoint,
        first: &[String],
        files: Vec<ShardFile>,
    ) -> Self {
        let mut manifest = Self {
            plan,
            columns: Vec::new(),
            counts: point.counts,
            rows: point.rows,
            problems: point.problems,
            first_problems: first.to_vec(),
            files,
            unknown: BTreeMap::new(),
        };
        manifest.columns = notes(&manifest.column_list().unwrap_or_default());
        manifest
    }

    /// Path of the manifest of a data set: `_manifest.json`, or `manifest.json` in older ones.
    pub fn path(folder: &Path) -> PathBuf {
        let [new, old] = [MANIFEST, OLD_MANIFEST].map(|name| folder.join(name));
        if !new.exists() && old.exists() { old } else { new }
    }

    /// Reads the manifest of a complete data set. Options are checked like those of the command line,
    /// counts for their size, paths to stay within the directory.
    pub fn open(folder: &Path) -> Result<Self, DataError> {
        let fail = |reason: &str| DataError::NotADataSet {
            path: folder.to_owned(),
            reason: reason.to_owned(),
        };
        if !folder.join(SUCCESS).exists() {
            let is_unfinished = folder.join(PROGRESS).exists();
            return Err(fail(match is_unfinished {
                true => "the data set is not finished; run the same command again to resume",
                false => "no data set: there is no _SUCCESS",
            }));
        }
        let path = Self::path(folder);
        let manifest: Self = read_json(&path)?;
        if manifest.plan.version != VERSION {
            let version = manifest.plan.version;
            return Err(fail(&format!("version {version} of the layout is not supported")));
        }
        manifest.check().map_err(|reason| DataError::damaged(&path, reason))?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), String> {
        if let Some(name) = self.unknown.keys().next() {
            return Err(format!("unknown field '{name}'"));
        }
        self.plan.options.check().map_err(|error| format!("options: {error}"))?;
        check_counts("counts", &self.counts)?;
        check_counts("rows", &self.rows)?;
        check_counts("problems", &self.problems)?;
        check_counts("inputs", &self.plan.inputs)?;
        check_files(&self.files)
    }

    /// Size of all shards in bytes.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// Format of the shards.
    pub const fn format(&self) -> FileFormat {
        self.plan.options.format
    }

    /// Columns of the shards.
    pub fn column_list(&self) -> Result<Vec<Column>, DataError> {
        match self.format() {
            FileFormat::Parquet => self.plan.options.columns(),
            FileFormat::Packed => Ok(Column::PACKED.to_vec()),
        }
    }

    /// Writes the manifest, then `_SUCCESS`.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), DataError> {
        let written = write_json(&folder.join(MANIFEST), self)?;
        remove_if_there(&folder.join(OLD_MANIFEST))?;
        files::write(&folder.join(SUCCESS), format!("{}\n", written.blake3).as_bytes())?;
        Ok(())
    }
}

/// Removes the manifest of an incomplete data set.
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

/// Checks the shards of a manifest or progress log: counts are bounded, paths stay within the directory.
pub(crate) fn check_files(files: &[ShardFile]) -> Result<(), String> {
    check_counts("files", &files)?;
    let is_plain = |file: &&ShardFile| {
        let mut parts = Path::new(&file.path).components();
        parts.all(|part| matches!(part, std::path::Component::Normal(_)))
    };
    let outside = files.iter().find(|file| !is_plain(file));
    outside.map_or(Ok(()), |file| Err(format!("'{}' leads elsewhere", file.path)))
}

/// Descriptions of columns.
fn notes(columns: &[Column]) -> Vec<ColumnNote> {
    let note = |column: &Column| ColumnNote {
        name: column.name().to_owned(),
        r#type: column.data_type().to_string(),
        meaning: column.meaning().to_owned(),
    };
    columns.iter().map(note).collect()
}

/// Reads untrusted JSON of bounded size.
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

/// Path of a shard relative to the directory of the data set.
pub(crate) fn shard_name(split: Split, number: usize, format: FileFormat) -> String {
    format!("{split}/{split}-{number:05}.{}", format.extension())
}
