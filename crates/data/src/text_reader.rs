//! The text of one input as chunks of whole games.
//!
//! Damage is a chunk of its own that names the offset. Behind it reading continues with the first game of
//! the next zstd frame, if the frames can be located ([`FramedFile`]); otherwise the input ends there.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::frames::{FrameChain, FramedFile};
use crate::{Format, Input, ReadError};
use chess::pgn::{ChunkKind, ChunkReader};

/// A part of the text.
pub(crate) struct TextChunk {
    /// Offset in the text of the input.
    pub offset: u64,
    pub content: Content,
}

pub(crate) enum Content {
    /// Whole games.
    Games(Vec<u8>),
    /// A game of this many bytes, which exceed the maximum.
    TooLong(u64),
    /// Text is lost here.
    Damaged(ReadError),
}

/// The text: one stream, or the frames of a pzstd archive.
enum Text {
    Stream(Box<Input>),
    Frames(FrameChain),
}

impl Text {
    /// Whether reading can continue after an error.
    fn has_more_frames(&self) -> bool {
        matches!(self, Self::Frames(chain) if chain.has_more())
    }
}

impl Read for Text {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Stream(input) => input.read(buffer),
            Self::Frames(chain) => chain.read(buffer),
        }
    }
}

/// Iterates over the chunks of an input.
pub(crate) struct TextReader {
    chunks: ChunkReader<Text>,
    name: String,
    format: Format,
    /// Offset of the next chunk.
    offset: u64,
    /// The error that ended the text, until it has been returned.
    error: Option<io::Error>,
    at_end: bool,
    pub bytes_read: Arc<AtomicU64>,
}

impl TextReader {
    /// Chunks have about `chunk_bytes`, games at most `max_game_bytes`.
    pub(crate) fn new(input: Input, chunk_bytes: usize, max_game_bytes: usize) -> Self {
        let (name, format, bytes_read) = (input.name.clone(), input.format, input.bytes_read());
        let text = match FramedFile::of(&input) {
            Some(file) => Text::Frames(FrameChain::new(file)),
            None => Text::Stream(Box::new(input)),
        };
        let chunks = ChunkReader::new(text, chunk_bytes, max_game_bytes);
        Self { chunks, name, format, offset: 0, error: None, at_end: false, bytes_read }
    }

    /// Skips text that an earlier run has read. Damage in it was reported by that run.
    pub(crate) fn skip_to(&mut self, offset: u64) {
        let text = self.chunks.get_mut();
        while self.offset < offset {
            let mut skipped = Counter(&mut self.offset);
            match io::copy(&mut text.by_ref().take(offset - *skipped.0), &mut skipped) {
                Ok(_) => return,
                Err(_) if text.has_more_frames() => {}
                Err(error) => {
                    (self.error, self.at_end) = (Some(error), true);
                    return;
                }
            }
        }
    }

    /// The error that ended the text; the next chunk is the first game of the next frame.
    fn damage(&mut self) -> Option<TextChunk> {
        let (offset, error) = (self.offset, self.error.take()?);
        if self.chunks.get_mut().has_more_frames() {
            self.chunks.restart();
            let (lost, dropped, result) = self.chunks.head();
            self.offset += lost.len() as u64 + dropped;
            self.error = result.err();
            self.at_end = false;
        }
        let error = Input::error(&self.name, self.format, offset, error);
        Some(TextChunk { offset, content: Content::Damaged(error) })
    }
}

impl Iterator for TextReader {
    type Item = TextChunk;

    fn next(&mut self) -> Option<TextChunk> {
        if self.at_end {
            return self.damage();
        }
        let offset = self.offset;
        let mut text = Vec::new();
        let (kind, result) = self.chunks.next_chunk(&mut text);
        if let Err(error) = result {
            self.error = Some(error);
        }
        let content = match kind {
            ChunkKind::Games => Content::Games(text),
            ChunkKind::TooLong(bytes) => Content::TooLong(bytes),
            ChunkKind::End => {
                self.at_end = true;
                let (text, dropped) = self.chunks.rest();
                match dropped {
                    0 if text.is_empty() => return self.damage(),
                    0 => Content::Games(text),
                    _ => Content::TooLong(dropped + text.len() as u64),
                }
            }
        };
        self.offset += match &content {
            Content::Games(text) => text.len() as u64,
            Content::TooLong(bytes) => *bytes,
            Content::Damaged(_) => 0,
        };
        Some(TextChunk { offset, content })
    }
}

/// Counts the bytes written to it.
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
