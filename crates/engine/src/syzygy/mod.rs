//! Syzygy endgame tablebases: the result (WDL) and the distance to zeroing (DTZ) of every position with up to
//! seven pieces.
//!
//! [`Tablebases`] are opened from directories. All files are opened and their headers validated at once, a
//! fraction of a millisecond each; damaged or misnamed files are skipped and listed by
//! [`Tablebases::skipped`]. Nothing is shared between sets, so that several engines of a process can use
//! different directories.
//!
//! - `material`: material configurations and file names
//! - `squares`, `encoding`: the index of a position in a table
//! - `reader`, `pairs`, `table`: the file format
//! - `probe`: WDL and DTZ probing
//! - `root`: ranking of root moves
//!
//! The format: <https://github.com/syzygy1/tb>, and the description at
//! <https://www.chessprogramming.org/Syzygy_Bases>.

mod encoding;
mod material;
mod pairs;
mod probe;
mod reader;
mod root;
mod squares;
mod table;

use std::collections::HashMap;
use std::fmt;
use std::ops::Neg;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chess::Position;

use crate::value::{DRAW, TABLEBASE_WIN, Value};
use material::{BuildMaterialHasher, Material};
pub use probe::Dtz;
use table::{Kind, Table};

/// The result of a position from the side to move's view, with a halfmove clock of zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wdl {
    /// Loss.
    Loss = -2,
    /// A loss that the fifty-move rule saves.
    BlessedLoss = -1,
    /// Draw.
    Draw = 0,
    /// A win that the fifty-move rule prevents.
    CursedWin = 1,
    /// Win.
    Win = 2,
}

impl Wdl {
    /// All five, from the worst, in the order of the files.
    pub const ALL: [Self; 5] =
        [Self::Loss, Self::BlessedLoss, Self::Draw, Self::CursedWin, Self::Win];
}

/// The result for the opponent.
impl Neg for Wdl {
    type Output = Self;
    fn neg(self) -> Self {
        Self::ALL[(2 - self as i8) as usize]
    }
}

/// Why no tables can be opened.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TablebaseError {
    /// The directory does not exist.
    #[error("{0}: no such directory")]
    NoFolder(String),
    /// No tablebase file in any directory.
    #[error("{0}: no tablebase files (*.rtbw) there")]
    NoFiles(String),
    /// No usable WDL file.
    #[error("{path}: no usable tablebase files (*.rtbw) there; {first}")]
    NoUsableFiles {
        /// The directories.
        path: String,
        /// The error of the first file.
        first: SkippedFile,
    },
}

/// Why a file is skipped.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// It cannot be opened.
    #[error("{0}")]
    Unreadable(String),
    /// A directory, pipe or device.
    #[error("not a regular file")]
    NotAFile,
    /// Its name is not that of a table.
    #[error("not named after its pieces, such as KRPvKR")]
    Name,
    /// Wrong magic number.
    #[error("not a Syzygy file of this kind")]
    Magic,
    /// The pieces do not match the name.
    #[error("its pieces are not those of its name")]
    Material,
    /// Invalid header.
    #[error("damaged header: {0}")]
    Header(&'static str),
    /// Shorter than the header requires.
    #[error("truncated")]
    Truncated,
    /// Longer than the header requires.
    #[error("longer than its header requires")]
    TooLong,
}

/// A skipped file and the reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkippedFile {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub error: FileError,
}

impl fmt::Display for SkippedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.error)
    }
}

/// The path separator of the system.
const SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// The maximum number of skipped files named one by one.
const MAX_WARNINGS: usize = 10;

/// The tables of one material configuration.
#[derive(Default)]
struct Entry {
    wdl: Option<Table>,
    dtz: Option<Table>,
}

#[derive(Default)]
struct Tables {
    entries: Vec<Entry>,
    /// The entry index of a material, with either colors.
    by_material: HashMap<Material, usize, BuildMaterialHasher>,
    max_pieces: usize,
    skipped: Vec<SkippedFile>,
}

/// A set of tables. Clones share the files.
#[derive(Clone)]
pub struct Tablebases(Arc<Tables>);

impl Tablebases {
    /// Opens the tables in directories separated by `:` (by `;` on Windows). Of several files with the same name
    /// the first valid one is used.
    pub fn open(path: &str) -> Result<Self, TablebaseError> {
        let mut tables = Tables::default();
        for folder in path.split(SEPARATOR) {
            let entries = Path::new(folder)
                .read_dir()
                .map_err(|_| TablebaseError::NoFolder(folder.to_owned()))?;
            let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            files.sort();
            for file in files {
                let extension = file.extension().and_then(|extension| extension.to_str());
                if let Some(kind) = extension.and_then(Kind::of_extension)
                    && let Err(error) = tables.add(&file, kind)
                {
                    tables.skipped.push(SkippedFile { path: file, error });
                }
            }
        }
        if tables.max_pieces == 0 {
            return Err(match tables.skipped.into_iter().next() {
                Some(first) => TablebaseError::NoUsableFiles { path: path.to_owned(), first },
                None => TablebaseError::NoFiles(path.to_owned()),
            });
        }
        Ok(Self(Arc::new(tables)))
    }

    /// The maximum number of pieces of any table, kings included.
    pub fn max_pieces(&self) -> usize {
        self.0.max_pieces
    }

    /// The skipped files, in the order of the directories and of their names.
    pub fn skipped(&self) -> &[SkippedFile] {
        &self.0.skipped
    }

    /// A warning for each skipped file, up to a limit.
    pub fn warnings(&self) -> Vec<String> {
        let skipped = self.skipped();
        let warning = |file: &SkippedFile| format!("tablebase file left out: {file}");
        let mut lines: Vec<String> = skipped.iter().take(MAX_WARNINGS).map(warning).collect();
        if skipped.len() > MAX_WARNINGS {
            lines.push(format!("{} more tablebase files left out", skipped.len() - MAX_WARNINGS));
        }
        lines
    }

    /// The score of a position with a halfmove clock of zero, if the tables have it.
    pub fn score(&self, position: &Position, ply: usize) -> Option<Value> {
        if position.halfmove_clock() != 0 {
            return None;
        }
        Some(match self.wdl(position)? {
            Wdl::Win => TABLEBASE_WIN - ply as Value,
            Wdl::Loss => ply as Value - TABLEBASE_WIN,
            Wdl::CursedWin => DRAW + 1,
            Wdl::BlessedLoss => DRAW - 1,
            Wdl::Draw => DRAW,
        })
    }
}

impl Tables {
    /// Opens and validates a file.
    fn add(&mut self, path: &Path, kind: Kind) -> Result<(), FileError> {
        let name = path.file_stem().and_then(|name| name.to_str());
        let material = name.and_then(Material::from_name).ok_or(FileError::Name)?;
        let index = *self.by_material.entry(material).or_insert(self.entries.len());
        self.by_material.insert(material.flipped(), index);
        if index == self.entries.len() {
            self.entries.push(Entry::default());
        }
        let table = match kind {
            Kind::Wdl => &mut self.entries[index].wdl,
            Kind::Dtz => &mut self.entries[index].dtz,
        };
        if table.is_none() {
            *table = Some(Table::open(path, material, kind)?);
        }
        if kind == Kind::Wdl {
            self.max_pieces = self.max_pieces.max(material.len());
        }
        Ok(())
    }

    /// The tables of a material.
    fn entry(&self, material: Material) -> Option<&Entry> {
        self.entries.get(*self.by_material.get(&material)?)
    }
}
