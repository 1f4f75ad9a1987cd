//! The folder a data set is made in: whose it is, and what is in it already.

use std::fs;
use std::path::{Path, PathBuf};

use super::progress::Progress;
use super::runs::RUNS;
use crate::files::{self, is_temporary};
use crate::lock::{FolderLock, LOCK};
use crate::manifest::{self, Manifest, PROGRESS, SUCCESS};
use crate::plan::Plan;
use crate::{DataError, Split};

/// A folder that nobody else writes to.
pub(crate) struct Workplace {
    path: PathBuf,
    _lock: FolderLock,
}

/// What was found there.
pub(crate) enum Found {
    /// Nothing.
    Nothing,
    /// The beginning of what is wanted.
    Unfinished(Box<Progress>),
    /// All that is wanted.
    Finished(Box<Manifest>),
}

impl Workplace {
    /// Takes a folder for a plan, and makes it if it is not there. It must be empty, or hold the same
    /// plan, begun or finished.
    pub(crate) fn enter(path: &Path, plan: &Plan) -> Result<(Self, Found), DataError> {
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
            return Err(occupied(format!(
                "it holds '{name}', which is no beginning of a data set"
            )));
        }
        let workplace = Self { path: path.to_owned(), _lock: FolderLock::acquire(path)? };
        let other = |old: &Plan| {
            plan.difference(old).map(|difference| {
                occupied(format!(
                    "it holds another data set: {difference}; take another folder, or remove it"
                ))
            })
        };
        if path.join(SUCCESS).exists() {
            let manifest = Manifest::open(path)?;
            let mut old =
                Plan::new(manifest.inputs.clone(), &manifest.options, manifest.made.clone());
            old.tabiya.clone_from(&manifest.tabiya);
            // What came through a pipe has no name but the one that everything else from there has.
            for (old, new) in old.inputs.iter_mut().zip(&plan.inputs) {
                if new.bytes.is_none() && old.name == new.name {
                    old.clone_from(new);
                }
            }
            if let Some(error) = other(&old) {
                return Err(error);
            }
            // It may have been killed when all was done but this.
            workplace.clean_up()?;
            return Ok((workplace, Found::Finished(Box::new(manifest))));
        }
        if !path.join(PROGRESS).exists() {
            return Ok((workplace, Found::Nothing));
        }
        let progress = Progress::open(path)?;
        if let Some(error) = other(&progress.plan) {
            if progress.has_files() {
                return Err(error);
            }
            // Nothing is lost with a run of another plan that has not finished a single file.
            workplace.remove_temporary_files();
            return Ok((workplace, Found::Nothing));
        }
        workplace.remove_temporary_files();
        Ok((workplace, Found::Unfinished(Box::new(progress))))
    }

    /// Removes what a killed run may have left half written.
    fn remove_temporary_files(&self) {
        let folders = Split::ALL.map(|split| self.path.join(split.name()));
        for folder in folders.iter().chain([&self.path, &self.path.join(RUNS)]) {
            files::remove_temporary_files(folder);
        }
    }

    /// Removes all files of rows: they are to be made anew.
    pub(crate) fn clear(&self) -> Result<(), DataError> {
        for name in Split::ALL.map(Split::name).into_iter().chain([RUNS]) {
            let folder = self.path.join(name);
            if folder.exists() {
                fs::remove_dir_all(&folder).map_err(DataError::io("remove", &folder))?;
            }
        }
        Ok(())
    }

    /// Everything is done: removes what only the work needed.
    pub(crate) fn clean_up(&self) -> Result<(), DataError> {
        let runs = self.path.join(RUNS);
        if runs.exists() {
            fs::remove_dir_all(&runs).map_err(DataError::io("remove", &runs))?;
        }
        for split in Split::ALL {
            // A split without rows has no files, and needs no folder.
            let _ = fs::remove_dir(self.path.join(split.name()));
        }
        let progress = self.path.join(PROGRESS);
        if progress.exists() {
            fs::remove_file(&progress).map_err(DataError::io("remove", &progress))?;
        }
        Ok(())
    }

    /// Removes a manifest without `_SUCCESS`: the writer was killed between the two.
    pub(crate) fn remove_manifest(&self) -> Result<(), DataError> {
        manifest::remove(&self.path)
    }
}
