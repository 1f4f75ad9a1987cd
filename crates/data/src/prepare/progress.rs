//! How far the making of a data set has come, in a file.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::ledger::{Mark, Place};
use crate::bounds::{MAX_COUNT, check_counts};
use crate::manifest::{PROGRESS, ShardFile, check_files, read_json, write_json};
use crate::plan::Plan;
use crate::{DataError, Split};

/// What is done, and where to go on with the rest.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Progress {
    pub plan: Plan,
    pub stage: Stage,
    pub mark: Mark,
    pub first_problems: Vec<String>,
}

/// No data set is sorted in more runs: each has at least 2¹⁶ rows.
const MAX_RUNS: usize = 1 << 26;

impl Progress {
    /// The progress of a data set that is not finished, with everything checked that sizes and positions
    /// are computed from. Options need no check: they are compared with those of the caller.
    pub(crate) fn open(folder: &Path) -> Result<Self, DataError> {
        let path = folder.join(PROGRESS);
        let progress: Self = read_json(&path)?;
        progress.check().map_err(|reason| DataError::damaged(&path, reason))?;
        Ok(progress)
    }

    fn check(&self) -> Result<(), String> {
        let Mark { place, counts, problems, rows } = &self.mark;
        check_counts("mark.counts", counts)?;
        check_counts("mark.rows", rows)?;
        check_counts("mark.problems", problems)?;
        let inputs = self.plan.inputs.len();
        match place {
            Place::Text(place) if place.input > inputs => {
                return Err(format!("mark.place is in input {} of {inputs}", place.input));
            }
            Place::Text(place) => check_counts("mark.place", place)?,
            Place::Block(block) if *block > MAX_COUNT => {
                return Err(format!("mark.place is block {block}"));
            }
            Place::Block(_) | Place::Key(_) | Place::End => {}
        }
        let runs = match &self.stage {
            Stage::Sorting { runs } => Some(*runs),
            Stage::Writing { runs, files } => {
                check_files(files)?;
                *runs
            }
        };
        match runs.filter(|&runs| runs > MAX_RUNS) {
            Some(runs) => Err(format!("stage.runs must be 0 to {MAX_RUNS}, not {runs}")),
            None => Ok(()),
        }
    }

    /// Whether a file or a sorted run is finished.
    pub(crate) fn has_files(&self) -> bool {
        match &self.stage {
            Stage::Sorting { runs } => *runs > 0,
            Stage::Writing { runs, files } => {
                runs.is_some_and(|runs| runs > 0) || !files.is_empty()
            }
        }
    }
}

/// What is being done.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Stage {
    /// Games are read and rows are written to sorted runs, of which so many are finished.
    Sorting { runs: usize },
    /// Rows are written to their files. If they come from runs, there are so many.
    Writing { runs: Option<usize>, files: Vec<ShardFile> },
}

/// Writes progress as it is made.
pub(crate) struct Recorder {
    folder: PathBuf,
    plan: Plan,
}

impl Recorder {
    pub(crate) fn new(folder: &Path, plan: Plan) -> Self {
        Self { folder: folder.to_owned(), plan }
    }

    pub(crate) fn record(
        &self,
        stage: Stage,
        mark: Mark,
        first_problems: &[String],
    ) -> Result<(), DataError> {
        let plan = self.plan.clone();
        let progress = Progress { plan, stage, mark, first_problems: first_problems.to_vec() };
        write_json(&self.folder.join(PROGRESS), &progress)?;
        Ok(())
    }
}

/// The files of one split.
pub(crate) fn of_split(files: &[ShardFile], split: Split) -> Vec<ShardFile> {
    files.iter().filter(|file| file.split == split).cloned().collect()
}
