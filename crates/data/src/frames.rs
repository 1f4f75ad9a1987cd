//! Zstd frames of a pzstd archive.
//!
//! pzstd writes a skippable frame of twelve bytes before each data frame: the magic number 0x184D2A50, the
//! length 4, and the compressed size of the data frame, all little-endian. The frames can be located
//! without decompressing any, so they can be decompressed in parallel, and reading continues with the
//! next one behind a damaged one. Lichess's databases are such files.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::input::Counted;
use crate::{Format, Input};

/// Bytes of text decoded at a time.
const BUFFER: usize = 1 << 16;

/// Offset and length of a data frame in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Frame {
    offset: u64,
    length: u64,
}

/// All frames, if the whole file is a pzstd archive of at least two.
fn index(path: &Path) -> io::Result<Option<Vec<Frame>>> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut frames = Vec::new();
    let mut at = 0;
    while at < size {
        let mut header = [0; 12];
        file.seek(SeekFrom::Start(at))?;
        if let Err(error) = file.read_exact(&mut header) {
            let is_end = error.kind() == io::ErrorKind::UnexpectedEof;
            return if is_end { Ok(None) } else { Err(error) };
        }
        let [a, b, c, d, e, f, g, h, length @ ..] = header;
        if [a, b, c, d, e, f, g, h] != [0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0] {
            return Ok(None);
        }
        let length = u64::from(u32::from_le_bytes(length));
        if length == 0 || at + 12 + length > size {
            return Ok(None);
        }
        frames.push(Frame { offset: at + 12, length });
        at += 12 + length;
    }
    Ok(Some(frames).filter(|frames| frames.len() > 1))
}

/// A pzstd archive.
#[derive(Clone)]
pub(crate) struct FramedFile {
    path: PathBuf,
    pub frames: Arc<[Frame]>,
    bytes_read: Arc<AtomicU64>,
}

impl FramedFile {
    /// The archive behind an input, if it is one.
    pub(crate) fn of(input: &Input) -> Option<Self> {
        let path = input.path.clone().filter(|_| input.format == Format::Zstd)?;
        let frames = index(&path).ok().flatten()?.into();
        // The bytes read to detect the format are read again.
        input.bytes_read.store(0, Ordering::Relaxed);
        Some(Self { path, frames, bytes_read: input.bytes_read() })
    }

    /// Opens the file at a frame.
    pub(crate) fn open(&self, frame: Frame) -> io::Result<FrameReader> {
        let mut inner = File::open(&self.path)?;
        inner.seek(SeekFrom::Start(frame.offset))?;
        let counted = Counted { inner, bytes_read: Arc::clone(&self.bytes_read) };
        let decoder = zstd::stream::read::Decoder::new(counted.take(frame.length))?;
        Ok(FrameReader { decoder, buffer: vec![0; BUFFER], start: 0, end: 0 })
    }
}

/// The text of one frame.
///
/// The decoder discards what it has decoded in the call that finds damage. It is always called with the
/// same buffer size, so the text before the damage is the same for every caller.
pub(crate) struct FrameReader {
    decoder: zstd::stream::read::Decoder<'static, BufReader<Take<Counted<File>>>>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Read for FrameReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            self.end = self.decoder.read(&mut self.buffer)?;
        }
        let count = buffer.len().min(self.end - self.start);
        buffer[..count].copy_from_slice(&self.buffer[self.start..self.start + count]);
        self.start += count;
        Ok(count)
    }
}

/// The text of all frames. After an error, reading continues with the next frame: the rest of the damaged
/// one is lost.
pub(crate) struct FrameChain {
    file: FramedFile,
    next: usize,
    current: Option<FrameReader>,
}

impl FrameChain {
    pub(crate) fn new(file: FramedFile) -> Self {
        Self { file, next: 0, current: None }
    }

    /// Whether there is a frame after the current one.
    pub(crate) fn has_more(&self) -> bool {
        self.next < self.file.frames.len()
    }
}

impl Read for FrameChain {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(reader) = &mut self.current else {
                let Some(&frame) = self.file.frames.get(self.next) else { return Ok(0) };
                self.next += 1;
                self.current = Some(self.file.open(frame)?);
                continue;
            };
            match reader.read(buffer) {
                Ok(0) if !buffer.is_empty() => self.current = None,
                Ok(count) => return Ok(count),
                Err(error) => {
                    self.current = None;
                    return Err(error);
                }
            }
        }
    }
}
