//! Checkpoints on disk.
//!
//! A checkpoint appears by rename: a file through [`data::write_atomic`], a directory through
//! [`save_folder`]. [`Numbered`] names checkpoints by their step and removes old ones.
//! [`difference`] compares the options of a run with those stored in its checkpoint.

use std::fs;
use std::path::{Path, PathBuf};

use data::FolderLock;
use serde::Serialize;
use serde_json::Value;

use crate::TrainError;

/// Creates and locks the output directory of a run, and removes temporary files of a killed process.
/// `must_resume` refuses a directory that does not exist.
pub fn open_folder(out: &Path, must_resume: bool) -> Result<FolderLock, TrainError> {
    if must_resume && !out.is_dir() {
        return Err(TrainError::NothingToResume(out.to_owned()));
    }
    fs::create_dir_all(out).map_err(TrainError::io("create directory", out))?;
    let lock = FolderLock::acquire(out)?;
    data::remove_temporary_files(out);
    Ok(lock)
}

/// The first option in which a run differs from the one that wrote the checkpoint.
///
/// ```
/// # use tabiya_learn::checkpoint::difference;
/// let old = serde_json::json!({ "seed": 1, "batch_size": 64 });
/// assert_eq!(difference(&old, &old), None);
/// let new = serde_json::json!({ "seed": 2 });
/// assert_eq!(difference(&new, &old).unwrap(), "seed was 1 and is now 2");
/// ```
pub fn difference(new: &impl Serialize, old: &Value) -> Option<String> {
    // Through text, like the old options, because JSON may round numbers.
    let new: Value = serde_json::from_str(&serde_json::to_string(new).ok()?).ok()?;
    new.as_object()?.iter().find_map(|(name, value)| {
        let before = old.get(name).unwrap_or(&Value::Null);
        (before != value).then(|| format!("{name} was {before} and is now {value}"))
    })
}

/// The first 16 digits of a hash.
pub fn short_hash(hasher: &blake3::Hasher) -> String {
    hasher.finalize().to_hex()[..16].to_owned()
}

/// A hash of parameters.
pub fn fingerprint(values: &[f32]) -> String {
    let mut hasher = blake3::Hasher::new();
    for value in values {
        hasher.update(&value.to_le_bytes());
    }
    short_hash(&hasher)
}

/// Checkpoints whose names contain their step.
#[derive(Clone, Copy, Debug)]
pub struct Numbered {
    /// What names begin with.
    pub prefix: &'static str,
    /// The digits of the step, at least.
    pub digits: usize,
    /// What names end with.
    pub suffix: &'static str,
}

impl Numbered {
    /// The checkpoint of a step.
    pub fn path(&self, folder: &Path, step: u64) -> PathBuf {
        let Self { prefix, digits, suffix } = self;
        folder.join(format!("{prefix}{step:0digits$}{suffix}"))
    }

    /// All checkpoints of a directory, the oldest first.
    pub fn list(&self, folder: &Path) -> Result<Vec<(u64, PathBuf)>, TrainError> {
        let entries = folder.read_dir().map_err(TrainError::io("read", folder))?;
        let step = |path: &Path| {
            let name = path.file_name()?.to_str()?.strip_prefix(self.prefix)?;
            name.strip_suffix(self.suffix)?.parse().ok()
        };
        let mut all: Vec<(u64, PathBuf)> = entries
            .filter_map(|entry| {
                let path = entry.ok()?.path();
                Some((step(&path)?, path))
            })
            .collect();
        all.sort();
        Ok(all)
    }

    /// Removes all but the last `keep`.
    pub fn prune(&self, folder: &Path, keep: usize) -> Result<(), TrainError> {
        let all = self.list(folder)?;
        all[..all.len().saturating_sub(keep)].iter().try_for_each(|(_, old)| remove(old))
    }

    /// Removes those after a step: damaged ones, or those of a run that was extended from that step.
    pub fn remove_after(&self, folder: &Path, step: u64) -> Result<(), TrainError> {
        let later = self.list(folder)?.into_iter().filter(|(own, _)| *own > step);
        later.into_iter().try_for_each(|(_, path)| remove(&path))
    }
}

/// Writes a directory under a temporary name and renames it.
pub fn save_folder(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<(), TrainError>,
) -> Result<(), TrainError> {
    let folder = temporary(path);
    remove_folder(&folder)?;
    write(&folder)?;
    remove_folder(path)?;
    fs::rename(&folder, path).map_err(TrainError::io("write", path))
}

/// Removes the temporary directories that a killed process has left.
pub fn remove_temporary_folders(folder: &Path) -> Result<(), TrainError> {
    let Ok(entries) = folder.read_dir() else { return Ok(()) };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with('.') && name.ends_with(".tmp") && path.is_dir() {
            remove_folder(&path)?;
        }
    }
    Ok(())
}

/// Removes a checkpoint.
fn remove(path: &Path) -> Result<(), TrainError> {
    if !path.is_dir() {
        return fs::remove_file(path).map_err(TrainError::io("remove", path));
    }
    // Renamed first, so that half of it is never taken for a checkpoint.
    let removed = temporary(path);
    fs::rename(path, &removed).map_err(TrainError::io("remove", path))?;
    remove_folder(&removed)
}

/// The temporary name of a directory.
fn temporary(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tmp"))
}

fn remove_folder(path: &Path) -> Result<(), TrainError> {
    if path.exists() {
        fs::remove_dir_all(path).map_err(TrainError::io("remove", path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_appear_by_rename_and_the_last_few_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let steps = Numbered { prefix: "step-", digits: 6, suffix: "" };
        let save = |step: u64| {
            save_folder(&steps.path(folder.path(), step), |path| {
                fs::create_dir(path).map_err(TrainError::io("create directory", path))?;
                fs::write(path.join("a"), step.to_string()).map_err(TrainError::io("write", path))
            })
        };
        for step in [1, 2, 2, 10] {
            save(step).unwrap();
        }
        let failed = save_folder(&steps.path(folder.path(), 11), |path| {
            fs::create_dir(path).map_err(TrainError::io("create directory", path))?;
            Err(TrainError::Panicked)
        });
        failed.unwrap_err();
        steps.prune(folder.path(), 2).unwrap();
        let listed: Vec<u64> =
            steps.list(folder.path()).unwrap().into_iter().map(|(step, _)| step).collect();
        assert_eq!(listed, [2, 10]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
        remove_temporary_folders(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        assert_eq!(fs::read_to_string(folder.path().join("step-000002/a")).unwrap(), "2");
    }

    #[test]
    fn files_are_numbered_and_pruned_too() {
        let folder = tempfile::tempdir().unwrap();
        let copies = Numbered { prefix: "checkpoint-", digits: 9, suffix: ".safetensors" };
        for step in [5, 50, 500] {
            fs::write(copies.path(folder.path(), step), b"").unwrap();
        }
        fs::write(folder.path().join("checkpoint-x.safetensors"), b"").unwrap();
        copies.prune(folder.path(), 1).unwrap();
        assert_eq!(copies.list(folder.path()).unwrap().len(), 1);
        assert!(folder.path().join("checkpoint-000000500.safetensors").exists());
    }
}
