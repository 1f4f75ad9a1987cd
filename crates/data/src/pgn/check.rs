//! Replays every move of every game, variations included.

use std::ops::ControlFlow;

use chess::pgn::{self, Next, PgnError, Replay, Watcher};
use chess::{Move, Position};
use layout::count;
use serde_json::{Value, json};

use crate::{Chunk, Input, ReadError, ReadOptions, read_games};

/// Counts and errors of games.
#[derive(Clone, Debug, Default)]
pub struct CheckReport {
    /// Number of games.
    pub games: u64,
    /// Moves of main lines.
    pub moves: u64,
    /// Moves of variations.
    pub variation_moves: u64,
    /// Number of errors.
    pub errors: u64,
    /// The first errors.
    pub listed: Vec<PgnError>,
}

impl CheckReport {
    /// Adds the counts of another report.
    pub fn add_counts(&mut self, other: &Self) {
        self.games += other.games;
        self.moves += other.moves;
        self.variation_moves += other.variation_moves;
        self.errors += other.errors;
    }

    /// Games, moves and errors in a line.
    pub fn summary(&self) -> String {
        let mut text = count(self.games, "game") + ", " + &count(self.moves, "move");
        if self.variation_moves > 0 {
            text += &format!(" and {} in variations", self.variation_moves);
        }
        text + ", " + &count(self.errors, "error")
    }

    /// The counts as JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "games": self.games,
            "moves": self.moves,
            "variation_moves": self.variation_moves,
            "error_count": self.errors,
        })
    }

    /// Appends the report of the text at `offset`.
    fn append(&mut self, mut part: Self, offset: u64, max_errors: usize) {
        part.listed.truncate(max_errors.saturating_sub(self.listed.len()));
        for error in &mut part.listed {
            error.game += self.games;
            error.offset += offset;
        }
        self.listed.append(&mut part.listed);
        self.add_counts(&part);
    }
}

struct Checker {
    report: CheckReport,
    depth: usize,
    max_errors: usize,
}

impl Checker {
    #[inline(always)]
    fn count(&mut self) -> Next {
        if self.depth == 0 {
            self.report.moves += 1;
        } else {
            self.report.variation_moves += 1;
        }
        Next::Go
    }
}

impl Watcher for Checker {
    fn begin_game(&mut self) -> Next {
        self.report.games += 1;
        self.depth = 0;
        Next::Go
    }

    fn played(&mut self, _: &Position, _: Move, _: &Position) -> Next {
        self.count()
    }

    fn passed(&mut self, _: &Position, _: &Position) -> Next {
        self.count()
    }

    fn begin_variation(&mut self, _: &Position) -> Next {
        self.depth += 1;
        Next::Go
    }

    fn end_variation(&mut self) -> Next {
        self.depth -= 1;
        Next::Go
    }

    fn result_conflict(&mut self, conflict: PgnError) {
        self.error(conflict);
    }

    fn error(&mut self, error: PgnError) {
        self.report.errors += 1;
        if self.report.listed.len() < self.max_errors {
            self.report.listed.push(error);
        }
    }
}

fn check_chunk(chunk: Chunk<'_>, max_errors: usize) -> CheckReport {
    match chunk {
        Chunk::TooLong { limit, .. } => {
            let listed = vec![super::too_long(limit)];
            CheckReport { games: 1, errors: 1, listed, ..CheckReport::default() }
        }
        Chunk::Games(text) => {
            let checker = Checker { report: CheckReport::default(), depth: 0, max_errors };
            let mut replay = Replay::new(checker);
            pgn::read(text, &mut replay);
            replay.into_watcher().report
        }
    }
}

/// Checks all games of an input and lists at most `max_errors` errors. `progress` receives the number of games
/// of each chunk.
pub fn check(
    input: Input,
    options: &ReadOptions,
    max_errors: usize,
    mut progress: impl FnMut(u64) + Send,
) -> (CheckReport, Result<(), ReadError>) {
    let mut report = CheckReport::default();
    let convert = |chunk: Chunk<'_>| check_chunk(chunk, max_errors);
    let result = read_games(input, options, convert, |part, bytes| {
        progress(part.games);
        report.append(part, bytes.start, max_errors);
        ControlFlow::Continue(())
    });
    (report, result)
}
