//! Splits a text stream into chunks of whole games, in bounded memory.
//!
//! A chunk ends at the last [game border](border) in the buffer. Without a border the buffer
//! grows up to the maximum game size; then the PGN reader itself finds where the last game begins (games
//! without tags have no borders). If that is the start of the buffer, a single game exceeds the maximum:
//! it is discarded up to the next border.

use std::io::{self, Read};

use super::{Next, Reader, Visitor, border};

/// Result of [`ChunkReader::next_chunk`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChunkKind {
    /// The buffer holds whole games.
    Games,
    /// A game of this many bytes exceeded the maximum and was discarded.
    TooLong(u64),
    /// End of the text; [`ChunkReader::rest`] returns the last games.
    End,
}

/// Splits a text at game borders: the layer below [`Games`](super::Games), for readers that process chunks
/// of games in parallel.
///
/// ```
/// use tabiya_chess::pgn::{ChunkKind, ChunkReader};
/// let text = "[Event \"a\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n1. d4 *\n";
/// let mut chunks = ChunkReader::new(text.as_bytes(), 40, 1 << 20);
/// let mut chunk = Vec::new();
/// let (kind, result) = chunks.next_chunk(&mut chunk);
/// assert_eq!((kind, chunk.starts_with(b"[Event \"a\"]")), (ChunkKind::Games, true));
/// result?;
/// assert_eq!(chunks.next_chunk(&mut chunk).0, ChunkKind::End);
/// assert!(chunks.rest().0.starts_with(b"[Event \"b\"]"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ChunkReader<R> {
    reader: R,
    /// Target size of a chunk.
    size: usize,
    /// Maximum size of a game.
    limit: usize,
    /// Text behind the last chunk.
    rest: Vec<u8>,
    /// Discarded bytes of a game that is too long.
    dropped: u64,
    /// Whether the discarded text ended within a line of tags.
    within_tag: bool,
    at_end: bool,
    /// Bytes searched for borders, counted by the test of linear time.
    #[cfg(test)]
    searched: u64,
}

/// Bytes of a discarded game that are kept to recognize the next border.
const CONTEXT: usize = 1 << 14;

impl<R: Read> ChunkReader<R> {
    /// Chunks have about `size` bytes, games at most `limit`.
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

    /// The source of the text.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// The text behind the last chunk, and the number of discarded bytes before it.
    pub fn rest(&mut self) -> (Vec<u8>, u64) {
        (std::mem::take(&mut self.rest), std::mem::take(&mut self.dropped))
    }

    /// Discards the buffer and continues reading after an error.
    pub fn restart(&mut self) {
        self.rest.clear();
        (self.dropped, self.within_tag, self.at_end) = (0, false, false);
    }

    /// Reads up to the first border that is recognized without the text before it, and returns that text
    /// and the number of discarded bytes before it. For a text that begins in the middle of a game.
    pub fn head(&mut self) -> (Vec<u8>, u64, io::Result<()>) {
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
            // The last bytes may begin a tag.
            searched = self.rest.len().saturating_sub(300);
        }
    }

    /// Reads the next chunk into the buffer. An error comes with the last text before it.
    pub fn next_chunk(&mut self, chunk: &mut Vec<u8>) -> (ChunkKind, io::Result<()>) {
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
                    return (ChunkKind::TooLong(bytes), result);
                }
                if !self.at_end && result.is_ok() {
                    self.drop_most();
                    wanted = self.size.max(2 * self.context());
                    continue;
                }
                return (ChunkKind::End, result);
            }
            if let Some(at) = border::last(&self.rest) {
                let tail = self.rest.split_off(at);
                *chunk = std::mem::replace(&mut self.rest, tail);
                return (ChunkKind::Games, result);
            }
            if self.at_end || result.is_err() {
                return (ChunkKind::End, result);
            }
            if self.rest.len() > self.limit {
                self.count_search(self.rest.len());
                match last_game(&self.rest) {
                    0 => self.drop_most(),
                    at => {
                        let tail = self.rest.split_off(at);
                        *chunk = std::mem::replace(&mut self.rest, tail);
                        return (ChunkKind::Games, result);
                    }
                }
            }
            wanted = (2 * self.rest.len()).clamp(self.size, self.limit + 1);
        }
    }

    /// Fills the buffer to `wanted` bytes, or to the end of the text.
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

    /// Bytes kept of a discarded game, fewer than the maximum game size.
    fn context(&self) -> usize {
        CONTEXT.min(self.limit / 2)
    }

    /// Discards all but the last bytes. If these begin within a line that is not a line of tags, a line
    /// end replaces the first of them.
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

/// Offset of the last game of a text, found by its moves.
fn last_game(text: &[u8]) -> usize {
    /// Stores the offset of each game and skips it.
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
mod tests {
    use super::super::hostile;
    use super::*;

    /// Bytes searched to split a text, from its beginning or from the middle of a game.
    fn searched(text: &str, size: usize, limit: usize, from_middle: bool) -> u64 {
        let mut chunks = ChunkReader::new(text.as_bytes(), size, limit);
        let mut chunk = Vec::new();
        let mut bytes = 0;
        if from_middle {
            let (head, dropped, _) = chunks.head();
            bytes += head.len() as u64 + dropped;
        }
        loop {
            let (found, _) = chunks.next_chunk(&mut chunk);
            match found {
                ChunkKind::Games => bytes += chunk.len() as u64,
                ChunkKind::TooLong(length) => bytes += length,
                ChunkKind::End => break,
            }
        }
        let (rest, dropped) = chunks.rest();
        assert_eq!(bytes + rest.len() as u64 + dropped, text.len() as u64);
        chunks.searched
    }

    #[test]
    fn splitting_takes_linear_time_for_every_shape_of_text() {
        for (shape, make) in hostile::SHAPES {
            let [small, large] = [20_000, 40_000].map(make);
            for (size, limit) in [(4_096, 1 << 16), (1 << 14, 1 << 15), (1 << 16, 1 << 24)] {
                for from_middle in [false, true] {
                    let [less, more] =
                        [&small, &large].map(|text| searched(text, size, limit, from_middle));
                    // A chunk is searched as a whole, so the count is rounded up.
                    let most = 2 * less + 4 * (limit.min(large.len()) + CONTEXT + size) as u64;
                    assert!(more <= most, "{shape}, {size}: {less} bytes, then {more}");
                }
            }
        }
    }
}
