//! The progress log `_progress.json`: what an interrupted run has finished, and where to resume.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::tracker::{Cursor, ResumePoint};
use crate::DataError;
use crate::bounds::{MAX_COUNT, check_counts};
use crate::manifest::{PROGRESS, ShardFile, check_files, read_json, write_json};
use crate::plan::DataSetPlan;

/// Content of the progress log.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResumeState {
    pub plan: DataSetPlan,
    pub stage: Stage,
    #[serde(rename = "mark")]
    pub point: ResumePoint,
    pub first_problems: Vec<String>,
}

/// Maximum number of sorted runs; each has at least 2¹⁶ rows.
const MAX_RUNS: usize = 1 << 26;

impl ResumeState {
    /// Reads the progress log of a directory and checks all numbers that sizes and offsets are computed from.
    /// Options need no check: they are compared with those of the caller.
    pub(crate) fn open(folder: &Path) -> Result<Self, DataError> {
        let path = folder.join(PROGRESS);
        let state: Self = read_json(&path)?;
        state.check().map_err(|reason| DataError::damaged(&path, reason))?;
        Ok(state)
    }

    fn check(&self) -> Result<(), String> {
        let ResumePoint { cursor, counts, problems, rows } = &self.point;
        check_counts("mark.counts", counts)?;
        check_counts("mark.rows", rows)?;
        check_counts("mark.problems", problems)?;
        let inputs = self.plan.inputs.len();
        match cursor {
            Cursor::Text(cursor) if cursor.input > inputs => {
                return Err(format!(
                    "mark.place: the cursor is in input {} of {inputs}",
                    cursor.input
                ));
            }
            Cursor::Text(cursor) => check_counts("mark.place", cursor)?,
            Cursor::Partition(index) if *index > MAX_COUNT => {
                return Err(format!("mark.place: the index of the partition is {index}"));
            }
            Cursor::Partition(_) | Cursor::Key(_) | Cursor::End => {}
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

    /// Whether a shard or a sorted run is finished.
    pub(crate) fn has_files(&self) -> bool {
        match &self.stage {
            Stage::Sorting { runs } => *runs > 0,
            Stage::Writing { runs, files } => {
                runs.is_some_and(|runs| runs > 0) || !files.is_empty()
            }
        }
    }
}

/// Stage of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Stage {
    /// First pass of the external sort: `runs` sorted runs are finished.
    Sorting { runs: usize },
    /// Shards are written, from the input or by merging `runs` sorted runs.
    Writing { runs: Option<usize>, files: Vec<ShardFile> },
}

/// Writes the progress log.
#[derive(Clone)]
pub(crate) struct ProgressLog {
    folder: PathBuf,
    plan: DataSetPlan,
}

impl ProgressLog {
    pub(crate) fn new(folder: &Path, plan: DataSetPlan) -> Self {
        Self { folder: folder.to_owned(), plan }
    }

    pub(crate) fn write(
        &self,
        stage: Stage,
        point: ResumePoint,
        first_problems: &[String],
    ) -> Result<(), DataError> {
        let (plan, first_problems) = (self.plan.clone(), first_problems.to_vec());
        let state = ResumeState { plan, stage, point, first_problems };
        write_json(&self.folder.join(PROGRESS), &state)?;
        Ok(())
    }
}
