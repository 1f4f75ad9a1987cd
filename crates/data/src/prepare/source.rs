//! All inputs, one after the other, in pieces of whole games.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::chunks::Found;
use crate::frames::{self, Chain, SharedChain};
use crate::pool::Feed;
use crate::{Chunks, DataError, Format, Input, Progress, ReadError};

/// What is known of an input: enough to tell whether it is still the same.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputFile {
    /// Its name as it was given.
    pub name: String,
    /// How many bytes it has, compressed as it is; unknown for a pipe until it has been read.
    pub bytes: Option<u64>,
    /// The BLAKE3 hash of these bytes.
    pub blake3: Option<String>,
}

/// The endings of names that are taken from folders.
const ENDINGS: [&str; 4] = [".pgn", ".pgn.zst", ".pgn.gz", ".pgn.bz2"];

/// The files of games that are meant: a folder stands for all files in it and in its folders whose names
/// end in `.pgn`, `.pgn.zst`, `.pgn.gz` or `.pgn.bz2`, in the order of their names.
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
            let reason = format!("no file in it ends in {}", ENDINGS.join(", "));
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
        // A link to a folder could lead in circles.
        if path.is_dir() && !path.is_symlink() {
            collect(&path, files)?;
        } else if path.is_file() {
            let name = path.to_string_lossy().to_ascii_lowercase();
            if ENDINGS.iter().any(|ending| name.ends_with(ending)) {
                files.push(path);
            }
        }
    }
    Ok(())
}

/// Whether a path is standard input or another pipe, which can be opened and read only once.
fn is_pipe(path: &Path) -> bool {
    path == Path::new("-") || path.exists() && !path.is_file() && !path.is_dir()
}

/// Opens every file once, so that a wrong name is found before anything is written. A file that is no
/// text is an error only if there is nothing else to read.
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

/// Looks at an input: a file is read to its end for its hash. A pipe has neither size nor hash until it
/// has been read.
pub fn describe(path: &Path) -> InputFile {
    let name = path.display().to_string();
    let is_file = path != Path::new("-") && path.is_file();
    let hashed = is_file.then(|| {
        let mut hasher = blake3::Hasher::new();
        let bytes = io::copy(&mut regular::open(path)?, &mut hasher)?;
        io::Result::Ok((bytes, hasher.finalize().to_hex().to_string()))
    });
    match hashed {
        Some(Ok((bytes, hash))) => InputFile { name, bytes: Some(bytes), blake3: Some(hash) },
        _ => InputFile { name, bytes: None, blake3: None },
    }
}

/// Where to go on: the input, the byte of its text, and how many games came before that.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TextPlace {
    pub input: usize,
    pub offset: u64,
    pub games: u64,
}

/// A piece of an input.
pub(crate) struct Piece {
    pub input: usize,
    /// Where it begins in the text of the input.
    pub offset: u64,
    pub content: Content,
    /// How many bytes of all inputs had been read by then, compressed as they are.
    pub read: u64,
}

pub(crate) enum Content {
    /// Whole games.
    Games(Vec<u8>),
    /// A game that is too long, and how long it may be.
    TooLong(usize),
    /// The input cannot be read on.
    Failed(ReadError),
}

/// A hash that is still being computed, of a pipe.
pub(crate) type OpenHash = Arc<Mutex<(blake3::Hasher, u64)>>;

struct Hashing<R> {
    inner: R,
    hash: OpenHash,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let mut hash = self.hash.lock().unwrap_or_else(PoisonError::into_inner);
        hash.0.update(&buffer[..count]);
        hash.1 += count as u64;
        Ok(count)
    }
}

/// The input that is being read.
struct Current {
    chunks: Chunks<Box<dyn Read + Send>>,
    name: String,
    format: Format,
    offset: u64,
    progress: Arc<Progress>,
    failure: Option<io::Error>,
    is_over: bool,
    /// The frames, if the file has frames that can be found.
    chain: Option<SharedChain>,
}

impl Current {
    /// Goes on behind a damaged frame, with the first game that begins there.
    fn go_on(&mut self, chain: SharedChain, chunk: usize, limit: usize) {
        self.chunks = Chunks::new(Box::new(chain), chunk, limit);
        let (lost, dropped, result) = self.chunks.head();
        self.offset += lost.len() as u64 + dropped;
        self.failure = result.err();
        self.is_over = self.failure.is_some();
    }
}

/// Counts what is written to it.
struct Counter<'a>(&'a mut u64);

impl io::Write for Counter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        *self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads inputs from a place on.
pub(crate) struct Source {
    files: Vec<PathBuf>,
    next: usize,
    start: TextPlace,
    current: Option<Current>,
    /// Bytes of the inputs that are finished.
    finished: u64,
    chunk: usize,
    limit: usize,
    /// The hashes of pipes, by the number of the input.
    hashes: Arc<Mutex<Vec<(usize, OpenHash)>>>,
}

