//! The rows of a unit of work in a file, so that a resumed run does not play its games again.
//!
//! | bytes | content (little-endian) |
//! |---|---|
//! | 8 | `TABIYAGU` |
//! | 4 | length of the counts |
//! | … | the counts, as JSON |
//! | 33 each | rows: 0 for training or 1 for validation, and the 32 bytes of a packed row |
//! | 32 | the BLAKE3 hash of all that, keyed by everything that determines the games |
//!
//! A damaged file counts as missing, and so does one of other games.

use std::path::Path;

use chess::PackedRow;
use data::{Counts, DataError, Partition, Row, Split};

const MAGIC: [u8; 8] = *b"TABIYAGU";
const RECORD: usize = 1 + PackedRow::SIZE;
/// The maximum size of a file.
const MAX_BYTES: u64 = 1 << 30;

/// What the games of a unit are determined by, as a hash.
pub type Key = [u8; 32];

/// Writes a unit by rename.
pub fn write(path: &Path, unit: &Partition, key: &Key) -> Result<(), DataError> {
    data::write_atomic(path, &encode(unit, key)?)
}

/// The content of the file of a unit.
pub fn encode(unit: &Partition, key: &Key) -> Result<Vec<u8>, DataError> {
    let counts = serde_json::to_vec(&unit.counts)
        .map_err(|error| DataError::Encode { path: "unit".into(), reason: error.to_string() })?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&(counts.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&counts);
    for row in &unit.rows {
        bytes.push(row.split as u8);
        bytes.extend_from_slice(row.packed.as_bytes());
    }
    let hash = blake3::keyed_hash(key, &bytes);
    bytes.extend_from_slice(hash.as_bytes());
    Ok(bytes)
}

/// Reads a unit, if its file exists and is not damaged.
pub fn read(path: &Path, key: &Key) -> Option<Partition> {
    let bytes = regular::read(path, MAX_BYTES).ok()?;
    let (bytes, hash) = bytes.split_last_chunk::<32>()?;
    if blake3::keyed_hash(key, bytes).as_bytes() != hash {
        return None;
    }
    let (magic, rest) = bytes.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (counts, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let (records, left) = rest.as_chunks::<RECORD>();
    if *magic != MAGIC || !left.is_empty() {
        return None;
    }
    let counts: Counts = serde_json::from_slice(counts).ok()?;
    let row = |record: &[u8; RECORD]| {
        let (&split, packed) = record.split_first()?;
        let packed = PackedRow::from_bytes(*packed.first_chunk()?);
        let split = Split::ALL.into_iter().find(|&other| other as u8 == split)?;
        Some(Row { split, ..Row::of_packed(packed) })
    };
    Some(Partition { rows: records.iter().map(row).collect::<Option<_>>()?, counts, read: 0 })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use chess::Position;

    const KEY: Key = [7; 32];

    #[test]
    fn a_unit_survives_its_file_and_a_damaged_file_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("unit");
        let packed = PackedRow::new(&Position::INITIAL).unwrap();
        let rows = Split::ALL.map(|split| Row { split, ..Row::of_packed(packed) }).to_vec();
        let counts = Counts { games: 3, moves: 77, ..Counts::default() };
        let unit = Partition { rows, counts, read: 0 };
        assert_eq!(read(&path, &KEY), None);
        write(&path, &unit, &KEY).unwrap();
        assert_eq!(read(&path, &KEY), Some(unit));
        assert_eq!(read(&path, &[8; 32]), None, "of other games");
        let good = fs::read(&path).unwrap();
        for length in 0..good.len() {
            fs::write(&path, &good[..length]).unwrap();
            assert_eq!(read(&path, &KEY), None, "{length}");
        }
        for byte in 0..good.len() {
            let mut bad = good.clone();
            bad[byte] ^= 4;
            fs::write(&path, &bad).unwrap();
            assert_eq!(read(&path, &KEY), None, "{byte}");
        }
    }
}
