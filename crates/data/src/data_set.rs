//! The files of a data set: one of ours with its manifest, or Parquet files that other programs have written.
//!
//! Files without a manifest need the column `fen`, and `best_move` where moves are learned; `eval`, in
//! centipawns from White's point of view, and ratings are used if they are there. They are split by their
//! names, or else by their order:
//!
//! | files | validation rows |
//! |---|---|
//! | some have a name, or lie in a directory, that begins with `val` or `test` | those files |
//! | `shard_*.parquet`, at least two, as nanochess writes them | the last file |
//! | others, or one file | the last twentieth of all rows |

use std::num::NonZero;
use std::ops::Range;
use std::path::{Path, PathBuf};

use chess::Position;
use serde::Serialize;

use crate::manifest::PROGRESS;
use crate::reader::{RowView, Shard};
use crate::{Column, DataError, Manifest, SUCCESS, Split, SplitRows, pipeline};

/// One of this many rows is for validation where names do not determine the split.
const VALIDATION_SHARE: u64 = 20;
/// Number of problems listed.
const LISTED: usize = 10;

/// A data set opened for reading.
#[derive(Clone, Debug)]
pub struct DataSet {
    files: Vec<DataFile>,
    columns: Vec<Column>,
    has_manifest: bool,
    is_all_foreign: bool,
}

/// A file, or some rows of it.
#[derive(Clone, Debug)]
struct DataFile {
    path: PathBuf,
    split: Split,
    rows: Range<u64>,
    /// BLAKE3 hash of the file, if there is a manifest.
    blake3: Option<String>,
}

/// The result of [`DataSet::check`].
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct CheckedRows {
    /// Number of rows.
    pub rows: u64,
    /// Number of rows without a valid position and a legal move.
    pub problems: u64,
    /// The first of them, each in a line with file and row.
    pub first_problems: Vec<String>,
}

impl DataSet {
    /// Opens a finished data set, a directory of Parquet files, or one file.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        if path.is_file() {
            return Self::foreign(path, vec![path.to_owned()]);
        }
        if !path.join(SUCCESS).exists() && !path.join(PROGRESS).exists() && path.is_dir() {
            let files = parquet_files(path)?;
            if !files.is_empty() {
                return Self::foreign(path, files);
            }
        }
        let manifest = Manifest::open(path)?;
        let data_file = |file: &crate::ShardFile| DataFile {
            path: path.join(&file.path),
            split: file.split,
            rows: 0..file.rows,
            blake3: Some(file.blake3.clone()),
        };
        let files = manifest.files.iter().map(data_file).collect();
        let columns = manifest.column_list()?;
        Ok(Self { files, columns, has_manifest: true, is_all_foreign: false })
    }

    fn foreign(path: &Path, files: Vec<PathBuf>) -> Result<Self, DataError> {
        let mut shards = Vec::new();
        for file in &files {
            let shard = Shard::open(file)?;
            if !shard.columns().iter().any(|c| matches!(c, Column::Fen | Column::Board)) {
                let column = Column::Fen.name();
                return Err(DataError::NoColumn { path: file.clone(), column });
            }
            shards.push(shard);
        }
        let is_in_all =
            |column: &Column| shards.iter().all(|shard| shard.columns().contains(column));
        let columns = Column::ALL.into_iter().filter(is_in_all).collect();
        let named: Vec<Option<Split>> = files.iter().map(|file| named_split(path, file)).collect();
        let is_named = named.contains(&Some(Split::Validation));
        let is_numbered = files.len() > 1
            && files.iter().all(|file| {
                file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"shard_"))
            });
        let total: u64 = shards.iter().map(Shard::rows).sum();
        let share = (total / VALIDATION_SHARE).max(u64::from(total > 1));
        let mut data_files = Vec::new();
        let (mut first, last) = (0, files.len() - 1);
        for (n, (path, shard)) in files.into_iter().zip(&shards).enumerate() {
            let rows = shard.rows();
            // The first row for validation.
            let border = match named[n] {
                Some(Split::Validation) => 0,
                _ if is_named => rows,
                _ if is_numbered => {
                    if n == last {
                        0
                    } else {
                        rows
                    }
                }
                _ => (total - share).clamp(first, first + rows) - first,
            };
            for (split, rows) in [(Split::Train, 0..border), (Split::Validation, border..rows)] {
                if !rows.is_empty() {
                    data_files.push(DataFile { path: path.clone(), split, rows, blake3: None });
                }
            }
            first += rows;
        }
        let is_all_foreign = shards.iter().all(Shard::is_foreign);
        Ok(Self { files: data_files, columns, has_manifest: false, is_all_foreign })
    }

    /// Whether other programs have written all of its files: its rows are unchecked.
    pub const fn is_all_foreign(&self) -> bool {
        self.is_all_foreign
    }

    /// The columns that all its files have.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Number of rows per split.
    pub fn rows(&self) -> SplitRows {
        let mut rows = SplitRows::default();
        for file in &self.files {
            *rows.of_mut(file.split) += file.rows.end - file.rows.start;
        }
        rows
    }

    fn own(&self, split: Split) -> impl Iterator<Item = &DataFile> {
        self.files.iter().filter(move |file| file.split == split)
    }

    /// The shards of a split.
    pub fn shards(&self, split: Split) -> Result<Vec<Shard>, DataError> {
        let open = |file: &DataFile| {
            let shard = Shard::open(&file.path)?;
            Ok(if self.has_manifest { shard } else { shard.slice(file.rows.clone()) })
        };
        self.own(split).map(open).collect()
    }

    /// What identifies the rows of a split: the hash of each file, and its rows if they are not all of it.
    /// Files without a manifest are read for it.
    pub fn hashes(&self, split: Split) -> Vec<String> {
        let hash = |file: &DataFile| match &file.blake3 {
            Some(hash) => hash.clone(),
            None => {
                let hash = crate::describe(&file.path).blake3.unwrap_or_default();
                format!("{hash} {}..{}", file.rows.start, file.rows.end)
            }
        };
        self.own(split).map(hash).collect()
    }

    /// Checks that every row has a valid position and a legal move.
    pub fn check(&self, threads: NonZero<usize>) -> Result<CheckedRows, DataError> {
        let mut shards = self.shards(Split::Train)?;
        shards.extend(self.shards(Split::Validation)?);
        let groups =
            shards.iter().flat_map(|shard| (0..shard.row_groups().len()).map(move |n| (shard, n)));
        let groups: Vec<(&Shard, usize)> = groups.collect();
        let position = [Column::Board, Column::Fen].into_iter().find(|c| self.columns.contains(c));
        // Ratings and evaluations are converted with them.
        let others = [Column::BestMove, Column::Eval, Column::WhiteElo, Column::BlackElo];
        let others = others.into_iter().filter(|column| self.columns.contains(column));
        let columns: Vec<Column> = position.into_iter().chain(others).collect();
        let check = |(shard, group): (&Shard, usize)| check_row_group(shard, group, &columns);
        let mut checked = CheckedRows::default();
        pipeline::for_each(threads.into(), groups.into_iter(), check, |group: CheckedRows| {
            checked.rows += group.rows;
            checked.problems += group.problems;
            let room = LISTED.saturating_sub(checked.first_problems.len());
            checked.first_problems.extend(group.first_problems.into_iter().take(room));
        })?;
        Ok(checked)
    }
}

