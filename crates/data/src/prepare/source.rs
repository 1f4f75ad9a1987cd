//! Inputs of a data set: their list, their hashes, and their text in order.

use std::io::{self, Read};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use crate::files::{self, Written};
use crate::text_reader::{Content, TextChunk, TextReader};
use crate::threads::lock;
use crate::{DataError, Input, ReadError, Workers};

/// Name, size and hash of an input: a run resumes only with the same inputs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputFile {
    /// Name as given by the caller.
    pub name: String,
    /// Size in bytes, compressed; unknown for a pipe until it has been read.
    pub bytes: Option<u64>,
    /// BLAKE3 hash of these bytes.
    pub blake3: Option<String>,
}

/// Extensions of the files that a directory stands for.
const EXTENSIONS: [&str; 4] = [".pgn", ".pgn.zst", ".pgn.gz", ".pgn.bz2"];

/// Expands directories: a directory stands for all files in it and its subdirectories that end in `.pgn`, `.pgn.zst`,
/// `.pgn.gz` or `.pgn.bz2`, sorted by name.
pub fn expand(inputs: &[PathBuf]) -> Result<Vec<PathBuf>, DataError> {
    let mut files = Vec::new();
    for input in inputs {
        if !input.is_dir() {
            files.push(input.clone());
            continue;
        }
        let before = files.len();
        collect(input, &mut files)?;
        if files.len() == before {
            let reason = format!("no file in it ends in {}", EXTENSIONS.join(", "));
            return Err(DataError::NotADataSet { path: input.clone(), reason });
        }
    }
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), DataError> {
    let listed = std::fs::read_dir(folder).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()
    });
    let mut paths = listed.map_err(DataError::io("list", folder))?;
    paths.sort();
    for path in paths {
        // A symbolic link to a directory could form a cycle.
        if path.is_dir() && !path.is_symlink() {
            collect(&path, files)?;
        } else if path.is_file() {
            let name = path.to_string_lossy().to_ascii_lowercase();
            if EXTENSIONS.iter().any(|extension| name.ends_with(extension)) {
                files.push(path);
            }
        }
    }
    Ok(())
}

/// Whether a path is standard input or another pipe, which can be read only once.
fn is_pipe(path: &Path) -> bool {
    path == Path::new("-") || path.exists() && !path.is_file() && !path.is_dir()
}

/// Opens every file once, so that a wrong name is an error before anything is written. A file that is not
/// text is an error only if no other input is readable.
pub(crate) fn check(files: &[PathBuf]) -> Result<(), DataError> {
    let (mut is_any_readable, mut problem) = (false, None);
    for path in files {
        match if is_pipe(path) { Ok(()) } else { Input::open(path).map(drop) } {
            Ok(()) => is_any_readable = true,
            Err(error @ ReadError::Open { .. }) => return Err(error.into()),
            Err(error) => _ = problem.get_or_insert(error),
        }
    }
    problem.filter(|_| !is_any_readable).map_or(Ok(()), |error| Err(error.into()))
}

/// Describes an input: reads a file completely for its hash. A pipe has neither size nor hash until it has
/// been read.
pub fn describe(path: &Path) -> InputFile {
    let described = describe_until(path, NonZero::<usize>::MIN.into());
    described.unwrap_or_else(|_| unhashed(path))
}

/// [`describe`], interrupted by the stop flag.
pub(crate) fn describe_until(path: &Path, workers: Workers<'_>) -> Result<InputFile, DataError> {
    if path == Path::new("-") || !path.is_file() {
        return Ok(unhashed(path));
    }
    match files::hash_until(path, workers) {
        Ok(Written { bytes, blake3 }) => {
            Ok(InputFile { bytes: Some(bytes), blake3: Some(blake3), ..unhashed(path) })
        }
        Err(error @ DataError::Interrupted { .. }) => Err(error),
        Err(_) => Ok(unhashed(path)),
    }
}

