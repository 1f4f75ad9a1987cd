//! Streams games from a source of any length, in bounded memory.

use std::io::{self, Read};

use super::tree_builder::{TreeBuilder, next_tree};
use super::{BrokenGame, ChunkKind, ChunkReader, GameTree, PgnError, PgnProblem, Reader, Replay};

/// The default limit of a game's text: 16 MiB.
pub const MAX_GAME_BYTES: usize = 16 << 20;

/// The usual size of the buffer. It grows only for longer games.
const CHUNK_BYTES: usize = 1 << 16;

/// An iterator over the games of a reader as trees: a file, standard input, a decompressor.
///
/// A bad game is an error item, and iteration continues with the next one. The buffer holds 64 KiB, or the
/// longest game; a game beyond the limit is an error and is skipped. For games in memory see
/// [`Trees`](super::Trees); for speed, [`read`](super::read) with a visitor.
///
/// ```
/// use tabiya_chess::pgn::Games;
/// let file = "[White \"A\"]\n\n1. e4 e5 1-0\n\n[White \"B\"]\n\n1. d4 d6 2. Ke3 *\n".as_bytes();
/// let mut whites = Vec::new();
/// for game in Games::new(file) {
///     match game {
///         Ok(game) => whites.push(game.tag("White").unwrap_or("?").to_owned()),
///         Err(error) => println!("{error}"),  // game 2, byte 56, move 2.Ke3: …
///     }
/// }
/// assert_eq!(whites, ["A"]);
/// ```
#[derive(Debug)]
pub struct Games<R> {
    chunks: ChunkReader<R>,
    limit: usize,
    replay: Replay<TreeBuilder>,
    chunk: Vec<u8>,
    /// The state of the reader of `chunk`, without its text.
    state: Reader<'static>,
    /// The offset of `chunk` from the start of the text.
    offset: u64,
    /// Games that were skipped because of their length.
    skipped: u64,
    conflict: Option<PgnError>,
    /// An error of the source, returned after the text before it.
    failure: Option<io::Error>,
    at_end: bool,
}

/// Why [`Games`] yields no game.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GamesError {
    /// The game is readable up to an error. Its number and offset count from the start of the source;
    /// [`BrokenGame::unread`] is a range of [`Games::text`].
    #[error(transparent)]
    Broken(Box<BrokenGame>),
    /// The game is longer than the limit and was skipped.
    #[error(transparent)]
    TooLong(PgnError),
    /// The source cannot be read. The game before this error may be incomplete; iteration ends.
    #[error("cannot read the games: {0}")]
    Io(#[from] io::Error),
}

impl<R: Read> Games<R> {
    /// The games of a source, each of at most [`MAX_GAME_BYTES`].
    pub fn new(source: R) -> Self {
        Self::with_limit(source, MAX_GAME_BYTES)
    }

    /// The games of a source, each of at most this many bytes.
    pub fn with_limit(source: R, max_game_bytes: usize) -> Self {
        Self {
            chunks: ChunkReader::new(source, CHUNK_BYTES.min(max_game_bytes), max_game_bytes),
            limit: max_game_bytes,
            replay: Replay::new(TreeBuilder::default()),
            chunk: Vec::new(),
            state: Reader::new(&[]),
            offset: 0,
            skipped: 0,
            conflict: None,
            failure: None,
            at_end: false,
        }
    }

    /// The buffered text around the last game. The range [`BrokenGame::unread`] of that game refers to it.
    pub fn text(&self) -> &[u8] {
        &self.chunk
    }

    /// The disagreement of tag and termination marker of the last game, if any. (The tag counts, and the game
    /// remains valid.)
    pub const fn result_conflict(&self) -> Option<&PgnError> {
        self.conflict.as_ref()
    }

    /// Reads the next game of the buffer.
    fn next_in_chunk(&mut self) -> Option<<Self as Iterator>::Item> {
        let mut reader = self.state.with_text(&self.chunk);
        let game = next_tree(&mut reader, &mut self.replay);
        self.state = reader.with_text(&[]);
        let (game, conflict) = game?;
        let (offset, skipped) = (self.offset, self.skipped);
        let from_start = |error: &mut PgnError| {
            error.offset += offset;
            error.game += skipped;
        };
        self.conflict = conflict;
        self.conflict.as_mut().map(from_start);
        Some(game.map_err(|mut broken| {
            from_start(&mut broken.error);
            GamesError::Broken(broken)
        }))
    }

    /// A game of so many bytes was skipped.
    fn too_long(&mut self, bytes: u64) -> GamesError {
        let offset = self.offset;
        self.offset += bytes;
        self.skipped += 1;
        let game = self.replay.games() + self.skipped;
        let problem = PgnProblem::TooLong(self.limit);
        GamesError::TooLong(PgnError { game, offset, at: None, problem })
    }
}