fn check_row_group(
    shard: &Shard,
    group: usize,
    columns: &[Column],
) -> Result<CheckedRows, DataError> {
    let batch = shard.read(group, columns)?;
    let mut checked = CheckedRows { rows: batch.len() as u64, ..CheckedRows::default() };
    for (row, number) in batch.iter().zip(shard.first_row(group)..) {
        if let Err(reason) = check_row(row, columns.contains(&Column::BestMove)) {
            checked.problems += 1;
            if checked.first_problems.len() < LISTED {
                let path = shard.path().display();
                checked.first_problems.push(format!("{path}: row {number}: {reason}"));
            }
        }
    }
    Ok(checked)
}

fn check_row(row: RowView<'_>, has_moves: bool) -> Result<(), String> {
    let position = match (row.board(), row.fen()) {
        (Some(board), _) => board.position().map_err(|error| error.to_string())?,
        (None, Some(fen)) => fen.parse::<Position>().map_err(|error| error.to_string())?,
        (None, None) => return Err("there is no position".into()),
    };
    if has_moves {
        let text = row.best_move().ok_or("there is no move")?;
        position.parse_uci(text).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The split by the name of a file, or of its directory.
fn named_split(root: &Path, file: &Path) -> Option<Split> {
    let inside = file.strip_prefix(root).unwrap_or(file);
    // A single file is given by name, without its directory.
    let inside = if inside.as_os_str().is_empty() { return None } else { inside };
    let starts = |name: &str| {
        inside.components().any(|part| {
            part.as_os_str().to_str().is_some_and(|part| part.to_lowercase().starts_with(name))
        })
    };
    (starts("val") || starts("test")).then_some(Split::Validation)
}

/// The Parquet files of a directory and of the directories in it, sorted by name.
fn parquet_files(folder: &Path) -> Result<Vec<PathBuf>, DataError> {
    let list = |folder: &Path| -> Result<Vec<PathBuf>, DataError> {
        let entries = folder.read_dir().map_err(DataError::io("list", folder))?;
        let paths = entries.map(|entry| entry.map(|entry| entry.path()));
        let paths = paths.collect::<Result<Vec<_>, _>>().map_err(DataError::io("list", folder))?;
        let is_hidden = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().as_encoded_bytes();
            name.starts_with(b".") || name.starts_with(b"_")
        };
        Ok(paths.into_iter().filter(|path| !is_hidden(path)).collect())
    };
    let mut files = list(folder)?;
    for inner in files.clone().into_iter().filter(|path| path.is_dir()) {
        files.extend(list(&inner)?);
    }
    files.retain(|path| {
        path.extension().is_some_and(|extension| extension == "parquet") && path.is_file()
    });
    files.sort();
    Ok(files)
}
