//! Text cut where games begin, never holding more than a limit.
//!
//! A chunk ends at the last [border](chess::pgn::border) of what has been read. If there is none, more
//! is read, up to the limit; then the reader of games itself is asked where the last game begins
//! (games without tags have no borders). If that is the beginning too, a single game is longer than
//! the limit: it is passed over, up to the next border, without being kept.

use std::io::{self, Read};

use chess::pgn::{Next, Reader, Visitor, border};

/// A part of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece<'a> {
    /// Whole games.
    Games(&'a [u8]),
    /// A game that is longer than the limit, or something that looks like one.
    TooLong {
        /// How long it is.
        bytes: u64,
        /// How long it could have been.
        limit: usize,
    },
}

/// What [`Chunks::next`] has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// Whole games are in the buffer.
    Games,
    /// So many bytes were passed over.
    TooLong(u64),
    /// The text is over; what is left is with [`Chunks::rest`].
    End,
}

/// Cuts a text at the borders of games.
pub struct Chunks<R> {
    reader: R,
    /// How long a chunk should be.
    size: usize,
    /// How long a game may be.
    limit: usize,
    /// What has been read beyond the last chunk.
    rest: Vec<u8>,
    /// How many bytes have been passed over of a game that is too long.
    dropped: u64,
    /// Whether what was passed over ended within a line of tags.
    within_tag: bool,
    at_end: bool,
}

/// How much of a game that is passed over is kept, to know a border when it comes.
const CONTEXT: usize = 1 << 14;

impl<R: Read> Chunks<R> {
    /// Cuts what this reads into chunks of about `size` bytes; a game may be up to `limit` long.
    pub fn new(reader: R, size: usize, limit: usize) -> Self {
        let (size, limit) = (size.max(1), limit.max(size).max(64));
        Self { reader, size, limit, rest: Vec::new(), dropped: 0, within_tag: false, at_end: false }
    }

    /// What is left when the text is over: the last game, or more than that if nobody cut; and how
    /// many bytes of a game that is too long stood before it.
    pub(crate) fn rest(&mut self) -> (Vec<u8>, u64) {
        (std::mem::take(&mut self.rest), std::mem::take(&mut self.dropped))
    }

    /// Reads on until there is a border that can be known without what stood before, and gives all
    /// before it. (For a text that begins in the middle of a game.)
    pub(crate) fn head(&mut self) -> (Vec<u8>, u64, io::Result<()>) {
        let mut searched = 0;
        loop {
            let result = self.fill(self.rest.len() + self.size);
            let from = searched.min(self.rest.len());
            if let Some(at) = border::first_in_fragment(&self.rest, from) {
                let tail = self.rest.split_off(at);
                let head = std::mem::replace(&mut self.rest, tail);
                return (head, std::mem::take(&mut self.dropped), result);
            }
            if self.at_end || result.is_err() {
                let (head, dropped) = self.rest();
                return (head, dropped, result);
            }
            if self.rest.len() > self.limit {
                self.drop_most();
            }
            // The last bytes may be the beginning of a tag.
            searched = self.rest.len().saturating_sub(300);
        }
    }

    /// The next chunk, put into the buffer in place of what was there.
    pub(crate) fn next(&mut self, chunk: &mut Vec<u8>) -> (Found, io::Result<()>) {
        chunk.clear();
        let mut wanted = self.size;
        loop {
            let result = self.fill(wanted);
            if self.dropped > 0 {
                if let Some(at) = border::first_in_fragment(&self.rest, 0) {
                    let bytes = self.dropped + at as u64;
                    self.rest.drain(..at);
                    self.dropped = 0;
                    return (Found::TooLong(bytes), result);
                }
                if !self.at_end && result.is_ok() {
                    self.drop_most();
                    wanted = self.size.max(2 * self.context());
                    continue;
                }
                return (Found::End, result);
            }
            if let Some(at) = border::last(&self.rest) {
                let tail = self.rest.split_off(at);
                *chunk = std::mem::replace(&mut self.rest, tail);
                return (Found::Games, result);
            }
            if self.at_end || result.is_err() {
                return (Found::End, result);
            }
            if self.rest.len() > self.limit {
                match last_game(&self.rest) {
                    0 => self.drop_most(),
                    at => {
                        let tail = self.rest.split_off(at);
                        *chunk = std::mem::replace(&mut self.rest, tail);
                        return (Found::Games, result);
                    }
                }
            }
            wanted = (2 * self.rest.len()).clamp(self.size, self.limit + 1);
        }
    }

    /// Reads until there are so many bytes, or no more.
    fn fill(&mut self, wanted: usize) -> io::Result<()> {
        while self.rest.len() < wanted && !self.at_end {
            let missing = (wanted - self.rest.len()) as u64;
            let read = self.reader.by_ref().take(missing).read_to_end(&mut self.rest);
            match read {
                Ok(0) => self.at_end = true,
                Ok(_) => {}
                Err(error) => {
                    self.at_end = true;
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// How many of the last bytes are kept: always fewer than make a game too long.
    fn context(&self) -> usize {
        CONTEXT.min(self.limit / 2)
    }

    /// Forgets all but the last bytes. If these begin within a line, whether that is a line of tags
    /// must not be forgotten: if it is not, a line end is put there.
    fn drop_most(&mut self) {
        let drop = self.rest.len().saturating_sub(self.context());
        if drop == 0 {
            return;
        }
        if let Some(newline) = self.rest[..drop].iter().rposition(|&byte| byte == b'\n') {
            let line = &self.rest[newline + 1..];
            self.within_tag = matches!(line, [b'[', name, ..] if name.is_ascii_alphanumeric());
        }
        self.rest.drain(..drop);
        self.rest.shrink_to(self.size + self.context());
        if let Some(first) = self.rest.first_mut().filter(|_| !self.within_tag) {
            *first = b'\n';
        }
        self.dropped += drop as u64;
    }
}

/// Where the last game of a text begins, by its moves.
fn last_game(text: &[u8]) -> usize {
    /// Notes where games begin, and skips them.
    struct Begins(usize);

    impl Visitor for Begins {
        fn begin_game(&mut self, offset: usize) -> Next {
            self.0 = offset;
            Next::Skip
        }
    }

    let mut begins = Begins(0);
    let mut reader = Reader::new(text);
    while reader.read_game(&mut begins) {}
    begins.0
}
