//! Running totals of a run: counts, problems and the resume cursor.

use chess::pgn::Score;
use serde::{Deserialize, Serialize};

use super::convert_games::Rows;
use super::counts::Counts;
use super::source::TextCursor;
use crate::manifest::SplitRows;
use crate::{ReadError, Row};

/// Number of problems listed in the manifest; all are reported as events.
const LISTED_PROBLEMS: usize = 100;

/// An event of a run that writes a data set.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum PrepareEvent<'a> {
    /// A problem with an input, in a line with file and offset.
    Problem(&'a str),
    /// Input has been converted.
    Progress {
        /// Compressed bytes of the inputs read so far; [`Partition::read`](crate::Partition::read) of
        /// generated rows.
        read: u64,
        /// Games read.
        games: u64,
        /// Rows converted.
        positions: u64,
    },
    /// The input has been read, and the merge of the sorted runs begins.
    Sorting {
        /// Rows to merge.
        positions: u64,
    },
    /// Rows have been merged.
    Sorted {
        /// Rows merged so far.
        positions: u64,
    },
}

/// Receives events.
pub(crate) type Observer<'a> = Box<dyn FnMut(PrepareEvent<'_>) + Send + 'a>;

/// Position in the input of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Cursor {
    /// In the text of the inputs.
    Text(TextCursor),
    /// In sorted runs: the first row with this key or a larger one.
    Key(u64),
    /// Index of a partition of generated rows, or of a row group of another data set.
    #[serde(rename = "block")]
    Partition(u64),
    /// All input has been read.
    End,
}

/// A cursor with the totals of everything before it: the state to resume from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResumePoint {
    #[serde(rename = "place")]
    pub cursor: Cursor,
    pub counts: Counts,
    pub problems: u64,
    /// Rows before the cursor.
    pub rows: SplitRows,
}

impl ResumePoint {
    pub(crate) fn start(cursor: Cursor) -> Self {
        let (counts, rows) = (Counts::default(), SplitRows::default());
        Self { cursor, counts, problems: 0, rows }
    }
}

/// The rows of a chunk of input.
pub(crate) struct ConvertedChunk {
    /// Start of the chunk; its number of games is filled in by the [`Tracker`].
    pub cursor: Cursor,
    pub rows: Rows,
    pub error: Option<ReadError>,
    /// For [`PrepareEvent::Progress`].
    pub read: u64,
}

impl ConvertedChunk {
    pub(crate) fn new(cursor: Cursor, rows: Rows) -> Self {
        Self { cursor, rows, error: None, read: 0 }
    }
}

/// Updates the totals with each chunk and reports events.
pub(crate) struct Tracker<'a> {
    input_names: Vec<String>,
    max_positions: Option<u64>,
    /// Index of the current input, and the number of its games so far.
    input: (usize, u64),
    pub now: ResumePoint,
    pub first_problems: Vec<String>,
    observer: Observer<'a>,
}

impl<'a> Tracker<'a> {
    /// Resumes from a point.
    pub(crate) fn new(
        input_names: Vec<String>,
        max_positions: Option<u64>,
        point: ResumePoint,
        mut first_problems: Vec<String>,
        observer: Observer<'a>,
    ) -> Self {
        let input = match point.cursor {
            Cursor::Text(cursor) => (cursor.input, cursor.games),
            _ => (0, 0),
        };
        first_problems.truncate(listed(point.problems));
        Self { input_names, max_positions, input, now: point, first_problems, observer }
    }

    /// Adds a chunk. Returns the resume point at its start, and its rows with final game ids.
    pub(crate) fn add(&mut self, chunk: ConvertedChunk) -> (ResumePoint, Vec<Row>) {
        let ConvertedChunk { mut cursor, mut rows, error, read } = chunk;
        if let Cursor::Text(cursor) = &mut cursor {
            if cursor.input != self.input.0 {
                self.input = (cursor.input, 0);
            }
            cursor.games = self.input.1;
        }
        self.now.cursor = cursor;
        let start = self.now;
        self.truncate(&mut rows);
        if let Cursor::Text(cursor) = cursor {
            self.input.1 += rows.counts.games;
            rows.rows.iter_mut().for_each(|row| row.game += cursor.games as i64);
            let name = self.input_names.get(cursor.input).cloned().unwrap_or_default();
            for mut error in rows.errors {
                error.game += cursor.games;
                error.offset += cursor.offset;
                self.report(format!("{name}: {error}"));
            }
        }
        if let Some(error) = error {
            self.report(error.to_string());
        }
        rows.counts.positions = rows.rows.len() as u64;
        self.now.counts.add(&rows.counts);
        for row in &rows.rows {
            *self.now.rows.of_mut(row.split) += 1;
        }
        let Counts { games, positions, .. } = self.now.counts;
        (self.observer)(match cursor {
            Cursor::Key(_) => PrepareEvent::Sorted { positions },
            _ => PrepareEvent::Progress { read, games, positions },
        });
        (start, rows.rows)
    }

    /// Removes rows beyond the maximum number of positions, and the games behind the last row.
    fn truncate(&self, rows: &mut Rows) {
        let Some(most) = self.max_positions else { return };
        let room = most.saturating_sub(self.now.counts.positions);
        if rows.rows.len() as u64 <= room {
            return;
        }
        let room = room as usize;
        rows.rows.truncate(room);
        if let Some((_, counts)) = rows.games.iter().find(|(rows, _)| *rows >= room) {
            rows.counts = *counts;
            rows.errors.retain(|error| error.game <= counts.games);
        }
        rows.counts.evals = count(&rows.rows, |score| matches!(score, Score::Centipawns(_)));
        rows.counts.mates = count(&rows.rows, |score| matches!(score, Score::Mate(_)));
    }

    pub(crate) fn notify(&mut self, event: PrepareEvent<'_>) {
        (self.observer)(event);
    }

    fn report(&mut self, problem: String) {
        (self.observer)(PrepareEvent::Problem(&problem));
        self.now.problems += 1;
        if self.first_problems.len() < LISTED_PROBLEMS {
            self.first_problems.push(problem);
        }
    }

    /// The listed problems before a resume point.
    pub(crate) fn problems_before(&self, point: &ResumePoint) -> &[String] {
        &self.first_problems[..listed(point.problems).min(self.first_problems.len())]
    }

    /// Whether the maximum number of positions is reached.
    pub(crate) fn is_full(&self) -> bool {
        self.max_positions.is_some_and(|most| self.now.counts.positions >= most)
    }

    /// Returns the observer.
    pub(crate) fn into_observer(self) -> Observer<'a> {
        self.observer
    }
}

/// Number of rows with a score of one kind.
fn count(rows: &[Row], is_kind: impl Fn(Score) -> bool) -> u64 {
    let scores = rows.iter().filter_map(|row| row.packed.score().ok().flatten());
    scores.filter(|&score| is_kind(score)).count() as u64
}

fn listed(problems: u64) -> usize {
    usize::try_from(problems).unwrap_or(usize::MAX).min(LISTED_PROBLEMS)
}
