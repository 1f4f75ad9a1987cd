//! How far the making of a data set has come, in a file.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::ledger::Mark;
use crate::manifest::{PROGRESS, Plan, ShardFile, write_json};
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
