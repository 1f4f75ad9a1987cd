//! A cursor over a file's header.

use super::FileError;

/// A cursor.
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Starts at the beginning.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The offset.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The next bytes.
    pub fn take(&mut self, len: usize) -> Result<&'a [u8], FileError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = rest.get(..len).ok_or(FileError::Truncated)?;
        self.at += len;
        Ok(taken)
    }

    /// Skips `count` items of `size` bytes and returns their range.
    pub fn skip(&mut self, count: u64, size: u64) -> Result<std::ops::Range<usize>, FileError> {
        let len = count.checked_mul(size).and_then(|len| usize::try_from(len).ok());
        let start = self.at;
        self.take(len.ok_or(FileError::Truncated)?)?;
        Ok(start..self.at)
    }

    /// Aligns the offset to a power of two.
    pub fn align(&mut self, to: usize) {
        self.at = self.at.next_multiple_of(to);
    }

    /// A byte.
    pub fn u8(&mut self) -> Result<u8, FileError> {
        Ok(self.take(1)?[0])
    }

    /// A little-endian 16-bit number.
    pub fn u16(&mut self) -> Result<u16, FileError> {
        let bytes = self.take(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    /// A little-endian 32-bit number.
    pub fn u32(&mut self) -> Result<u32, FileError> {
        Ok(u32::from(self.u16()?) | u32::from(self.u16()?) << 16)
    }
}
