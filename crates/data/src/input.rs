//! PGN inputs: files, pipes and standard input, decompressed by content, not by name.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Compression format of an input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Format {
    /// Plain text.
    Plain,
    /// Zstandard, in one frame or many.
    Zstd,
    /// Gzip, in one member or many.
    Gzip,
    /// Bzip2, in one stream or many.
    Bzip2,
    /// UTF-16 text, which is not PGN.
    Utf16,
}

impl Format {
    /// Detects the format from the first bytes of a file.
    ///
    /// ```
    /// use tabiya_data::Format;
    /// assert_eq!(Format::of(&[0x1f, 0x8b, 8]), Format::Gzip);
    /// assert_eq!(Format::of(b"[Event \"?\"]"), Format::Plain);
    /// ```
    pub fn of(beginning: &[u8]) -> Self {
        match beginning {
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            [0x1f, 0x8b, ..] => Self::Gzip,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Self::Bzip2,
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Self::Utf16,
            _ => Self::Plain,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Plain => "plain text",
            Self::Zstd => "zstd",
            Self::Gzip => "gzip",
            Self::Bzip2 => "bzip2",
            Self::Utf16 => "UTF-16 text",
        })
    }
}

/// Why an input could not be read, or not completely.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The reader threads could not be started.
    #[error(transparent)]
    Threads(#[from] crate::ThreadError),
    /// The input cannot be opened.
    #[error("cannot open {name}: {cause}")]
    Open {
        /// Name of the input.
        name: String,
        /// Error of the operating system.
        cause: io::Error,
    },
    /// The compressed data is truncated.
    #[error("{name} is cut off: the {format} data ends after {after} bytes of text")]
    Truncated {
        /// Name of the input.
        name: String,
        /// Compression format.
        format: Format,
        /// Bytes of text before the damage.
        after: u64,
    },
    /// The compressed data is damaged.
    #[error("{name} is damaged: bad {format} data after {after} bytes of text ({cause})")]
    Damaged {
        /// Name of the input.
        name: String,
        /// Compression format.
        format: Format,
        /// Bytes of text before the damage.
        after: u64,
        /// Error of the decoder.
        cause: io::Error,
    },
    /// Reading failed.
    #[error("cannot read {name} beyond {after} bytes of text: {cause}")]
    Io {
        /// Name of the input.
        name: String,
        /// Bytes of text before the damage.
        after: u64,
        /// Error of the operating system.
        cause: io::Error,
    },
    /// The input is UTF-16 text.
    #[error("{name} is UTF-16 text; PGN is UTF-8 or Latin-1")]
    Utf16 {
        /// Name of the input.
        name: String,
    },
    /// Several zstd frames are damaged.
    #[error("{}", self.lines().join("; "))]
    Several {
        /// The first errors.
        first: Vec<ReadError>,
        /// Number of errors that are not listed.
        more: u64,
    },
    /// A reader thread panicked: a bug.
    #[error("a thread stopped unexpectedly")]
    Panicked,
}

impl ReadError {
    /// One line per error.
    pub fn lines(&self) -> Vec<String> {
        let Self::Several { first, more } = self else { return vec![self.to_string()] };
        let mut lines: Vec<String> = first.iter().map(ToString::to_string).collect();
        if *more > 0 {
            lines.push(format!("… and {more} more"));
        }
        lines
    }
}

/// The errors of one input: the first hundred, and the number of all.
#[derive(Default)]
pub(crate) struct ReadErrors {
    first: Vec<ReadError>,
    more: u64,
}

impl ReadErrors {
    pub(crate) fn push(&mut self, error: ReadError) {
        if self.first.len() < 100 {
            self.first.push(error);
        } else {
            self.more += 1;
        }
    }

    pub(crate) fn into_result(mut self) -> Result<(), ReadError> {
        match self.first.len() {
            0 => Ok(()),
            1 => self.first.pop().map_or(Ok(()), Err),
            _ => Err(ReadError::Several { first: self.first, more: self.more }),
        }
    }
}

