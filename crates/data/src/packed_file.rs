//! Files of packed rows: a header of 32 bytes, then rows of 32 bytes.
//!
//! | bytes of the header | content (little-endian) |
//! |---|---|
//! | 0–7 | `TABIYA32` |
//! | 8–11 | version of the format, 1 |
//! | 12–15 | bytes per row, 32 |
//! | 16–23 | number of rows |
//! | 24–31 | the first eight bytes of the BLAKE3 hash of all rows |
//!
//! A row is a [`PackedRow`]; scores and results are from White's point of view.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use chess::PackedRow;

use crate::files::OutputFile;
use crate::{DataError, Row};

const MAGIC: [u8; 8] = *b"TABIYA32";
const HEADER: usize = 32;

/// Writes a file of packed rows.
#[derive(Debug)]
pub(crate) struct PackedWriter {
    file: OutputFile,
    rows: u64,
    hasher: blake3::Hasher,
}

/// Encodes rows.
pub(crate) fn encode(rows: &[Row]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(rows.len() * PackedRow::SIZE);
    rows.iter().for_each(|row| bytes.extend_from_slice(row.packed.as_bytes()));
    bytes
}

fn header(rows: u64, hash: &blake3::Hash) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&1u32.to_le_bytes());
    header[12..16].copy_from_slice(&(PackedRow::SIZE as u32).to_le_bytes());
    header[16..24].copy_from_slice(&rows.to_le_bytes());
    header[24..].copy_from_slice(&hash.as_bytes()[..8]);
    header
}

impl PackedWriter {
    pub(crate) fn create(path: &Path) -> Result<Self, DataError> {
        let mut file = OutputFile::create(path)?;
        file.write_all(&[0; HEADER]).map_err(DataError::io("write", path))?;
        Ok(Self { file, rows: 0, hasher: blake3::Hasher::new() })
    }

    /// Appends rows from [`encode`].
    pub(crate) fn append(&mut self, rows: &[u8]) -> Result<(), DataError> {
        self.hasher.update(rows);
        self.rows += (rows.len() / PackedRow::SIZE) as u64;
        self.file.write_all(rows).map_err(DataError::io("write", self.file.path()))
    }

    pub(crate) fn finish(self) -> Result<crate::files::Written, DataError> {
        let path = self.file.path().to_owned();
        self.file.finish_with_header(&header(self.rows, &self.hasher.finalize()))?;
        crate::files::hash(&path)
    }
}

/// A file of packed rows with random access.
#[derive(Debug)]
pub struct PackedFile {
    file: File,
    rows: u64,
    hash: [u8; 8],
    path: std::path::PathBuf,
}

impl PackedFile {
    /// Opens a file; its size must match its header.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let fail = DataError::io("read", path);
        let damaged = |reason: String| Err(DataError::damaged(path, reason));
        let mut file = regular::open(path).map_err(DataError::io("open", path))?;
        let length = file.metadata().map_err(DataError::io("read", path))?.len();
        let mut bytes = [0; HEADER];
        if length < HEADER as u64 {
            return damaged(format!("{length} bytes are too few for a header"));
        }
        file.read_exact(&mut bytes).map_err(fail)?;
        let number =
            |at: usize| bytes[at..].first_chunk().map_or(0, |part| u64::from_le_bytes(*part));
        if bytes[..8] != MAGIC {
            return damaged("it does not begin with TABIYA32".into());
        }
        if number(8) != 1 | (PackedRow::SIZE as u64) << 32 {
            return damaged("its version or row size is not supported".into());
        }
        let rows = number(16);
        if rows.checked_mul(PackedRow::SIZE as u64) != Some(length - HEADER as u64) {
            return damaged(format!(
                "its header declares {rows} rows, which do not match {length} bytes"
            ));
        }
        let hash = bytes[24..].first_chunk().copied().unwrap_or_default();
        Ok(Self { file, rows, hash, path: path.to_owned() })
    }

    /// Number of rows.
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// The first eight bytes of the hash of all rows, as in the header. See [`PackedFile::check_hash`].
    pub const fn hash(&self) -> [u8; 8] {
        self.hash
    }

    /// Reads up to `count` rows from `first` on into the buffer.
    pub fn read(
        &mut self,
        first: u64,
        count: usize,
        rows: &mut Vec<PackedRow>,
    ) -> Result<(), DataError> {
        rows.clear();
        let count = (count as u64).min(self.rows.saturating_sub(first)) as usize;
        let mut bytes = vec![0; count * PackedRow::SIZE];
        let start = HEADER as u64 + first * PackedRow::SIZE as u64;
        self.file
            .seek(SeekFrom::Start(start))
            .and_then(|_| self.file.read_exact(&mut bytes))
            .map_err(DataError::io("read", &self.path))?;
        rows.extend(bytes.as_chunks().0.iter().map(|&row| PackedRow::from_bytes(row)));
        Ok(())
    }

    /// Reads all rows and compares their hash with the header.
    pub fn check_hash(&mut self) -> Result<(), DataError> {
        let fail = DataError::io("read", &self.path);
        let mut hasher = blake3::Hasher::new();
        self.file
            .seek(SeekFrom::Start(HEADER as u64))
            .and_then(|_| std::io::copy(&mut self.file, &mut hasher))
            .map_err(fail)?;
        if hasher.finalize().as_bytes()[..8] != self.hash {
            return Err(DataError::damaged(
                &self.path,
                "its rows do not have the hash in its header",
            ));
        }
        Ok(())
    }
}