impl<R: Read> Iterator for Games<R> {
    type Item = Result<GameTree, GamesError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(game) = self.next_in_chunk() {
                return Some(game);
            }
            self.conflict = None;
            if self.at_end {
                return self.failure.take().map(|error| Err(error.into()));
            }
            self.offset += self.chunk.len() as u64;
            self.state = Reader::new(&[]);
            let (kind, result) = self.chunks.next_chunk(&mut self.chunk);
            self.failure = self.failure.take().or(result.err());
            match kind {
                ChunkKind::Games => {}
                ChunkKind::TooLong(bytes) => return Some(Err(self.too_long(bytes))),
                ChunkKind::End => {
                    self.at_end = true;
                    let (rest, dropped) = self.chunks.rest();
                    if dropped > 0 {
                        return Some(Err(self.too_long(dropped + rest.len() as u64)));
                    }
                    self.chunk = rest;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{hostile, read_trees};
    use super::*;

    /// Returns a few bytes at a time, and an error at its end if there is one.
    struct Drops<'a> {
        text: &'a [u8],
        step: usize,
        failure: Option<io::ErrorKind>,
    }

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.step.min(buffer.len()).min(self.text.len());
            let (now, later) = self.text.split_at(n);
            if let Some(kind) = self.failure.filter(|_| n == 0) {
                return Err(kind.into());
            }
            buffer[..n].copy_from_slice(now);
            self.text = later;
            Ok(n)
        }
    }

    /// The games of a text, broken ones with their unread text, by stream and from memory.
    fn assert_as_in_memory(text: &[u8], step: usize, limit: usize) {
        let expected = read_trees(text).into_iter().map(|game| {
            game.map_err(|broken| {
                let unread = text[broken.unread.clone()].to_vec();
                Box::new((broken.tree, broken.last, broken.error, unread))
            })
        });
        let mut games = Games::with_limit(Drops { text, step, failure: None }, limit);
        for (n, expected) in expected.enumerate() {
            let found = games.next().map(|game| match game {
                Ok(game) => Ok(game),
                Err(GamesError::Broken(broken)) => {
                    let unread = games.text()[broken.unread.clone()].to_vec();
                    Err(Box::new((broken.tree, broken.last, broken.error, unread)))
                }
                Err(error) => panic!("game {n}: {error}"),
            });
            assert_eq!(found, Some(expected), "game {n}");
        }
        assert!(games.next().is_none() && games.next().is_none());
    }

    /// Games with tags, some broken, with comments and variations: several chunks of them.
    fn many_games() -> String {
        let mut text = String::new();
        for n in 0..300 {
            let (filler, third) = ("x".repeat(n % 97 * 10), ["Nf3", "Ke3", "Bb5 {"][n % 3]);
            text += &format!(
                "[Event \"{n}\"]\n[Result \"1-0\"]\n\n1. e4 {{{filler}}} e5 (1... c5) 2. {third} 0-1\n\n"
            );
        }
        text
    }

    #[test]
    fn a_stream_gives_the_games_that_the_whole_text_gives() {
        let text = many_games();
        assert!(text.len() > 2 * CHUNK_BYTES);
        for step in [1, 1_000, 1 << 20] {
            assert_as_in_memory(text.as_bytes(), step, MAX_GAME_BYTES);
        }
        for (_, make) in hostile::SHAPES {
            assert_as_in_memory(make(3_000).as_bytes(), 700, 1 << 20);
        }
        assert_as_in_memory(b"", 1, 100);
        assert_as_in_memory(b"1. e4 e5 *\n1. d4 Ke7 *\n1. c4 *", 3, 100);
    }

    #[test]
    fn conflicts_of_results_count_from_the_start_of_the_stream() {
        let text = many_games();
        let mut trees = super::super::Trees::new(text.as_bytes());
        let mut games = Games::new(text.as_bytes());
        let mut conflicts = 0;
        while trees.next().is_some() {
            assert!(games.next().is_some());
            assert_eq!(games.result_conflict(), trees.result_conflict());
            conflicts += usize::from(games.result_conflict().is_some());
        }
        assert_eq!(conflicts, 100);
    }

    #[test]
    fn memory_stays_bounded_and_games_that_are_too_long_are_skipped() {
        let game = |n: usize| format!("[Event \"{n}\"]\n\n1. e4 {{{}}} *\n\n", "x".repeat(n));
        let text = [10, 5_000, 20, 90_000, 30].map(game).concat();
        let mut games = Games::with_limit(text.as_bytes(), 1_000);
        let mut found = Vec::new();
        while let Some(game) = games.next() {
            found.push(game.map(|game| game.tag("Event").unwrap_or_default().to_owned()));
            assert!(games.chunk.len() <= 1_100, "{} bytes", games.chunk.len());
        }
        let shown: Vec<String> =
            found.into_iter().map(|game| game.unwrap_or_else(|error| error.to_string())).collect();
        let second = game(10).len();
        let fourth = second + game(5_000).len() + game(20).len();
        let skipped = |n, at| {
            format!("game {n}, byte {at}: no game ends within 1000 bytes; skipped to the next")
        };
        assert_eq!(shown, ["10", &skipped(2, second), "20", &skipped(4, fourth), "30"]);
    }

    #[test]
    fn an_error_of_the_source_follows_the_games_before_it() {
        let text = b"[Event \"a\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n1. d4 d5";
        let failure = Some(io::ErrorKind::InvalidData);
        let games: Vec<_> = Games::new(Drops { text, step: 7, failure }).collect();
        assert!(matches!(games[..], [Ok(_), Ok(_), Err(GamesError::Io(_))]), "{games:?}");
        let message = games[2].as_ref().unwrap_err().to_string();
        assert!(message.starts_with("cannot read the games: "), "{message}");
    }
}
