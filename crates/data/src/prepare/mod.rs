//! From games to a data set: `PGN → rows → files`, on all cores, in bounded memory.
//!
//! ```text
//! inputs ─Source─▶ text ─Recipe─▶ rows ─┬──────────────────────▶ Shards ─▶ train/, validation/
//!                                       └─Runs─▶ _runs/ ─Merge─▶   (shuffled, or without duplicates)
//! ```
//!
//! Rows that are made rather than read from games ([`make()`]) take the same way from there on.
//!
//! A run that was killed goes on where its last finished file ends; the files are the same as if nothing
//! had happened, and the same whatever the number of threads.

mod convert;
mod counts;
mod folder;
mod games;
mod ledger;
mod make;
mod options;
mod progress;
mod runs;
mod shards;
mod source;
mod time_class;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub use convert::convert;
pub use counts::{Counts, SkippedGames, SkippedPositions};
pub use ledger::Event;
pub use make::{Making, Unit, make};
pub use options::{FileFormat, PrepareOptions, RowOrder};
pub use source::{InputFile, describe, expand};
pub use time_class::TimeClass;

use crate::manifest::{VERSION, notes};
use crate::plan::Plan;
use crate::pool::{self, Feed};
use crate::{Column, DataError, Manifest, Workers, files};
use folder::{Found, Workplace};
use games::{Recipe, Rows};
use ledger::{Ledger, Made, Mark, Observer, Place};
use progress::{Recorder, Stage};
use runs::{Merge, Runs};
use shards::Shards;
use source::{Content, OpenHash, Piece, Source, TextPlace};

/// What came of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Prepared {
    /// The data set.
    pub manifest: Manifest,
    /// Whether everything was there already.
    pub was_complete: bool,
    /// Whether a killed run was gone on with.
    pub was_resumed: bool,
}

/// Makes a data set of the games in these files, in this folder. The observer is told of problems and of
/// progress, from any thread.
///
/// A broken game or a file that ends in the middle is no error: it is told, counted in
/// [`Manifest::problems`], and the rest is converted. A file that cannot be opened is an error, before
/// anything is written. A run that was killed or [stopped](Workers::until) is resumed by the same call.
pub fn prepare<'a, 'w>(
    inputs: &[PathBuf],
    folder: &Path,
    options: &PrepareOptions,
    workers: impl Into<Workers<'w>>,
    observer: impl FnMut(Event<'_>) + Send + 'a,
) -> Result<Prepared, DataError> {
    let recipe = Recipe::new(options)?;
    let files = expand(inputs)?;
    source::check(&files)?;
    files::ensure_apart(folder, files.iter().map(PathBuf::as_path))?;
    let described: Vec<InputFile> = files.iter().map(|file| describe(file)).collect();
    // What came through a pipe is gone.
    let can_resume = described.iter().all(|input| input.bytes.is_some());
    let plan = Plan::new(described, options, None);
    let workers = workers.into();
    let origin = Games { recipe, files, threads: workers.threads(), hashes: Hashes::default() };
    let work = Work { folder, options, plan, origin, workers };
    work.do_all(can_resume, Box::new(observer))
}

/// Where rows come from, before they are put in order.
trait Origin: Sync {
    /// Takes it to pieces.
    type Feed: Feed;
    /// Its beginning.
    fn begin(&self) -> Place;
    /// The pieces from a place on.
    fn feed(&self, from: Place) -> Self::Feed;
    /// What comes of a piece.
    fn make(&self, piece: <Self::Feed as Feed>::Item) -> Result<Made, DataError>;
    /// Fills in what is known only in the end.
    fn complete(&self, _manifest: &mut Manifest) {}
}

type Hashes = Arc<Mutex<Vec<(usize, OpenHash)>>>;

/// Rows from games in files.
struct Games {
    recipe: Recipe,
    files: Vec<PathBuf>,
    threads: NonZero<usize>,
    hashes: Hashes,
}

impl Origin for Games {
    type Feed = Source;

    fn begin(&self) -> Place {
        Place::Text(TextPlace::default())
    }

    fn feed(&self, from: Place) -> Source {
        let start = match from {
            Place::Text(place) => place,
            _ => TextPlace { input: self.files.len(), ..TextPlace::default() },
        };
        // Many threads take less at a time, so that they need no more memory together.
        let chunk = ((8 << 20) / self.threads.get()).clamp(1 << 17, 1 << 20);
        Source::new(self.files.clone(), start, chunk, Arc::clone(&self.hashes))
    }

    fn make(&self, piece: Piece) -> Result<Made, DataError> {
        let Piece { input, offset, content, read } = piece;
        let place = Place::Text(TextPlace { input, offset, games: 0 });
        let (rows, failure) = match content {
            Content::Games(text) => (self.recipe.rows(&text, input, offset), None),
            Content::TooLong(limit) => (Rows::too_long(limit), None),
            Content::Failed(error) => (Rows::default(), Some(error)),
        };
        Ok(Made { place, rows, failure, read })
    }

    /// What is known of pipes only when they have been read.
    fn complete(&self, manifest: &mut Manifest) {
        for (number, hash) in self.hashes.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let hash = hash.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(input) = manifest.inputs.get_mut(*number) {
                input.bytes = Some(hash.1);
                input.blake3 = Some(hash.0.finalize().to_hex().to_string());
            }
        }
    }
}

