//! Exclusive locks on directories and files between processes.
//!
//! The lock is a file lock of the operating system on `_lock` in the directory (for a file `NAME`, on
//! `.NAME.lock` beside it, since each write replaces `NAME` itself). The system releases it when the process
//! ends, so a stale `_lock` is simply locked again. The file holds the process id of the owner, for the
//! error message of others.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::DataError;

/// Name of the lock file.
pub(crate) const LOCK: &str = "_lock";

/// Holds the lock until it is dropped; then the lock file is removed.
#[derive(Debug)]
pub struct FolderLock {
    path: PathBuf,
    _file: File,
}

impl FolderLock {
    /// Locks a directory, which must exist.
    pub fn acquire(folder: &Path) -> Result<Self, DataError> {
        Self::lock(folder.join(LOCK), folder)
    }

    /// Locks a file, which need not exist, in an existing directory. Other files of the directory stay unlocked.
    pub fn acquire_file(file: &Path) -> Result<Self, DataError> {
        // All symbolic links to a file share its lock.
        let real = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        let mut name = OsString::from(".");
        name.push(real.file_name().unwrap_or_default());
        name.push(".lock");
        Self::lock(real.with_file_name(name), file)
    }

    fn lock(path: PathBuf, locked: &Path) -> Result<Self, DataError> {
        loop {
            let mut file = File::options()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(DataError::io("create", &path))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut owner = String::new();
                    let _ = (&mut file).take(20).read_to_string(&mut owner);
                    let owner = match owner.trim().parse::<u32>() {
                        Ok(id) => format!(" (process {id})"),
                        Err(_) => String::new(),
                    };
                    return Err(DataError::Occupied {
                        path: locked.to_owned(),
                        reason: format!("another process{owner} is writing to it"),
                    });
                }
                Err(TryLockError::Error(cause)) => {
                    return Err(DataError::Io { what: "lock", path, cause });
                }
            }
            // The previous owner may have unlinked the file after we opened it. Then this lock is on an
            // unlinked file, and another process may hold the lock on the new one.
            let is_named = file
                .try_clone()
                .and_then(same_file::Handle::from_file)
                .is_ok_and(|ours| same_file::Handle::from_path(&path).is_ok_and(|on| on == ours));
            if !is_named {
                continue;
            }
            let written = file
                .set_len(0)
                .and_then(|()| file.rewind())
                .and_then(|()| writeln!(file, "{}", std::process::id()));
            written.map_err(DataError::io("write", &path))?;
            return Ok(Self { path, _file: file });
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Unlinked while it is locked; `lock` detects that.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_owner_is_refused_with_the_process_id_of_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let lock = FolderLock::acquire(folder.path()).unwrap();
        let error = FolderLock::acquire(folder.path()).unwrap_err().to_string();
        assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
        drop(lock);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        FolderLock::acquire(folder.path()).unwrap();
    }

    #[test]
    fn files_of_a_folder_are_locked_separately() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
        let lock = FolderLock::acquire_file(&a).unwrap();
        FolderLock::acquire_file(&b).unwrap();
        let error = FolderLock::acquire_file(&a).unwrap_err().to_string();
        assert!(error.contains("another process"), "{error}");
        fs::write(&a, b"written meanwhile").unwrap();
        FolderLock::acquire_file(&folder.path().join(".").join("a")).unwrap_err();
        drop(lock);
        FolderLock::acquire_file(&a).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_stale_lock_file_is_locked_again() {
        let folder = tempfile::tempdir().unwrap();
        for stale in ["4194304\n", "", "no number at all, and longer than any"] {
            fs::write(folder.path().join(LOCK), stale).unwrap();
            FolderLock::acquire(folder.path()).unwrap();
        }
    }

    #[test]
    fn one_thread_at_a_time_holds_the_lock() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let folder = tempfile::tempdir().unwrap();
        let (holders, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let Ok(lock) = FolderLock::acquire(folder.path()) else { continue };
                        assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                        taken.fetch_add(1, Ordering::SeqCst);
                        holders.fetch_sub(1, Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
        assert!(taken.into_inner() > 0);
    }
}
