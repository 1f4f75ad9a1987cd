//! Converts games to the export format of the PGN standard.
//!
//! Workers convert chunks in parallel; the output is in order. A few bytes can become a whole game (`*` is
//! one), so a chunk whose output exceeds a limit is converted again in its turn and returned in parts.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use chess::pgn::{PgnError, Trees};

use crate::{Chunk, Input, ReadError, ReadOptions, read_games};

/// Maximum output of a chunk that is held in memory.
const MAX_OUTPUT: usize = 8 << 20;

/// Some games in export format.
#[derive(Clone, Debug, Default)]
pub struct NormalizedGames {
    /// The games.
    pub text: String,
    /// Number of games.
    pub games: u64,
    /// Number of broken games.
    pub errors: u64,
    /// Errors, each with its consequence for the game.
    pub remarks: Vec<(PgnError, &'static str)>,
}

impl NormalizedGames {
    /// Approximate memory.
    fn size(&self) -> usize {
        self.text.len() + 256 * self.remarks.len()
    }
}

/// A converted chunk.
enum ChunkOutput {
    Games(NormalizedGames),
    /// The text of a chunk whose output is too large.
    Deferred(Vec<u8>),
}

/// Converts a text. Output beyond `max_output` bytes is passed to `emit`, the rest is returned. Breaks if
/// `emit` does.
fn convert_text(
    text: &[u8],
    mut emit: impl FnMut(NormalizedGames) -> ControlFlow<()>,
) -> ControlFlow<(), NormalizedGames> {
    let mut part = NormalizedGames::default();
    let mut trees = Trees::new(text);
    while let Some(game) = trees.next() {
        part.games += 1;
        if let Some(conflict) = trees.result_conflict() {
            part.remarks.push((conflict.clone(), ""));
        }
        let game = game.unwrap_or_else(|broken| {
            part.errors += 1;
            part.remarks.push((broken.error.clone(), "; the rest of the game becomes a comment"));
            broken.with_unread(text)
        });
        // Writing to a string does not fail.
        let _ = writeln!(part.text, "{game}");
        if part.size() > MAX_OUTPUT {
            emit(std::mem::take(&mut part))?;
        }
    }
    ControlFlow::Continue(part)
}

fn convert_chunk(chunk: Chunk<'_>) -> ChunkOutput {
    let text = match chunk {
        Chunk::TooLong { limit, .. } => {
            let remarks = vec![(super::too_long(limit), "; left out")];
            let text = String::new();
            return ChunkOutput::Games(NormalizedGames { text, games: 1, errors: 1, remarks });
        }
        Chunk::Games(text) => text,
    };
    // Large games are not converted by several workers at once.
    if text.len() > MAX_OUTPUT {
        return ChunkOutput::Deferred(text.to_vec());
    }
    match convert_text(text, |_| ControlFlow::Break(())) {
        ControlFlow::Continue(games) => ChunkOutput::Games(games),
        ControlFlow::Break(()) => ChunkOutput::Deferred(text.to_vec()),
    }
}

/// Normalizes all games of an input. `emit` receives them in order, until it breaks.
pub fn normalize(
    input: Input,
    options: &ReadOptions,
    mut emit: impl FnMut(NormalizedGames) -> ControlFlow<()> + Send,
) -> Result<(), ReadError> {
    let mut games = 0;
    let options = ReadOptions { parallel_frames: false, ..*options };
    read_games(input, &options, convert_chunk, |converted, bytes| {
        // Errors are numbered from the start of their chunk.
        let first_game = games;
        let mut emit = |mut part: NormalizedGames| {
            games += part.games;
            for (error, _) in &mut part.remarks {
                error.game += first_game;
                error.offset += bytes.start;
            }
            emit(part)
        };
        match converted {
            ChunkOutput::Games(part) => emit(part),
            ChunkOutput::Deferred(text) => {
                let last = convert_text(&text, &mut emit)?;
                emit(last)
            }
        }
    })
}
