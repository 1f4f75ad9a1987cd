//! Data sets of rows that are not read from games but made: by scoring others anew, by self-play.
//!
//! The work is divided into units with numbers. What comes of a unit depends on its number alone, so that
//! the files are the same whoever does which unit and when, and a run that was killed goes on with the
//! first unit whose rows are in no finished file.

use std::path::Path;

use chess::pgn::Score;
use serde_json::Value;

use super::games::Rows;
use super::ledger::{Event, Made, Place};
use super::{InputFile, Origin, PrepareOptions, Prepared, Work};
use crate::plan::Plan;
use crate::pool::Feed;
use crate::{Counts, DataError, Row, Workers};

/// What is made. The same makes the same files, and only the same is gone on with.
#[derive(Clone, PartialEq, Debug)]
pub struct Making {
    /// What it is made of.
    pub inputs: Vec<InputFile>,
    /// Format, order, seed and sizes of files, and how many rows are enough; the rest is not looked at.
    pub options: PrepareOptions,
    /// Everything else that decides what the rows are; the manifest keeps it.
    pub made: Value,
    /// How many units there are.
    pub units: u64,
}

/// What comes of a unit.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Unit {
    /// The rows.
    pub rows: Vec<Row>,
    /// What was counted besides them: games, moves, what was left out.
    pub counts: Counts,
    /// How much is done when it is, in whatever progress is to be told.
    pub read: u64,
}

/// Makes a data set in this folder, with all threads. The observer is told of progress.
///
/// ```
/// use chess::{PackedRow, Position};
/// use data::{FileFormat, Making, PrepareOptions, Row, Unit};
/// let folder = std::env::temp_dir().join(format!("tabiya-make-{}", std::process::id()));
/// let options = PrepareOptions { format: FileFormat::Packed, ..PrepareOptions::default() };
/// let made = serde_json::json!({ "by": "an example" });
/// let making = Making { inputs: Vec::new(), options, made, units: 3 };
/// let rows = |_unit| {
///     let packed = PackedRow::new(&Position::INITIAL).unwrap();
///     Ok(Unit { rows: vec![Row::of_packed(packed)], ..Unit::default() })
/// };
/// let threads = std::num::NonZero::<usize>::MIN;
/// let prepared = data::make(&folder, &making, threads, rows, |_| {})?;
/// assert_eq!(prepared.manifest.rows.train, 3);
/// # std::fs::remove_dir_all(folder).unwrap();
/// # Ok::<(), data::DataError>(())
/// ```
pub fn make<'a, 'w>(
    folder: &Path,
    making: &Making,
    workers: impl Into<Workers<'w>>,
    unit: impl Fn(u64) -> Result<Unit, DataError> + Sync,
    observer: impl FnMut(Event<'_>) + Send + 'a,
) -> Result<Prepared, DataError> {
    let options = &making.options;
    options.check()?;
    let plan = Plan::new(making.inputs.clone(), options, Some(making.made.clone()));
    let origin = Units { count: making.units, unit };
    let work = Work { folder, options, plan, origin, workers: workers.into() };
    work.do_all(true, Box::new(observer))
}

/// Rows from units.
struct Units<U> {
    count: u64,
    unit: U,
}

impl<U: Fn(u64) -> Result<Unit, DataError> + Sync> Origin for Units<U> {
    type Feed = Numbers;

    fn begin(&self) -> Place {
        Place::Block(0)
    }

    fn feed(&self, from: Place) -> Numbers {
        let next = match from {
            Place::Block(next) => next,
            _ => self.count,
        };
        Numbers { next, end: self.count }
    }

    fn make(&self, number: u64) -> Result<Made, DataError> {
        let Unit { rows, mut counts, read } = (self.unit)(number)?;
        for row in &rows {
            match row.packed.score() {
                Ok(Some(Score::Centipawns(_))) => counts.evals += 1,
                Ok(Some(Score::Mate(_))) => counts.mates += 1,
                _ => {}
            }
        }
        let rows = Rows { rows, counts, ..Rows::default() };
        Ok(Made { place: Place::Block(number), rows, failure: None, read })
    }
}

struct Numbers {
    next: u64,
    end: u64,
}

impl Feed for Numbers {
    type Item = u64;

    fn take(&mut self) -> Option<u64> {
        let number = Some(self.next).filter(|&next| next < self.end)?;
        self.next += 1;
        Some(number)
    }
}
