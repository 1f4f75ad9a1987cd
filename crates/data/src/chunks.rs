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
    /// How many bytes have been searched for borders: the test of linear time counts them.
    #[cfg(test)]
    searched: u64,
}

/// How much of a game that is passed over is kept, to know a border when it comes.
const CONTEXT: usize = 1 << 14;

impl<R: Read> Chunks<R> {
    /// Cuts what this reads into chunks of about `size` bytes; a game may be up to `limit` long.
    pub fn new(reader: R, size: usize, limit: usize) -> Self {
        let (size, limit) = (size.max(1), limit.max(size).max(64));
        Self {
            reader,
            size,
            limit,
            rest: Vec::new(),
            dropped: 0,
            within_tag: false,
            at_end: false,
            #[cfg(test)]
            searched: 0,
        }
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
            self.count_search(self.rest.len() - from);
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
            self.count_search(self.rest.len());
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
                self.count_search(self.rest.len());
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

    #[cfg_attr(not(test), allow(unused_variables, reason = "only tests count"))]
    fn count_search(&mut self, bytes: usize) {
        #[cfg(test)]
        {
            self.searched += bytes as u64;
        }
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
        let is_line_end = |&byte: &u8| matches!(byte, b'\n' | b'\r');
        if let Some(line_end) = self.rest[..drop].iter().rposition(is_line_end) {
            self.within_tag = border::begins_like_a_tag(&self.rest[line_end + 1..]);
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

#[cfg(test)]
#[path = "../../chess/src/pgn/hostile.rs"]
mod hostile;

#[cfg(test)]
mod tests {
    use super::*;

    /// How many bytes are searched to cut a text, from its beginning or from the middle of a game.
    fn searched(text: &str, size: usize, limit: usize, from_middle: bool) -> u64 {
        let mut chunks = Chunks::new(text.as_bytes(), size, limit);
        let mut chunk = Vec::new();
        let mut bytes = 0;
        if from_middle {
            let (head, dropped, _) = chunks.head();
            bytes += head.len() as u64 + dropped;
        }
        loop {
            let (found, _) = chunks.next(&mut chunk);
            match found {
                Found::Games => bytes += chunk.len() as u64,
                Found::TooLong(length) => bytes += length,
                Found::End => break,
            }
        }
        let (rest, dropped) = chunks.rest();
        assert_eq!(bytes + rest.len() as u64 + dropped, text.len() as u64);
        chunks.searched
    }

    #[test]
    fn twice_the_text_is_cut_with_twice_the_work_whatever_the_shape() {
        for (shape, make) in hostile::SHAPES {
            let [small, large] = [20_000, 40_000].map(make);
            for (size, limit) in [(4_096, 1 << 16), (1 << 14, 1 << 15), (1 << 16, 1 << 24)] {
                for from_middle in [false, true] {
                    let [less, more] =
                        [&small, &large].map(|text| searched(text, size, limit, from_middle));
                    // Chunks are whole, and so is the doubling of what is searched.
                    let most = 2 * less + 4 * (limit.min(large.len()) + CONTEXT + size) as u64;
                    assert!(more <= most, "{shape}, {size}: {less} bytes, then {more}");
                }
            }
        }
    }
}
