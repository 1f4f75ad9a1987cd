//! What is known of the work so far: counts, problems, and where to go on.

use chess::pgn::Score;
use serde::{Deserialize, Serialize};

use super::counts::Counts;
use super::games::Rows;
use super::source::TextPlace;
use crate::manifest::SplitRows;
use crate::{ReadError, Row};

/// How many problems are kept for the manifest; all are told when they are found.
const KEPT_PROBLEMS: usize = 100;

/// What happens while a data set is made.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something is wrong with an input: a line that says where and what.
    Problem(&'a str),
    /// How far it has come.
    Progress {
        /// Bytes of the inputs read, compressed as they are; of another data set, rows; of what is
        /// made, units of work.
        read: u64,
        /// Games read.
        games: u64,
        /// Rows made.
        positions: u64,
    },
    /// All games have been read, and rows are being sorted.
    Sorting {
        /// How many.
        positions: u64,
    },
    /// Rows have been written in their final order.
    Sorted {
        /// How many so far.
        positions: u64,
    },
}

/// Who wants to know.
pub(crate) type Observer<'a> = Box<dyn FnMut(Event<'_>) + Send + 'a>;

/// Where to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Place {
    /// In the inputs.
    Text(TextPlace),
    /// In sorted rows, at the first with a key like this or above.
    Key(u64),
    /// In the files of another data set, or in what is made, at the block of this number.
    Block(u64),
    /// Nowhere: everything has been read.
    End,
}

/// Everything that must be known to go on from a place as if nothing had happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mark {
    pub place: Place,
    pub counts: Counts,
    pub problems: u64,
    /// Rows made before.
    pub rows: SplitRows,
}

impl Mark {
    pub(crate) fn begin(place: Place) -> Self {
        let (counts, rows) = (Counts::default(), SplitRows::default());
        Self { place, counts, problems: 0, rows }
    }
}

/// What came of a piece of work.
pub(crate) struct Made {
    /// Where it began; games before it are not counted yet.
    pub place: Place,
    pub rows: Rows,
    pub failure: Option<ReadError>,
    pub read: u64,
}

/// Keeps the books.
pub(crate) struct Ledger<'a> {
    names: Vec<String>,
    max_positions: Option<u64>,
    /// The input that is being read, and how many of its games have been.
    input: (usize, u64),
    pub now: Mark,
    pub first_problems: Vec<String>,
    observer: Observer<'a>,
}

impl<'a> Ledger<'a> {
    /// Goes on from a mark.
    pub(crate) fn new(
        names: Vec<String>,
        max_positions: Option<u64>,
        mark: Mark,
        mut first_problems: Vec<String>,
        observer: Observer<'a>,
    ) -> Self {
        let input = match mark.place {
            Place::Text(place) => (place.input, place.games),
            _ => (0, 0),
        };
        first_problems.truncate(kept(mark.problems));
        Self { names, max_positions, input, now: mark, first_problems, observer }
    }

    /// Enters a piece: gives its rows with the right numbers, and the mark at its beginning.
    pub(crate) fn enter(&mut self, mut made: Made) -> (Mark, Vec<Row>) {
        if let Place::Text(place) = &mut made.place {
            if place.input != self.input.0 {
                self.input = (place.input, 0);
            }
            place.games = self.input.1;
        }
        self.now.place = made.place;
        let mark = self.now;
        let Made { mut rows, failure, read, .. } = made;
        let over = self.max_positions.map_or(0, |most| {
            (rows.rows.len() as u64).saturating_sub(most.saturating_sub(self.now.counts.positions))
        });
        let mut errors = rows.errors.len();
        if over > 0 {
            let left = rows.rows.len() - over as usize;
            rows.rows.truncate(left);
            // The game of the last row is the last one that counts.
            if let Some((_, counts)) = rows.games.iter().find(|(rows, _)| *rows >= left) {
                rows.counts = *counts;
                errors = rows.errors.iter().take_while(|error| error.game <= counts.games).count();
            }
            rows.counts.evals = count(&rows.rows, |score| matches!(score, Score::Centipawns(_)));
            rows.counts.mates = count(&rows.rows, |score| matches!(score, Score::Mate(_)));
        }
        if let Place::Text(place) = made.place {
            self.input.1 += rows.counts.games;
            rows.rows.iter_mut().for_each(|row| row.game += place.games as i64);
            let name = self.names.get(place.input).cloned().unwrap_or_default();
            for mut error in rows.errors.drain(..errors) {
                error.game += place.games;
                error.offset += place.offset;
                self.complain(format!("{name}: {error}"));
            }
        }
        if let Some(failure) = failure {
            self.complain(failure.to_string());
        }
        rows.counts.positions = rows.rows.len() as u64;
        self.now.counts.add(&rows.counts);
        for row in &rows.rows {
            *self.now.rows.of_mut(row.split) += 1;
        }
        let Counts { games, positions, .. } = self.now.counts;
        (self.observer)(match made.place {
            Place::Key(_) => Event::Sorted { positions },
            _ => Event::Progress { read, games, positions },
        });
        (mark, rows.rows)
    }

    pub(crate) fn tell(&mut self, event: Event<'_>) {
        (self.observer)(event);
    }

    fn complain(&mut self, problem: String) {
        (self.observer)(Event::Problem(&problem));
        self.now.problems += 1;
        if self.first_problems.len() < KEPT_PROBLEMS {
            self.first_problems.push(problem);
        }
    }

    /// The problems known at a mark.
    pub(crate) fn problems_at(&self, mark: &Mark) -> &[String] {
        &self.first_problems[..kept(mark.problems).min(self.first_problems.len())]
    }

    /// Whether there are as many positions as were wanted.
    pub(crate) fn is_full(&self) -> bool {
        self.max_positions.is_some_and(|most| self.now.counts.positions >= most)
    }

    /// Gives the observer back.
    pub(crate) fn into_observer(self) -> Observer<'a> {
        self.observer
    }
}

/// How many rows have a score like this.
fn count(rows: &[Row], is_like: impl Fn(Score) -> bool) -> u64 {
    let scores = rows.iter().filter_map(|row| row.packed.score().ok().flatten());
    scores.filter(|&score| is_like(score)).count() as u64
}

fn kept(problems: u64) -> usize {
    usize::try_from(problems).unwrap_or(usize::MAX).min(KEPT_PROBLEMS)
}
