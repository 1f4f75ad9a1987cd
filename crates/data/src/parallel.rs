//! Games read by several threads, and their results put back in order.
//!
//! Every thread does everything: it takes the next chunk of text (one at a time, since there is but
//! one stream to decompress), reads the games in it, and hands in what it found, in order. There is no
//! queue to fill up: at most one chunk per thread is in memory, and results wait only for those before
//! them.
//!
//! A file of many zstd frames as pzstd writes them is better than that: each thread takes a whole frame
//! and decompresses it for itself. Frames cut games, so the text before the first border and after the
//! last one is handed in as it is, and joined with that of the neighbors. (Only behind a game that is too
//! long to be joined it may take a tag `Event` to find the next one.)

use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::chunks::Found;
use crate::frames::{self, Frame};
use crate::threads::in_threads;
use crate::{Chunks, Format, Input, Piece, Progress, ReadError};

/// How games are read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// By how many threads.
    pub threads: NonZero<usize>,
    /// How much text a thread takes at a time.
    pub chunk: usize,
    /// How long a game may be.
    pub limit: usize,
    /// Whether results are small.
    pub order: Order,
}

/// What it costs to keep results until those before them are there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Nothing much: a whole frame's worth may wait.
    Small,
    /// As much as the text: only a few chunks' worth may wait, and frames are not split.
    Large,
}

impl Default for Options {
    /// All cores, 1 MB at a time, games of at most 16 MB.
    fn default() -> Self {
        let one = NonZero::<usize>::MIN;
        let threads = std::thread::available_parallelism().unwrap_or(one);
        Self { threads, chunk: 1 << 20, limit: 16 << 20, order: Order::Small }
    }
}

/// Reads all games of a file: `work` is called for each piece of its text, by several threads, and
/// `merge` with each result and the length of its piece, in the order of the text, until it breaks.
///
/// If the file cannot be read to its end, all that could be read has been merged when the error is
/// returned.
///
/// ```
/// use chess::pgn::{Next, Token, Visitor, read};
/// use data::{Input, Options, Piece, read_games};
/// use std::ops::ControlFlow;
///
/// #[derive(Default)]
/// struct Games(usize);
/// impl Visitor for Games {
///     fn end_game(&mut self) { self.0 += 1 }
/// }
///
/// let text = "[White \"a\"]\n\n1. e4 *\n\n".repeat(1000);
/// let input = Input::from_reader("text", std::io::Cursor::new(text))?;
/// let work = |piece: Piece<'_>| {
///     let mut games = Games::default();
///     if let Piece::Games(text) = piece { read(text, &mut games) }
///     games.0
/// };
/// let mut games = 0;
/// let options = Options { chunk: 100, ..Options::default() };
/// read_games(input, &options, work, |n, _| { games += n; ControlFlow::Continue(()) })?;
/// assert_eq!(games, 1000);
/// # Ok::<(), data::ReadError>(())
/// ```
pub fn read_games<P: Send>(
    input: Input,
    options: &Options,
    work: impl Fn(Piece<'_>) -> P + Sync,
    merge: impl FnMut(P, u64) -> ControlFlow<()> + Send,
) -> Result<(), ReadError> {
    if let Some(path) = input.path.clone()
        && input.format == Format::Zstd
        && options.order == Order::Small
        && let Ok(Some(frames)) = frames::index(&path)
    {
        // What was read to find out the format is read again.
        input.progress.bytes.store(0, Ordering::Relaxed);
        let file = FramedFile { path, name: input.name.clone(), progress: input.progress() };
        return read_frames(&file, &frames, options, &work, merge);
    }
    read_stream(input, options, &work, merge)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Results that wait until it is their turn.
struct Waiting<P, M> {
    next: usize,
    parts: BTreeMap<usize, P>,
    merge: M,
}

/// Hands in results in the order of their numbers.
struct Merger<P, M> {
    waiting: Mutex<Waiting<P, M>>,
    turned: Condvar,
    /// How many may wait.
    room: usize,
}

impl<P, M: FnMut(P)> Merger<P, M> {
    fn new(merge: M, room: usize) -> Self {
        let waiting = Waiting { next: 0, parts: BTreeMap::new(), merge };
        Self { waiting: Mutex::new(waiting), turned: Condvar::new(), room }
    }

    fn guard(&self) -> Guard<'_, P, M> {
        Guard(self)
    }

    /// Hands in one result. Every number must be handed in, by somebody.
    fn hand_in(&self, number: usize, part: P) {
        let mut waiting = lock(&self.waiting);
        // Whoever has the next number never waits, so that this ends.
        while number > waiting.next + self.room {
            waiting = self.turned.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        waiting.parts.insert(number, part);
        loop {
            let next = waiting.next;
            let Some(part) = waiting.parts.remove(&next) else { break };
            (waiting.merge)(part);
            waiting.next += 1;
        }
        self.turned.notify_all();
    }
}

/// Wakes those who wait if a thread panics: its result will never come.
struct Guard<'a, P, M>(&'a Merger<P, M>);

impl<P, M> Drop for Guard<'_, P, M> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            lock(&self.0.waiting).next = usize::MAX / 2;
            self.0.turned.notify_all();
        }
    }
}

