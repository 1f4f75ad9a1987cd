//! The frames of a file that pzstd wrote.
//!
//! pzstd puts a skippable frame of twelve bytes before each frame of data: the number 0x184D2A50, the
//! length 4, and the compressed size of what follows, all little-endian. So the frames can be found
//! without decompressing any, and shared out among threads. Lichess's databases are such files.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::input::{Counted, Progress};

/// Where a frame of data is in its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Frame {
    offset: u64,
    length: u64,
}

/// All frames, if the whole file is as pzstd writes it.
pub(crate) fn index(path: &Path) -> io::Result<Option<Vec<Frame>>> {
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

/// The text of one frame.
pub(crate) type FrameReader = zstd::stream::read::Decoder<'static, BufReader<Take<Counted<File>>>>;

/// Opens the file for one frame.
pub(crate) fn open(path: &Path, frame: Frame, progress: &Arc<Progress>) -> io::Result<FrameReader> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(frame.offset))?;
    let counted = Counted { inner: file, progress: Arc::clone(progress) };
    zstd::stream::read::Decoder::new(counted.take(frame.length))
}

/// The text of all frames from one on. After an error the next frame follows: what is left of the
/// damaged one is lost.
pub(crate) struct Chain {
    path: PathBuf,
    frames: Arc<[Frame]>,
    next: usize,
    current: Option<FrameReader>,
    progress: Arc<Progress>,
}

impl Chain {
    pub(crate) fn new(path: &Path, frames: Vec<Frame>, progress: &Arc<Progress>) -> Self {
        let (path, frames, progress) = (path.to_owned(), frames.into(), Arc::clone(progress));
        Self { path, frames, next: 0, current: None, progress }
    }

    /// Whether there is a frame behind the current one.
    pub(crate) fn has_more(&self) -> bool {
        self.next < self.frames.len()
    }
}

impl Read for Chain {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(reader) = &mut self.current else {
                let Some(&frame) = self.frames.get(self.next) else { return Ok(0) };
                self.next += 1;
                self.current = Some(open(&self.path, frame, &self.progress)?);
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

/// A chain that several know of: one reads, another asks whether there is more.
#[derive(Clone)]
pub(crate) struct SharedChain(Arc<Mutex<Chain>>);

impl SharedChain {
    pub(crate) fn new(chain: Chain) -> Self {
        Self(Arc::new(Mutex::new(chain)))
    }

    pub(crate) fn has_more(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).has_more()
    }
}

impl Read for SharedChain {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).read(buffer)
    }
}
