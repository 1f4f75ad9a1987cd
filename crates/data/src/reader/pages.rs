//! Checks the page headers of a Parquet column chunk before it is decoded.
//!
//! A decoder allocates as much memory as a page header declares. So all page headers of a column chunk are
//! read first, and if they declare more than its rows can need, nothing is decoded.
//!
//! Page headers are Thrift structs in the compact protocol: fields have a type and a delta to the previous
//! field id; integers are zigzag varints. Of `PageHeader`, fields 2 and 3 are used, the uncompressed and the
//! compressed size; all others are skipped.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use parquet::file::metadata::ColumnChunkMetaData;

/// Maximum bytes per row of a column: a FEN has 92 bytes and a length of four.
const ROW_BYTES: u64 = 128;
/// Additional bytes per column chunk.
const SPARE_BYTES: u64 = 1 << 20;
/// Maximum nesting of structs.
const MAX_DEPTH: usize = 16;

/// Checks the length of the footer, which is read at once.
pub(super) fn check_footer(mut file: &File, length: u64, most: u32) -> Result<(), String> {
    let mut end = [0; 8];
    let read = file.seek(SeekFrom::End(-8)).and_then(|_| file.read_exact(&mut end));
    read.map_err(|error| error.to_string())?;
    let [a, b, c, d, magic @ ..] = end;
    if &magic != b"PAR1" {
        return Err("it does not end with the Parquet magic number".into());
    }
    let footer = u32::from_le_bytes([a, b, c, d]);
    if u64::from(footer) + 12 > length || footer > most {
        return Err(format!("a footer of {footer} bytes is impossible"));
    }
    Ok(())
}

/// Reads all page headers of a column chunk of `rows` rows.
pub(super) fn check(file: &File, chunk: &ColumnChunkMetaData, rows: u64) -> Result<(), String> {
    let numbers = [chunk.data_page_offset(), chunk.compressed_size()];
    let [Ok(data), Ok(length)] = numbers.map(u64::try_from) else {
        return Err("a size or an offset is negative".into());
    };
    let start = match chunk.dictionary_page_offset().map(u64::try_from) {
        Some(Ok(dictionary)) if dictionary > 0 => dictionary.min(data),
        _ => data,
    };
    let file_length = file.metadata().map_err(|error| error.to_string())?.len();
    let end = start.checked_add(length).filter(|&end| end <= file_length);
    let end = end.ok_or("it lies beyond the end of the file")?;
    let mut reader = PageHeaders { reader: BufReader::with_capacity(1 << 10, file), at: start };
    reader.reader.seek(SeekFrom::Start(start)).map_err(|error| error.to_string())?;
    let room = rows * ROW_BYTES + SPARE_BYTES;
    let mut total = 0;
    while reader.at < end {
        let (plain, compressed) = reader.page().ok_or("a page header cannot be read")?;
        total += plain;
        if total > room || reader.at.saturating_add(compressed) > end {
            return Err(format!("{total} bytes or more are too many for {rows} rows"));
        }
        reader.skip(compressed).ok_or("a page cannot be read")?;
    }
    Ok(())
}

/// Reads page headers.
struct PageHeaders<R> {
    reader: R,
    at: u64,
}

impl<R: Read + Seek> PageHeaders<BufReader<R>> {
    fn skip(&mut self, bytes: u64) -> Option<()> {
        self.reader.seek_relative(i64::try_from(bytes).ok()?).ok()?;
        self.at += bytes;
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let mut byte = [0];
        self.reader.read_exact(&mut byte).ok()?;
        self.at += 1;
        Some(byte[0])
    }

    /// A varint.
    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A zigzag varint.
    fn zigzag(&mut self) -> Option<i64> {
        let number = self.varint()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// The uncompressed and the compressed size of a page.
    fn page(&mut self) -> Option<(u64, u64)> {
        let (mut plain, mut compressed) = (None, None);
        let mut field = 0;
        loop {
            let (kind, number) = self.field(field)?;
            match (kind, number) {
                (0, _) => return Some((plain?, compressed?)),
                (5, 2) => plain = Some(u64::try_from(self.zigzag()?).ok()?),
                (5, 3) => compressed = Some(u64::try_from(self.zigzag()?).ok()?),
                _ => self.value(kind, 0)?,
            }
            field = number;
        }
    }

    /// Type and id of the next field; type 0 ends a struct.
    fn field(&mut self, last: i64) -> Option<(u8, i64)> {
        let byte = self.byte()?;
        let number = match byte >> 4 {
            _ if byte == 0 => 0,
            0 => self.zigzag()?,
            step => last.checked_add(step.into())?,
        };
        Some((byte & 15, number))
    }

    /// Skips a value.
    fn value(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        match kind {
            1 | 2 => {}
            3 => self.skip(1)?,
            4..=6 => drop(self.varint()?),
            7 => self.skip(8)?,
            8 => {
                let length = self.varint()?;
                self.skip(length)?;
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { (head >> 4).into() };
                for _ in 0..count.min(1 << 16) {
                    match head & 15 {
                        1 | 2 => self.skip(1)?,
                        kind => self.value(kind, depth + 1)?,
                    }
                }
            }
            12 => {
                let mut field = 0;
                loop {
                    let (kind, number) = self.field(field)?;
                    if kind == 0 {
                        break;
                    }
                    self.value(kind, depth + 1)?;
                    field = number;
                }
            }
            _ => return None,
        }
        Some(())
    }
}
