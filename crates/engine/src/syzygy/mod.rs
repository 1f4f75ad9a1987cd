//! Endgame tablebases in the Syzygy format: the result (WDL) and the distance to the next capture or pawn
//! move (DTZ) of every position with up to seven pieces.
//!
//! A set of [`Tablebases`] is opened from folders. All files there are opened and their headers checked at
//! once, which takes a fraction of a millisecond each; files that are damaged or have a wrong name are left
//! out and listed by [`Tablebases::skipped`]. Nothing is shared between sets, so that several engines of a
//! process can use different folders.
//!
//! - `material`: which pieces there are; names of files
//! - `squares`, `encoding`: the index of a position in a table
//! - `reader`, `pairs`, `table`: the file format
//! - `probe`: results and distances, from the tables and from captures and pawn moves
//! - `root`: the moves at the root, ranked
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

use crate::score::{DRAW, Score, TABLEBASE_WIN};
use material::{BuildMaterialHasher, Material};
pub use probe::Dtz;
use table::{Kind, Table};

/// The result of a position for the player to move, from a halfmove clock of zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wdl {
    /// Lost.
    Loss = -2,
    /// Lost but for the 50-move rule.
    BlessedLoss = -1,
    /// Drawn.
    Draw = 0,
    /// Won but for the 50-move rule.
    CursedWin = 1,
    /// Won.
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

/// Why no tables can be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TablebaseError {
    /// There is no such folder.
    #[error("{0}: no such folder")]
    NoFolder(String),
    /// There is no table in any of the folders.
    #[error("{0}: no tablebase files (*.rtbw) there")]
    NoFiles(String),
    /// There are files, but none with results can be used.
    #[error("{path}: no usable tablebase files (*.rtbw) there; {first}")]
    NoUsableFiles {
        /// The folders.
        path: String,
        /// What is wrong with the first of the files.
        first: SkippedFile,
    },
}

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be opened.
    #[error("{0}")]
    Unreadable(String),
    /// It is a folder, a pipe or a device.
    #[error("not a regular file")]
    NotAFile,
    /// Its name is not that of a table.
    #[error("not named after its pieces, such as KRPvKR")]
    Name,
    /// It begins with other bytes.
    #[error("not a Syzygy file of this kind")]
    Magic,
    /// It has other pieces than its name says.
    #[error("its pieces are not those of its name")]
    Material,
    /// Its header makes no sense.
    #[error("damaged header: {0}")]
    Header(&'static str),
    /// It is shorter than its header says.
    #[error("truncated")]
    Truncated,
    /// It is longer than its header says.
    #[error("longer than its header says")]
    TooLong,
}

/// A file that is not used, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkippedFile {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub error: FileError,
}

impl fmt::Display for SkippedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.error)
    }
}

/// What separates folders, as everywhere on the system.
const SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// So many files that are left out are named one by one.
const MAX_WARNINGS: usize = 10;

/// The tables of one material.
#[derive(Default)]
struct Entry {
    wdl: Option<Table>,
    dtz: Option<Table>,
}

#[derive(Default)]
struct Tables {
    entries: Vec<Entry>,
    /// Which of the entries is that of a material, with colors either way.
    by_material: HashMap<Material, usize, BuildMaterialHasher>,
    max_pieces: usize,
    skipped: Vec<SkippedFile>,
}

/// A set of tables. Clones share the files.
#[derive(Clone)]
pub struct Tablebases(Arc<Tables>);

impl Tablebases {
    /// The tables in these folders, separated by `:` (by `;` on Windows). Of several files with the
    /// same name the first that is whole is used.
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

    /// The most pieces, kings included, of any table.
    pub fn max_pieces(&self) -> usize {
        self.0.max_pieces
    }

    /// The files that are damaged or have a wrong name, in the order of the folders and of their names.
    pub fn skipped(&self) -> &[SkippedFile] {
        &self.0.skipped
    }

    /// A line for each file that is left out; of many only the first.
    pub fn warnings(&self) -> Vec<String> {
        let skipped = self.skipped();
        let warning = |file: &SkippedFile| format!("tablebase file left out: {file}");
        let mut lines: Vec<String> = skipped.iter().take(MAX_WARNINGS).map(warning).collect();
        if skipped.len() > MAX_WARNINGS {
            lines.push(format!("{} more tablebase files left out", skipped.len() - MAX_WARNINGS));
        }
        lines
    }

    /// The score of a position just after a capture or a pawn move, if the tables have it.
    pub fn score(&self, position: &Position, ply: usize) -> Option<Score> {
        if position.halfmove_clock() != 0 {
            return None;
        }
        Some(match self.wdl(position)? {
            Wdl::Win => TABLEBASE_WIN - ply as Score,
            Wdl::Loss => ply as Score - TABLEBASE_WIN,
            Wdl::CursedWin => DRAW + 1,
            Wdl::BlessedLoss => DRAW - 1,
            Wdl::Draw => DRAW,
        })
    }
}

impl Tables {
    /// Opens a file and checks it.
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
