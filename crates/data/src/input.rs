//! Files opened by what is in them.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a file is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Not at all.
    Plain,
    /// Zstandard, in one frame or many.
    Zstd,
    /// Gzip, in one member or many.
    Gzip,
    /// Bzip2, in one stream or many.
    Bzip2,
    /// Text in UTF-16, which PGN is not.
    Utf16,
}

impl Format {
    /// The format of a file that begins with these bytes.
    ///
    /// ```
    /// use data::Format;
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

/// Why a file could not be read, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refuses to start threads that read.
    #[error(transparent)]
    Threads(#[from] crate::ThreadError),
    /// It cannot be opened.
    #[error("cannot open {name}: {cause}")]
    Open {
        /// The file.
        name: String,
        /// What the system says.
        cause: io::Error,
    },
    /// It ends in the middle of compressed data.
    #[error("{name} is cut off: the {format} data ends after {after} bytes of text")]
    Truncated {
        /// The file.
        name: String,
        /// How it is compressed.
        format: Format,
        /// How much text was read.
        after: u64,
    },
    /// Its compressed data is damaged.
    #[error("{name} is damaged: bad {format} data after {after} bytes of text ({cause})")]
    Damaged {
        /// The file.
        name: String,
        /// How it is compressed.
        format: Format,
        /// How much text was read.
        after: u64,
        /// What the decoder says.
        cause: io::Error,
    },
    /// The system could not read on.
    #[error("cannot read {name} beyond {after} bytes of text: {cause}")]
    Io {
        /// The file.
        name: String,
        /// How much text was read.
        after: u64,
        /// What the system says.
        cause: io::Error,
    },
    /// It is text in UTF-16.
    #[error("{name} is UTF-16 text; PGN is UTF-8 or Latin-1")]
    Utf16 {
        /// The file.
        name: String,
    },
}

/// How far reading has come; to be looked at from another thread.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes of the file read, compressed as they are.
    pub bytes: AtomicU64,
    /// Games read: for whoever reads them to count.
    pub games: AtomicU64,
}

/// An opened file, or standard input.
pub struct Input {
    pub(crate) name: String,
    pub(crate) format: Format,
    /// Where the file is, if it is one that can be opened again and read in parts.
    pub(crate) path: Option<PathBuf>,
    size: Option<u64>,
    pub(crate) progress: Arc<Progress>,
    reader: Box<dyn Read + Send>,
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Input({}, {})", self.name, self.format)
    }
}

impl Input {
    /// Opens a file; `-` stands for standard input.
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

    /// Reads from anything; the name is for messages.
    pub fn from_reader(name: &str, reader: impl Read + Send + 'static) -> Result<Self, ReadError> {
        let progress = Arc::new(Progress::default());
        let mut raw = Counted { inner: reader, progress: Arc::clone(&progress) };
        let mut beginning = Vec::with_capacity(8);
        let name = name.to_owned();
        if let Err(cause) = raw.by_ref().take(8).read_to_end(&mut beginning) {
            return Err(ReadError::Open { name, cause });
        }
        let format = Format::of(&beginning);
        let whole = io::Cursor::new(beginning).chain(raw);
        let damaged = |cause| ReadError::Open { name: name.clone(), cause };
        let reader: Box<dyn Read + Send> = match format {
            Format::Plain => Box::new(whole),
            Format::Zstd => Box::new(zstd::stream::read::Decoder::new(whole).map_err(damaged)?),
            Format::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(
                BufReader::with_capacity(1 << 16, whole),
            )),
            Format::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(
                BufReader::with_capacity(1 << 16, whole),
            )),
            Format::Utf16 => return Err(ReadError::Utf16 { name }),
        };
        Ok(Self { name, format, path: None, size: None, progress, reader })
    }

    /// The name, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How it is compressed.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// How many bytes the file has, compressed as it is; unknown for pipes.
    pub const fn size(&self) -> Option<u64> {
        self.size
    }

    /// How far reading has come.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// What went wrong after so many bytes of text.
    pub(crate) fn error(name: &str, format: Format, after: u64, cause: io::Error) -> ReadError {
        let name = name.to_owned();
        match (format, cause.kind()) {
            (Format::Plain, _) => ReadError::Io { name, after, cause },
            (_, io::ErrorKind::UnexpectedEof) => ReadError::Truncated { name, format, after },
            // The system's own errors have a number; a decoder's have none.
            _ if cause.raw_os_error().is_some() => ReadError::Io { name, after, cause },
            _ => ReadError::Damaged { name, format, after, cause },
        }
    }
}

/// The text of the file.
impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

/// Counts what is read.
pub(crate) struct Counted<R> {
    pub(crate) inner: R,
    pub(crate) progress: Arc<Progress>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.progress.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