/// One stream: text is taken by turns.
fn read_stream<P: Send>(
    input: Input,
    options: &Options,
    work: &(impl Fn(Piece<'_>) -> P + Sync),
    mut merge: impl FnMut(P, u64) -> ControlFlow<()> + Send,
) -> Result<(), ReadError> {
    struct Stream {
        chunks: Chunks<Input>,
        number: usize,
        is_over: bool,
        error: Option<std::io::Error>,
    }
    let (name, format) = (input.name.clone(), input.format);
    let chunks = Chunks::new(input, options.chunk, options.limit);
    let stream = Mutex::new(Stream { chunks, number: 0, is_over: false, error: None });
    let total = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let merger = Merger::new(
        |(part, bytes)| {
            total.fetch_add(bytes, Ordering::Relaxed);
            if !stop.load(Ordering::Relaxed) && merge(part, bytes).is_break() {
                stop.store(true, Ordering::Relaxed);
            }
        },
        2 * options.threads.get(),
    );
    let run = || {
        let _guard = merger.guard();
        let mut text = Vec::new();
        loop {
            let mut stream = lock(&stream);
            if stream.is_over || stop.load(Ordering::Relaxed) {
                return;
            }
            let (mut found, result) = stream.chunks.next(&mut text);
            if let Err(error) = result {
                stream.error = Some(error);
            }
            if found == Found::End {
                stream.is_over = true;
                let dropped;
                (text, dropped) = stream.chunks.rest();
                if dropped > 0 {
                    found = Found::TooLong(dropped + text.len() as u64);
                }
            }
            let number = stream.number;
            stream.number += 1;
            drop(stream);
            let (piece, bytes) = match found {
                Found::TooLong(bytes) => (Piece::TooLong { bytes, limit: options.limit }, bytes),
                _ => (Piece::Games(&text), text.len() as u64),
            };
            merger.hand_in(number, (work(piece), bytes));
        }
    };
    in_threads(options.threads, run)?;
    let error = stream.into_inner().unwrap_or_else(PoisonError::into_inner).error;
    let after = total.load(Ordering::Relaxed);
    error.map_or(Ok(()), |error| Err(Input::error(&name, format, after, error)))
}

struct FramedFile {
    path: PathBuf,
    name: String,
    progress: Arc<Progress>,
}

/// The beginning or the end of a frame's text: part of a game, perhaps with bytes before it that were
/// too many to keep.
#[derive(Default)]
struct Fragment {
    text: Vec<u8>,
    dropped: u64,
}

/// What a thread found in a frame.
struct FrameResult<P> {
    head: Fragment,
    parts: Vec<(P, u64)>,
    /// Nothing if there is no border in the frame: then it is all head.
    tail: Option<Fragment>,
    error: Option<std::io::Error>,
}

/// Many frames, each read by the thread that takes it.
fn read_frames<P: Send>(
    file: &FramedFile,
    frames: &[Frame],
    options: &Options,
    work: &(impl Fn(Piece<'_>) -> P + Sync),
    mut merge: impl FnMut(P, u64) -> ControlFlow<()> + Send,
) -> Result<(), ReadError> {
    let next = AtomicUsize::new(0);
    // What is known of the game that the last frame cut, and of how reading ended.
    let mut seam = Fragment::default();
    let mut total = 0;
    let mut failure = None;
    let mut is_over = false;
    let mut count = |part, bytes| {
        total += bytes;
        if !is_over && merge(part, bytes).is_break() {
            is_over = true;
            next.store(frames.len(), Ordering::Relaxed);
        }
    };
    let merger = Merger::new(
        |frame: FrameResult<P>| {
            if failure.is_some() {
                return;
            }
            seam.dropped += frame.head.dropped;
            seam.text.extend_from_slice(&frame.head.text);
            if seam.text.len() > options.limit {
                seam.dropped += seam.text.len() as u64;
                seam.text.clear();
            }
            if let Some(tail) = frame.tail {
                close(&mut seam, options, work, &mut count);
                for (part, bytes) in frame.parts {
                    count(part, bytes);
                }
                seam = tail;
            }
            if frame.error.is_some() {
                close(&mut seam, options, work, &mut count);
                next.store(frames.len(), Ordering::Relaxed);
                failure = frame.error;
            }
        },
        2 * options.threads.get(),
    );
    in_threads(options.threads, || {
        let _guard = merger.guard();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(&frame) = frames.get(number) else { return };
            merger.hand_in(number, read_frame(file, frame, options, work));
        }
    })?;
    drop(merger);
    if failure.is_none() {
        close(&mut seam, options, work, &mut count);
    }
    failure.map_or(Ok(()), |error| Err(Input::error(&file.name, Format::Zstd, total, error)))
}

/// Reads the games where two frames meet.
fn close<P>(
    seam: &mut Fragment,
    options: &Options,
    work: &impl Fn(Piece<'_>) -> P,
    count: &mut impl FnMut(P, u64),
) {
    let Fragment { text, dropped } = std::mem::take(seam);
    let bytes = dropped + text.len() as u64;
    if dropped > 0 {
        count(work(Piece::TooLong { bytes, limit: options.limit }), bytes);
    } else if bytes > 0 {
        count(work(Piece::Games(&text)), bytes);
    }
}

fn read_frame<P>(
    file: &FramedFile,
    frame: Frame,
    options: &Options,
    work: &impl Fn(Piece<'_>) -> P,
) -> FrameResult<P> {
    let mut result =
        FrameResult { head: Fragment::default(), parts: Vec::new(), tail: None, error: None };
    let reader = match frames::open(&file.path, frame, &file.progress) {
        Ok(reader) => reader,
        Err(error) => {
            result.error = Some(error);
            return result;
        }
    };
    let mut chunks = Chunks::new(reader, options.chunk, options.limit);
    let (text, dropped, read) = chunks.head();
    result.head = Fragment { text, dropped };
    result.error = read.err();
    let mut text = Vec::new();
    loop {
        let (found, read) = chunks.next(&mut text);
        // What was read before the trouble counts.
        result.error = result.error.or(read.err());
        match found {
            Found::Games => result.parts.push((work(Piece::Games(&text)), text.len() as u64)),
            Found::TooLong(bytes) => {
                let piece = Piece::TooLong { bytes, limit: options.limit };
                result.parts.push((work(piece), bytes));
            }
            Found::End => {
                let (text, dropped) = chunks.rest();
                if !text.is_empty() {
                    result.tail = Some(Fragment { text, dropped });
                }
                return result;
            }
        }
    }
}