/// Everything that is to be done.
struct Work<'w, O> {
    folder: &'w Path,
    options: &'w PrepareOptions,
    plan: Plan,
    origin: O,
    workers: Workers<'w>,
}

impl<O: Origin> Work<'_, O> {
    /// Does it all, or what a killed run has left to do.
    fn do_all(&self, can_resume: bool, observer: Observer<'_>) -> Result<Prepared, DataError> {
        let (workplace, found) = Workplace::enter(self.folder, &self.plan)?;
        let (stage, mark, first_problems, was_resumed) = match found {
            Found::Finished(manifest) => {
                return Ok(Prepared {
                    manifest: *manifest,
                    was_complete: true,
                    was_resumed: false,
                });
            }
            Found::Unfinished(progress) if can_resume => {
                (progress.stage, progress.mark, progress.first_problems, true)
            }
            _ => {
                workplace.clear()?;
                let stage = match self.options.order {
                    RowOrder::Games => Stage::Writing { runs: None, files: Vec::new() },
                    _ => Stage::Sorting { runs: 0 },
                };
                (stage, Mark::begin(self.origin.begin()), Vec::new(), false)
            }
        };
        workplace.remove_manifest()?;
        self.recorder().record(stage.clone(), mark, &first_problems)?;
        let made = self.run(stage, mark, first_problems, observer);
        let mut manifest = made.map_err(|error| match error {
            DataError::Interrupted { .. } => DataError::Interrupted { resumes: can_resume },
            error => error,
        })?;
        self.origin.complete(&mut manifest);
        manifest.write(self.folder)?;
        workplace.clean_up()?;
        Ok(Prepared { manifest, was_complete: false, was_resumed })
    }

    fn recorder(&self) -> Recorder {
        Recorder::new(self.folder, self.plan.clone())
    }

    fn ledger<'a>(&self, mark: Mark, first: Vec<String>, observer: Observer<'a>) -> Ledger<'a> {
        let names = self.plan.inputs.iter().map(|input| input.name.clone()).collect();
        // Rows that are sorted have been counted before.
        let most = match mark.place {
            Place::Key(_) => None,
            _ => self.options.max_positions,
        };
        Ledger::new(names, most, mark, first, observer)
    }

    fn run(
        &self,
        stage: Stage,
        mark: Mark,
        first_problems: Vec<String>,
        observer: Observer<'_>,
    ) -> Result<Manifest, DataError> {
        let ledger = self.ledger(mark, first_problems, observer);
        let make = |piece| self.origin.make(piece);
        match stage {
            Stage::Writing { runs: None, files } => {
                let shards =
                    Shards::new(self.folder, self.options, &files, ledger, self.recorder(), None)?;
                let shards = pool::run(self.workers, self.origin.feed(mark.place), make, shards)?;
                Ok(self.manifest(&shards))
            }
            Stage::Sorting { runs } => {
                let order = (self.options.order, self.options.seed);
                let runs = Runs::new(
                    self.folder,
                    order,
                    runs,
                    self.workers.threads().get(),
                    ledger,
                    self.recorder(),
                )?;
                let runs = pool::run(self.workers, self.origin.feed(mark.place), make, runs)?;
                let (count, now) = (runs.finished(), runs.ledger.now);
                let first_problems = runs.ledger.first_problems.clone();
                let mark = Mark {
                    place: Place::Key(0),
                    counts: runs::counts_before_merge(&now.counts),
                    rows: Default::default(),
                    ..now
                };
                let stage = Stage::Writing { runs: Some(count), files: Vec::new() };
                self.recorder().record(stage.clone(), mark, &first_problems)?;
                let mut ledger = runs.ledger;
                ledger.tell(Event::Sorting { positions: now.counts.positions });
                self.run(stage, mark, first_problems, ledger.into_observer())
            }
            Stage::Writing { runs: Some(runs), files } => {
                let shards = Shards::new(
                    self.folder,
                    self.options,
                    &files,
                    ledger,
                    self.recorder(),
                    Some(runs),
                )?;
                let (count, from) = match mark.place {
                    Place::Key(key) => (runs, key),
                    _ => (0, 0),
                };
                let merge = Merge::new(self.folder, count, from, self.options.order)?;
                let make = |merged: runs::Merged| {
                    let (key, rows) = merged?;
                    Ok(Made { place: Place::Key(key), rows, failure: None, read: 0 })
                };
                let shards = pool::run(self.workers, merge, make, shards)?;
                Ok(self.manifest(&shards))
            }
        }
    }

    fn manifest(&self, shards: &Shards<'_>) -> Manifest {
        let now = &shards.ledger.now;
        let columns = match self.options.format {
            FileFormat::Parquet => self.options.columns().unwrap_or_default(),
            FileFormat::Packed => Column::PACKED.to_vec(),
        };
        Manifest {
            version: VERSION,
            tabiya: self.plan.tabiya.clone(),
            inputs: self.plan.inputs.clone(),
            options: self.options.clone(),
            made: self.plan.made.clone(),
            columns: notes(&columns),
            counts: now.counts,
            rows: now.rows,
            problems: now.problems,
            first_problems: shards.ledger.first_problems.clone(),
            files: shards.finished(),
        }
    }
}
