//! Files of packed rows: a head of 32 bytes, and rows of 32 bytes.
//!
//! | bytes of the head | what (little-endian) |
//! |---|---|
//! | 0–7 | `TABIYA32` |
//! | 8–11 | version of the format, 1 |
//! | 12–15 | bytes in a row, 32 |
//! | 16–23 | number of rows |
//! | 24–31 | the first eight bytes of the BLAKE3 hash of all rows |
//!
//! A row is a [`PackedRow`]: scores and results are White's view, always.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use chess::PackedRow;

use crate::files::OutputFile;
use crate::{DataError, Row};

const MAGIC: [u8; 8] = *b"TABIYA32";
const HEAD: usize = 32;

/// A file of rows that is being written.
#[derive(Debug)]
pub(crate) struct PackedWriter {
    file: OutputFile,
    rows: u64,
    hasher: blake3::Hasher,
}

/// The bytes of these rows.
pub(crate) fn encode(rows: &[Row]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(rows.len() * PackedRow::SIZE);
    rows.iter().for_each(|row| bytes.extend_from_slice(row.packed.as_bytes()));
    bytes
}

fn head(rows: u64, hash: &blake3::Hash) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(&MAGIC);
    head[8..12].copy_from_slice(&1u32.to_le_bytes());
    head[12..16].copy_from_slice(&(PackedRow::SIZE as u32).to_le_bytes());
    head[16..24].copy_from_slice(&rows.to_le_bytes());
    head[24..].copy_from_slice(&hash.as_bytes()[..8]);
    head
}

impl PackedWriter {
    pub(crate) fn create(path: &Path) -> Result<Self, DataError> {
        let mut file = OutputFile::create(path)?;
        file.write_all(&[0; HEAD]).map_err(DataError::io("write", path))?;
        Ok(Self { file, rows: 0, hasher: blake3::Hasher::new() })
    }

    /// Appends what [`encode`] has made.
    pub(crate) fn append(&mut self, rows: &[u8]) -> Result<(), DataError> {
        self.hasher.update(rows);
        self.rows += (rows.len() / PackedRow::SIZE) as u64;
        self.file.write_all(rows).map_err(DataError::io("write", self.file.path()))
    }

    pub(crate) fn finish(self) -> Result<crate::files::Written, DataError> {
        let path = self.file.path().to_owned();
        self.file.finish_with_head(&head(self.rows, &self.hasher.finalize()))?;
        crate::files::hash(&path)
    }
}

/// A file of packed rows, opened for reading in any order.
#[derive(Debug)]
pub struct PackedFile {
    file: File,
    rows: u64,
    hash: [u8; 8],
    path: std::path::PathBuf,
}

impl PackedFile {
    /// Opens a file and looks at its head; its size must be what the head says.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let fail = DataError::io("read", path);
        let damaged = |reason: String| Err(DataError::damaged(path, reason));
        let mut file = regular::open(path).map_err(DataError::io("open", path))?;
        let length = file.metadata().map_err(DataError::io("read", path))?.len();
        let mut bytes = [0; HEAD];
        if length < HEAD as u64 {
            return damaged(format!("{length} bytes are too few for a head"));
        }
        file.read_exact(&mut bytes).map_err(fail)?;
        let number =
            |at: usize| bytes[at..].first_chunk().map_or(0, |part| u64::from_le_bytes(*part));
        if bytes[..8] != MAGIC {
            return damaged("it does not begin with TABIYA32".into());
        }
        if number(8) != 1 | (PackedRow::SIZE as u64) << 32 {
            return damaged("its version or the size of its rows is not known".into());
        }
        let rows = number(16);
        if rows.checked_mul(PackedRow::SIZE as u64) != Some(length - HEAD as u64) {
            return damaged(format!("its head tells of {rows} rows, which {length} bytes are not"));
        }
        let hash = bytes[24..].first_chunk().copied().unwrap_or_default();
        Ok(Self { file, rows, hash, path: path.to_owned() })
    }

    /// How many rows there are.
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// What its head says of the hash of all rows: the first eight bytes. See [`PackedFile::check_hash`].
    pub const fn hash(&self) -> [u8; 8] {
        self.hash
    }

    /// Rows from this one on, in place of what was in the buffer.
    pub fn read(
        &mut self,
        first: u64,
        count: usize,
        rows: &mut Vec<PackedRow>,
    ) -> Result<(), DataError> {
        rows.clear();
        let count = (count as u64).min(self.rows.saturating_sub(first)) as usize;
        let mut bytes = vec![0; count * PackedRow::SIZE];
        let start = HEAD as u64 + first * PackedRow::SIZE as u64;
        self.file
            .seek(SeekFrom::Start(start))
            .and_then(|_| self.file.read_exact(&mut bytes))
            .map_err(DataError::io("read", &self.path))?;
        rows.extend(bytes.as_chunks().0.iter().map(|&row| PackedRow::from_bytes(row)));
        Ok(())
    }

    /// Reads all rows and compares their hash with the one in the head.
    pub fn check_hash(&mut self) -> Result<(), DataError> {
        let fail = DataError::io("read", &self.path);
        let mut hasher = blake3::Hasher::new();
        self.file
            .seek(SeekFrom::Start(HEAD as u64))
            .and_then(|_| std::io::copy(&mut self.file, &mut hasher))
            .map_err(fail)?;
        if hasher.finalize().as_bytes()[..8] != self.hash {
            return Err(DataError::damaged(
                &self.path,
                "its rows do not have the hash of its head",
            ));
        }
        Ok(())
    }
}
