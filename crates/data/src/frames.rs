//! The frames of a file that pzstd wrote.
//!
//! pzstd puts a skippable frame of twelve bytes before each frame of data: the number 0x184D2A50, the
//! length 4, and the compressed size of what follows, all little-endian. So the frames can be found
//! without decompressing any, and shared out among threads. Lichess's databases are such files.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};
use std::path::Path;
use std::sync::Arc;

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
