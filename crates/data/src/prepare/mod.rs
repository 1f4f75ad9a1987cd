//! From games to a data set: `PGN → rows → files`, on all cores, in bounded memory.
//!
//! ```text
//! inputs ─Source─▶ text ─Recipe─▶ rows ─┬──────────────────────▶ Shards ─▶ train/, validation/
//!                                       └─Runs─▶ _runs/ ─Merge─▶   (shuffled, or without duplicates)
//! ```
//!
//! A run that was killed goes on where its last finished file ends; the files are the same as if nothing
//! had happened, and the same whatever the number of threads.

mod convert;
mod counts;
mod folder;
mod games;
mod ledger;
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
pub use options::{FileFormat, PrepareOptions, RowOrder};
pub use source::InputFile;
pub use time_class::TimeClass;

use crate::manifest::{Plan, VERSION, notes};
use crate::{Column, DataError, Manifest, pool};
use folder::{Found, Workplace};
pub(crate) use games::mix;
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
/// [`Manifest::problems`], and the rest is converted.
pub fn prepare<'a>(
    inputs: &[PathBuf],
    folder: &Path,
    options: &PrepareOptions,
    threads: NonZero<usize>,
    observer: impl FnMut(Event<'_>) + Send + 'a,
) -> Result<Prepared, DataError> {
    let recipe = Recipe::new(options)?;
    let files = source::expand(inputs)?;
    let described: Vec<InputFile> = files.iter().map(|file| source::describe(file)).collect();
    let can_resume = described.iter().all(|input| input.bytes.is_some());
    let plan = Plan::new(described, options);
    let (workplace, found) = Workplace::enter(folder, &plan)?;
    let (stage, mark, first_problems, was_resumed) = match found {
        Found::Finished(manifest) => {
            return Ok(Prepared { manifest: *manifest, was_complete: true, was_resumed: false });
        }
        // What came through a pipe is gone.
        Found::Unfinished(progress) if can_resume => {
            (progress.stage, progress.mark, progress.first_problems, true)
        }
        _ => {
            workplace.clear()?;
            let begin = Mark::begin(Place::Text(TextPlace::default()));
            let stage = match options.order {
                RowOrder::Games => Stage::Writing { runs: None, files: Vec::new() },
                _ => Stage::Sorting { runs: 0 },
            };
            (stage, begin, Vec::new(), false)
        }
    };
    workplace.forget_manifest();
    let work = Work { folder, options, plan, recipe, files, threads };
    work.recorder().record(stage.clone(), mark, &first_problems)?;
    let manifest = work.run(stage, mark, first_problems, Box::new(observer))?;
    manifest.write(folder)?;
    workplace.clean_up()?;
    Ok(Prepared { manifest, was_complete: false, was_resumed })
}

/// Everything that is to be done.
struct Work<'w> {
    folder: &'w Path,
    options: &'w PrepareOptions,
    plan: Plan,
    recipe: Recipe,
    files: Vec<PathBuf>,
    threads: NonZero<usize>,
}

type Hashes = Arc<Mutex<Vec<(usize, OpenHash)>>>;

impl Work<'_> {
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
        match stage {
            Stage::Writing { runs: None, files } => {
                let (source, hashes) = self.source(mark);
                let ledger = self.ledger(mark, first_problems, observer);
                let shards =
                    Shards::new(self.folder, self.options, &files, ledger, self.recorder(), None)?;
                let shards = pool::run(self.threads, source, |piece| Ok(self.make(piece)), shards)?;
                Ok(self.manifest(&shards, &hashes))
            }
            Stage::Sorting { runs } => {
                let (source, hashes) = self.source(mark);
                let ledger = self.ledger(mark, first_problems, observer);
                let order = (self.options.order, self.options.seed);
                let runs = Runs::new(
                    self.folder,
                    order,
                    runs,
                    self.threads.get(),
                    ledger,
                    self.recorder(),
                )?;
                let runs = pool::run(self.threads, source, |piece| Ok(self.make(piece)), runs)?;
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
                let manifest = self.run(stage, mark, first_problems, ledger.into_observer())?;
                Ok(with_hashes(manifest, &hashes))
            }
            Stage::Writing { runs: Some(runs), files } => {
                let ledger = self.ledger(mark, first_problems, observer);
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
                let shards = pool::run(self.threads, merge, make, shards)?;
                Ok(self.manifest(&shards, &Hashes::default()))
            }
        }
    }

    fn source(&self, mark: Mark) -> (Source, Hashes) {
        let start = match mark.place {
            Place::Text(place) => place,
            _ => TextPlace { input: self.files.len(), ..TextPlace::default() },
        };
        // Many threads take less at a time, so that they need no more memory together.
        let chunk = ((8 << 20) / self.threads.get()).clamp(1 << 17, 1 << 20);
        let source = Source::new(self.files.clone(), start, chunk);
        let hashes = Arc::clone(&source.hashes);
        (source, hashes)
    }

    fn make(&self, piece: Piece) -> Made {
        let Piece { input, offset, content, read } = piece;
        let place = Place::Text(TextPlace { input, offset, games: 0 });
        let (rows, failure) = match content {
            Content::Games(text) => (self.recipe.rows(&text, input, offset), None),
            Content::TooLong(limit) => (Rows::too_long(limit), None),
            Content::Failed(error) => (Rows::default(), Some(error)),
        };
        Made { place, rows, failure, read }
    }

    fn manifest(&self, shards: &Shards<'_>, hashes: &Hashes) -> Manifest {
        let now = &shards.ledger.now;
        let columns = match self.options.format {
            FileFormat::Parquet => self.options.columns().unwrap_or_default(),
            FileFormat::Packed => Column::PACKED.to_vec(),
        };
        let manifest = Manifest {
            version: VERSION,
            tabiya: self.plan.tabiya.clone(),
            inputs: self.plan.inputs.clone(),
            options: self.options.clone(),
            columns: notes(&columns),
            counts: now.counts,
            rows: now.rows,
            problems: now.problems,
            first_problems: shards.ledger.first_problems.clone(),
            files: shards.finished(),
        };
        with_hashes(manifest, hashes)
    }
}

/// Fills in what is known of pipes only when they have been read.
fn with_hashes(mut manifest: Manifest, hashes: &Hashes) -> Manifest {
    for (number, hash) in hashes.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        let hash = hash.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(input) = manifest.inputs.get_mut(*number) {
            input.bytes = Some(hash.1);
            input.blake3 = Some(hash.0.finalize().to_hex().to_string());
        }
    }
    manifest
}