impl Source {
    pub(crate) fn new(
        files: Vec<PathBuf>,
        start: TextPlace,
        chunk: usize,
        hashes: Arc<Mutex<Vec<(usize, OpenHash)>>>,
    ) -> Self {
        let limit = crate::Options::default().limit;
        Self { files, next: start.input, start, current: None, finished: 0, chunk, limit, hashes }
    }

    fn open(&mut self, number: usize) -> Result<Current, ReadError> {
        let path = &self.files[number];
        let is_pipe = is_pipe(path);
        let input = if is_pipe { self.open_pipe(number)? } else { Input::open(path)? };
        let (name, format, progress) = (input.name().to_owned(), input.format(), input.progress());
        let frames =
            (!is_pipe && format == Format::Zstd).then(|| frames::index(path).ok().flatten());
        let chain = frames.flatten().map(|frames| {
            // What was read to find out the format is read again.
            progress.bytes.store(0, Ordering::Relaxed);
            SharedChain::new(Chain::new(path, frames, &progress))
        });
        let mut text: Box<dyn Read + Send> = match &chain {
            Some(chain) => Box::new(chain.clone()),
            None => Box::new(input),
        };
        let mut offset = 0;
        let mut failure = None;
        if number == self.start.input {
            let wanted = self.start.offset;
            while offset < wanted {
                // Damage has been told before; what could be read behind it counts.
                match io::copy(&mut text.by_ref().take(wanted - offset), &mut Counter(&mut offset))
                {
                    Ok(_) => break,
                    Err(_) if chain.as_ref().is_some_and(SharedChain::has_more) => {}
                    Err(error) => {
                        failure = Some(error);
                        break;
                    }
                }
            }
        }
        let chunks = Chunks::new(text, self.chunk, self.limit);
        let is_over = failure.is_some();
        Ok(Current { chunks, name, format, offset, progress, failure, is_over, chain })
    }

    /// Opens standard input or another pipe, whose hash is computed on the way.
    fn open_pipe(&self, number: usize) -> Result<Input, ReadError> {
        let path = &self.files[number];
        let hash = OpenHash::default();
        self.hashes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((number, Arc::clone(&hash)));
        if path == Path::new("-") {
            return Input::from_reader("standard input", Hashing { inner: io::stdin(), hash });
        }
        let name = path.display().to_string();
        let opened = std::fs::File::open(path);
        let inner = opened.map_err(|cause| ReadError::Open { name: name.clone(), cause })?;
        Input::from_reader(&name, Hashing { inner, hash })
    }
}

impl Feed for Source {
    type Item = Piece;

    fn take(&mut self) -> Option<Piece> {
        loop {
            let Some(current) = &mut self.current else {
                let number = self.next;
                if number >= self.files.len() {
                    return None;
                }
                self.next += 1;
                match self.open(number) {
                    Ok(current) => self.current = Some(current),
                    Err(error) => {
                        let content = Content::Failed(error);
                        return Some(Piece {
                            input: number,
                            offset: 0,
                            content,
                            read: self.finished,
                        });
                    }
                }
                continue;
            };
            let input = self.next - 1;
            let read = self.finished + current.progress.bytes.load(Ordering::Relaxed);
            if current.is_over {
                let offset = current.offset;
                let failure = current.failure.take().map(|error| {
                    let error = Input::error(&current.name, current.format, offset, error);
                    Piece { input, offset, content: Content::Failed(error), read }
                });
                if failure.is_some()
                    && let Some(chain) = current.chain.clone().filter(SharedChain::has_more)
                {
                    current.go_on(chain, self.chunk, self.limit);
                    return failure;
                }
                self.finished = read;
                self.current = None;
                match failure {
                    Some(piece) => return Some(piece),
                    None => continue,
                }
            }
            let offset = current.offset;
            let mut text = Vec::new();
            let (found, result) = current.chunks.next(&mut text);
            if let Err(error) = result {
                current.failure = Some(error);
            }
            let content = match found {
                Found::Games => {
                    current.offset += text.len() as u64;
                    Content::Games(text)
                }
                Found::TooLong(bytes) => {
                    current.offset += bytes;
                    Content::TooLong(self.limit)
                }
                Found::End => {
                    current.is_over = true;
                    let (text, dropped) = current.chunks.rest();
                    current.offset += text.len() as u64 + dropped;
                    match dropped {
                        0 if text.is_empty() => continue,
                        0 => Content::Games(text),
                        _ => Content::TooLong(self.limit),
                    }
                }
            };
            return Some(Piece { input, offset, content, read });
        }
    }
}