fn unhashed(path: &Path) -> InputFile {
    InputFile { name: path.display().to_string(), bytes: None, blake3: None }
}

/// Resume position in the inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TextCursor {
    /// Index of the input.
    pub input: usize,
    /// Offset in its text.
    pub offset: u64,
    /// Number of games before that offset.
    pub games: u64,
}

/// A chunk of the text of all inputs.
pub(crate) struct SourceChunk {
    /// Index of the input.
    pub input: usize,
    pub chunk: TextChunk,
    /// Compressed bytes of all inputs read so far.
    pub bytes_read: u64,
}

/// The running hash and size of a pipe.
pub(crate) type PipeHash = Arc<Mutex<(blake3::Hasher, u64)>>;

/// Hashes of pipes, by index of the input.
pub(crate) type PipeHashes = Arc<Mutex<Vec<(usize, PipeHash)>>>;

/// Hashes everything that is read.
struct Hashing<R> {
    inner: R,
    hash: PipeHash,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let mut hash = lock(&self.hash);
        hash.0.update(&buffer[..count]);
        hash.1 += count as u64;
        Ok(count)
    }
}

/// Iterates over the chunks of all inputs, from a cursor on.
pub(crate) struct Source {
    files: Vec<PathBuf>,
    /// Index of the next input to open.
    next: usize,
    start: TextCursor,
    current: Option<TextReader>,
    /// Compressed bytes of the inputs that have been read completely.
    finished_bytes: u64,
    chunk_bytes: usize,
    hashes: PipeHashes,
}

impl Source {
    pub(crate) fn new(
        files: Vec<PathBuf>,
        start: TextCursor,
        chunk_bytes: usize,
        hashes: PipeHashes,
    ) -> Self {
        let (next, current, finished_bytes) = (start.input, None, 0);
        Self { files, next, start, current, finished_bytes, chunk_bytes, hashes }
    }

    fn open(&self, input: usize) -> Result<TextReader, ReadError> {
        let path = &self.files[input];
        let opened = if is_pipe(path) { self.open_pipe(input)? } else { Input::open(path)? };
        let max_game_bytes = crate::ReadOptions::default().max_game_bytes;
        let mut reader = TextReader::new(opened, self.chunk_bytes, max_game_bytes);
        if input == self.start.input {
            reader.skip_to(self.start.offset);
        }
        Ok(reader)
    }

    /// Opens standard input or another pipe, which is hashed while it is read.
    fn open_pipe(&self, input: usize) -> Result<Input, ReadError> {
        let path = &self.files[input];
        let hash = PipeHash::default();
        lock(&self.hashes).push((input, Arc::clone(&hash)));
        if path == Path::new("-") {
            return Input::from_reader("standard input", Hashing { inner: io::stdin(), hash });
        }
        let name = path.display().to_string();
        let opened = std::fs::File::open(path);
        let inner = opened.map_err(|cause| ReadError::Open { name: name.clone(), cause })?;
        Input::from_reader(&name, Hashing { inner, hash })
    }
}

impl Iterator for Source {
    type Item = SourceChunk;

    fn next(&mut self) -> Option<SourceChunk> {
        loop {
            let Some(reader) = &mut self.current else {
                let input = self.next;
                if input >= self.files.len() {
                    return None;
                }
                self.next += 1;
                match self.open(input) {
                    Ok(reader) => self.current = Some(reader),
                    Err(error) => {
                        let chunk = TextChunk { offset: 0, content: Content::Damaged(error) };
                        return Some(SourceChunk { input, chunk, bytes_read: self.finished_bytes });
                    }
                }
                continue;
            };
            let bytes_read = self.finished_bytes + reader.bytes_read.load(Ordering::Relaxed);
            match reader.next() {
                Some(chunk) => {
                    return Some(SourceChunk { input: self.next - 1, chunk, bytes_read });
                }
                None => (self.finished_bytes, self.current) = (bytes_read, None),
            }
        }
    }
}
