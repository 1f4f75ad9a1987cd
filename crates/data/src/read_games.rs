//! Games of one input, read by several threads, with results in order.
//!
//! An input is one stream of chunks, which threads take in turn. The frames of a pzstd archive are better
//! than that: each worker decompresses and reads whole frames. Frames split games, so the text before the
//! first game border of a frame and behind the last one is joined with that of the neighbors. (Only behind
//! a game that is too long to be joined it may take a tag `Event` to find the next one.)
//!
//! Both ways see the same games of a damaged file: those before the damage, and from the first game
//! border in the next frame.

use std::io;
use std::num::NonZero;
use std::ops::{ControlFlow, Range};

use chess::pgn::border;

use crate::frames::{Frame, FramedFile};
use crate::input::ReadErrors;
use crate::pipeline::{self, Sink, Tasks};
use crate::text_reader::{Content, TextChunk, TextReader};
use crate::{DataError, Format, Input, ReadError};
use chess::pgn::{ChunkKind, ChunkReader};

/// A part of the text of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chunk<'a> {
    /// Whole games.
    Games(&'a [u8]),
    /// A game, or something that looks like one, exceeds the maximum size.
    TooLong {
        /// Its size.
        bytes: u64,
        /// The maximum.
        limit: usize,
    },
}

impl Chunk<'_> {
    /// Size of the text.
    fn bytes(self) -> u64 {
        match self {
            Self::Games(text) => text.len() as u64,
            Self::TooLong { bytes, .. } => bytes,
        }
    }
}

/// Options of [`read_games`].
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// Number of threads.
    pub threads: NonZero<usize>,
    /// Target size of a chunk of text.
    pub chunk_bytes: usize,
    /// Maximum size of a game.
    pub max_game_bytes: usize,
    /// Whether workers decompress whole zstd frames in parallel. All results of a frame are then in memory
    /// at once, so large results need `false`.
    pub parallel_frames: bool,
}

impl Default for ReadOptions {
    /// All cores, chunks of 1 MB, games of at most 16 MB, parallel frames.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        let (chunk_bytes, max_game_bytes) = (1 << 20, 16 << 20);
        Self { threads, chunk_bytes, max_game_bytes, parallel_frames: true }
    }
}

/// Reads all games of an input. Several threads call `convert` with chunks of the text; `merge` receives
/// each result with the byte range of its chunk in the text, in order, until it breaks.
///
/// Behind a damaged frame of a pzstd archive reading continues with the next frame. Damage is the error,
/// returned after everything readable has been merged.
///
/// ```
/// use std::ops::ControlFlow;
/// use tabiya_data::chess::pgn::{Next, Token, Visitor, read};
/// use tabiya_data::{Chunk, Input, ReadOptions, read_games};
///
/// #[derive(Default)]
/// struct Games(usize);
/// impl Visitor for Games {
///     fn end_game(&mut self) { self.0 += 1 }
/// }
///
/// let text = "[White \"a\"]\n\n1. e4 *\n\n".repeat(1000);
/// let input = Input::from_reader("text", std::io::Cursor::new(text))?;
/// let convert = |chunk: Chunk<'_>| {
///     let mut games = Games::default();
///     if let Chunk::Games(text) = chunk { read(text, &mut games) }
///     games.0
/// };
/// let mut games = 0;
/// let options = ReadOptions { chunk_bytes: 100, ..ReadOptions::default() };
/// read_games(input, &options, convert, |n, _| { games += n; ControlFlow::Continue(()) })?;
/// assert_eq!(games, 1000);
/// # Ok::<(), tabiya_data::ReadError>(())
/// ```
pub fn read_games<P: Send>(
    input: Input,
    options: &ReadOptions,
    convert: impl Fn(Chunk<'_>) -> P + Sync,
    merge: impl FnMut(P, Range<u64>) -> ControlFlow<()> + Send,
) -> Result<(), ReadError> {
    let ReadOptions { threads, chunk_bytes, max_game_bytes: limit, .. } = *options;
    let merge = Box::new(merge);
    let merger = Merger { merge, offset: 0, is_full: false, errors: ReadErrors::default() };
    let framed = options.parallel_frames.then(|| FramedFile::of(&input)).flatten();
    let merger = if let Some(file) = framed {
        let (name, seam) = (input.name, Fragment::default());
        let sink = FrameMerger { merger, convert: &convert, seam, is_lost: false, limit, name };
        let read = |&frame: &Frame| Ok(read_frame(&file, frame, options, &convert));
        let mut sink = run(threads, file.frames.iter(), read, sink)?;
        sink.close_seam();
        sink.merger
    } else {
        let read = |TextChunk { offset, content }| {
            let convert = |chunk: Chunk<'_>| Ok((convert(chunk), chunk.bytes()));
            let result = match content {
                Content::Games(text) => convert(Chunk::Games(&text)),
                Content::TooLong(bytes) => convert(Chunk::TooLong { bytes, limit }),
                Content::Damaged(error) => Err(error),
            };
            Ok(StreamResult { offset, result })
        };
        run(threads, TextReader::new(input, chunk_bytes, limit), read, merger)?
    };
    merger.errors.into_result()
}

/// Runs the pipeline without a stop flag.
fn run<I: Iterator + Send, S: Sink>(
    threads: NonZero<usize>,
    items: I,
    read: impl Fn(I::Item) -> Result<S::Item, DataError> + Sync,
    sink: S,
) -> Result<S, ReadError> {
    pipeline::run(threads.into(), items, read, sink).map_err(|error| match error {
        DataError::Threads(error) => ReadError::Threads(error),
        DataError::Read(error) => error,
        _ => ReadError::Panicked,
    })
}

/// The result of a chunk with its size.
type SizedResult<P> = (P, u64);

/// The result of a chunk of a stream.
struct StreamResult<P> {
    offset: u64,
    result: Result<SizedResult<P>, ReadError>,
}

/// Passes results to the caller of [`read_games`].
struct Merger<'a, P> {
    merge: Box<dyn FnMut(P, Range<u64>) -> ControlFlow<()> + Send + 'a>,
    /// Offset behind the last chunk.
    offset: u64,
    is_full: bool,
    errors: ReadErrors,
}

