//! A folder, or a file, that one process at a time writes to.
//!
//! The lock is the system's own lock on a file `_lock` in the folder (of a file `NAME`, on `.NAME.lock`
//! beside it, since `NAME` itself is replaced by each write). So it ends with the process that
//! holds it, however that ends: a `_lock` without a living owner is stale and simply taken over. The
//! file holds the owner's process id, for the message that others get.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::DataError;

/// The name of the file.
pub(crate) const LOCK: &str = "_lock";

/// Holds the lock of a folder until it is dropped, and then removes its file.
#[derive(Debug)]
pub struct FolderLock {
    path: PathBuf,
    _file: File,
}

impl FolderLock {
    /// Takes the lock of a folder, which must exist.
    pub fn acquire(folder: &Path) -> Result<Self, DataError> {
        Self::lock(folder.join(LOCK), folder)
    }

    /// Takes the lock of a file, which need not exist, in a folder that does. Others that write to the
    /// folder do not mind.
    pub fn acquire_file(file: &Path) -> Result<Self, DataError> {
        // By whatever link it is reached, it is the same file.
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
            // The last owner may have removed the file between our opening and locking it. Then the
            // lock is on a file without a name, and somebody else may hold the one that has it.
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
        // Removed while it is still locked: whoever waits for it finds out above.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_owner_is_refused_and_told_who_the_first_is() {
        let folder = tempfile::tempdir().unwrap();
        let lock = FolderLock::acquire(folder.path()).unwrap();
        let error = FolderLock::acquire(folder.path()).unwrap_err().to_string();
        assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
        drop(lock);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        FolderLock::acquire(folder.path()).unwrap();
    }

    #[test]
    fn files_of_a_folder_are_locked_one_by_one() {
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
    fn a_stale_lock_file_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        for stale in ["4194304\n", "", "no number at all, and longer than any"] {
            fs::write(folder.path().join(LOCK), stale).unwrap();
            FolderLock::acquire(folder.path()).unwrap();
        }
    }

    #[test]
    fn of_many_threads_one_at_a_time_holds_it() {
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
