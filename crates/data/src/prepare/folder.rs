//! The output directory of a data set: its lock, and the data set or interrupted run already in it.

use std::fs;
use std::path::{Path, PathBuf};

use super::progress_log::ResumeState;
use super::runs::RUNS;
use crate::files::{self, is_temporary};
use crate::lock::{FolderLock, LOCK};
use crate::manifest::{self, Manifest, PROGRESS, SUCCESS};
use crate::plan::DataSetPlan;
use crate::{DataError, Split};

/// A locked output directory.
pub(crate) struct OutputFolder {
    path: PathBuf,
    _lock: FolderLock,
}

/// Content of the directory.
pub(crate) enum FolderState {
    /// Nothing to resume.
    Empty,
    /// An interrupted run of the same plan.
    Interrupted(Box<ResumeState>),
    /// The complete data set.
    Complete(Box<Manifest>),
}

impl OutputFolder {
    /// Creates and locks the directory. It must be empty or hold a data set of the same plan, complete or not.
    pub(crate) fn open(path: &Path, plan: &DataSetPlan) -> Result<(Self, FolderState), DataError> {
        files::create_folder(path)?;
        let occupied = |reason: String| DataError::Occupied { path: path.to_owned(), reason };
        let listed = fs::read_dir(path)
            .and_then(|entries| {
                entries.map(|entry| Ok(entry?.file_name())).collect::<std::io::Result<Vec<_>>>()
            })
            .map_err(DataError::io("list", path))?;
        let is_foreign = |name: &std::ffi::OsString| {
            let name = name.to_string_lossy();
            !(name == LOCK || is_temporary(&name))
        };
        let is_ours = path.join(SUCCESS).exists() || path.join(PROGRESS).exists();
        if !is_ours && let Some(name) = listed.iter().find(|name| is_foreign(name)) {
            let name = name.to_string_lossy();
            return Err(occupied(format!("it holds '{name}', which is not part of a data set")));
        }
        let folder = Self { path: path.to_owned(), _lock: FolderLock::acquire(path)? };
        let other = |old: &DataSetPlan| {
            plan.difference(old).map(|difference| {
                occupied(format!(
                    "it holds another data set: {difference}; choose another directory, or remove it"
                ))
            })
        };
        if path.join(SUCCESS).exists() {
            let manifest = Manifest::open(path)?;
            let mut old = manifest.plan.clone();
            // The content of a pipe is unknown before it is read: only its name is compared.
            for (old, new) in old.inputs.iter_mut().zip(&plan.inputs) {
                if new.bytes.is_none() && old.name == new.name {
                    old.clone_from(new);
                }
            }
            if let Some(error) = other(&old) {
                return Err(error);
            }
            // The writer may have been killed just before its clean-up.
            folder.clean_up()?;
            return Ok((folder, FolderState::Complete(Box::new(manifest))));
        }
        if !path.join(PROGRESS).exists() {
            return Ok((folder, FolderState::Empty));
        }
        let state = ResumeState::open(path)?;
        if let Some(error) = other(&state.plan) {
            if state.has_files() {
                return Err(error);
            }
            // A run of another plan without a finished file is not worth keeping.
            folder.remove_temporary_files();
            return Ok((folder, FolderState::Empty));
        }
        folder.remove_temporary_files();
        Ok((folder, FolderState::Interrupted(Box::new(state))))
    }

    /// Removes temporary files of a killed run.
    fn remove_temporary_files(&self) {
        let folders = Split::ALL.map(|split| self.path.join(split.name()));
        for folder in folders.iter().chain([&self.path, &self.path.join(RUNS)]) {
            files::remove_temporary_files(folder);
        }
    }

    /// Removes all shards and runs.
    pub(crate) fn clear(&self) -> Result<(), DataError> {
        for name in Split::ALL.map(Split::name).into_iter().chain([RUNS]) {
            let folder = self.path.join(name);
            if folder.exists() {
                fs::remove_dir_all(&folder).map_err(DataError::io("remove", &folder))?;
            }
        }
        Ok(())
    }

    /// Removes the runs and the progress log of a finished run.
    pub(crate) fn clean_up(&self) -> Result<(), DataError> {
        let runs = self.path.join(RUNS);
        if runs.exists() {
            fs::remove_dir_all(&runs).map_err(DataError::io("remove", &runs))?;
        }
        for split in Split::ALL {
            // Succeeds for a split without rows only.
            let _ = fs::remove_dir(self.path.join(split.name()));
        }
        let progress = self.path.join(PROGRESS);
        if progress.exists() {
            fs::remove_file(&progress).map_err(DataError::io("remove", &progress))?;
        }
        Ok(())
    }

    /// Removes a manifest without `_SUCCESS`, left by a writer that was killed between the two.
    pub(crate) fn remove_manifest(&self) -> Result<(), DataError> {
        manifest::remove(&self.path)
    }
}