impl<P> Merger<'_, P> {
    fn merge(&mut self, (result, bytes): SizedResult<P>) {
        let begin = self.offset;
        self.offset += bytes;
        if !self.is_full && (self.merge)(result, begin..self.offset).is_break() {
            self.is_full = true;
        }
    }
}

impl<P: Send> Sink for Merger<'_, P> {
    type Item = StreamResult<P>;
    type Done = ();

    fn consume(&mut self, StreamResult { offset, result }: Self::Item) -> Tasks<()> {
        self.offset = offset;
        match result {
            Ok(result) => self.merge(result),
            Err(error) => self.errors.push(error),
        }
        Ok(Vec::new())
    }

    fn is_full(&self) -> bool {
        self.is_full
    }
}

/// The text of a frame before its first game border or behind its last one, and the number of discarded
/// bytes before it.
#[derive(Default)]
struct Fragment {
    text: Vec<u8>,
    dropped: u64,
}

/// The result of a frame.
struct FrameResult<P> {
    head: Fragment,
    results: Vec<SizedResult<P>>,
    /// None if the frame has no game border: then all of it is the head.
    tail: Option<Fragment>,
    error: Option<io::Error>,
}

/// Joins frames.
struct FrameMerger<'a, P, C> {
    merger: Merger<'a, P>,
    convert: C,
    /// The text behind the last game border so far.
    seam: Fragment,
    /// Whether the seam follows damage, so that it begins in the middle of a game.
    is_lost: bool,
    limit: usize,
    name: String,
}

impl<P, C: Fn(Chunk<'_>) -> P> FrameMerger<'_, P, C> {
    /// Reads the games between the last game border of a frame and the first one of another.
    fn close_seam(&mut self) {
        let Fragment { mut text, mut dropped } = std::mem::take(&mut self.seam);
        if std::mem::take(&mut self.is_lost) {
            let lost = border::first_in_fragment(&text, 0).unwrap_or(text.len());
            text.drain(..lost);
            self.merger.offset += dropped + lost as u64;
            dropped = 0;
        }
        let chunk = match dropped {
            0 if text.is_empty() => return,
            0 => Chunk::Games(&text),
            _ => Chunk::TooLong { bytes: dropped + text.len() as u64, limit: self.limit },
        };
        self.merger.merge(((self.convert)(chunk), chunk.bytes()));
    }
}

impl<P: Send, C: Fn(Chunk<'_>) -> P + Send> Sink for FrameMerger<'_, P, C> {
    type Item = FrameResult<P>;
    type Done = ();

    fn consume(&mut self, frame: FrameResult<P>) -> Tasks<()> {
        let seam = &mut self.seam;
        seam.dropped += frame.head.dropped;
        seam.text.extend_from_slice(&frame.head.text);
        if seam.text.len() > self.limit {
            seam.dropped += seam.text.len() as u64;
            seam.text.clear();
        }
        if let Some(tail) = frame.tail {
            self.close_seam();
            frame.results.into_iter().for_each(|result| self.merger.merge(result));
            self.seam = tail;
        }
        if let Some(error) = frame.error {
            self.close_seam();
            self.is_lost = true;
            let error = Input::error(&self.name, Format::Zstd, self.merger.offset, error);
            self.merger.errors.push(error);
        }
        Ok(Vec::new())
    }

    fn is_full(&self) -> bool {
        self.merger.is_full
    }
}

/// Reads all chunks of a frame. An error comes with the results before it.
fn read_frame<P>(
    file: &FramedFile,
    frame: Frame,
    options: &ReadOptions,
    convert: &impl Fn(Chunk<'_>) -> P,
) -> FrameResult<P> {
    let mut result =
        FrameResult { head: Fragment::default(), results: Vec::new(), tail: None, error: None };
    let reader = match file.open(frame) {
        Ok(reader) => reader,
        Err(error) => return FrameResult { error: Some(error), ..result },
    };
    let mut chunks = ChunkReader::new(reader, options.chunk_bytes, options.max_game_bytes);
    let (text, dropped, read) = chunks.head();
    result.head = Fragment { text, dropped };
    result.error = read.err();
    let mut text = Vec::new();
    loop {
        let (kind, read) = chunks.next_chunk(&mut text);
        result.error = result.error.or(read.err());
        let chunk = match kind {
            ChunkKind::Games => Chunk::Games(&text),
            ChunkKind::TooLong(bytes) => Chunk::TooLong { bytes, limit: options.max_game_bytes },
            ChunkKind::End => {
                let (text, dropped) = chunks.rest();
                result.tail = (!text.is_empty()).then_some(Fragment { text, dropped });
                return result;
            }
        };
        result.results.push((convert(chunk), chunk.bytes()));
    }
}