/// An opened file, pipe or standard input. [`Read`] gives the decompressed text.
pub struct Input {
    pub(crate) name: String,
    pub(crate) format: Format,
    /// Path of a regular file, which can be opened again and read from any offset.
    pub(crate) path: Option<PathBuf>,
    size: Option<u64>,
    pub(crate) bytes_read: Arc<AtomicU64>,
    reader: Box<dyn Read + Send>,
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Input({}, {})", self.name, self.format)
    }
}

impl Input {
    /// Opens a file; `-` is standard input.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        if path == Path::new("-") {
            return Self::from_reader("standard input", io::stdin());
        }
        let name = path.display().to_string();
        let fail = |cause| ReadError::Open { name: name.clone(), cause };
        let file = File::open(path).map_err(fail)?;
        let metadata = file.metadata().map_err(fail)?;
        if metadata.is_dir() {
            return Err(fail(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        let mut input = Self::from_reader(&name, file)?;
        if metadata.is_file() {
            input.size = Some(metadata.len());
            input.path = Some(path.to_owned());
        }
        Ok(input)
    }

    /// Reads from any reader; the name is for messages.
    pub fn from_reader(name: &str, reader: impl Read + Send + 'static) -> Result<Self, ReadError> {
        let bytes_read = Arc::new(AtomicU64::new(0));
        let mut raw = Counted { inner: reader, bytes_read: Arc::clone(&bytes_read) };
        let mut beginning = Vec::with_capacity(8);
        let name = name.to_owned();
        if let Err(cause) = raw.by_ref().take(8).read_to_end(&mut beginning) {
            return Err(ReadError::Open { name, cause });
        }
        let format = Format::of(&beginning);
        let raw = io::Cursor::new(beginning).chain(raw);
        let damaged = |cause| ReadError::Open { name: name.clone(), cause };
        let reader: Box<dyn Read + Send> = match format {
            Format::Plain => Box::new(raw),
            Format::Zstd => Box::new(zstd::stream::read::Decoder::new(raw).map_err(damaged)?),
            Format::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(
                BufReader::with_capacity(1 << 16, raw),
            )),
            Format::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(
                BufReader::with_capacity(1 << 16, raw),
            )),
            Format::Utf16 => return Err(ReadError::Utf16 { name }),
        };
        Ok(Self { name, format, path: None, size: None, bytes_read, reader })
    }

    /// Name, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Compression format.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Compressed size of the file; unknown for pipes.
    pub const fn size(&self) -> Option<u64> {
        self.size
    }

    /// Counter of the compressed bytes read so far, for progress displays.
    pub fn bytes_read(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes_read)
    }

    /// Classifies an error after `after` bytes of text.
    pub(crate) fn error(name: &str, format: Format, after: u64, cause: io::Error) -> ReadError {
        let name = name.to_owned();
        match (format, cause.kind()) {
            (Format::Plain, _) => ReadError::Io { name, after, cause },
            (_, io::ErrorKind::UnexpectedEof) => ReadError::Truncated { name, format, after },
            // Errors of the operating system have a code; those of a decoder have none.
            _ if cause.raw_os_error().is_some() => ReadError::Io { name, after, cause },
            _ => ReadError::Damaged { name, format, after, cause },
        }
    }
}

/// The decompressed text of a file, or of standard input for `-`; more than `limit` bytes are an error.
pub fn read_text(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut input = Input::open(path)?;
    let mut text = Vec::new();
    let read = input.by_ref().take(limit + 1).read_to_end(&mut text);
    let after = text.len() as u64;
    let read = read.and_then(|_| match after > limit {
        true => Err(io::Error::other(format!("more than {limit} bytes of text"))),
        false => Ok(()),
    });
    read.map_err(|cause| Input::error(&input.name, input.format, after, cause)).map(|()| text)
}

/// The decompressed text.
impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

/// Counts the bytes read.
pub(crate) struct Counted<R> {
    pub(crate) inner: R,
    pub(crate) bytes_read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.bytes_read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
